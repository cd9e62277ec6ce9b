/* The trace of a decision, for people: the questions to the policies, then the hosts. */
#include "cli/lease_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/table.h"
#include "util/instant.h"
#include "util/time_text.h"

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

    json_array_foreach(names, i, name)
    {
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

/* --- the questions ---------------------------------------------------------------------------- */

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

/* --- the hosts -------------------------------------------------------------------------------- */

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
    json_array_foreach(hosts, i, found) print_finding(found);
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

void lease_trace_print(const json_t *trace)
{
    printf("Planned again, without effect.\n");
    print_calls(trace);
    print_hosts(trace);
    print_result(trace);
}
