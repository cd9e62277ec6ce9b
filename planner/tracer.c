/* Records the policies' questions about one lease, and examines each host once the plan is
 * complete. */
#include "planner/tracer.h"

#include <stdlib.h>

#include "core/host_filter.h"
#include "util/clock.h"
#include "util/instant.h"
#include "util/memory.h"

struct tracer {
    int64_t lease;
    const struct policy_hooks *wrapped;
    struct policy_hooks hooks;
    struct plan_trace trace;
    bool *vetoed; /* by place, in the last answer; NULL: never asked */
    size_t n_hosts;
};

static void note(struct tracer *tracer, const struct traced_call *call)
{
    struct plan_trace *trace = &tracer->trace;

    if (trace->n_calls == TRACE_CALLS) {
        trace->n_left_out++;
        return;
    }
    trace->calls[trace->n_calls++] = *call;
}

static bool is_about(const struct tracer *tracer, const struct lease *lease)
{
    return lease->request.id == tracer->lease;
}

/* --- the hooks -------------------------------------------------------------------------------- */

static bool admit(void *context, const struct lease *lease, int64_t now, struct reason *reason)
{
    struct tracer *tracer = context;
    int64_t began = clock_nanoseconds(CLOCK_MONOTONIC);
    bool admitted = tracer->wrapped->admit(tracer->wrapped->context, lease, now, reason);

    if (is_about(tracer, lease))
        note(tracer, &(struct traced_call){.question = POLICY_CALL_ADMIT,
                                           .about = INSTANT_NONE,
                                           .asked = lease->n_vms,
                                           .best = -1,
                                           .answer = admitted,
                                           .spent = clock_nanoseconds(CLOCK_MONOTONIC) - began});
    return admitted;
}

static bool may_preempt(void *context, const struct lease *preemptor)
{
    struct tracer *tracer = context;
    int64_t began = clock_nanoseconds(CLOCK_MONOTONIC);
    bool may = tracer->wrapped->may_preempt(tracer->wrapped->context, preemptor);

    if (is_about(tracer, preemptor))
        note(tracer, &(struct traced_call){.question = POLICY_CALL_MAY_PREEMPT,
                                           .about = INSTANT_NONE,
                                           .best = -1,
                                           .answer = may,
                                           .spent = clock_nanoseconds(CLOCK_MONOTONIC) - began});
    return may;
}

static void score_victims(void *context, const struct victim_batch *batch, int64_t *scores)
{
    struct tracer *tracer = context;
    int64_t began = clock_nanoseconds(CLOCK_MONOTONIC), most = POLICY_VETO;
    struct traced_call call = {.question = POLICY_CALL_SCORE_LEASES,
                               .about = batch->at,
                               .asked = (int64_t)batch->n,
                               .best = -1,
                               .answer = -1};

    tracer->wrapped->score_victims(tracer->wrapped->context, batch, scores);
    call.spent = clock_nanoseconds(CLOCK_MONOTONIC) - began;
    if (!is_about(tracer, batch->preemptor))
        return;
    for (size_t i = 0; i < batch->n; i++) {
        call.taken += scores[i] != POLICY_VETO;
        if (scores[i] == POLICY_VETO || scores[i] < most)
            continue;
        most = scores[i];
        call.best = batch->victims[i].lease->request.id; /* ascending: the larger of equal scores */
    }
    note(tracer, &call);
}

static size_t choose_victims(void *context, const struct victim_batch *batch,
                             const struct victim_test *test, size_t *chosen)
{
    struct tracer *tracer = context;
    int64_t began = clock_nanoseconds(CLOCK_MONOTONIC);
    size_t taken = tracer->wrapped->choose_victims(tracer->wrapped->context, batch, test, chosen);

    if (is_about(tracer, batch->preemptor))
        note(tracer,
             &(struct traced_call){.question = POLICY_CALL_CHOOSE,
                                   .about = batch->at,
                                   .asked = (int64_t)batch->n,
                                   .taken = (int64_t)taken,
                                   .best = taken ? batch->victims[chosen[0]].lease->request.id : -1,
                                   .answer = -1,
                                   .spent = clock_nanoseconds(CLOCK_MONOTONIC) - began});
    return taken;
}

