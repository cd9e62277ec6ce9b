/* Making room: which leases are preempted so that another one fits. */
#include <stdlib.h>
#include <string.h>

#include "core/mapper.h"
#include "core/resettle.h"
#include "util/memory.h"

struct candidates {
    struct victim *victims; /* ascending lease id */
    int64_t *scores;
    size_t n, allocated;
};

static int by_lease_id(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;

    return x->lease->request.id < y->lease->request.id
               ? -1
               : x->lease->request.id > y->lease->request.id;
}

/* Seconds that one VM of the set is lost for: suspended, sent if it moves, resumed. */
static int64_t vm_overhead(const struct engine *engine, const struct lease *lease,
                           const struct amounts *vm)
{
    int64_t memory = vm->of[RESOURCE_MEMORY];
    int64_t seconds = suspend_span_of_vm(engine, memory) + resume_span_of_vm(engine, memory) +
                      2 * engine->settings.enactment_overhead;

    if (lease->request.terms == TERMS_MIGRATABLE && engine->settings.migration == MIGRATION_YES)
        seconds += transfer_span_of_vm(engine, memory);
    return seconds;
}

/* Amini Salehi et al.: per VM and by the terms; work that is thrown away is lost, too. */
static int64_t overhead_of(struct engine *engine, const struct lease *lease, int64_t at)
{
    const struct vm_plan *current = lease_plan_current(lease);
    int64_t run = at > current->vm->from ? at - current->vm->from : 0, sum = 0;

    if (lease->request.terms == TERMS_CANCELABLE)
        return (engine->settings.shutdown_time + engine->settings.enactment_overhead) *
               (int64_t)lease->n_vms;
    if (lease->request.terms == TERMS_RESTARTABLE || !may_be_suspended(engine, lease))
        return run * (int64_t)lease->n_vms;
    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        sum += vm_overhead(engine, lease, &lease->request.node_sets[set].amounts) *
               (int64_t)lease->request.node_sets[set].count;
    return sum;
}

static bool is_usable(const struct engine *engine, const struct map_request *request, uint32_t host)
{
    const struct lease_request *lease = &request->lease->request;

    if (request->pinned) {
        for (uint32_t i = 0; i < request->pinned->n_hosts; i++)
            if (request->pinned->hosts[i] == host)
                return true;
        return false;
    }
    for (size_t set = 0; set < lease->n_node_sets; set++)
        if (host_is_usable(engine, &lease->node_sets[set], host))
            return true;
    return false;
}

/* A lease whose hosts the other one may not use makes no room for it. */
static bool is_of_use(const struct engine *engine, const struct map_request *request,
                      const struct lease *lease)
{
    const struct placement *placement = lease_plan_current(lease)->vm->placement;

    if (!request->pinned && !is_restricted(engine, request->lease))
        return true;
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        if (is_usable(engine, request, placement->hosts[i]))
            return true;
    return false;
}

/* Also one that shuts down at that time, or is to be suspended a little later. */
static bool may_be_forced(struct engine *engine, const struct map_request *request,
                          struct lease *lease)
{
    return lease->request.kind == LEASE_BEST_EFFORT && lease->state == LEASE_ACTIVE &&
           lease->request.terms != TERMS_NON_PREEMPTABLE && lease_plan_running(lease) &&
           can_be_suspended_at(engine, lease, request->from, true);
}

static bool may_make_room(struct engine *engine, const struct map_request *request,
                          struct lease *lease)
{
    if (request->forced)
        return may_be_forced(engine, request, lease) && is_of_use(engine, request, lease);
    if (lease->request.terms == TERMS_NON_PREEMPTABLE &&
        !engine->settings.behaviour.lease_kinds_of_haizea_1_0)
        return false;
    if (request->spare_planned && !lease_plan_running(lease))
        return false;
    /* Its start was promised. */
    if (lease->request.kind == LEASE_RESERVATION && !lease_plan_running(lease) &&
        !engine->settings.behaviour.lease_kinds_of_haizea_1_0)
        return false;
    if (lease->request.kind == LEASE_DEADLINE)
        return !engine->settings.behaviour.lease_kinds_of_haizea_1_0 &&
               deadline_may_make_room(engine, lease, request->from) &&
               is_of_use(engine, request, lease);
    return is_preemptable_at(engine, lease, request->from) && is_of_use(engine, request, lease) &&
           !loses_work(engine, request, lease);
}

/* Leases that hold something during [from, until), by ascending id (Haizea has no order here). */
static void gather(struct engine *engine, const struct map_request *request,
                   struct candidates *candidates)
{
    size_t i = reservation_index_after(&engine->by_end, request->from);

