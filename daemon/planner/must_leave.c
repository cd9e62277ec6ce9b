/* VMs that must leave their hosts: the operator rescheduled them in OpenNebula, their hosts are
 * drained or promised to another lease, or they should move to other hosts of their cluster. */

#include "core/estimates.h"
#include "core/reason_details.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

enum { STOPS_WITHIN = 10 /* seconds until OpenNebula has deleted a VM and says so */ };

/* Does the lease still have a promise of its hosts for that time? */
static bool is_promised_at(const struct lease_record *lease, int64_t at)
{
    if (!lease || lease->phase != PHASE_RESERVED || lease->at_risk)
        return false;
    return lease->kind == LEASE_RESERVATION ||
           (lease->kind == LEASE_DEADLINE && lease->expected == at);
}

static bool is_on(const struct vm_record *const *vms, size_t n, int32_t host)
{
    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && vms[i]->host == host)
            return true;
    return false;
}

/* Does the lease get hosts where the other lease is? */
static bool gets_hosts_of(const struct store *store, int64_t id, int64_t other, bool if_unknown)
{
    size_t n, n_others;
    const struct vm_record *const *vms = store_vms_of(store, id, &n);
    const struct vm_record *const *others = store_vms_of(store, other, &n_others);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone &&
            (vms[i]->host < 0 ? if_unknown : is_on(others, n_others, vms[i]->host)))
            return true;
    return false;
}

int64_t lease_leaves_at(const struct store *store, const struct lease_record *lease, int64_t now)
{
    if (lease->preempted_at <= now ||
        !is_promised_at(store_lease(store, lease->preempted_for), lease->preempted_at) ||
        !gets_hosts_of(store, lease->preempted_for, lease->id, true))
        return INSTANT_NONE;
    return lease->preempted_at;
}

bool lease_shares_host(const struct store *store, int64_t id, int64_t other)
{
    return gets_hosts_of(store, id, other, false);
}

int64_t lease_next_on_hosts(const struct store *store, const struct lease_record *lease)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);
    const struct lease_record *next = NULL;

    for (size_t i = 0; i < n; i++)
        if (leases[i]->phase == PHASE_RESERVED && leases[i]->expected != INSTANT_NONE &&
            (!next || leases[i]->expected < next->expected) &&
            lease_shares_host(store, leases[i]->id, lease->id))
            next = leases[i];
    return next ? next->id : -1;
}

int64_t lease_moves_by(const struct store *store, const struct lease_record *lease, int64_t now)
{
    const struct lease_record *other = store_lease(store, lease->preempted_for);

    if (!store_moves_away(lease) || !other || other->kind != LEASE_RESERVATION)
        return INSTANT_NONE;
    if (lease->preempted_at > now)
        return lease_leaves_at(store, lease, now);
    return other->phase == PHASE_RESERVED || other->phase == PHASE_STARTING ? lease->preempted_at
                                                                            : INSTANT_NONE;
}

int64_t planner_stops_at(const struct planner *planner, const struct lease_record *lease)
{
    const struct lease_record *other = store_lease(planner->store, lease->preempted_for);
    const struct engine_settings *engine = &planner->settings.engine;
    size_t n;

    if (lease->phase != PHASE_RUNNING || lease->kind != LEASE_BEST_EFFORT ||
        planner_keeps_work(planner, lease) || !store_is_preempted(lease) ||
        store_moves_away(lease) || !other ||
        (other->kind != LEASE_RESERVATION && other->kind != LEASE_DEADLINE))
        return INSTANT_NONE;
    store_vms_of(planner->store, lease->id, &n);
    return lease->preempted_at - STOPS_WITHIN - engine->shutdown_time -
           engine->enactment_overhead * (int64_t)n;
}

bool planner_needs_stop(const struct planner *planner, const struct lease_record *lease,
                        int64_t now)
{
    const struct lease_record *other = store_lease(planner->store, lease->preempted_for);

    if (planner_stops_at(planner, lease) == INSTANT_NONE)
        return false;
    return lease_leaves_at(planner->store, lease, now) != INSTANT_NONE ||
           other->phase == PHASE_STARTING ||
           (other->phase == PHASE_RESERVED && !other->at_risk && lease->preempted_at <= now);
}

