/* galerna host drain, book, undrain: one window or several, and the list of them. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/host_text.h"
#include "cli/table.h"
#include "util/instant.h"
#include "util/recurrence.h"
#include "util/time_text.h"

struct drain_arguments {
    struct client client; /* first: see CLIENT_GROUP */
    int64_t from, until;  /* 0: not given */
    int rule;             /* 0: the window does not recur, else enum recurrence + 1 */
    int64_t times;
    bool dry_run, list;
    const char *name, *users, *groups, *owner; /* of a booking; NULL */
    const char *cluster;                       /* NULL: any */
    int64_t count;                             /* of any hosts; 0: they are named */
    bool magnetic;
};

#define AT(member) offsetof(struct drain_arguments, member)

static const struct command_option drain_options[] = {
    {"from", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(from), .take = client_take_time,
     .help =
         "Start of the drain or booking: other VMs have left the hosts by then. Until then, the "
         "hosts only run leases that end in time or can be suspended. Default: now"},
    {"until", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(until),
     .take = client_take_time,
     .help = "End of the drain or booking. Default: until 'galerna host undrain' or 'unbook'"},
    {"repeat", .type = ARGUMENT_CHOICE, .argument = "RULE", .offset = AT(rule),
     .words = "no|" RECURRENCE_WORDS, .unset = "no",
     .help = "Repeat the window of --from and --until hourly, daily, weekdays (Monday to Friday) "
             "or weekly, in local time. 'galerna host undrain --at' ends a single window"},
    {"times", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(times), .unset = "0",
     .least = 0, .most = 100, .help = "With --repeat: number of windows, including the first"},
    {"dry-run", .type = ARGUMENT_FLAG, .offset = AT(dry_run),
     .help = "Only show what would happen to each VM"},
    {"list", .type = ARGUMENT_FLAG, .offset = AT(list),
     .help = "List the current and planned drains of all hosts, or the bookings"},
};

static const struct command_option book_options[] = {
    {"name", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(name),
     .help = "Name of the booking, which leases give as BOOKING: letters, digits, '.', '_', '-'. "
             "If the booking exists, these hosts and times are added to it, in place of those that "
             "they overlap, and its users and groups are replaced"},
    {"users", .type = ARGUMENT_TEXT, .argument = "NAME,...", .offset = AT(users),
     .help = "Admit VMs of these OpenNebula users"},
    {"groups", .type = ARGUMENT_TEXT, .argument = "NAME,...", .offset = AT(groups),
     .help = "Admit VMs of these OpenNebula groups"},
    {"owner", .type = ARGUMENT_TEXT, .argument = "USER", .offset = AT(owner),
     .help = "The OpenNebula user who may change and end the booking over the HTTP API, and whose "
             "leases it admits if neither --users nor --groups is given"},
    {"count", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(count), .unset = "0",
     .least = 0, .most = 10000,
     .help = "Instead of HOST: book N hosts that are free from --from until --until: without VMs "
             "and planned reservations"},
    {"cluster", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(cluster),
     .help = "With --count: only hosts of this cluster"},
    {"magnetic", .type = ARGUMENT_FLAG, .offset = AT(magnetic),
     .help = "Admitted users' leases may use the hosts without naming the booking"},
};

/* "Hosts 3, 4" */
static void print_hosts(const json_t *hosts)
{
    const json_t *host;
    size_t i;

    printf("%s", json_array_size(hosts) == 1 ? "Host " : "Hosts ");
    json_array_foreach(hosts, i, host)
        printf("%s%" JSON_INTEGER_FORMAT, i ? ", " : "", json_integer_value(host));
}

static void print_refusal(const json_t *answer)
{
    const json_t *instead = json_object_get(answer, "alternative");
    char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

    printf("No hosts %s booked: ",
           json_is_true(json_object_get(answer, "dry_run")) ? "would be" : "are");
    table_print_text(stdout, client_text(answer, "text"));
    printf(".\n");
    if (!json_is_object(instead))
        return;
    time_text_local(client_instant(instead, "from"), from, sizeof from);
    time_text_local(client_instant(instead, "until"), until, sizeof until);
    print_hosts(json_object_get(instead, "hosts"));
    printf(" could be booked from %s until %s.\n", from, until);
}

