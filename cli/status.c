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

enum { LABEL = 24 }; /* columns before the text of a line */

static void begin_line(const char *label, FILE *stream)
{
    fprintf(stream, "%-22s  ", label);
}

static void print_instant(int64_t instant, int64_t now, FILE *stream)
{
    char text[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    time_text_local(instant, text, sizeof text);
    time_text_relative(instant, now, relative, sizeof relative);
    fprintf(stream, "%s (%s)", text, relative);
}

static void print_galernad(const json_t *facts, int64_t now, FILE *stream)
{
    begin_line("galernad", stream);
    table_print_text(stream, client_text(facts, "version"));
    fprintf(stream, ", running since ");
    print_instant(client_instant(facts, "started"), now, stream);
    fprintf(stream, "%s\n",
            strcmp(client_text(facts, "planner"), "starting") == 0
                ? "; it is loading its policy modules"
                : "");
}

static void print_opennebula(const json_t *oned, int64_t now, FILE *stream)
{
    int64_t polled = client_instant(oned, "last_poll");

    begin_line("OpenNebula", stream);
    table_print_text(stream, client_text(oned, "version"));
    fprintf(stream, "%s", *client_text(oned, "version") ? " at " : "");
    table_print_text(stream, client_text(oned, "endpoint"));
    fprintf(stream, "\n%-22s  ",
            json_is_true(json_object_get(oned, "reached")) ? "last read" : "not read since");
    if (polled == INSTANT_NONE)
        fprintf(stream, "never");
    else
        print_instant(polled, now, stream);
    fputc('\n', stream);
}

/* Which front-end schedules, in a zone of several, or while this one must not schedule. */
static void print_leadership(const json_t *oned, FILE *stream)
{
    const char *role = client_text(oned, "role"), *host = client_text(oned, "acting_on");
    bool acts = json_is_true(json_object_get(oned, "acts"));
    const json_t *server = json_object_get(oned, "server");

    bool dry_run = json_is_true(json_object_get(oned, "dry_run"));

    if (!json_object_get(oned, "acts") || (!server && (acts || !(*host || dry_run))))
        return;
    begin_line("front-end", stream);
    if (server) {
        fprintf(stream, "server %" PRId64 ", ", (int64_t)json_integer_value(server));
        table_print_text(stream, *role ? role : "role unknown");
        if (*role)
            fprintf(stream, " in Raft term %" PRId64, client_integer(oned, "raft_term"));
        fprintf(stream, "; ");
    }
    if (dry_run)
        fprintf(stream, "galernad sends no commands (dry-run is on)");
    else
        fprintf(stream, "galernad %s", acts ? "acts" : "stands by");
    if (!acts && *host) {
        fprintf(stream, ", the one on ");
        table_print_text(stream, host);
        fprintf(stream, " acts");
        if (json_object_get(oned, "acting_server"))
            fprintf(stream, " (server %" PRId64 ", Raft term %" PRId64 ")",
                    client_integer(oned, "acting_server"),
                    client_integer(oned, "acting_raft_term"));
    }
    fputc('\n', stream);
}

/* OpenNebula's clock compared with this machine's, and the last time this machine's was set. */
static void print_clocks(const json_t *facts, int64_t now, FILE *stream)
{
    const json_t *set = json_object_get(facts, "clock");
    int64_t ahead = client_integer(json_object_get(facts, "opennebula"), "clock_ahead"), by;
    char text[TIME_TEXT_MAX];

    if (ahead) {
        time_text_span(ahead < 0 ? -ahead : ahead, text, sizeof text);
        begin_line("clock of OpenNebula", stream);
        fprintf(stream, "%s %s\n", text, ahead < 0 ? "behind" : "ahead");
    }
    if (!set)
        return;
    by = client_integer(set, "set_by");
    time_text_span(by < 0 ? -by : by, text, sizeof text);
    begin_line("clock of this machine", stream);
    fprintf(stream, "was set %s by %s while ", by < 0 ? "back" : "forward", text);
    table_print_text(stream, client_text(set, "while"));
    fprintf(stream, ", noticed ");
    print_instant(client_instant(set, "noticed"), now, stream);
    fputc('\n', stream);
}

static void print_restored(const json_t *facts, FILE *stream)
{
    if (!*client_text(facts, "restored"))
        return;
    begin_line("restored", stream);
    table_print_text(stream, client_text(facts, "restored"));
    fputc('\n', stream);
}

/* Fair share: the users and groups with the most usage. */
static void print_usage(const json_t *facts, FILE *stream)
{
    const json_t *hours;
    const char *who, *label = "CPU-hours";

    json_object_foreach(unqualified(json_object_get(facts, "cpu_hours")), who, hours) {
        begin_line(label, stream);
        fprintf(stream, "%g ", json_number_value(hours));
        table_print_text(stream, who);
        fputc('\n', stream);
        label = "";
    }
}

static void print_commands(const json_t *figures, FILE *stream)
{
    int64_t n = client_integer(figures, "commands_under_way");

    if (n > 0) {
        begin_line("commands under way", stream);
        fprintf(stream, "%" PRId64 "\n", n);
    }
}

/* Policies that are in service, then a line for each that is not. */
static void print_policies(const json_t *facts, int64_t now, FILE *stream)
{
    const json_t *policies = json_object_get(facts, "policies"), *policy;
    size_t i;
    bool any = false;

    begin_line("policies", stream);
    json_array_foreach(policies, i, policy)
        if (!*client_text(policy, "out_of_service")) {
            fprintf(stream, "%s%s", any ? ", " : "", client_text(policy, "name"));
            any = true;
        }
    fprintf(stream, "%s\n", any ? "" : "the built-in defaults");
    json_array_foreach(policies, i, policy) {
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

/* A line for each problem that prevents scheduling. */
static void print_problems(const json_t *facts, int64_t now, FILE *stream)
{
    const json_t *problem;
    size_t i;

    json_array_foreach(json_object_get(facts, "problems"), i, problem) {
        char text[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];
        int64_t since = client_instant(problem, "since");

        time_text_local(since, text, sizeof text);
        time_text_relative(since, now, relative, sizeof relative);
        begin_line("problem", stream);
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

    begin_line("leases", stream);
    json_object_foreach(json_object_get(answer, "leases"), phase, n)
        if (json_integer_value(n) > 0) {
            fprintf(stream, "%s%" PRId64 " %s", any ? ", " : "", (int64_t)json_integer_value(n),
                    phase);
            any = true;
        }
    fprintf(stream, "%s\n", any ? "" : "none");
    if (client_integer(answer, "suspended") > 0)
        fprintf(stream, "%-22s  %" PRId64 ", waiting to resume\n", "suspended",
                client_integer(answer, "suspended"));
    if (client_integer(answer, "late") > 0)
        fprintf(stream, "%-22s  %" PRId64 " (galerna lease list --phase late)\n", "late",
                client_integer(answer, "late"));
    fprintf(stream, "%-22s  %" PRId64 "\n", "VMs", client_integer(answer, "vms"));
}

/* Reservations far ahead, or in the way of waiting leases. */
static void print_far_reservations(const json_t *answer, FILE *stream)
{
    const json_t *far = json_object_get(answer, "far_reservations"), *lease;
    const json_t *largest = json_object_get(far, "largest");
    char start[TIME_TEXT_MAX];
    int64_t waiting;
    size_t i;

    if (client_integer(far, "count") == 0)
        return;
    fprintf(stream, "%-22s  %" PRId64 " far ahead or waited for%s\n", "reservations",
            client_integer(far, "count"),
            client_integer(far, "count") > (int64_t)json_array_size(largest) ? ", largest:" : ":");
    json_array_foreach(largest, i, lease) {
        time_text_local(client_instant(lease, "start"), start, sizeof start);
        fprintf(stream, "%-22s  lease %" PRId64 " of ", "", client_integer(lease, "lease"));
        table_print_text(stream, client_text(lease, "user"));
        fprintf(stream, ": %g CPU, %" PRId64 " MB from %s",
                json_number_value(json_object_get(lease, "cpu")), client_integer(lease, "memory"),
                start);
        waiting = client_integer(lease, "waiting");
        if (waiting > 0)
            fprintf(stream, "; %" PRId64 " lease%s for it", waiting,
                    waiting == 1 ? " waits" : "s wait");
        putc('\n', stream);
    }
}

/* Current and planned drains of hosts. */
static void print_drains(const json_t *answer, FILE *stream)
{
    const json_t *host;
    size_t i;

    json_array_foreach(json_object_get(answer, "drains"), i, host) {
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

    json_array_foreach(names, i, name) {
        fprintf(stream, "%s", i ? ", " : what);
        table_print_text(stream, json_string_value(name));
    }
}

static void print_bookings(const json_t *answer, FILE *stream)
{
    const json_t *booking;
    size_t i;

    json_array_foreach(json_object_get(answer, "bookings"), i, booking) {
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
    const json_t *facts = json_object_get(answer, "daemon");
    const json_t *oned = json_object_get(facts, "opennebula");
    int64_t now = client_instant(answer, "now");
    struct table_lines lines;
    FILE *stream;

    table_lines_begin(&lines);
    stream = lines.stream;
    print_galernad(facts, now, stream);
    print_opennebula(oned, now, stream);
    print_leadership(oned, stream);
    print_clocks(facts, now, stream);
    print_restored(facts, stream);
    print_policies(facts, now, stream);
    print_leases(answer, stream);
    print_commands(json_object_get(facts, "figures"), stream);
    print_usage(facts, stream);
    print_far_reservations(answer, stream);
    print_drains(answer, stream);
    print_bookings(answer, stream);
    print_problems(facts, now, stream);
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