    for (; i < engine->by_end.n; i++) {
        const struct reservation *r = reservation_index_at(&engine->by_end, i)->reservation;
        struct lease *lease = r->lease;
        const struct vm_plan *current;

        if (r->from >= request->until || r->from >= r->until || lease == request->lease ||
            !may_make_room(engine, request, lease))
            continue;
        current = lease_plan_current(lease);
        candidates->victims = memory_grow(candidates->victims, &candidates->allocated,
                                          candidates->n + 1, sizeof *candidates->victims);
        candidates->victims[candidates->n++] =
            (struct victim){.lease = lease,
                            .overhead = overhead_of(engine, lease, request->from),
                            .started = current->vm->from < request->from,
                            .runs_since = current->vm->from};
    }
    if (!candidates->n)
        return;
    qsort(candidates->victims, candidates->n, sizeof *candidates->victims, by_lease_id);
    i = 1;
    for (size_t k = 1; k < candidates->n; k++)
        if (candidates->victims[k].lease != candidates->victims[i - 1].lease)
            candidates->victims[i++] = candidates->victims[k];
    candidates->n = i;
}

static void release_all(struct engine *engine, const struct lease *lease)
{
    while (lease->booked)
        slot_table_release(engine->table, lease->booked);
}

/* The best candidate not yet taken: highest score, then the larger id. */
static size_t best_candidate(const struct candidates *candidates)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < candidates->n; i++)
        if (candidates->scores[i] != POLICY_VETO &&
            (best == SIZE_MAX || candidates->scores[i] >= candidates->scores[best]))
            best = i;
    return best;
}

struct host_snapshot {
    struct host_choice *choices;
    size_t n;
    bool in_order;
};

static bool pass_in_order(struct engine *engine, const struct map_request *request,
                          const struct host_snapshot *snapshot, struct mapping *mapping)
{
    struct host_order order = {
        .choices = engine->choices, .n = snapshot->n, .in_order = snapshot->in_order};

    if (request->pinned)
        return mapper_pinned(engine, request, mapping);
    if (is_restricted(engine, request->lease))
        return restricted_map(engine, request, mapping);
    if (!mapper_may_fit(engine, request))
        return false;
    memcpy(engine->choices, snapshot->choices, snapshot->n * sizeof *snapshot->choices);
    return mapper_pass(engine, request, &order, mapping);
}

/* Give needless victims their place back, the last taken first, and map again. */
static bool spare_needless(struct engine *engine, const struct map_request *request,
                           const struct host_snapshot *snapshot, struct mapping *mapping)
{
    struct lease_list *victims = &mapping->victims;

    for (size_t i = victims->n; i-- > 0;) {
        size_t mark = slot_table_mark(engine->table);
        struct lease *spared = victims->items[i];

        for (size_t k = 0; k < spared->n_reservations; k++)
            if (spared->reservations[k]->state != RESERVATION_DONE)
                slot_table_book(engine->table, spared->reservations[k]);
        if (pass_in_order(engine, request, snapshot, mapping)) {
            slot_table_keep(engine->table, mark);
            lease_list_remove(victims, spared);
        } else {
            slot_table_undo(engine->table, mark);
        }
    }
    return pass_in_order(engine, request, snapshot, mapping);
}

static bool map_by_scores(struct engine *engine, const struct map_request *request,
                          struct candidates *candidates, const struct host_snapshot *snapshot,
                          struct mapping *mapping)
{
    const struct policy_hooks *hooks = engine->hooks;

    candidates->scores = memory_new(candidates->n, sizeof *candidates->scores);
    if (!request->forced)
        hooks->score_victims(hooks->context, request->lease, request->from, candidates->victims,
                             candidates->n, candidates->scores);
    for (;;) {
        size_t best = best_candidate(candidates);
        struct lease *victim;

        if (best == SIZE_MAX)
            return false;
        candidates->scores[best] = POLICY_VETO;
        victim = (struct lease *)candidates->victims[best].lease;
        release_all(engine, victim);
        lease_list_append(&mapping->victims, victim);
        if (pass_in_order(engine, request, snapshot, mapping))
            return engine->settings.behaviour.preempt_needless_victims ||
                   spare_needless(engine, request, snapshot, mapping);
    }
}

/* Those among the victims that have deadlines keep them. The slot table has everybody's place. */
static bool deadlines_are_kept(struct engine *engine, const struct map_request *request,
                               struct mapping *mapping)
{
    struct resettlement wish = {.lease = request->lease,
                                .victims = &mapping->victims,
                                .from = request->from,
                                .until = mapping->until};
    size_t n_vms = request->lease->n_vms;
    struct placement *placement;
    uint32_t *vm_host;
    bool kept;