static void print_unplaced(const json_t *answer)
{
    const json_t *leases = json_object_get(answer, "unplaced"), *lease;
    size_t i;

    json_array_foreach(leases, i, lease)
        printf(
            "%s%" JSON_INTEGER_FORMAT,
            i ? ", " : "Leases that lose the place they are promised: ", json_integer_value(lease));
    if (json_array_size(leases))
        printf("\n");
}

/* "Hosts 1, 2 will be drained from ... on, until ....", or what a booking does. */
static void print_effect(const json_t *answer)
{
    const json_t *hosts = json_object_get(answer, "hosts"), *vms = json_object_get(answer, "vms");
    bool dry = json_is_true(json_object_get(answer, "dry_run"));
    int64_t from = client_instant(answer, "from"), until = client_instant(answer, "until");
    bool later = from > client_instant(answer, "now");
    char when[TIME_TEXT_MAX];

    print_hosts(hosts);
    printf(" %s", dry                           ? "would be"
                  : later                       ? "will be"
                  : json_array_size(hosts) == 1 ? "is"
                                                : "are");
    if (*client_text(answer, "booking"))
        printf(" booked for '%s'", client_text(answer, "booking"));
    else
        printf("%s drained", dry || later || !json_array_size(vms) ? "" : " being");
    if (later) {
        time_text_local(from, when, sizeof when);
        printf(" from %s on", when);
    }
    if (until != INSTANT_NEVER) {
        time_text_local(until, when, sizeof when);
        printf(", until %s", when);
    }
    printf(".\n");
}

static void print_drain(const json_t *answer)
{
    const json_t *vms = json_object_get(answer, "vms");

    if (json_is_false(json_object_get(answer, "accepted"))) {
        print_refusal(answer);
        return;
    }
    print_effect(answer);
    if (*client_text(answer, "text")) {
        printf("Warning: ");
        table_print_text(stdout, client_text(answer, "text"));
        printf(".\n");
    }
    if (json_array_size(vms))
        host_print_fates(vms);
    else
        printf("No VMs are running there.\n");
    print_unplaced(answer);
}

const struct command_line host_drain_line = {
    .name = "galerna host drain",
    .summary = "Empty hosts, now or in a maintenance window",
    .purpose =
        "Empty hosts: only VMs that end before the drain starts are placed there, reservations "
        "planned there move to other hosts, and VMs that would still be running migrate in time, "
        "live if possible. Preemptable VMs without room elsewhere are suspended. The command shows "
        "what happens to each VM, and why a VM stays. HOST is a number or a name. A host may have "
        "several drain windows; a new one replaces those that it overlaps.",
    .operands = "[HOST...]",
    .most = 256,
    .groups = {OPTION_GROUP(drain_options), CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success, even if VMs stay"},
              {EXIT_FAILED, "A host does not exist, or galernad does not answer or has no plan"}},
    .offer = host_offer,
    .size = sizeof(struct drain_arguments),
};

const struct command_line host_book_line = {
    .name = "galerna host book",
    .summary = "Reserve hosts for the leases of certain users",
    .purpose =
        "Book hosts for a course or a project: from --from until --until they are drained for all "
        "leases except those that name the booking (BOOKING=\"name\" in a VM's attribute, "
        "--booking of 'galerna lease request') and belong to an admitted user or group. A lease "
        "inside must end with the booking: otherwise it is refused, or suspended if it is "
        "preemptable. The command shows what happens to the VMs on the hosts. HOST is a number or "
        "a name; --count books any hosts that are free. 'galerna host unbook' ends a booking. "
        "Users book hosts over the HTTP API, within max-booked-hosts (galerna.conf(5)).",
    .operands = "[HOST...]",
    .most = 256,
    .groups = {OPTION_GROUP(book_options), OPTION_GROUP(drain_options), CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success, even if VMs stay"},
              {EXIT_FAILED, "A host does not exist, is already booked or drained, or galernad "
                            "does not answer or has no plan"},
              {EXIT_REFUSED, "With --count: too few hosts are free; no host was booked"}},
    .offer = host_offer,
    .size = sizeof(struct drain_arguments),
};

