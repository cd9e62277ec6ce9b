/* galerna status: how the scheduler is doing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/host_text.h"
#include "cli/table.h"
#include "util/instant.h"
#include "util/time_text.h"
#include "util/unqualified.h"

enum { LABEL = 24 }; /* places before the text of a line */

/* Seconds, by the key of the fact. */
static bool is_span(const char *key)
{
    return strcmp(key, "clock_ahead") == 0 || strcmp(key, "set_by") == 0;
}

/* A fact of the daemon, whatever its type: times both ways, objects one level deeper. */
static void print_fact(const char *prefix, const char *key, const json_t *value, int64_t now,
                       FILE *stream)
{
    char name[64], text[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];
    const json_t *inner;
    const char *inner_key;
    json_t *holder;
    int64_t instant;

    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? " " : "", key);
    if (json_is_object(value)) {
        json_object_foreach(unqualified(value), inner_key, inner) if (!json_is_object(inner))
            print_fact(key, inner_key, inner, now, stream);
        return;
    }
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    fprintf(stream, "%-22s  ", name);
    if (json_is_integer(value) && is_span(key)) {
        time_text_span(json_integer_value(value), text, sizeof text);
        fprintf(stream, "%s\n", text);
        return;
    }
    holder = json_pack("{s:O}", "x", value);
    instant = client_instant(holder, "x");
    if (instant != INSTANT_NONE && instant != INSTANT_NEVER) {
        time_text_local(instant, text, sizeof text);
        time_text_relative(instant, now, relative, sizeof relative);
        fprintf(stream, "%s (%s)", text, relative);
    } else if (json_is_string(value))
        table_print_text(stream, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(stream, "%" PRId64, (int64_t)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(stream, "%g", json_real_value(value));
    else if (json_is_boolean(value))
        fprintf(stream, "%s", json_is_true(value) ? "yes" : "no");
    else
        fprintf(stream, "-");
    fputc('\n', stream);
    json_decref(holder);
}

/* Policies that are in service, then a line for each that is not. */
static void print_policies(const json_t *facts, int64_t now, FILE *stream)
{
    const json_t *policies = json_object_get(facts, "policies"), *policy;
    size_t i;
    bool any = false;

    fprintf(stream, "%-22s  ", "policies");
    json_array_foreach(policies, i, policy) if (!*client_text(policy, "out_of_service"))
    {
        fprintf(stream, "%s%s", any ? ", " : "", client_text(policy, "name"));
        any = true;
    }
    fprintf(stream, "%s\n", any ? "" : "the built-in defaults");
    json_array_foreach(policies, i, policy)
    {
        char relative[TIME_TEXT_MAX];

        if (!*client_text(policy, "out_of_service"))
            continue;
        time_text_relative(client_instant(policy, "since"), now, relative, sizeof relative);
        fprintf(stream, "%-22s  %s (%s): it ", "out of service", client_text(policy, "name"),
                relative);
        table_print_text(stream, client_text(policy, "out_of_service"));
        fprintf(stream, "; see galerna policy enable\n");
    }
}

/* A line for each problem that keeps galernad from its work. */
static void print_problems(const json_t *facts, int64_t now, FILE *stream)
{
    const json_t *problem;
    size_t i;

    json_array_foreach(json_object_get(facts, "problems"), i, problem)
    {
        char text[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];
        int64_t since = client_instant(problem, "since");

        time_text_local(since, text, sizeof text);
        time_text_relative(since, now, relative, sizeof relative);
        fprintf(stream, "%-22s  ", "problem");
        table_print_text(stream, client_text(problem, "text"));
        fprintf(stream, " (since %s, %s)\n", text, relative);
    }
}

/* VMs that were moved, or whose VM group was changed, while they were running. */
static void print_broken_rules(const json_t *facts, FILE *stream)
{
    int64_t n = client_integer(json_object_get(facts, "figures"), "vms_breaking_rules");

    if (n > 0)
        fprintf(stream, "%-22s  %" PRId64 " running VM%s; galerna lease why says which rule\n",
                "VM group rules broken", n, n == 1 ? "" : "s");
}

static void print_leases(const json_t *answer, FILE *stream)
{
    const char *phase;
    const json_t *n;
    bool any = false;

    fprintf(stream, "%-22s  ", "leases");
    json_object_foreach(json_object_get(answer, "leases"), phase, n) if (json_integer_value(n) > 0)
    {
        fprintf(stream, "%s%" PRId64 " %s", any ? ", " : "", (int64_t)json_integer_value(n), phase);
        any = true;
    }
    fprintf(stream, "%s\n", any ? "" : "none");
    if (client_integer(answer, "late") > 0)
        fprintf(stream, "%-22s  %" PRId64 "\n", "late", client_integer(answer, "late"));
    fprintf(stream, "%-22s  %" PRId64 "\n", "vms", client_integer(answer, "vms"));
}

/* Reservations far ahead hold capacity that leases without an end wait for. */
static void print_far_reservations(const json_t *answer, FILE *stream)
{
    const json_t *far = json_object_get(answer, "far_reservations"), *lease;
    char start[TIME_TEXT_MAX];
    size_t i;

    if (client_integer(far, "count") == 0)
        return;
    fprintf(stream, "%-22s  %" PRId64 ", largest:\n", "reservations in > 24h",
            client_integer(far, "count"));
    json_array_foreach(json_object_get(far, "largest"), i, lease)
    {
        time_text_local(client_instant(lease, "start"), start, sizeof start);
        fprintf(stream, "%-22s  lease %" PRId64 " of ", "", client_integer(lease, "lease"));
        table_print_text(stream, client_text(lease, "user"));
        fprintf(stream, ": %g CPU, %" PRId64 " MB from %s\n",
                json_number_value(json_object_get(lease, "cpu")), client_integer(lease, "memory"),
                start);
    }
}

/* Hosts that are drained, now or later. */
static void print_drains(const json_t *answer, FILE *stream)
{
    const json_t *host;
    size_t i;

    json_array_foreach(json_object_get(answer, "drains"), i, host)
    {
        char when[DRAIN_TEXT_MAX];
        int64_t vms = client_integer(host, "vms");

        host_drain_text(host, client_instant(answer, "now"), when, sizeof when);
        fprintf(stream, "%-22s  host %" PRId64 " (", i ? "" : "drains",
                client_integer(host, "host"));
        table_print_text(stream, client_text(host, "name"));
        fprintf(stream, ") %s, %" PRId64 " VM%s there\n", when, vms, vms == 1 ? "" : "s");
        host_print_staying(host, LABEL, stream);
    }
}

static void print_names(const json_t *names, const char *what, FILE *stream)
{
    const json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        fprintf(stream, "%s", i ? ", " : what);
        table_print_text(stream, json_string_value(name));
    }
}

