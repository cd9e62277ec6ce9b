/* galerna host: list, show, timeline, release. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/host_text.h"
#include "cli/listing.h"
#include "cli/table.h"
#include "util/decimal.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/time_text.h"

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* When VMs are not placed on the host: "begins in 5m, ends in 2h"; "": never. */
static void out_of_service_text(const json_t *host, int64_t now, char *text, size_t size)
{
    int64_t until = client_instant(host, "quarantined_until");
    char end[TIME_TEXT_MAX];

    host_drain_text(host, now, text, size);
    if (*text || until == INSTANT_NONE)
        return;
    time_text_relative(until, now, end, sizeof end);
    snprintf(text, size, "ends %s", end);
}

static bool any_is_out_of_service(const json_t *hosts, int64_t now)
{
    char text[DRAIN_TEXT_MAX];
    const json_t *host;
    size_t i;

    json_array_foreach(hosts, i, host) {
        out_of_service_text(host, now, text, sizeof text);
        if (*text)
            return true;
    }
    return false;
}

static void print_unread(const json_t *host, FILE *stream)
{
    int64_t n = client_integer(host, "unread_vms");

    if (n > 0)
        fprintf(stream,
                "%" PRId64 " VM%s on host %" PRId64 " cannot be read: %g CPU and %" PRId64
                " MB are kept for %s\n",
                n, n > 1 ? "s" : "", client_integer(host, "host"), number(host, "unread_cpu"),
                client_integer(host, "unread_memory"), n > 1 ? "them" : "it");
}

static void print_hosts(const json_t *answer, size_t width, const void *arguments)
{
    static const struct table_column columns[] = {
        {"HOST", TABLE_RIGHT, 0},      {"NAME", TABLE_ELASTIC, 0},
        {"CLUSTER", TABLE_ELASTIC, 4}, {"STATE", TABLE_LEFT, 0},
        {"CPU", TABLE_RIGHT, 1},       {"MEMORY MB", TABLE_RIGHT, 2},
        {"VMS", TABLE_RIGHT, 3},       {"OUT OF SERVICE", TABLE_SENTENCE, 0},
    };
    const json_t *hosts = json_object_get(answer, "hosts"), *host;
    int64_t now = client_instant(answer, "now");
    struct table *table = table_create(columns, any_is_out_of_service(hosts, now) ? 8 : 7);
    struct table_lines lines;
    size_t i;

    (void)arguments;
    json_array_foreach(hosts, i, host) {
        char id[24], cpu[64], memory[64], vms[24], out[DRAIN_TEXT_MAX];

        snprintf(id, sizeof id, "%" PRId64, client_integer(host, "host"));
        snprintf(cpu, sizeof cpu, "%g/%g", number(host, "cpu_used"), number(host, "cpu"));
        snprintf(memory, sizeof memory, "%" PRId64 "/%" PRId64, client_integer(host, "memory_used"),
                 client_integer(host, "memory"));
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(host, "vms"));
        out_of_service_text(host, now, out, sizeof out);
        table_add(table,
                  (const char *[]){id, client_text(host, "name"), client_text(host, "cluster"),
                                   client_text(host, "state"), cpu, memory, vms, out});
    }
    table_show(table, width, "No hosts found.");
    table_lines_begin(&lines);
    json_array_foreach(hosts, i, host) {
        print_unread(host, lines.stream);
        host_print_staying(host, 0, lines.stream);
    }
    table_lines_print(&lines, 0);
}

const struct command_line host_list_line = {
    .name = "galerna host list",
    .summary = "List hosts and their usage",
    .purpose = "List the hosts, their state, and the capacity that VMs use now. OUT OF SERVICE "
               "shows when a host accepts no VMs: while it is quarantined (ended by 'galerna host "
               "release') or drained ('galerna host undrain'), or booked for certain leases "
               "('galerna host unbook'). Lines below the table show the room kept for VMs that "
               "cannot be read, and why VMs cannot leave a drained host.",
    .groups = {LISTING_GROUP, CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct listing),
};

int command_host_list(const struct call *call)
{
    static const struct listing_kind kind = {
        "host-list",
        "hosts",
        "host",
        "host,name,cluster,state,usable,cpu,cpu_used,memory,memory_used,vms,unread_vms,unread_cpu,"
        "unread_memory,quarantined_until,drain_from,drain_until,drains,staying",
        NULL,
        print_hosts};

    return listing_run(call, &kind, json_object());
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

/* The texts of an operation in a row. */
struct operation_texts {
    char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX], span[TIME_TEXT_MAX];
    char lease[24], vm[24], cpu[32], memory[24];
};