/* --- several windows -------------------------------------------------------------------------- */

/* The begin of a window, by --repeat; the only one has number 0. */
static int64_t begin_of(const struct drain_arguments *arguments, uint32_t n)
{
    return arguments->rule
               ? recurrence_at((enum recurrence)(arguments->rule - 1), arguments->from, n)
               : arguments->from;
}

static int64_t end_of(const struct drain_arguments *arguments, uint32_t n)
{
    return arguments->until ? begin_of(arguments, n) + (arguments->until - arguments->from) : 0;
}

static int check_windows(const struct drain_arguments *arguments, const char **wrong)
{
    *wrong = NULL;
    if (!arguments->rule && arguments->times)
        *wrong = "--times requires --repeat";
    else if (arguments->rule && (!arguments->from || !arguments->until || !arguments->times))
        *wrong = "--repeat requires --from, --until and --times";
    else if (arguments->rule && arguments->until <= arguments->from)
        *wrong = "--until must be later than --from";
    for (uint32_t n = 1; !*wrong && n < arguments->times; n++)
        if (end_of(arguments, n - 1) > begin_of(arguments, n))
            *wrong = "--repeat: each window must end before the next one begins";
    return *wrong ? -1 : 0;
}

/* The exit code. */
static int order_window(const struct client *client, json_t *asked)
{
    const char *command = json_object_get(asked, "booking") ? "host-book" : "host-drain";
    int code, printed;
    json_t *answer = client_ask(client, command, asked, &code);

    if (!answer)
        return code;
    code = json_is_false(json_object_get(answer, "accepted")) ? EXIT_REFUSED : EXIT_DONE;
    printed = client_print(client, answer, print_drain);
    return printed == EXIT_DONE ? code : printed;
}

/* Requests each window in turn, until one fails. Returns the exit code. */
static int drain_windows(struct drain_arguments *arguments, const json_t *request)
{
    uint32_t windows = arguments->rule ? (uint32_t)arguments->times : 1;
    int code = EXIT_DONE;

    for (uint32_t n = 0; n < windows && code == EXIT_DONE; n++) {
        json_t *asked = json_deep_copy(request);

        client_put_time(asked, "from", begin_of(arguments, n));
        client_put_time(asked, "until", end_of(arguments, n));
        code = order_window(&arguments->client, asked);
        if (code != EXIT_DONE && n > 0)
            fprintf(stderr, "Created %u of %u windows.\n", n, windows);
    }
    return code;
}

static void print_list(const json_t *answer)
{
    static const struct table_column columns[] = {{"HOST", TABLE_RIGHT, 0},
                                                  {"NAME", TABLE_ELASTIC, 3},
                                                  {"FROM", TABLE_LEFT, 0},
                                                  {"UNTIL", TABLE_LEFT, 1},
                                                  {"BOOKING", TABLE_ELASTIC, 2}};
    struct table *table = table_create(columns, 5);
    const json_t *host, *drain;
    size_t i, k;

    json_array_foreach(json_object_get(answer, "hosts"), i, host) {
        json_array_foreach(json_object_get(host, "drains"), k, drain) {
            char id[24], from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

            snprintf(id, sizeof id, "%" PRId64, client_integer(host, "host"));
            time_text_local(client_instant(drain, "from"), from, sizeof from);
            time_text_local(client_instant(drain, "until"), until, sizeof until);
            table_add(table, (const char *[]){id, client_text(host, "name"), from, until,
                                              client_text(drain, "booking")});
        }
    }
    table_show(table, table_terminal_width(), "No host is drained.");
}

static int check_booking(const struct drain_arguments *arguments, const char **wrong)
{
    *wrong = !arguments->name    ? "--name is missing"
             : !arguments->until ? "--until is missing"
             : !arguments->users && !arguments->groups && !arguments->owner
                 ? "--users and --groups are both missing: the booking would admit no leases"
             : arguments->cluster && !arguments->count ? "--cluster requires --count"
                                                       : NULL;
    return *wrong ? -1 : 0;
}