/* Seconds to move all VMs off a host, with the allowed number of simultaneous migrations. */
static int64_t time_to_empty(const struct planner *planner, int32_t host)
{
    const struct hosts_seen *hosts = world_hosts(planner->world);
    const struct host *found = hosts ? host_pool_find(&hosts->pool, host) : NULL;
    int64_t rate = planner->settings.engine.transfer_bandwidth, megabits = 0;
    int64_t at_once = planner->settings.moves_per_host > 0 ? planner->settings.moves_per_host : 1;

    for (size_t i = 0; found && i < found->n_vms; i++) {
        const struct vm_observation *observed = world_vm(planner->world, found->vms[i]);

        megabits += observed && observed->memory > 0 ? 8 * observed->memory : 0;
    }
    return rate > 0 ? megabits / rate / at_once : 0;
}

/* When VMs begin to leave the drained host. */
static int64_t empties_from(const struct planner *planner, const struct drain *drain)
{
    return drain->from - time_to_empty(planner, drain->host);
}

/* Seconds to suspend a VM and the other preemptable ones on its host, one after another. */
static int64_t time_to_suspend(const struct planner *planner, const struct vm_record *vm)
{
    const struct hosts_seen *hosts = world_hosts(planner->world);
    const struct host *found = hosts ? host_pool_find(&hosts->pool, vm->host) : NULL;
    const struct engine_settings settings = planner_engine_settings(planner);
    const struct vm_observation *observed = world_vm(planner->world, vm->id);
    int64_t memory = observed ? observed->memory : 0, n = 1;

    for (size_t i = 0; found && i < found->n_vms; i++) {
        const struct vm_record *other = store_vm(planner->store, found->vms[i]);
        const struct lease_record *lease = other ? store_lease(planner->store, other->lease) : NULL;

        observed = world_vm(planner->world, found->vms[i]);
        if (!observed || !lease || other->id == vm->id || !planner_may_suspend(planner, lease))
            continue;
        memory += observed->memory;
        n++;
    }
    if (settings.override_suspend_time != SPAN_NONE)
        return n * settings.override_suspend_time;
    return span_from_seconds((double)memory / settings.suspend_rate) + n;
}

int64_t planner_suspend_by(const struct planner *planner, const struct drains *drains,
                           const struct lease_record *lease, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    int64_t by = INSTANT_NONE;

    for (size_t i = 0; drains && i < n; i++) {
        struct drain drain;
        int64_t at;

        if (vms[i]->gone || !drains_ahead(drains, lease, vms[i]->host, now, &drain))
            continue;
        at = drain.from - time_to_suspend(planner, vms[i]);
        at = at > now ? at : now;
        by = by == INSTANT_NONE || at < by ? at : by;
    }
    return by;
}

void planner_avoid_drained(const struct planner *planner, const struct lease_record *lease,
                           int64_t now)
{
    const struct drains *drains = planner->settings.drains;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    struct drain drain;

    for (size_t i = 0; drains && i < n; i++)
        if (!vms[i]->gone && drains_ahead(drains, lease, vms[i]->host, now, &drain) &&
            drain.from > now)
            vm_avoid_host(planner->store, vms[i], vms[i]->host, drain.from);
}

bool vm_is_only_wanted(const struct planner *planner, const struct drains *drains,
                       const struct vm_record *vm, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, vm->lease);
    struct drain ahead;

    return vm->wanted && vm->wanted_on != vm->host && !vm->resched &&
           (!drains || !lease || !drains_ahead(drains, lease, vm->host, now, &ahead) ||
            empties_from(planner, &ahead) > now);
}

bool planner_stays_long_enough(const struct planner *planner, int64_t leaves, int64_t now)
{
    int64_t least = planner->settings.engine.in_front_least;

    return leaves == INSTANT_NONE || (least > 0 && leaves - now >= least);
}

