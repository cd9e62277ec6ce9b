/* The conformance trace of `galerna policy check`: best-effort leases on all terms fill a small
 * site, then leases of each kind find no room but that of others; then half a day of leases of
 * every kind and terms, and more of them than there is room for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy_conformance.h"
#include "core/engine.h"
#include "plugin/engine_world.h"

enum {
    SITE_HOSTS = 6,
    HOST_CORES = 4,
    CROWD = HOST_CORES,       /* one VM of each on every host */
    CONTENDERS = LEASE_KINDS, /* one of each kind */
    LEASES = 120,
    STEPS_MAX = 100000,
    HOUR = 3600,
    FIRST_DAY = 1767600000, /* Monday, 2026-01-05, 08:00 */
};

struct module_trace {
    struct site site;
    struct node_set node_sets[LEASES];
    struct lease_request requests[LEASES]; /* ascending submit */
};

/* The result of a run, as one digest and three figures. */
struct outcome {
    uint64_t digest;
    struct conformance_figures figures;
};

static void mix(struct outcome *outcome, int64_t value)
{
    outcome->digest = (outcome->digest ^ (uint64_t)value) * UINT64_C(0x100000001b3);
    outcome->digest ^= outcome->digest >> 29;
}

static struct lease_request *add_request(struct module_trace *trace, size_t i, enum lease_kind kind)
{
    struct lease_request *request = &trace->requests[i];

    *request = (struct lease_request){
        .id = (int64_t)i + 1,
        .kind = kind,
        .start = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration_known = SPAN_NONE,
        .node_sets = &trace->node_sets[i],
        .n_node_sets = 1,
    };
    return request;
}

static void set_times(struct lease_request *request, int64_t submit, int64_t duration,
                      int64_t before_start)
{
    request->submit = submit;
    request->duration = request->duration_original = duration;
    request->preemptible = request->terms != TERMS_NON_PREEMPTABLE;
    if (request->kind == LEASE_RESERVATION)
        request->start = submit + before_start;
    if (request->kind == LEASE_DEADLINE) {
        request->start = submit;
        request->deadline = submit + 4 * duration;
    }
}

/* Fills the site; then leases of each kind arrive. */
static void make_opening(struct module_trace *trace, size_t i)
{
    struct lease_request *request;

    trace->node_sets[i].count = SITE_HOSTS;
    trace->node_sets[i].amounts.of[RESOURCE_CPU] = 100;
    trace->node_sets[i].amounts.of[RESOURCE_MEMORY] = 1024;
    if (i < CROWD) {
        request = add_request(trace, i, LEASE_BEST_EFFORT);
        request->terms = (enum lease_terms)i;
        request->origin = ORIGIN_EXTERNAL;
        request->user = 1;
        set_times(request, 0, 8 * HOUR, 0);
    } else {
        request = add_request(trace, i, (enum lease_kind)(i - CROWD));
        request->terms = TERMS_NON_PREEMPTABLE;
        request->priority = 4 * PRIORITY_ONE;
        set_times(request, HOUR, HOUR, HOUR / 2);
    }
}

static void make_any(struct module_trace *trace, size_t i, int64_t submit, uint64_t *random)
{
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_BEST_EFFORT, LEASE_RESERVATION,
                                            LEASE_IMMEDIATE, LEASE_DEADLINE};
    struct node_set *set = &trace->node_sets[i];
    struct lease_request *request = add_request(trace, i, kinds[conformance_random(random, 5)]);
    int64_t duration = 300 + (int64_t)conformance_random(random, 7200);

    set->count = 1 + (uint32_t)conformance_random(random, 6);
    set->amounts.of[RESOURCE_CPU] = 100 + 100 * (int64_t)conformance_random(random, 2);
    set->amounts.of[RESOURCE_MEMORY] = 512 + 512 * (int64_t)conformance_random(random, 3);
    request->terms = (enum lease_terms)conformance_random(random, TERMS_NON_PREEMPTABLE + 1);
    request->origin = (enum lease_origin)conformance_random(random, 2);
    request->priority = (int32_t)conformance_random(random, 5 * PRIORITY_ONE);
    request->user = (int64_t)conformance_random(random, 4);
    set_times(request, submit, duration, 600 + (int64_t)conformance_random(random, 7200));
}

