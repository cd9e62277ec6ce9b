/* Traces the decision about a lease: the planner plans it again without effect. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/control/jansson_values.h"
#include "daemon/services/services_question.h"

static const char *const finding_words[FINDINGS] = {
    [FINDING_CLOSED] = "takes-no-vms",
    [FINDING_NOT_ALLOWED] = "not-allowed",
    [FINDING_TOO_SMALL] = "too-small",
    [FINDING_NO_CPU] = "no-cpu",
    [FINDING_NO_MEMORY] = "no-memory",
    [FINDING_NOT_MET] = "demand-not-met",
    [FINDING_SHORT] = "not-long-enough",
    [FINDING_VETOED] = "vetoed",
    [FINDING_FITS] = "fits",
    [FINDING_PLANNED] = "planned",
};

/* The kind of modules that answers each question. */
static const char *const kinds[POLICY_CALLS] = {
    [POLICY_CALL_ADMIT] = "admission",
    [POLICY_CALL_MAY_PREEMPT] = "preemption",
    [POLICY_CALL_SCORE_LEASES] = "preemption",
    [POLICY_CALL_CHOOSE] = "preemption",
    [POLICY_CALL_SCORE_HOSTS] = "host-selection",
    [POLICY_CALL_ESTIMATE] = "host-selection",
};

static json_t *host_name(const struct planner_change *change, int64_t place)
{
    return json_from_text(change->hosts->items[place].name);
}

/* --- questions to the modules ----------------------------------------------------------------- */

struct modules_of {
    const char *kind;
    json_t *names;
};

static void add_module(void *context, const struct planner_module *module)
{
    const struct modules_of *of = context;

    if (strcmp(module->kind, of->kind) == 0)
        json_array_append_new(of->names, json_string(module->name));
}

static json_t *modules_of(const struct daemon *daemon, const char *kind)
{
    struct modules_of of = {.kind = kind, .names = json_array()};

    planner_each_module(daemon->planner, add_module, &of);
    return of.names;
}

static json_t *best_of(const struct planner_change *change, const struct traced_call *call)
{
    if (call->best < 0)
        return json_null();
    if (call->question != POLICY_CALL_SCORE_HOSTS)
        return json_integer(call->best);
    return (size_t)call->best < change->hosts->n ? host_name(change, call->best) : json_null();
}

static json_t *answer_of(const struct traced_call *call)
{
    if (call->answer < 0)
        return json_null();
    return call->question == POLICY_CALL_ESTIMATE ? json_integer(call->answer)
                                                  : json_boolean(call->answer != 0);
}

static json_t *json_from_call(const struct daemon *daemon, const struct planner_change *change,
                              const struct traced_call *call)
{
    json_t *line = json_object();

    if (!kinds[call->question])
        return line;
    json_object_set_new(line, "kind", json_string(kinds[call->question]));
    json_object_set_new(line, "modules", modules_of(daemon, kinds[call->question]));
    json_object_set_new(line, "question", json_string(offence_call_words[call->question]));
    json_object_set_new(line, "about", json_from_instant(call->about));
    json_object_set_new(line, "asked", json_integer(call->asked));
    json_object_set_new(line, "taken", json_integer(call->taken));
    json_object_set_new(line, "best", best_of(change, call));
    json_object_set_new(line, "answer", answer_of(call));
    json_object_set_new(line, "microseconds", json_real(round((double)call->spent / 100) / 10));
    return line;
}

/* --- hosts ------------------------------------------------------------------------------------ */

static json_t *json_from_findings(const struct planner_change *change)
{
    json_t *findings = json_array();

    for (int finding = 0; finding < FINDINGS; finding++) {
        const struct found_hosts *found = &change->trace->hosts[finding];
        json_t *names;

        if (found->n == 0)
            continue;
        names = json_array();
        for (int64_t i = 0; i < found->n && i < TRACE_HOSTS; i++)
            json_array_append_new(names, host_name(change, found->places[i]));
        json_array_append_new(findings,
                              json_pack("{s:s, s:I, s:o}", "finding", finding_words[finding],
                                        "count", (json_int_t)found->n, "hosts", names));
    }
    return findings;
}

static void put_trace(const struct daemon *daemon, const struct planner_change *change,
                      json_t *trace)
{
    json_t *calls = json_array();
    char text[STORE_SENTENCE_MAX];

    services_why(daemon, change, text, sizeof text);
    for (int64_t i = 0; i < change->trace->n_calls; i++)
        json_array_append_new(calls, json_from_call(daemon, change, &change->trace->calls[i]));
    json_object_set_new(trace, "accepted", json_boolean(change->accepted));
    json_object_set_new(trace, "start", json_from_instant(change->start));
    json_object_set_new(trace, "text", *text ? json_from_text(text) : json_null());
    json_object_set_new(trace, "reason", json_from_reason(&change->reason));
    answers_put_victims(trace, &change->victims);
    json_object_set_new(trace, "calls", calls);
    json_object_set_new(trace, "calls_left_out", json_integer(change->trace->n_left_out));
    json_object_set_new(trace, "at", json_from_instant(change->trace->at));
    json_object_set_new(trace, "hosts", json_from_findings(change));
}

/* --- the question ----------------------------------------------------------------------------- */

int services_trace(void *context, int64_t id, json_t *trace, struct error *err)
{
    struct daemon *daemon = context;
    const struct lease_record *lease = store_lease(daemon->store, id);

    if (!lease)
        return error_set(err, EALREADY, "lease %lld has ended; see its history", (long long)id);
    if (!daemon->question->is_answered) {
        struct services_question *question = services_put_off(daemon->question);

        return services_later(
            question,
            planner_trace(daemon->planner, lease, clock_now(), services_judged, question, err),
            err);
    }
    if (daemon->question->err.code) {
        *err = daemon->question->err;
        return -1;
    }
    if (!daemon->question->change->trace)
        return error_set(err, EAGAIN, "the planner returned no trace of the decision; try again");
    put_trace(daemon, daemon->question->change, trace);
    return 0;
}
