/* galerna lease list, galerna queue. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/table.h"
#include "util/instant.h"

struct list_arguments {
    struct client client;
    struct text_list phases;
    const char *user;
    int64_t limit;
    bool all, start;
};

#define AT(member) offsetof(struct list_arguments, member)

static const struct command_option list_options[] = {
    {"phase", .type = ARGUMENT_LIST, .argument = "PHASE", .offset = AT(phases),
     .words = "gathering|waiting|reserved|starting|running|stopping|parked|ending|ended|refused|"
              "failed",
     .help = "Show only leases in this phase: gathering, waiting, reserved, starting, running, "
             "stopping, parked, ending, ended, refused or failed. May be repeated"},
    {"user", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(user),
     .help = "Show only leases of this user"},
    {"all", .type = ARGUMENT_FLAG, .offset = AT(all), .help = "Show leases that are over, too"},
    {"limit", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(limit), .otherwise = "1000",
     .least = 0, .most = 10000, .help = "With --all: show only the newest N archived leases"},
    {"start", .type = ARGUMENT_FLAG, .offset = AT(start),
     .help = "Show when each lease starts, and whether that is a contract or an estimate"},
};

/* "3", "0-3,7": the hosts of a lease, as numbers. */
static void hosts_text(const json_t *lease, char *text, size_t size)
{
    const json_t *hosts = json_object_get(lease, "hosts");
    size_t n = json_array_size(hosts), length = 0;

    *text = '\0';
    for (size_t i = 0, last; i < n && length < size; i = last + 1) {
        int64_t first = json_integer_value(json_array_get(hosts, i)), host = first;

        for (last = i;
             last + 1 < n && json_integer_value(json_array_get(hosts, last + 1)) == host + 1;
             last++)
            host++;
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64, i ? "," : "", first);
        if (host > first && length < size)
            length += (size_t)snprintf(text + length, size - length, "-%" PRId64, host);
    }
}

static void add_lease(struct table *table, const json_t *lease, int64_t now)
{
    char id[24], vms[24] = "", start[TIME_TEXT_MAX], end[TIME_TEXT_MAX], left[TIME_TEXT_MAX] = "";
    char hosts[256];

    snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
    if (json_is_integer(json_object_get(lease, "vms")))
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(lease, "vms"));
    lease_text_start(lease, now, start);
    lease_text_end(lease, now, end);
    if (!lease_text_is_over(lease))
        time_text_span(client_span(lease, "left"), left, sizeof left);
    hosts_text(lease, hosts, sizeof hosts);
    table_add(table, (const char *[]){id, client_text(lease, "name"), client_text(lease, "user"),
                                      client_text(lease, "kind"), lease_text_phase(lease), vms,
                                      start, end, left, hosts, client_text(lease, "activity")});
}

static void add_start(struct table *table, const json_t *lease, int64_t now)
{
    char id[24], start[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];
    int64_t at = lease_text_start_time(lease);
    const char *promise = client_text(lease, "promise");

    snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
    lease_text_time(at, now, start, relative);
    if (client_instant(lease, "since") != INSTANT_NONE)
        promise = "started";
    else if (client_instant(lease, "was_expected") != INSTANT_NONE)
        promise = lease_text_is_contract(lease) ? "overdue" : "estimate, overdue";
    table_add(table, (const char *[]){id, client_text(lease, "name"), lease_text_phase(lease),
                                      start, relative, promise});
}

static void print_list(const json_t *answer, bool start)
{
    static const struct table_column columns[] = {
        {"LEASE", TABLE_RIGHT, 0},   {"NAME", TABLE_ELASTIC, 0},      {"USER", TABLE_ELASTIC, 5},
        {"KIND", TABLE_LEFT, 7},     {"PHASE", TABLE_LEFT, 0},        {"VMS", TABLE_RIGHT, 6},
        {"START", TABLE_LEFT, 1},    {"END", TABLE_LEFT, 2},          {"LEFT", TABLE_LEFT, 3},
        {"HOSTS", TABLE_ELASTIC, 4}, {"ACTIVITY", TABLE_SENTENCE, 8},
    };
    static const struct table_column start_columns[] = {
        {"LEASE", TABLE_RIGHT, 0}, {"NAME", TABLE_ELASTIC, 1}, {"PHASE", TABLE_LEFT, 3},
        {"START", TABLE_LEFT, 0},  {"IN", TABLE_LEFT, 2},      {"PROMISE", TABLE_LEFT, 0},
    };
    struct table *table = start ? table_create(start_columns, 6) : table_create(columns, 11);
    json_t *leases = lease_text_sorted(json_object_get(answer, "leases")), *lease;
    int64_t now = client_instant(answer, "now");
    size_t i;

    json_array_foreach(leases, i, lease)(start ? add_start : add_lease)(table, lease, now);
    if (table_rows(table))
        table_print(table, stdout, table_terminal_width());
    else
        printf("No leases found.\n");
    json_decref(leases);
    table_destroy(table);
}