static void note_vetoes(struct tracer *tracer, const struct host_batch *batch,
                        const int64_t *scores)
{
    if (!tracer->vetoed) {
        tracer->n_hosts = batch->site->n_hosts;
        tracer->vetoed = memory_new(tracer->n_hosts, sizeof *tracer->vetoed);
    }
    for (size_t i = 0; i < batch->n_hosts; i++)
        tracer->vetoed[batch->hosts[i]] = scores[i] == POLICY_VETO;
}

static void score_hosts(void *context, const struct host_batch *batch, int64_t *scores)
{
    struct tracer *tracer = context;
    int64_t began = clock_nanoseconds(CLOCK_MONOTONIC), most = POLICY_VETO;
    struct traced_call call = {.question = POLICY_CALL_SCORE_HOSTS,
                               .about = batch->at,
                               .asked = (int64_t)batch->n_hosts,
                               .best = -1,
                               .answer = -1};

    tracer->wrapped->score_hosts(tracer->wrapped->context, batch, scores);
    call.spent = clock_nanoseconds(CLOCK_MONOTONIC) - began;
    if (!is_about(tracer, batch->lease))
        return;
    for (size_t i = 0; i < batch->n_hosts; i++) {
        call.taken += scores[i] != POLICY_VETO;
        if (scores[i] <= most)
            continue;
        most = scores[i];
        call.best = batch->hosts[i];
    }
    note(tracer, &call);
    note_vetoes(tracer, batch, scores);
}

static int64_t estimate(void *context, const struct lease_estimate *question)
{
    struct tracer *tracer = context;
    int64_t began = clock_nanoseconds(CLOCK_MONOTONIC);
    int64_t answer = tracer->wrapped->estimate(tracer->wrapped->context, question);
    struct traced_call call = {.question = POLICY_CALL_ESTIMATE,
                               .about = question->at,
                               .asked = question->lease->n_vms,
                               .best = -1,
                               .answer = answer < 0 ? -1 : answer,
                               .spent = clock_nanoseconds(CLOCK_MONOTONIC) - began};

    if (!is_about(tracer, question->lease))
        return answer;
    for (uint32_t vm = 0; vm < question->lease->n_vms; vm++)
        call.taken += question->hosts[vm] != question->from[vm];
    note(tracer, &call);
    return answer;
}

struct tracer *tracer_create(int64_t lease, const struct policy_hooks *hooks)
{
    static const struct policy_hooks none;
    struct tracer *tracer = memory_new(1, sizeof *tracer);

    tracer->lease = lease;
    tracer->trace.at = INSTANT_NONE;
    tracer->wrapped = hooks ? hooks : &none;
    tracer->hooks = (struct policy_hooks){
        .context = tracer,
        .admit = tracer->wrapped->admit ? admit : NULL,
        .score_victims = tracer->wrapped->score_victims ? score_victims : NULL,
        .choose_victims = tracer->wrapped->choose_victims ? choose_victims : NULL,
        .may_preempt = tracer->wrapped->may_preempt ? may_preempt : NULL,
        .score_hosts = tracer->wrapped->score_hosts ? score_hosts : NULL,
        .host_columns = tracer->wrapped->host_columns & ~(unsigned)HOST_COLUMNS_SUFFICE,
        .estimate = tracer->wrapped->estimate ? estimate : NULL,
    };
    return tracer;
}

void tracer_destroy(struct tracer *tracer)
{
    if (!tracer)
        return;
    free(tracer->vetoed);
    free(tracer);
}

const struct policy_hooks *tracer_hooks(const struct tracer *tracer)
{
    return &tracer->hooks;
}

/* --- the hosts -------------------------------------------------------------------------------- */

/* Examines hosts for a node set at a time. */
struct look {
    const struct engine *engine;
    const struct node_set *nodes;
    int64_t at, until;
    int64_t *limits; /* by place: until when the host can take a VM */
    bool *closed;    /* by place: out of service then */
};

static bool is_too_small(const struct look *look, uint32_t place)
{
    const struct site *site = engine_site(look->engine);

    for (int type = 0; type < site->types.count; type++)
        if (look->nodes->amounts.of[type] > site->hosts[place].capacity.of[type])
            return true;
    return false;
}

