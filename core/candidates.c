/* Candidates: the leases that may make room for another one. */
#include "core/candidates.h"

#include <stdlib.h>

#include "core/deadline_terms.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/mapper_restricted.h"
#include "core/migration.h"
#include "core/preemptable.h"
#include "util/memory.h"

static int by_lease_id(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;

    return x->lease->request.id < y->lease->request.id
               ? -1
               : x->lease->request.id > y->lease->request.id;
}

/* Seconds for which a VM of the set does not run: suspend, transfer if it moves, resume. */
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

/* Overhead as in Amini Salehi et al., per VM and by the terms; discarded work counts as lost. */
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

    if (request->pinned)
        return placement_has_host(request->pinned, host);
    for (size_t set = 0; set < lease->n_node_sets; set++)
        if (host_is_usable(engine, &lease->node_sets[set], host))
            return true;
    return false;
}

/* Preempting a lease helps only if the requester may use one of its hosts. */
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

/* Includes leases that will be shutting down at that time, or will be suspended a little later. */
static bool may_be_forced(struct engine *engine, const struct map_request *request,
                          struct lease *lease)
{
    return lease->request.kind == LEASE_BEST_EFFORT && lease->state == LEASE_ACTIVE &&
           lease->request.terms != TERMS_NON_PREEMPTABLE && lease_plan_running(lease) &&
           can_be_suspended_at(engine, lease, request->from, true);
}

/* A best-effort lease can wait and so never stops a lease whose work must be kept. */
static bool loses_work(struct engine *engine, const struct map_request *request,
                       struct lease *victim)
{
    return request->lease->request.kind == LEASE_BEST_EFFORT &&
           (victim->request.terms == TERMS_SUSPENDABLE ||
            victim->request.terms == TERMS_MIGRATABLE) &&
           (victim->state == LEASE_ACTIVE || victim->state == LEASE_RESUMING) &&
           !can_be_suspended_at(engine, victim, request->from, false);
}

static bool may_make_room(struct engine *engine, const struct map_request *request,
                          struct lease *lease)
{
    if (leaves_later(lease)) /* moves are withdrawn when a step begins, unless firm or making room
                              */
        return false;
    if (request->forced)
        return may_be_forced(engine, request, lease) && is_of_use(engine, request, lease);
    if (terms_when_preempted(engine, lease) == TERMS_NON_PREEMPTABLE)
        return false;
    if (is_protected_by_share(engine, lease, request->lease))
        return false;
    if (request->spare_planned && !lease_plan_running(lease))
        return false;
    /* The start of this reservation was promised. */
    if (lease->request.kind == LEASE_RESERVATION && !lease_plan_running(lease))
        return false;
    if (lease->request.kind == LEASE_DEADLINE)
        return deadline_may_make_room(engine, lease, request->from) &&
               is_of_use(engine, request, lease);
    return is_preemptable_at(engine, lease, request->from) && is_of_use(engine, request, lease) &&
           !loses_work(engine, request, lease);
}

/* The terms allow preemption, but there is not enough time for it. */
static bool would_be_late(struct engine *engine, const struct map_request *request,
                          struct lease *lease)
{
    return lease->request.kind == LEASE_DEADLINE && !request->forced &&
           deadline_would_be_late(engine, lease, request->from) &&
           is_of_use(engine, request, lease);
}

static void add(struct victims *victims, const struct victim *victim)
{
    MEMORY_GROW(victims->items, victims->allocated, victims->n + 1);
    victims->items[victims->n++] = *victim;
}

/* Also removes duplicates: a lease with several bookings was added for each of them. */
static void put_in_order(struct victims *victims)
{
    size_t n = 0;

    if (victims->n)
        qsort(victims->items, victims->n, sizeof *victims->items, by_lease_id);
    for (size_t i = 0; i < victims->n; i++)
        if (!n || victims->items[i].lease != victims->items[n - 1].lease)
            victims->items[n++] = victims->items[i];
    victims->n = n;
}

void candidates_gather(struct engine *engine, const struct map_request *request,
                       struct candidates *candidates)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_end, request->from);

    if (request->from >= request->until) /* Haizea: a lease without duration has no victims */
        return;
    for (const struct index_entry *entry; (entry = index_walk_next(&walk));) {
        const struct reservation *r = entry->reservation;
        struct lease *lease = r->lease;
        const struct vm_plan *current;
        struct victims *list = &candidates->may;

        if (r->from >= request->until || r->from >= r->until || lease == request->lease)
            continue;
        if (!may_make_room(engine, request, lease)) {
            if (!would_be_late(engine, request, lease))
                continue;
            list = &candidates->late;
        }
        current = lease_plan_current(lease);
        add(list, &(struct victim){.lease = lease,
                                   .overhead = overhead_of(engine, lease, request->from),
                                   .started = current->vm->from < request->from,
                                   .runs_since = current->vm->from});
    }
    put_in_order(&candidates->may);
    put_in_order(&candidates->late);
}

void candidates_finish(struct candidates *candidates)
{
    free(candidates->may.items);
    free(candidates->late.items);
}

static bool is_in(const struct lease_list *list, const struct lease *lease)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == lease)
            return true;
    return false;
}

void candidates_are_late(struct candidates *candidates, const struct lease_list *list)
{
    struct victims *may = &candidates->may;
    size_t kept = 0;

    for (size_t i = 0; i < may->n; i++) {
        const struct lease *lease = may->items[i].lease;

        if (list ? is_in(list, lease) : lease->request.kind == LEASE_DEADLINE)
            add(&candidates->late, &may->items[i]);
        else
            may->items[kept++] = may->items[i];
    }
    may->n = kept;
    put_in_order(&candidates->late);
}

void candidates_take_late(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->late.n; i++)
        add(&candidates->may, &candidates->late.items[i]);
    put_in_order(&candidates->may);
}
