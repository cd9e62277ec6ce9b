/* galerna lease show: everything about one lease. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/table.h"
#include "core/lease_terms.h"
#include "util/append.h"
#include "util/instant.h"
#include "util/time_text.h"

enum { LABEL = 12 };

__attribute__((format(printf, 3, 4))) static void line(FILE *stream, const char *key,
                                                       const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stream, "%-*s", LABEL, key);
    table_print_text(stream, text);
    fputc('\n', stream);
}

static void instant_line(FILE *stream, const char *key, int64_t instant, int64_t now)
{
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    if (instant == INSTANT_NONE)
        return;
    time_text_local(instant, local, sizeof local);
    time_text_relative(instant, now, relative, sizeof relative);
    if (instant == INSTANT_NEVER)
        line(stream, key, "not planned");
    else
        line(stream, key, "%s (%s)", local, relative);
}

static void time_line(FILE *stream, const char *key, const json_t *lease, const char *field,
                      int64_t now)
{
    instant_line(stream, key, client_instant(lease, field), now);
}

static void print_expectation(FILE *stream, const json_t *lease, int64_t now)
{
    int64_t expected = client_instant(lease, "expected");
    int64_t passed = client_instant(lease, "was_expected");
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    if (passed != INSTANT_NONE) {
        time_text_local(passed, local, sizeof local);
        time_text_relative(passed, now, relative, sizeof relative);
        line(stream, "Overdue", "since %s (%s, %s)", local, relative,
             client_text(lease, "promise"));
    }
    if (expected == INSTANT_NONE || client_instant(lease, "since") != INSTANT_NONE)
        return;
    if (expected == INSTANT_NEVER) {
        line(stream, "Expected",
             "unknown: leases or drains without a planned end hold the hosts it may use, or get "
             "them first");
        return;
    }
    time_text_local(expected, local, sizeof local);
    time_text_relative(expected, now, relative, sizeof relative);
    line(stream, "Expected", "%s (%s, %s)", local, relative, client_text(lease, "promise"));
}

static void print_duration(FILE *stream, const json_t *lease)
{
    char duration[TIME_TEXT_MAX], run[TIME_TEXT_MAX], left[TIME_TEXT_MAX];

    time_text_span(client_span(lease, "duration"), duration, sizeof duration);
    time_text_span(client_span(lease, "run"), run, sizeof run);
    time_text_span(client_span(lease, "left"), left, sizeof left);
    if (client_span(lease, "left") == SPAN_UNLIMITED || lease_text_is_over(lease))
        line(stream, "Duration", "%s, %s run", duration, run);
    else
        line(stream, "Duration", "%s, %s run, %s left", duration, run, left);
}

/* "suspendable, origin local, priority 0": `preemptible` is part of `terms`. */
static void print_terms(FILE *stream, const json_t *lease)
{
    char text[512];
    size_t length = append_text(text, sizeof text, 0, "%s",
                                client_text(lease, lease_terms[TERM_ID_terms].name));

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const char *name = lease_terms[i].name;
        const json_t *value = json_object_get(lease, name);

        if (i == TERM_ID_terms || i == TERM_ID_preemptible || !value)
            continue;
        if (json_is_string(value) && *json_string_value(value))
            length =
                append_text(text, sizeof text, length, ", %s %s", name, json_string_value(value));
        else if (json_is_number(value))
            length = append_text(text, sizeof text, length, ", %s %.10g", name,
                                 json_number_value(value));
        else if (json_is_true(value))
            length = append_text(text, sizeof text, length, ", %s", name);
    }
    line(stream, "Terms", "%s", text);
}

static void print_lease(FILE *stream, const json_t *lease, int64_t now)
{
    char size[32] = "";

    line(stream, "Lease", "%" PRId64, client_integer(lease, "lease"));
    if (*client_text(lease, "name"))
        line(stream, "Name", "%s", client_text(lease, "name"));
    line(stream, "Owner", "%s, group %s", client_text(lease, "user"),
         client_text(lease, "user_group"));
    line(stream, "Kind", "%s%s", client_text(lease, "kind"),
         json_is_true(json_object_get(lease, "plain")) ? ", plain VM" : "");
    line(stream, "Phase", "%s%s", lease_text_phase(lease),
         json_is_true(json_object_get(lease, "late")) ? ", late" : "");
    line(stream, "Activity", "%s", client_text(lease, "activity"));
    if (*client_text(lease, "group")) {
        if (client_integer(lease, "group_size") > 0)
            snprintf(size, sizeof size, " of %" PRId64, client_integer(lease, "group_size"));
        line(stream, "Group", "%s (%" PRId64 "%s VMs)", client_text(lease, "group"),
             client_integer(lease, "vms"), size);
    }
    time_line(stream, "Submitted", lease, "submitted", now);
    time_line(stream, "Start", lease, "start", now);
    time_line(stream, "Earliest", lease, "earliest", now);
    time_line(stream, "Deadline", lease, "deadline", now);
    print_expectation(stream, lease, now);
    if (*client_text(lease, "waits_for"))
        line(stream, "Waits for", "%s", client_text(lease, "waits_for"));
    if (client_instant(lease, "since") != INSTANT_NONE)
        instant_line(stream, "Running", lease_text_start_time(lease, now), now);
    time_line(stream, "Began", lease, "began", now);
    if (!lease_text_is_to_leave(lease))
        time_line(stream, strcmp(client_text(lease, "phase"), "refused") ? "End" : "Refused", lease,
                  "end", now);
    print_duration(stream, lease);
    print_terms(stream, lease);
}