/* "a,b" as a list. */
static json_t *names_of(const char *text)
{
    json_t *list = json_array();

    while (text && *text) {
        size_t length = strcspn(text, ",");

        json_array_append_new(list, json_stringn(text, length));
        text += length + (text[length] == ',');
    }
    return list;
}

static json_t *booking_of(const struct drain_arguments *arguments)
{
    return json_pack("{s:s, s:o, s:o, s:b, s:s*}", "name", arguments->name, "users",
                     names_of(arguments->users), "groups", names_of(arguments->groups), "magnetic",
                     arguments->magnetic, "owner", arguments->owner);
}

static int list(struct drain_arguments *arguments, bool bookings)
{
    return bookings ? host_list_bookings(&arguments->client)
                    : client_show(&arguments->client, "host-list", json_object(), print_list);
}

static int order_drains(const struct call *call, bool books)
{
    struct drain_arguments *arguments = call->arguments;
    json_t *request, *hosts;
    const char *wrong;
    int code;

    arguments->client.command = call->name;
    if (arguments->list)
        return call->n ? command_usage_error(call->name, "--list cannot be combined with HOST")
                       : list(arguments, books);
    if ((call->n == 0) != (arguments->count > 0))
        return command_usage_error(call->name, arguments->count
                                                   ? "--count cannot be combined with HOST"
                                                   : "HOST is missing");
    if (check_windows(arguments, &wrong) < 0 || (books && check_booking(arguments, &wrong) < 0))
        return command_usage_error(call->name, "%s", wrong);
    hosts = json_array();
    for (int i = 0; i < call->n; i++)
        json_array_append_new(hosts, host_operand(call->operands[i]));
    request = json_pack("{s:o, s:b, s:s*}", "hosts", hosts, "dry_run", arguments->dry_run,
                        "cluster", arguments->cluster);
    if (arguments->count)
        json_object_set_new(request, "count", json_integer(arguments->count));
    if (books)
        json_object_set_new(request, "booking", booking_of(arguments));
    code = drain_windows(arguments, request);
    json_decref(request);
    return code;
}

int command_host_drain(const struct call *call)
{
    return order_drains(call, false);
}

int command_host_book(const struct call *call)
{
    return order_drains(call, true);
}

/* --- the end of a drain ----------------------------------------------------------------------- */

struct undrain_arguments {
    struct client client; /* first: see CLIENT_GROUP */
    int64_t at;           /* 0: not given */
    bool all;
};

static const struct command_option undrain_options[] = {
    {"at", .type = ARGUMENT_OWN, .argument = "TIME",
     .offset = offsetof(struct undrain_arguments, at), .take = client_take_time,
     .help = "End the drain that includes this time instead of the first one"},
    {"all", .type = ARGUMENT_FLAG, .offset = offsetof(struct undrain_arguments, all),
     .help = "End all current and planned drains of the hosts"},
};

static void print_undrained(const json_t *answer)
{
    printf("Ended the drain of host %" PRId64 " (", client_integer(answer, "host"));
    table_print_text(stdout, client_text(answer, "name"));
    printf(").\n");
}

const struct command_line host_undrain_line = {
    .name = "galerna host undrain",
    .summary = "End the drain of hosts",
    .purpose = "End the drain of hosts, or cancel the next planned one: VMs are placed there "
               "again. VMs that have moved do not move back. HOST is a number or name.",
    .operands = "HOST...",
    .groups = {OPTION_GROUP(undrain_options), CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "A host does not exist or is not drained, or galernad does not "
                            "answer"}},
    .offer = host_offer,
    .size = sizeof(struct undrain_arguments),
};

int command_host_undrain(const struct call *call)
{
    const struct undrain_arguments *arguments = call->arguments;
    json_t *request = json_pack("{s:b}", "all", arguments->all);
    int code;

    client_put_time(request, "at", arguments->at);
    code = host_ask(call, "host-undrain", request, print_undrained);
    json_decref(request);
    return code;
}