static void write_operation(const json_t *operation, struct operation_texts *texts)
{
    int64_t begin = client_instant(operation, "from"), end = client_instant(operation, "until");

    *texts = (struct operation_texts){.until = "never"};
    time_text_local(begin, texts->from, sizeof texts->from);
    if (end != INSTANT_NEVER)
        time_text_local(end, texts->until, sizeof texts->until);
    if (begin == INSTANT_NONE || end == INSTANT_NONE)
        time_text_span(SPAN_NONE, texts->span, sizeof texts->span);
    else
        time_text_span(end == INSTANT_NEVER ? SPAN_UNLIMITED : end - begin, texts->span,
                       sizeof texts->span);
    if (json_is_integer(json_object_get(operation, "lease")))
        snprintf(texts->lease, sizeof texts->lease, "%" PRId64, client_integer(operation, "lease"));
    if (json_is_integer(json_object_get(operation, "vm")))
        snprintf(texts->vm, sizeof texts->vm, "%" PRId64, client_integer(operation, "vm"));
    snprintf(texts->cpu, sizeof texts->cpu, "%g", number(operation, "cpu"));
    snprintf(texts->memory, sizeof texts->memory, "%" PRId64, client_integer(operation, "memory"));
}

/* The operations of an answer, sorted; returns how many. The caller frees them. */
static size_t sorted_operations(const json_t *answer, json_t ***items)
{
    const json_t *operations = json_object_get(answer, "operations");
    size_t n = json_array_size(operations);

    *items = memory_new(n, sizeof **items);
    for (size_t i = 0; i < n; i++)
        (*items)[i] = json_array_get(operations, i);
    qsort(*items, n, sizeof **items, compare_operations);
    return n;
}

static void print_timeline(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"FROM", TABLE_LEFT, 0}, {"FOR", TABLE_LEFT, 1},     {"LEASE", TABLE_RIGHT, 0},
        {"VM", TABLE_RIGHT, 3},  {"WHAT", TABLE_LEFT, 0},    {"CPU", TABLE_RIGHT, 4},
        {"MB", TABLE_RIGHT, 5},  {"NAME", TABLE_ELASTIC, 2},
    };
    struct table *table = table_create(columns, 8);
    struct operation_texts texts;
    json_t **items;
    size_t n = sorted_operations(answer, &items);

    for (size_t i = 0; i < n; i++) {
        write_operation(items[i], &texts);
        table_add(table, (const char *[]){texts.from, texts.span, texts.lease, texts.vm,
                                          client_text(items[i], "what"), texts.cpu, texts.memory,
                                          client_text(items[i], "name")});
    }
    table_show(table, table_terminal_width(), "Nothing is running or planned on this host.");
    free(items);
}

/* Usage of capacity: current usage first, then in order of time. */
static void print_uses(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"USE", TABLE_LEFT, 0},  {"LEASE", TABLE_RIGHT, 0}, {"USER", TABLE_ELASTIC, 1},
        {"VM", TABLE_RIGHT, 3},  {"FROM", TABLE_LEFT, 2},   {"UNTIL", TABLE_LEFT, 0},
        {"CPU", TABLE_RIGHT, 4}, {"MB", TABLE_RIGHT, 5},
    };
    static const char *const uses[] = {"running",  "unknown", "parked", "other",  "held",
                                       "reserved", "planned", "drain",  "booking"};
    struct table *table = table_create(columns, 8);
    struct operation_texts texts;
    json_t **items;
    size_t n = sorted_operations(answer, &items);

    for (size_t use = 0; use < sizeof uses / sizeof *uses; use++)
        for (size_t i = 0; i < n; i++) {
            if (strcmp(client_text(items[i], "use"), uses[use]) != 0)
                continue;
            write_operation(items[i], &texts);
            table_add(table,
                      (const char *[]){uses[use], texts.lease, client_text(items[i], "user"),
                                       texts.vm, texts.from, texts.until, texts.cpu, texts.memory});
        }
    table_show(table, table_terminal_width(), "Nothing is running or planned on this host.");
    free(items);
}

enum { LABEL = 9 }; /* columns before the text of a property */

