/* galerna host unbook, and the list of bookings. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/host_text.h"
#include "cli/table.h"
#include "util/time_text.h"

/* --- the list --------------------------------------------------------------------------------- */

static void write_names(const json_t *names, const char *separator, FILE *stream)
{
    const json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
        fprintf(stream, "%s%s", i ? "," : separator, json_string_value(name));
}

/* "users ann,bob groups students"; to be freed. */
static char *admitted(const json_t *booking)
{
    const json_t *users = json_object_get(booking, "users");
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    write_names(users, "users ", stream);
    write_names(json_object_get(booking, "groups"), json_array_size(users) ? " groups " : "groups ",
                stream);
    if (json_is_true(json_object_get(booking, "magnetic")))
        fprintf(stream, ", magnetic");
    fclose(stream);
    return text;
}

static bool is_same_time(const json_t *one, const json_t *other)
{
    return json_equal(json_object_get(one, "from"), json_object_get(other, "from")) &&
           json_equal(json_object_get(one, "until"), json_object_get(other, "until"));
}

/* The hosts of the time at that index; NULL: they are those of an earlier one. To be freed. */
static char *hosts_at(const json_t *times, size_t index)
{
    const json_t *at = json_array_get(times, index), *time;
    char *text = NULL;
    size_t size, i, n = 0;
    FILE *stream;

    for (i = 0; i < index; i++)
        if (is_same_time(json_array_get(times, i), at))
            return NULL;
    stream = open_memstream(&text, &size);
    json_array_foreach(times, i, time)
        if (is_same_time(time, at))
            fprintf(stream, "%s%s", n++ ? "," : "", client_text(time, "name"));
    fclose(stream);
    return text;
}

static void add_booking(struct table *table, const json_t *booking)
{
    const json_t *times = json_object_get(booking, "times"), *time;
    char *admits = admitted(booking);
    size_t i;

    json_array_foreach(times, i, time) {
        char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];
        char *hosts = hosts_at(times, i);

        time_text_local(client_instant(time, "from"), from, sizeof from);
        time_text_local(client_instant(time, "until"), until, sizeof until);
        if (hosts)
            table_add(table,
                      (const char *[]){client_text(booking, "name"), client_text(booking, "owner"),
                                       from, until, hosts, admits});
        free(hosts);
    }
    free(admits);
}

static void print_bookings(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"NAME", TABLE_ELASTIC, 0}, {"OWNER", TABLE_ELASTIC, 3},  {"FROM", TABLE_LEFT, 0},
        {"UNTIL", TABLE_LEFT, 1},   {"HOSTS", TABLE_SENTENCE, 0}, {"ADMITS", TABLE_SENTENCE, 2}};
    struct table *table = table_create(columns, 6);
    const json_t *booking;
    size_t i;

    json_array_foreach(json_object_get(answer, "bookings"), i, booking)
        add_booking(table, booking);
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
}

int host_list_bookings(const struct client *client)
{
    return client_show(client, "booking-list", json_object(), print_bookings);
}

static void print_name(FILE *stream, const json_t *booking)
{
    fprintf(stream, "%s\n", client_text(booking, "name"));
}

static void offer_bookings(FILE *stream)
{
    client_offer("booking-list", "bookings", print_name, stream);
}

/* --- the end of a booking --------------------------------------------------------------------- */

struct unbook_arguments {
    struct client client; /* first: see CLIENT_GROUP */
    int64_t at;           /* 0: now */
    bool dry_run;
};

static const struct command_option unbook_options[] = {
    {"at", .type = ARGUMENT_OWN, .argument = "TIME",
     .offset = offsetof(struct unbook_arguments, at), .take = client_take_time,
     .help = "End the booking at this time instead of now. VMs inside then leave the hosts like "
             "drained hosts"},
    {"dry-run", .type = ARGUMENT_FLAG, .offset = offsetof(struct unbook_arguments, dry_run),
     .help = "Only show what would happen to the leases inside"},
};

static void print_end(const json_t *answer)
{
    bool dry = json_is_true(json_object_get(answer, "dry_run"));
    const json_t *unplaced = json_object_get(answer, "unplaced"), *lease;
    int64_t at = client_instant(answer, "at");
    char when[TIME_TEXT_MAX];
    size_t i;

    time_text_local(at, when, sizeof when);
    if (at <= client_instant(answer, "now"))
        printf("Booking '%s' %s.\n", client_text(answer, "booking"),
               dry ? "would end now" : "has ended");
    else
        printf("Booking '%s' %s at %s.\n", client_text(answer, "booking"),
               dry ? "would end" : "ends", when);
    if (json_array_size(unplaced)) {
        printf("Leases inside that lose their place:");
        json_array_foreach(unplaced, i, lease)
            printf("%s%" JSON_INTEGER_FORMAT, i ? ", " : " ", json_integer_value(lease));
        printf("\n");
    }
    if (json_array_size(json_object_get(answer, "vms")))
        host_print_fates(json_object_get(answer, "vms"));
}

const struct command_line host_unbook_line = {
    .name = "galerna host unbook",
    .summary = "End a booking of hosts",
    .purpose = "End a booking on all its hosts, including planned times, now or at a time. If it "
               "ends now, VMs inside keep running where they are, as if placed there without a "
               "booking. Waiting leases that name the booking are no longer placed; the command "
               "lists them. 'galerna host undrain' ends the booking of one host.",
    .operands = "NAME",
    .groups = {OPTION_GROUP(unbook_options), CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The booking does not exist or ends earlier, or galernad does not "
                            "answer"}},
    .offer = offer_bookings,
    .size = sizeof(struct unbook_arguments),
};

int command_host_unbook(const struct call *call)
{
    struct unbook_arguments *arguments = call->arguments;
    json_t *request =
        json_pack("{s:s, s:b}", "booking", call->operands[0], "dry_run", arguments->dry_run);

    arguments->client.command = call->name;
    client_put_time(request, "at", arguments->at);
    return client_show(&arguments->client, "host-unbook", request, print_end);
}