static int trace_init(struct module_trace *trace, struct error *err)
{
    const struct amounts capacity = {{100 * HOST_CORES, 4096, 100000, 1000, 1000}};
    uint64_t random = 7;
    int64_t submit = 2 * HOUR;

    memset(trace, 0, sizeof *trace);
    site_init(&trace->site);
    if (site_add_hosts(&trace->site, SITE_HOSTS, &capacity, err) < 0)
        return -1;
    for (size_t i = 0; i < CROWD + CONTENDERS; i++)
        make_opening(trace, i);
    for (size_t i = CROWD + CONTENDERS; i < LEASES; i++) {
        submit += (int64_t)conformance_random(&random, 12 * HOUR / LEASES);
        make_any(trace, i, submit, &random);
    }
    return 0;
}

static void record(struct outcome *outcome, const struct engine_outputs *outputs)
{
    for (size_t i = 0; i < outputs->n_items; i++) {
        const struct engine_output *output = &outputs->items[i];

        mix(outcome, (int64_t)output->kind);
        mix(outcome, output->time);
        mix(outcome, output->lease->request.id);
        if (output->kind == OUTPUT_VM_INTERVAL && output->reservation) {
            const struct placement *placement = output->reservation->placement;

            mix(outcome, output->reservation->until);
            for (uint32_t j = 0; j < placement->n_vms; j++)
                mix(outcome, placement->vms[j].host);
        }
        if (output->kind == OUTPUT_REQUESTED && output->accepted)
            outcome->figures.accepted++;
        if (output->kind == OUTPUT_REQUESTED && !output->accepted)
            outcome->figures.refused++;
        outcome->figures.preemptions += output->kind == OUTPUT_PREEMPTED;
    }
}

/* Requests and the engine's own times, to the end. */
static int drive(struct engine *engine, const struct module_trace *trace,
                 const struct observer *observer, struct outcome *outcome, struct error *err)
{
    struct engine_outputs outputs;
    size_t next = 0;
    int status = 0;

    engine_outputs_init(&outputs);
    for (int steps = 0; status == 0; steps++) {
        struct engine_input inputs[LEASES];
        size_t n = 0;
        int64_t now = engine_next_time(engine);

        if (next < LEASES && trace->requests[next].submit < now)
            now = trace->requests[next].submit;
        if (now == INSTANT_NEVER)
            break;
        for (; next < LEASES && trace->requests[next].submit == now; next++)
            inputs[n++] =
                (struct engine_input){.kind = INPUT_REQUEST, .request = &trace->requests[next]};
        if (steps == STEPS_MAX)
            status = error_set(err, EINVAL, "the conformance trace is stuck");
        else
            status = engine_step(engine, now, inputs, n, &outputs, err);
        if (status == 0) {
            record(outcome, &outputs);
            status = observer->step(observer->context, engine, now, &outputs, err);
        }
    }
    engine_outputs_finish(&outputs);
    return status;
}

static int run(const struct conformance *conformance, const struct module_trace *trace,
               struct outcome *outcome, struct error *err)
{
    struct policy_host_settings settings = conformance->settings;
    struct engine_settings engine_settings;
    struct policy_status found;
    struct policy_host *host;
    struct engine *engine = NULL;
    struct observer observer;
    int status = -1;

    *outcome = (struct outcome){.digest = 1};
    settings.site = &trace->site;
    if (conformance->kind != POLICY_PREEMPTION)
        settings.preemption = NULL;
    host = policy_host_create(&settings, err);
    if (!host)
        return -1;
    observer = policy_host_observer(host);
    engine_settings_init(&engine_settings);
    engine = engine_create(&trace->site, &engine_settings, policy_host_hooks(host), err);
    if (engine)
        engine_world_set(host, engine, FIRST_DAY);
    if (engine && drive(engine, trace, &observer, outcome, err) == 0) {
        policy_host_status(host, (size_t)conformance->kind - 1, &found);
        outcome->figures.decisions = found.calls;
        status = conformance_faults(conformance, host, err);
    }
    engine_destroy(engine);
    policy_host_destroy(host);
    return status;
}

int conformance_trace(const struct conformance *conformance, struct error *err)
{
    struct module_trace *trace = malloc(sizeof *trace);
    struct outcome first, second;
    int status = -1;

    if (!trace)
        return error_set(err, ENOMEM, "out of memory");
    if (trace_init(trace, err) == 0 && run(conformance, trace, &first, err) == 0 &&
        run(conformance, trace, &second, err) == 0)
        status = first.digest == second.digest
                     ? 0
                     : error_set(err, EINVAL,
                                 "%s: a second run of the conformance trace gives another "
                                 "schedule; a policy must depend only on its inputs",
                                 conformance->file);
    if (status == 0) {
        conformance->figures->decisions = first.figures.decisions;
        conformance->figures->accepted = first.figures.accepted;
        conformance->figures->refused = first.figures.refused;
        conformance->figures->preemptions = first.figures.preemptions;
    }
    site_finish(&trace->site);
    free(trace);
    return status;
}