bool lease_ends_before(const struct lease_record *lease, int64_t at, int64_t now)
{
    return (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STARTING) &&
           lease_end_from(lease, now) <= at;
}

int64_t vm_leaves_by(const struct planner *planner, const struct drains *drains,
                     const struct vm_record *vm, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, vm->lease);
    int64_t begins, promised;
    struct drain drain;
    bool drained;

    if (vm->gone || !lease || vm_moves(vm))
        return INSTANT_NONE;
    if (vm->resched)
        return now;
    drained = drains && drains_ahead(drains, lease, vm->host, now, &drain);
    promised = lease_moves_by(planner->store, lease, now);
    if (promised != INSTANT_NONE && (!drained || promised <= drain.from))
        return promised;
    if (vm_is_only_wanted(planner, drains, vm, now))
        return now;
    if (!drained || drain.until <= now || lease_ends_before(lease, drain.from, now))
        return INSTANT_NONE;
    if (drain.from <= now)
        return drain.from;
    begins = empties_from(planner, &drain);
    return begins > now ? begins : now;
}

void planner_vm_leave_cause(const struct planner *planner, const struct vm_record *vm, char *text,
                            size_t size)
{
    const struct hosts_seen *hosts = world_hosts(planner->world);
    const struct host *host = hosts ? host_pool_find(&hosts->pool, vm->host) : NULL;
    const struct lease_record *lease = store_lease(planner->store, vm->lease);
    int64_t promised =
        lease ? lease_moves_by(planner->store, lease, planner->planned_at) : INSTANT_NONE;
    const struct drains *drains = planner->settings.drains;
    int64_t now = planner->planned_at;
    struct drain ahead = {.booking = ""};
    struct detail cause = {.id = DETAIL_RESCHED, .n = {vm->id}};

    if (vm_is_only_wanted(planner, drains, vm, now))
        cause.id = DETAIL_REBALANCED;
    else if (!vm->resched && promised != INSTANT_NONE)
        cause = (struct detail){.id = DETAIL_FOR_LEASE, .n = {lease->preempted_for}};
    else if (!vm->resched && drains && lease &&
             drains_ahead(drains, lease, vm->host, now, &ahead) && *ahead.booking)
        cause = (struct detail){.id = drains_let_in(drains, ahead.booking, lease)
                                          ? DETAIL_BOOKING_ENDS
                                          : DETAIL_HOST_IS_BOOKED,
                                .name = ahead.booking};
    else if (!vm->resched)
        cause = (struct detail){.id = DETAIL_HOST_IS_DRAINED, .n = {vm->host}};
    else if (host && host->state == HOST_DISABLED)
        cause = (struct detail){.id = DETAIL_HOST_IS_DISABLED, .n = {host->id, vm->id}};
    text[0] = '\0';
    details_add(text, size, &cause);
}

void planner_leave_cause(const struct planner *planner, const struct lease_record *lease,
                         int64_t now, char *text, size_t size)
{
    size_t n, i = 0;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    text[0] = '\0';
    while (i < n && planner_leaves_by(planner, vms[i], now) == INSTANT_NONE)
        i++;
    if (i < n)
        planner_vm_leave_cause(planner, vms[i], text, size);
}

int64_t planner_leaves_by(const struct planner *planner, const struct vm_record *vm, int64_t now)
{
    return vm_leaves_by(planner, planner->settings.drains, vm, now);
}

bool planner_has_to_leave(const struct planner *planner, const struct drains *drains,
                          const struct lease_record *lease, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (vm_leaves_by(planner, drains, vms[i], now) != INSTANT_NONE &&
            !vm_is_only_wanted(planner, drains, vms[i], now))
            return true;
    return false;
}

bool planner_is_leaving(const struct planner *planner, const struct lease_record *lease,
                        int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (vm_moves(vms[i]) || planner_leaves_by(planner, vms[i], now) != INSTANT_NONE)
            return true;
    return false;
}
