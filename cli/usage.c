/* galerna usage: who used and reserved how much. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/table.h"
#include "util/time_text.h"

struct usage_arguments {
    struct listing listing;
    int64_t since, until; /* 0: not given */
    const char *user;
    int by;
};

enum { BY_USER, BY_GROUP };

#define AT(member) offsetof(struct usage_arguments, member)

static const struct command_option usage_options[] = {
    {"since", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(since),
     .take = client_take_past,
     .help = "From TIME on; -2d: two days ago. Default: 30 days before --until"},
    {"until", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(until),
     .take = client_take_past, .help = "Until TIME. Default: now"},
    {"by", .type = ARGUMENT_CHOICE, .argument = "WHO", .offset = AT(by), .otherwise = "user",
     .words = "user|group", .help = "A line for each user, or for each group of users"},
    {"user", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(user),
     .help = "Only this user"},
};

static void add_row(struct table *table, const json_t *row)
{
    static const char *const amounts[] = {"cpu_hours", "memory_gb_hours", "reserved_cpu_hours",
                                          "reserved_used_cpu_hours"};
    static const char *const counts[] = {"leases", "preemptions", "late", "refused"};
    char amount[4][32], count[4][24], wait[TIME_TEXT_MAX];
    const char *name = client_text(row, "user");

    for (int i = 0; i < 4; i++) {
        snprintf(amount[i], sizeof amount[i], "%.1f",
                 json_number_value(json_object_get(row, amounts[i])));
        snprintf(count[i], sizeof count[i], "%" PRId64, client_integer(row, counts[i]));
    }
    time_text_span(client_span(row, "mean_wait"), wait, sizeof wait);
    table_add(table, (const char *[]){*name ? name : client_text(row, "user_group"), count[0],
                                      amount[0], amount[1], amount[2], amount[3],
                                      client_integer(row, "started") ? wait : NULL, count[1],
                                      count[2], count[3]});
}

static void print_usage(const json_t *answer, size_t width, const void *given)
{
    static const struct table_column columns[] = {
        {"WHO", TABLE_ELASTIC, 0},     {"LEASES", TABLE_RIGHT, 1},
        {"CPU-HOURS", TABLE_RIGHT, 0}, {"GB-HOURS", TABLE_RIGHT, 3},
        {"RESERVED", TABLE_RIGHT, 0},  {"OF THAT USED", TABLE_RIGHT, 2},
        {"MEAN WAIT", TABLE_RIGHT, 4}, {"PREEMPTED", TABLE_RIGHT, 5},
        {"LATE", TABLE_RIGHT, 6},      {"REFUSED", TABLE_RIGHT, 7},
    };
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    struct table_lines lines;
    char since[TIME_TEXT_MAX], until[TIME_TEXT_MAX];
    const json_t *row;
    size_t i;

    (void)given;
    time_text_local(client_instant(answer, "since"), since, sizeof since);
    time_text_local(client_instant(answer, "until"), until, sizeof until);
    table_lines_begin(&lines);
    fprintf(lines.stream, "From %s until %s\n", since, until);
    table_lines_print(&lines, 0);
    json_array_foreach(json_object_get(answer, "usage"), i, row)
        add_row(table, row);
    table_show(table, width, "No usage in this period.");
}

const struct command_line usage_line = {
    .name = "galerna usage",
    .summary = "Show usage by user or group",
    .purpose = "Show usage and reservations by user or group: leases, CPU-hours and GB-hours (of "
               "memory) of running VMs, reserved CPU-hours and the part of them that was used, the "
               "mean time from request to start, preemptions, broken promises and refusals. Leases "
               "count as long as galernad keeps them (history-keep).",
    .groups = {OPTION_GROUP(usage_options), LISTING_GROUP, CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct usage_arguments),
};

int command_usage(const struct call *call)
{
#define USAGE_FIELDS                                                                               \
    ",leases,cpu_hours,memory_gb_hours,reserved_cpu_hours,reserved_used_cpu_hours,started,"        \
    "mean_wait,preemptions,late,refused"
    static const char *const who[] = {[BY_USER] = "user", [BY_GROUP] = "group"};
    static const char *const fields[] = {
        [BY_USER] = "user" USAGE_FIELDS, [BY_GROUP] = "user_group" USAGE_FIELDS};
    const struct usage_arguments *arguments = call->arguments;
    const struct listing_kind kind = {"usage",
                                      "usage",
                                      arguments->by == BY_GROUP ? "user_group" : "user",
                                      fields[arguments->by],
                                      NULL,
                                      print_usage};
    json_t *request = json_pack("{s:s}", "by", who[arguments->by]);

    client_put_time(request, "since", arguments->since);
    client_put_time(request, "until", arguments->until);
    if (arguments->user)
        json_object_set_new(request, "user", json_string(arguments->user));
    return listing_run(call, &kind, request);
}