const struct command_line lease_list_line = {
    .name = "galerna lease list",
    .summary = "List leases and when they start",
    .purpose =
        "List leases: running leases first, then reservations by their start, then the queue "
        "in its order. In the columns START and END, '~' marks an estimate, and 'due' a start "
        "that was expected and has not come. HOSTS shows host numbers. The phase 'suspended' marks "
        "leases that left their hosts for another lease and wait to resume; to --phase, they "
        "are waiting or reserved. 'unknown' marks running leases with a VM that OpenNebula cannot "
        "monitor. A narrow terminal shows fewer columns.",
    .groups = {{.options = list_options, .n = sizeof list_options / sizeof *list_options},
               CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct list_arguments),
};

static json_t *list_request(const struct list_arguments *arguments)
{
    json_t *request = json_pack("{s:I}", "limit", (json_int_t)arguments->limit);
    json_t *phases = json_array();

    for (size_t i = 0; i < arguments->phases.n; i++)
        json_array_append_new(phases, json_string(arguments->phases.items[i]));
    if (arguments->phases.n)
        json_object_set(request, "phase", phases);
    json_decref(phases);
    if (arguments->user)
        json_object_set_new(request, "user", json_string(arguments->user));
    if (arguments->all)
        json_object_set_new(request, "all", json_true());
    return request;
}

int command_lease_list(const struct call *call)
{
    struct list_arguments *arguments = call->arguments;
    struct client *client = &arguments->client;
    json_t *answer;
    int code;

    client->command = call->name;
    answer = client_ask(client, "lease-list", list_request(arguments), &code);
    if (!answer)
        return code;
    code = EXIT_DONE;
    if (client->json)
        code = client_print_json(client, answer);
    else
        print_list(answer, arguments->start);
    json_decref(answer);
    return code;
}

static void print_queue(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"PLACE", TABLE_RIGHT, 0},  {"LEASE", TABLE_RIGHT, 0}, {"USER", TABLE_ELASTIC, 1},
        {"VMS", TABLE_RIGHT, 2},    {"PRIO", TABLE_RIGHT, 3},  {"START", TABLE_LEFT, 0},
        {"WHY", TABLE_SENTENCE, 4},
    };
    struct table *table = table_create(columns, 7);
    int64_t now = client_instant(answer, "now");
    const json_t *lease;
    size_t i;

    json_array_foreach(json_object_get(answer, "leases"), i, lease)
    {
        char place[24], id[24], vms[24], priority[24], start[TIME_TEXT_MAX];

        snprintf(place, sizeof place, "%" PRId64, client_integer(lease, "position"));
        snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(lease, "vms"));
        snprintf(priority, sizeof priority, "%" PRId64, client_integer(lease, "priority"));
        lease_text_start(lease, now, start);
        table_add(table, (const char *[]){place, id, client_text(lease, "user"), vms, priority,
                                          start, client_text(lease, "activity")});
    }
    if (table_rows(table))
        table_print(table, stdout, table_terminal_width());
    else
        printf("The queue is empty.\n");
    table_destroy(table);
}

const struct command_line queue_line = {
    .name = "galerna queue",
    .summary = "List waiting leases in the order of the queue",
    .purpose =
        "List the waiting leases in the order in which they are considered, and why each one "
        "is waiting. 'galerna lease why' explains one of them in detail.",
    .groups = {CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct client),
};

int command_queue(const struct call *call)
{
    return client_run(call, "queue", print_queue);
}