static void print_bookings(const json_t *answer, FILE *stream)
{
    const json_t *booking;
    size_t i;

    json_array_foreach(json_object_get(answer, "bookings"), i, booking)
    {
        fprintf(stream, "%-22s  ", i ? "" : "bookings");
        table_print_text(stream, client_text(booking, "name"));
        print_names(json_object_get(booking, "users"), ": users ", stream);
        print_names(json_object_get(booking, "groups"), ": groups ", stream);
        fprintf(stream, "%s\n",
                json_is_true(json_object_get(booking, "magnetic")) ? ", magnetic" : "");
    }
}

static void print_answer(const json_t *answer)
{
    const json_t *facts = json_object_get(answer, "daemon"), *value;
    const char *key;
    struct table_lines lines;
    FILE *stream;

    table_lines_begin(&lines);
    stream = lines.stream;
    json_object_foreach(unqualified(facts), key, value) if (!json_is_array(value))
        print_fact("", key, value, client_instant(answer, "now"), stream);
    print_policies(facts, client_instant(answer, "now"), stream);
    print_leases(answer, stream);
    print_far_reservations(answer, stream);
    print_drains(answer, stream);
    print_bookings(answer, stream);
    print_problems(facts, client_instant(answer, "now"), stream);
    print_broken_rules(facts, stream);
    table_lines_print(&lines, LABEL);
}

const struct command_line status_line = {
    .name = "galerna status",
    .summary = "Show the status of the daemon",
    .purpose =
        "Show the status of galernad, the number of leases in each phase, and the hosts that are "
        "drained.",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "galernad is running without a problem"},
              {EXIT_FAILED, "galernad does not answer, or reports a problem: it cannot read "
                            "OpenNebula, write its state, plan, or renew its mark"}},
    .size = sizeof(struct client),
};

int command_status(const struct call *call)
{
    struct client *client = call->arguments;
    json_t *answer;
    bool problems;
    int code;

    client->command = call->name;
    answer = client_ask(client, "status", json_object(), &code);
    if (!answer)
        return code;
    problems = json_array_size(json_object_get(json_object_get(answer, "daemon"), "problems")) > 0;
    code = client_print(client, answer, print_answer);
    return problems ? EXIT_FAILED : code;
}
