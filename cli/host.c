/* galerna host list, galerna host timeline, galerna host release. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/table.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/time_text.h"

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static bool any_quarantined(const json_t *hosts)
{
    const json_t *host;
    size_t i;

    json_array_foreach(hosts, i, host)
    {
        if (client_instant(host, "quarantined_until") != INSTANT_NONE)
            return true;
    }
    return false;
}

static void print_hosts(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"HOST", TABLE_RIGHT, 0}, {"NAME", TABLE_ELASTIC, 0}, {"CLUSTER", TABLE_ELASTIC, 4},
        {"STATE", TABLE_LEFT, 0}, {"CPU", TABLE_RIGHT, 1},    {"MEMORY MB", TABLE_RIGHT, 2},
        {"VMS", TABLE_RIGHT, 3},  {"UNTIL", TABLE_LEFT, 0},
    };
    const json_t *hosts = json_object_get(answer, "hosts"), *host;
    bool quarantined = any_quarantined(hosts);
    struct table *table = table_create(columns, quarantined ? 8 : 7);
    int64_t now = client_instant(answer, "now");
    size_t i;

    json_array_foreach(hosts, i, host)
    {
        char id[24], cpu[64], memory[64], vms[24], until[TIME_TEXT_MAX];

        snprintf(id, sizeof id, "%" PRId64, client_integer(host, "host"));
        snprintf(cpu, sizeof cpu, "%g/%g", number(host, "cpu_used"), number(host, "cpu"));
        snprintf(memory, sizeof memory, "%" PRId64 "/%" PRId64, client_integer(host, "memory_used"),
                 client_integer(host, "memory"));
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(host, "vms"));
        time_text_relative(client_instant(host, "quarantined_until"), now, until, sizeof until);
        table_add(table,
                  (const char *[]){id, client_text(host, "name"), client_text(host, "cluster"),
                                   client_text(host, "state"), cpu, memory, vms, until});
    }
    if (table_rows(table))
        table_print(table, stdout, table_terminal_width());
    else
        printf("No hosts found.\n");
    table_destroy(table);
}

const struct command_line host_list_line = {
    .name = "galerna host list",
    .summary = "List hosts and their usage",
    .purpose = "List the hosts, their state, and the capacity that VMs use now. UNTIL shows when "
               "the quarantine of a host ends; 'galerna host release' ends it at once.",
    .groups = {CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct client),
};

int command_host_list(const struct call *call)
{
    return client_run(call, "host-list", print_hosts);
}

static int compare_operations(const void *one, const void *two)
{
    const json_t *a = *(const json_t *const *)one, *b = *(const json_t *const *)two;
    int64_t from_a = client_instant(a, "from"), from_b = client_instant(b, "from");
    int64_t lease_a = client_integer(a, "lease"), lease_b = client_integer(b, "lease");

    if (from_a != from_b)
        return from_a < from_b ? -1 : 1;
    if (lease_a != lease_b)
        return lease_a < lease_b ? -1 : 1;
    return client_integer(a, "vm") < client_integer(b, "vm") ? -1 : 1;
}

static void add_operation(struct table *table, const json_t *operation)
{
    char from[TIME_TEXT_MAX], span[TIME_TEXT_MAX], lease[24], vm[24] = "", cpu[32], memory[24];
    int64_t begin = client_instant(operation, "from"), end = client_instant(operation, "until");

    time_text_local(begin, from, sizeof from);
    if (begin == INSTANT_NONE || end == INSTANT_NONE)
        time_text_span(SPAN_NONE, span, sizeof span);
    else
        time_text_span(end == INSTANT_NEVER ? SPAN_UNLIMITED : end - begin, span, sizeof span);
    snprintf(lease, sizeof lease, "%" PRId64, client_integer(operation, "lease"));
    if (json_is_integer(json_object_get(operation, "vm")))
        snprintf(vm, sizeof vm, "%" PRId64, client_integer(operation, "vm"));
    snprintf(cpu, sizeof cpu, "%g", number(operation, "cpu"));
    snprintf(memory, sizeof memory, "%" PRId64, client_integer(operation, "memory"));
    table_add(table, (const char *[]){from, span, lease, vm, client_text(operation, "what"), cpu,
                                      memory, client_text(operation, "name")});
}

static void print_timeline(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"FROM", TABLE_LEFT, 0}, {"FOR", TABLE_LEFT, 0},     {"LEASE", TABLE_RIGHT, 0},
        {"VM", TABLE_RIGHT, 3},  {"WHAT", TABLE_LEFT, 1},    {"CPU", TABLE_RIGHT, 4},
        {"MB", TABLE_RIGHT, 5},  {"NAME", TABLE_ELASTIC, 2},
    };
    const json_t *operations = json_object_get(answer, "operations");
    size_t n = json_array_size(operations);
    json_t **items = memory_new(n, sizeof *items);
    struct table *table = table_create(columns, 8);

    for (size_t i = 0; i < n; i++)
        items[i] = json_array_get(operations, i);
    qsort(items, n, sizeof *items, compare_operations);
    for (size_t i = 0; i < n; i++)
        add_operation(table, items[i]);
    if (n)
        table_print(table, stdout, table_terminal_width());
    else
        printf("Nothing is running or planned on this host.\n");
    table_destroy(table);
    free(items);
}

static void offer_hosts(FILE *stream)
{
    struct client client = {.command = "galerna"};
    const json_t *host;
    json_t *answer;
    size_t i;
    int code;

    answer = client_ask(&client, "host-list", json_object(), &code);
    json_array_foreach(json_object_get(answer, "hosts"), i, host) fprintf(
        stream, "%" PRId64 "\n%s\n", client_integer(host, "host"), client_text(host, "name"));
    json_decref(answer);
}

const struct command_line host_timeline_line = {
    .name = "galerna host timeline",
    .summary = "Show what runs and is planned on a host",
    .purpose = "Show what runs on a host and what is planned there, in chronological order. HOST "
               "is its number or name.",
    .operands = "HOST",
    .least = 1,
    .most = 1,
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The host does not exist, or galernad does not answer"}},
    .offer = offer_hosts,
    .size = sizeof(struct client),
};

/* Ask about, or for, the host that is the operand. */
static int ask_for_host(const struct call *call, const char *command,
                        void (*print)(const json_t *answer))
{
    struct client *client = call->arguments;
    const char *host = call->operands[0];
    json_t *request, *answer;
    char *end;
    long id = strtol(host, &end, 10);
    int code;

    client->command = call->name;
    request = *end || !*host ? json_pack("{s:s}", "host", host)
                             : json_pack("{s:I}", "host", (json_int_t)id);
    if (!request)
        return command_usage_error(call->name, "HOST is not valid UTF-8");
    answer = client_ask(client, command, request, &code);
    return answer ? client_print(client, answer, print) : code;
}

int command_host_timeline(const struct call *call)
{
    return ask_for_host(call, "host-timeline", print_timeline);
}

static void print_released(const json_t *answer)
{
    printf("Host %" PRId64 " (", client_integer(answer, "host"));
    table_print_text(stdout, client_text(answer, "name"));
    printf(") is no longer quarantined.\n");
}

const struct command_line host_release_line = {
    .name = "galerna host release",
    .summary = "End the quarantine of a host",
    .purpose = "End the quarantine of a host: VMs are placed there again, also those that failed "
               "there. HOST is its number or name. A host on which VMs are still stuck is "
               "quarantined again.",
    .operands = "HOST",
    .least = 1,
    .most = 1,
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The host does not exist or is not quarantined, or galernad does not "
                            "answer"}},
    .offer = offer_hosts,
    .size = sizeof(struct client),
};

int command_host_release(const struct call *call)
{
    return ask_for_host(call, "host-release", print_released);
}