/* Promises that were changed in OpenNebula. */
static void print_damaged_promises(FILE *stream, const json_t *vms)
{
    const json_t *vm;
    size_t i;

    json_array_foreach(vms, i, vm) {
        const char *promise = client_text(vm, "promise");

        if (strcmp(promise, "damaged") == 0 || strcmp(promise, "repaired") == 0)
            fprintf(stream,
                    "\nThe attribute GALERNA_PROMISE of VM %" PRId64
                    " was overwritten%s; galerna lease history says how.\n",
                    client_integer(vm, "vm"),
                    strcmp(promise, "repaired") == 0 ? " and is written again" : "");
    }
}

static void print_members(const json_t *vms)
{
    static const struct table_column columns[] = {
        {"VM", TABLE_RIGHT, 0}, {"HOST", TABLE_RIGHT, 0},   {"CPU", TABLE_RIGHT, 3},
        {"MB", TABLE_RIGHT, 4}, {"COMMAND", TABLE_LEFT, 0}, {"TRIES", TABLE_RIGHT, 2},
    };
    struct table *table = table_create(columns, 6);
    const json_t *vm;
    size_t i;

    json_array_foreach(vms, i, vm) {
        char id[24], host[24] = "", cpu[32], memory[24], tries[24];

        snprintf(id, sizeof id, "%" PRId64, client_integer(vm, "vm"));
        if (json_is_integer(json_object_get(vm, "host")))
            snprintf(host, sizeof host, "%" PRId64, client_integer(vm, "host"));
        snprintf(cpu, sizeof cpu, "%.2f", json_number_value(json_object_get(vm, "cpu")));
        snprintf(memory, sizeof memory, "%" PRId64, client_integer(vm, "memory"));
        snprintf(tries, sizeof tries, "%" PRId64, client_integer(vm, "attempts"));
        table_add(table, (const char *[]){id, host, cpu, memory,
                                          json_is_true(json_object_get(vm, "gone"))
                                              ? "gone"
                                              : client_text(vm, "command"),
                                          tries});
    }
    if (table_rows(table)) {
        putchar('\n');
        table_print(table, stdout, table_terminal_width());
    }
    table_destroy(table);
}

/* On which hosts it has run, once it has left one. */
static void print_stays(const json_t *stays)
{
    static const struct table_column columns[] = {
        {"HOST", TABLE_RIGHT, 0}, {"FROM", TABLE_LEFT, 0}, {"UNTIL", TABLE_LEFT, 0}};
    struct table *table = table_create(columns, 3);
    const json_t *stay;
    size_t i;

    json_array_foreach(stays, i, stay) {
        char host[24], from[TIME_TEXT_MAX], until[TIME_TEXT_MAX] = "";

        snprintf(host, sizeof host, "%" PRId64, client_integer(stay, "host"));
        time_text_local(client_instant(stay, "from"), from, sizeof from);
        if (client_instant(stay, "until") != INSTANT_NONE)
            time_text_local(client_instant(stay, "until"), until, sizeof until);
        table_add(table, (const char *[]){host, from, until});
    }
    if (table_rows(table)) {
        putchar('\n');
        table_print(table, stdout, table_terminal_width());
    }
    table_destroy(table);
}

static void print_answer(const json_t *answer)
{
    const json_t *lease = json_object_get(answer, "lease");
    struct table_lines lines;

    table_lines_begin(&lines);
    print_lease(lines.stream, lease, client_instant(answer, "now"));
    table_lines_print(&lines, LABEL);
    print_members(json_object_get(lease, "members"));
    print_stays(json_object_get(lease, "stays"));
    table_lines_begin(&lines);
    print_damaged_promises(lines.stream, json_object_get(lease, "members"));
    table_lines_print(&lines, 0);
}

const struct command_line lease_show_line = {
    .name = "galerna lease show",
    .summary = "Show a lease in detail",
    .purpose = "Show all details of a lease and its VMs.",
    CLIENT_OF_LEASE,
};

int command_lease_show(const struct call *call)
{
    return client_run(call, "lease-show", print_answer);
}