static enum host_finding look_at(const struct look *look, uint32_t place)
{
    const struct host_filter *filter = look->nodes->hosts;
    int64_t cpu = engine_free(look->engine, place, RESOURCE_CPU, look->at);

    if (engine_site(look->engine)->hosts[place].closed || look->closed[place])
        return FINDING_CLOSED;
    if (!host_filter_allows(filter, place))
        return FINDING_NOT_ALLOWED;
    if (is_too_small(look, place))
        return FINDING_TOO_SMALL;
    if (cpu < look->nodes->amounts.of[RESOURCE_CPU])
        return FINDING_NO_CPU;
    if (engine_fits_until(look->engine, place, &look->nodes->amounts, look->at) <= look->at)
        return FINDING_NO_MEMORY;
    if (look->limits[place] <= look->at)
        return FINDING_NOT_MET;
    return look->limits[place] < look->until ? FINDING_SHORT : FINDING_FITS;
}

/* Keeps the best finding of all node sets: one VM of the lease can use the host. */
static void look_at_sets(const struct tracer *tracer, const struct engine *engine,
                         const struct lease *lease, enum host_finding *findings)
{
    size_t n_hosts = engine_site(engine)->n_hosts;
    struct look look = {.engine = engine, .at = tracer->trace.at};

    look.until = instant_add(look.at, lease->request.duration);
    look.limits = memory_new(n_hosts, sizeof *look.limits);
    look.closed = memory_new(n_hosts, sizeof *look.closed);
    engine_closed_at(engine, look.at, look.closed);
    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        look.nodes = &lease->request.node_sets[set];
        engine_takes_until(engine, look.nodes, look.at, look.until, look.limits);
        for (uint32_t place = 0; place < n_hosts; place++) {
            enum host_finding found = look_at(&look, place);

            findings[place] = found > findings[place] ? found : findings[place];
        }
    }
    free(look.limits);
    free(look.closed);
}

static void mark_planned(const struct lease *lease, enum host_finding *findings)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        for (uint32_t k = 0; r->placement && k < r->placement->n_hosts; k++)
            if (r->kind == RESERVATION_VM && r->state != RESERVATION_DONE)
                findings[r->placement->hosts[k]] = FINDING_PLANNED;
    }
}

static void find_hosts(struct tracer *tracer, const struct engine *engine,
                       const struct lease *lease, const uint32_t *host_of)
{
    size_t n_hosts = engine_site(engine)->n_hosts;
    enum host_finding *findings = memory_new(n_hosts, sizeof *findings);

    look_at_sets(tracer, engine, lease, findings);
    for (size_t place = 0; place < n_hosts && place < tracer->n_hosts; place++)
        if (tracer->vetoed[place] && findings[place] == FINDING_FITS)
            findings[place] = FINDING_VETOED;
    mark_planned(lease, findings);
    for (uint32_t place = 0; place < n_hosts; place++)
        if (findings[place] > findings[host_of[place]])
            findings[host_of[place]] = findings[place];
    for (uint32_t place = 0; place < n_hosts; place++) {
        struct found_hosts *found = &tracer->trace.hosts[findings[place]];

        if (host_of[place] != place)
            continue;
        if (found->n < TRACE_HOSTS)
            found->places[found->n] = place;
        found->n++;
    }
    free(findings);
}

const struct plan_trace *tracer_trace(struct tracer *tracer, const struct engine *engine,
                                      const uint32_t *host_of)
{
    const struct lease *lease = engine ? engine_lease(engine, tracer->lease) : NULL;

    if (!lease || tracer->trace.at != INSTANT_NONE)
        return &tracer->trace;
    tracer->trace.at = instant_later(engine_now(engine), lease->request.start);
    find_hosts(tracer, engine, lease, host_of);
    for (int64_t i = 0; i < tracer->trace.n_calls; i++)
        if (tracer->trace.calls[i].question == POLICY_CALL_SCORE_HOSTS &&
            tracer->trace.calls[i].best >= 0)
            tracer->trace.calls[i].best = host_of[tracer->trace.calls[i].best];
    return &tracer->trace;
}