    if (!resettle_has_work(&mapping->victims))
        return true;
    vm_host = memory_copy(mapping->vm_host, n_vms * sizeof *vm_host);
    wish.placement = placement = placement_of_vms(engine, request->lease, vm_host);
    kept = resettle_is_possible(engine, &wish);
    placement_destroy(placement);
    memcpy(engine->vm_host, vm_host, n_vms * sizeof *vm_host);
    mapping->vm_host = engine->vm_host;
    free(vm_host);
    return kept;
}

struct enough_context {
    struct engine *engine;
    const struct map_request *request;
    const struct candidates *candidates;
    const struct host_snapshot *snapshot;
};

static bool enough(const struct victim_test *test, const size_t *chosen, size_t n_chosen)
{
    const struct enough_context *context = test->engine;
    struct slot_table *table = context->engine->table;
    size_t mark = slot_table_mark(table);
    struct mapping trial = {0};
    bool answer;

    for (size_t i = 0; i < n_chosen; i++)
        release_all(context->engine, context->candidates->victims[chosen[i]].lease);
    answer = pass_in_order(context->engine, context->request, context->snapshot, &trial);
    slot_table_undo(table, mark);
    if (answer) {
        for (size_t i = 0; i < n_chosen; i++)
            lease_list_append(&trial.victims,
                              (struct lease *)context->candidates->victims[chosen[i]].lease);
        answer = deadlines_are_kept(context->engine, context->request, &trial);
    }
    mapping_finish(&trial);
    return answer;
}

static bool map_by_choice(struct engine *engine, const struct map_request *request,
                          struct candidates *candidates, const struct host_snapshot *snapshot,
                          struct mapping *mapping)
{
    struct enough_context context = {engine, request, candidates, snapshot};
    struct victim_test test = {enough, &context};
    size_t *chosen = memory_new(candidates->n, sizeof *chosen);
    size_t n = engine->hooks->choose_victims(engine->hooks->context, request->lease, request->from,
                                             candidates->victims, candidates->n, &test, chosen);

    for (size_t i = 0; i < n; i++) {
        struct lease *victim = (struct lease *)candidates->victims[chosen[i]].lease;

        release_all(engine, victim);
        lease_list_append(&mapping->victims, victim);
    }
    free(chosen);
    return n && pass_in_order(engine, request, snapshot, mapping);
}

static void spare_deadlines(struct candidates *candidates)
{
    size_t kept = 0;

    for (size_t i = 0; i < candidates->n; i++)
        if (candidates->victims[i].lease->request.kind != LEASE_DEADLINE)
            candidates->victims[kept++] = candidates->victims[i];
    candidates->n = kept;
}

/* The slot table is as before. */
static bool map_among(struct engine *engine, const struct map_request *request,
                      struct candidates *candidates, const struct host_snapshot *snapshot,
                      struct mapping *mapping)
{
    size_t mark = slot_table_mark(engine->table);
    bool mapped = false;

    if (candidates->n && engine->hooks->choose_victims && !request->forced)
        mapped = map_by_choice(engine, request, candidates, snapshot, mapping);
    else if (candidates->n)
        mapped = map_by_scores(engine, request, candidates, snapshot, mapping);
    slot_table_undo(engine->table, mark);
    free(candidates->scores);
    candidates->scores = NULL;
    return mapped;
}

bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping)
{
    struct candidates candidates = {0};
    struct host_order order;
    struct host_snapshot snapshot;
    bool mapped;

    gather(engine, request, &candidates);
    if (!candidates.n)
        return false;
    order = (struct host_order){.choices = engine->choices};
    if (!request->pinned && !is_restricted(engine, request->lease))
        mapper_order_all(engine, request, &order);
    snapshot.n = order.n;
    snapshot.in_order = order.in_order;
    snapshot.choices = memory_copy(order.choices, order.n * sizeof *order.choices);
    mapped = map_among(engine, request, &candidates, &snapshot, mapping);
    /* Without those who cannot keep their deadlines. */
    if (mapped && !deadlines_are_kept(engine, request, mapping)) {
        spare_deadlines(&candidates);
        mapping->victims.n = 0;
        mapped = map_among(engine, request, &candidates, &snapshot, mapping);
    }
    if (!mapped)
        mapping->victims.n = 0;
    free(snapshot.choices);
    free(candidates.victims);
    return mapped;
}