static void print_properties(const json_t *answer, FILE *stream)
{
    char until[TIME_TEXT_MAX] = "", drain[DRAIN_TEXT_MAX];

    fprintf(stream, "Host     %" PRId64 " (", client_integer(answer, "host"));
    table_print_text(stream, client_text(answer, "name"));
    fprintf(stream, ")\nCluster  ");
    table_print_text(stream, client_text(answer, "cluster"));
    fprintf(stream, "\nState    %s", client_text(answer, "state"));
    if (client_instant(answer, "quarantined_until") != INSTANT_NONE) {
        time_text_local(client_instant(answer, "quarantined_until"), until, sizeof until);
        fprintf(stream, " until %s", until);
    }
    host_drain_text(answer, client_instant(answer, "now"), drain, sizeof drain);
    if (*drain)
        fprintf(stream, "\n%s  %s", *host_booking(answer) ? "Booking" : "Drain  ", drain);
    fprintf(stream, "\nCPU      %g of %g in use\nMemory   %" PRId64 " of %" PRId64 " MB in use\n",
            number(answer, "cpu_used"), number(answer, "cpu"),
            client_integer(answer, "memory_used"), client_integer(answer, "memory"));
    fprintf(stream, "VMs      %" PRId64, client_integer(answer, "vms"));
    if (client_integer(answer, "unread_vms") > 0)
        fprintf(stream, ", of which %" PRId64 " cannot be read and %s %g CPU and %" PRId64 " MB",
                client_integer(answer, "unread_vms"),
                client_integer(answer, "unread_vms") > 1 ? "hold" : "holds",
                number(answer, "unread_cpu"), client_integer(answer, "unread_memory"));
    fprintf(stream, "\n");
    host_print_staying(answer, LABEL, stream);
}

static void print_host(const json_t *answer)
{
    struct table_lines lines;

    table_lines_begin(&lines);
    print_properties(answer, lines.stream);
    table_lines_print(&lines, LABEL);
    printf("\n");
    print_uses(answer);
}

static void print_names(FILE *stream, const json_t *host)
{
    fprintf(stream, "%" PRId64 "\n%s\n", client_integer(host, "host"), client_text(host, "name"));
}

void host_offer(FILE *stream)
{
    client_offer("host-list", "hosts", print_names, stream);
}

const struct command_line host_timeline_line = {
    .name = "galerna host timeline",
    .summary = "Show running and planned leases of a host",
    .purpose = "Show the running and planned leases of a host in chronological order. HOST is its "
               "number or name.",
    .operands = "HOST",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The host does not exist, or galernad does not answer"}},
    .offer = host_offer,
    .size = sizeof(struct client),
};

json_t *host_operand(const char *text)
{
    int64_t id;

    return decimal_parse(text, 0, &id) < 0 ? json_string(text) : json_integer(id);
}

int host_ask(const struct call *call, const char *command, json_t *request,
             void (*print)(const json_t *answer))
{
    struct client *client = call->arguments;
    int result = EXIT_DONE, code;

    client->command = call->name;
    for (int i = 0; i < call->n; i++) {
        json_t *one = json_pack("{s:o}", "host", host_operand(call->operands[i]));

        json_object_update(one, request);
        code = client_show(client, command, one, print);
        result = code == EXIT_DONE ? result : code;
    }
    return result;
}

const struct command_line host_show_line = {
    .name = "galerna host show",
    .summary = "Show the usage of a host",
    .purpose = "Show a host and the leases that use its capacity: running, unknown (OpenNebula "
               "cannot monitor its VM), parked (suspended or powered off by its user), reserved "
               "(an accepted reservation), or planned. 'held' is room kept free of lower-priority "
               "leases for a waiting lease; 'other' is capacity of VMs outside the plan, such as "
               "VMs that cannot be read. HOST is its number or name.",
    .operands = "HOST",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The host does not exist, or galernad does not answer"}},
    .offer = host_offer,
    .size = sizeof(struct client),
};

int command_host_show(const struct call *call)
{
    return host_ask(call, "host-timeline", NULL, print_host);
}

int command_host_timeline(const struct call *call)
{
    return host_ask(call, "host-timeline", NULL, print_timeline);
}

static void print_released(const json_t *answer)
{
    printf("Host %" PRId64 " (", client_integer(answer, "host"));
    table_print_text(stdout, client_text(answer, "name"));
    printf(") is no longer quarantined.\n");
}

const struct command_line host_release_line = {
    .name = "galerna host release",
    .summary = "End the quarantine of hosts",
    .purpose = "End the quarantine of hosts: VMs are placed there again, including VMs that "
               "failed there. HOST is a number or name. A host on which VMs are still stuck is "
               "quarantined again.",
    .operands = "HOST...",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "A host does not exist or is not quarantined, or galernad does not "
                            "answer"}},
    .offer = host_offer,
    .size = sizeof(struct client),
};

int command_host_release(const struct call *call)
{
    return host_ask(call, "host-release", NULL, print_released);
}
