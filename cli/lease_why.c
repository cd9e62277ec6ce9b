/* galerna lease why: in a few lines, why a lease is where it is and when it continues. */
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/table.h"
#include "util/instant.h"
#include "util/time_text.h"

/* --- the trace of the decision ---------------------------------------------------------------- */

/* The words for a finding about one host, and about several. */
static const struct {
    const char *finding, *one, *many;
} findings[] = {
    {"takes-no-vms", "takes no VMs", "take no VMs"},
    {"not-allowed", "is not allowed by the requirements of its VMs",
     "are not allowed by the requirements of its VMs"},
    {"too-small", "is too small for a VM even when empty",
     "are too small for a VM even when empty"},
    {"no-cpu", "has too little free CPU", "have too little free CPU"},
    {"no-memory", "has too little free memory", "have too little free memory"},
    {"demand-not-met", "does not meet the demands of a VM beyond CPU and memory",
     "do not meet the demands of a VM beyond CPU and memory"},
    {"not-long-enough", "has room, but not for the whole duration",
     "have room, but not for the whole duration"},
    {"vetoed", "is vetoed by the host selection", "are vetoed by the host selection"},
    {"fits", "has room for a VM", "have room for a VM"},
    {"planned", "is where the lease is planned", "are where the lease is planned"},
};

/* "kvm1, kvm2 and 3 more". */
static void print_names(const json_t *names, int64_t count)
{
    const json_t *name;
    size_t i;

    json_array_foreach(names, i, name) {
        printf("%s", i ? ", " : "");
        table_print_text(stdout, json_string_value(name) ? json_string_value(name) : "");
    }
    if (count > (int64_t)json_array_size(names))
        printf(" and %" PRId64 " more", count - (int64_t)json_array_size(names));
}

static void print_time(const json_t *object, const char *key)
{
    int64_t at = client_instant(object, key);
    char local[TIME_TEXT_MAX];

    if (at == INSTANT_NONE)
        return;
    time_text_local(at, local, sizeof local);
    printf(" at %s", local);
}

static bool is_question(const json_t *call, const char *word)
{
    return strcmp(client_text(call, "question"), word) == 0;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_hosts_scored(const json_t *call)
{
    int64_t asked = client_integer(call, "asked"), taken = client_integer(call, "taken");

    printf("best of %" PRId64 " host%s", asked, plural(asked));
    print_time(call, "about");
    printf("? ");
    if (taken == 0)
        printf("None");
    else
        table_print_text(stdout, client_text(call, "best"));
    if (taken < asked)
        printf("; %" PRId64 " vetoed", asked - taken);
}

static void print_leases_scored(const json_t *call)
{
    int64_t asked = client_integer(call, "asked"), taken = client_integer(call, "taken");

    printf("victims among %" PRId64 " lease%s", asked, plural(asked));
    print_time(call, "about");
    if (taken == 0)
        printf("? None");
    else
        printf("? %s%" PRId64 ", first lease %" PRId64,
               is_question(call, "choose") ? "Chosen: " : "Allowed: ", taken,
               client_integer(call, "best"));
}

static double time_of(const json_t *call)
{
    return json_number_value(json_object_get(call, "microseconds"));
}

/* The same question with the same answer. */
static bool is_repeated(const json_t *call, const json_t *next)
{
    json_t *other = json_deep_copy(next);
    bool same;

    json_object_set(other, "microseconds", json_object_get(call, "microseconds"));
    same = json_equal(call, other);
    json_decref(other);
    return same;
}

static void print_call(const json_t *call, size_t times, double microseconds)
{
    const json_t *answer = json_object_get(call, "answer");

    printf("  %s ", client_text(call, "kind"));
    print_names(json_object_get(call, "modules"), 0);
    printf(": ");
    if (is_question(call, "score-hosts"))
        print_hosts_scored(call);
    else if (is_question(call, "estimate"))
        printf("duration on other hosts? %" JSON_INTEGER_FORMAT " ms", json_integer_value(answer));
    else if (is_question(call, "admit") || is_question(call, "may-preempt"))
        printf("%s? %s", is_question(call, "admit") ? "admit the lease" : "allow it to preempt",
               json_is_true(answer) ? "Yes" : "No");
    else
        print_leases_scored(call);
    if (times > 1)
        printf(" (%zu times, %.1f us)\n", times, microseconds);
    else
        printf(" (%.1f us)\n", microseconds);
}

static void print_calls(const json_t *trace)
{
    const json_t *calls = json_object_get(trace, "calls");
    int64_t more = client_integer(trace, "calls_left_out");

    if (json_array_size(calls) == 0)
        printf("No policy module was called for it.\n");
    else
        printf("Calls to policy modules:\n");
    for (size_t i = 0, next; i < json_array_size(calls); i = next) {
        const json_t *call = json_array_get(calls, i);
        double microseconds = time_of(call);

        for (next = i + 1;
             next < json_array_size(calls) && is_repeated(call, json_array_get(calls, next));
             next++)
            microseconds += time_of(json_array_get(calls, next));
        print_call(call, next - i, microseconds);
    }
    if (more)
        printf("  and %" PRId64 " more\n", more);
}

static void print_finding(const json_t *found)
{
    int64_t count = client_integer(found, "count");
    const char *word = client_text(found, "finding"), *text = word;

    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        if (strcmp(findings[i].finding, word) == 0)
            text = count == 1 ? findings[i].one : findings[i].many;
    printf("  %" PRId64 " %s: ", count, text);
    print_names(json_object_get(found, "hosts"), count);
    printf("\n");
}

static void print_hosts(const json_t *trace)
{
    const json_t *hosts = json_object_get(trace, "hosts"), *found;
    size_t i;

    if (json_array_size(hosts) == 0)
        return;
    printf("Hosts");
    print_time(trace, "at");
    printf(", with all other leases planned:\n");
    json_array_foreach(hosts, i, found)
        print_finding(found);
}

static void print_result(const json_t *trace)
{
    bool accepted = json_is_true(json_object_get(trace, "accepted"));

    printf("Result: %s", accepted ? "accepted" : "refused");
    if (client_instant(trace, "start") != INSTANT_NONE) {
        printf(", start");
        print_time(trace, "start");
    }
    if (*client_text(trace, "text")) {
        printf(": ");
        table_print_text(stdout, client_text(trace, "text"));
    }
    printf(".\n");
    client_print_lines(trace, "victims");
}

/* Prints the trace in an answer to lease-trace as text. */
static void lease_trace_print(const json_t *trace)
{
    printf("Planned again, without effect.\n");
    print_calls(trace);
    print_hosts(trace);
    print_result(trace);
}

/* --- the lease -------------------------------------------------------------------------------- */

static void print_state(const json_t *answer, const json_t *lease, FILE *stream)
{
    const char *activity = client_text(lease, "activity");
    size_t length = strlen(activity);
    char name[300];

    lease_text_name(lease, name, sizeof name);
    fprintf(stream, "Lease ");
    table_print_text(stream, name);
    if (json_is_integer(json_object_get(answer, "position")))
        fprintf(stream, ", position %" PRId64 " in the queue", client_integer(answer, "position"));
    fprintf(stream, ":\n");
    table_print_text(stream, activity);
    fprintf(stream, "%s\n", length && strchr(".?!", activity[length - 1]) ? "" : ".");
}

static void print_ahead(const json_t *answer, FILE *stream)
{
    int64_t total = client_integer(answer, "n_ahead");
    const json_t *ahead = json_object_get(answer, "ahead"), *lease;
    char name[300];
    size_t i;

    if (total == 0)
        return;
    fprintf(stream, "Queued behind: ");
    json_array_foreach(ahead, i, lease) {
        lease_text_name(lease, name, sizeof name);
        fprintf(stream, "%s", i ? ", " : "");
        table_print_text(stream, name);
    }
    if (total > (int64_t)json_array_size(ahead))
        fprintf(stream, " and %" PRId64 " more", total - (int64_t)json_array_size(ahead));
    fprintf(stream, ".\n");
}

/* Why leases of equal priority are ahead. */
static void print_share(const json_t *lease, FILE *stream)
{
    double used = json_number_value(json_object_get(lease, "used"));

    if (!json_object_get(lease, "used"))
        return;
    fprintf(stream,
            "Among leases of equal priority, those whose owners used the least CPU time for their "
            "shares go first (older use counts less): user ");
    table_print_text(stream, client_text(lease, "user"));
    fprintf(stream, " used %.2f CPU-hours for %" PRId64 " share%s", used,
            client_integer(lease, "shares"), client_integer(lease, "shares") == 1 ? "" : "s");
    if (json_object_get(lease, "group_used")) {
        fprintf(stream, "; groups first: group ");
        table_print_text(stream, client_text(lease, "user_group"));
        fprintf(stream, " %.2f for %" PRId64,
                json_number_value(json_object_get(lease, "group_used")),
                client_integer(lease, "group_shares"));
    }
    fprintf(stream, ".\n");
}

/* Is the start still open in this phase? */
static bool will_start(const char *phase)
{
    return strcmp(phase, "gathering") == 0 || strcmp(phase, "waiting") == 0 ||
           strcmp(phase, "reserved") == 0;
}

/* False: the reason says that the plan has no place for the lease. */
static bool is_planned(const json_t *lease)
{
    const char *word = client_text(json_object_get(lease, "reason"), "word");

    return !*word || strcmp(word, "planned") == 0;
}

/* The start of a lease that no host can hold, or that waits for its user, is not estimated. */
static bool may_be_estimated(const json_t *lease)
{
    const char *word = client_text(json_object_get(lease, "reason"), "word");

    return is_planned(lease) || strcmp(word, "no-room-now") == 0;
}

/* The lease's activity says when; this adds how long that is. */
static void print_expected(const json_t *lease, int64_t expected, int64_t now, FILE *stream)
{
    char relative[TIME_TEXT_MAX];

    if (expected == INSTANT_NEVER)
        return;
    if (expected == INSTANT_NONE) {
        if (strcmp(client_text(lease, "phase"), "gathering") != 0 && may_be_estimated(lease))
            fprintf(stream, "Start time not estimated yet.\n");
        return;
    }
    time_text_relative(expected, now, relative, sizeof relative);
    if (lease_text_is_contract(lease) && !is_planned(lease))
        fprintf(stream, "Its start is due %s: contract.\n", relative);
    else
        fprintf(stream, "%s %s: %s.\n", client_span(lease, "run") > 0 ? "Resumes" : "Starts",
                relative, lease_text_is_contract(lease) ? "contract" : "estimate, may change");
}

/* The lease's start time has passed, but it did not start. */
static void print_passed(const json_t *lease, int64_t passed, int64_t now, FILE *stream)
{
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    time_text_local(passed, local, sizeof local);
    time_text_relative(passed, now, relative, sizeof relative);
    if (lease_text_is_contract(lease))
        fprintf(stream, "Overdue since %s (%s): contract. It starts as soon as possible.\n", local,
                relative);
    else
        fprintf(stream, "Overdue since %s (%s): estimate; not estimated again yet.\n", local,
                relative);
}

static void print_start(const json_t *lease, int64_t now, FILE *stream)
{
    int64_t passed = client_instant(lease, "was_expected"), end = client_instant(lease, "end");
    char relative[TIME_TEXT_MAX];

    if (passed != INSTANT_NONE) {
        print_passed(lease, passed, now, stream);
    } else if (will_start(client_text(lease, "phase"))) {
        print_expected(lease, client_instant(lease, "expected"), now, stream);
    } else if (instant_is_set(end) && client_instant(lease, "preempted_at") == INSTANT_NONE &&
               client_instant(lease, "unused_until") == INSTANT_NONE &&
               strcmp(client_text(lease, "phase"), "running") == 0) {
        time_text_relative(end, now, relative, sizeof relative);
        fprintf(stream, "Ends %s.\n", relative);
    }
    if (*client_text(lease, "waits_for")) {
        fprintf(stream, "Waiting for ");
        table_print_text(stream, client_text(lease, "waits_for"));
        fprintf(stream, ".\n");
    }
}

static void print_answer(const json_t *answer)
{
    const json_t *lease = json_object_get(answer, "lease");
    struct table_lines lines;

    table_lines_begin(&lines);
    print_state(answer, lease, lines.stream);
    print_ahead(answer, lines.stream);
    print_share(lease, lines.stream);
    print_start(lease, client_instant(answer, "now"), lines.stream);
    table_lines_print(&lines, 0);
    if (json_object_get(answer, "trace"))
        lease_trace_print(json_object_get(answer, "trace"));
}

struct why_arguments {
    struct client client;
    bool trace;
};

static const struct command_option why_options[] = {
    {"trace", .type = ARGUMENT_FLAG, .offset = offsetof(struct why_arguments, trace),
     .help = "Also plan the lease again, without effect, and show each decision"},
};

const struct command_line lease_why_line = {
    .name = "galerna lease why",
    .summary = "Explain why a lease is waiting, and for how long",
    .purpose =
        "Explain the state of a lease: the reason, the leases queued ahead of it, when it is "
        "expected to start, and whether that start is a contract or an estimate.",
    .operands = "LEASE",
    .groups = {OPTION_GROUP(why_options), CLIENT_GROUP},
    .codes = {CLIENT_LEASE_CODES},
    .offer = client_offer_leases,
    .size = sizeof(struct why_arguments),
};

int command_lease_why(const struct call *call)
{
    const struct why_arguments *arguments = call->arguments;

    return client_run(call, arguments->trace ? "lease-trace" : "lease-why", print_answer);
}
