/* Members of a group that could not be started where they were to: while the others run or start,
 * these go to other hosts. */
#include <stdio.h>

#include "daemon/live/vm_state.h"
#include "daemon/planner/planner_inside.h"

enum {
    LOOK_AGAIN = 10, /* seconds: its host takes no VMs, and no other has room */
};

static bool takes_vms(const struct planner *planner, uint32_t place)
{
    return place != HOST_NONE && !engine_site(planner->engine)->hosts[place].closed;
}

/* It waits to be started on a host where it has just failed, or that takes no VMs any more. */
static bool must_go_elsewhere(const struct planner *planner, const struct vm_record *vm,
                              int64_t now)
{
    const struct vm_observation *observed = vm->gone ? NULL : world_vm(planner->world, vm->id);

    if (!observed || vm->goal != GOAL_RUN || vm->host < 0 || vm->in_flight || vm->command ||
        (vm->next_try != INSTANT_NONE && vm->next_try > now))
        return false;
    if (observed->state != VM_PENDING && (observed->state != VM_STOPPED || !vm->suspended_by_us))
        return false;
    return vm_avoids(vm, vm->host, now) || !takes_vms(planner, host_place(planner, vm->host));
}

bool planner_must_relocate(const struct planner *planner, const struct lease_record *lease,
                           int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    if (!planner->engine || lease->phase != PHASE_STARTING || n < 2)
        return false;
    for (size_t i = 0; i < n; i++)
        if (must_go_elsewhere(planner, vms[i], now))
            return true;
    return false;
}

static bool may_have(const struct planner *planner, const struct host_filter *filter,
                     const struct vm_record *vm, uint32_t place, int64_t now)
{
    return takes_vms(planner, place) && (!filter || !filter->allowed || filter->allowed[place]) &&
           !vm_avoids(vm, planner->hosts->pool.items[place].id, now);
}

/* The host that its requirements allow, that is free until then, and that it likes best. */
static uint32_t other_host(struct planner *planner, const struct vm_record *vm, int64_t until,
                           int64_t now)
{
    const struct vm_observation *observed = world_vm(planner->world, vm->id);
    struct eligible eligible = {.filter = NULL};
    struct amounts need = {{0}};
    uint32_t best = HOST_NONE;

    need.of[RESOURCE_CPU] = vm->cpu;
    need.of[RESOURCE_MEMORY] = vm->memory;
    if (observed->full) {
        eligibility_of(planner->eligibility, observed->full, &eligible);
        if (!eligible.filter)
            return HOST_NONE;
    }
    for (uint32_t place = 0; place < planner->hosts->pool.n; place++) {
        const int64_t *rank = eligible.filter ? eligible.filter->rank : NULL;

        if (!may_have(planner, eligible.filter, vm, place, now) ||
            (best != HOST_NONE && (!rank || rank[place] <= rank[best])) ||
            engine_fits_until(planner->engine, place, &need, now) < until)
            continue;
        best = place;
    }
    return best;
}

/* There is no other: it is tried again where it failed when its pause is over. */
static void stay(struct planner *planner, const struct vm_record *vm, int64_t now)
{
    if (!takes_vms(planner, host_place(planner, vm->host)))
        vm_retry_at(planner->store, vm, now + LOOK_AGAIN);
    else if (vm->pause_until != INSTANT_NONE && vm->pause_until > now)
        vm_retry_at(planner->store, vm, vm->pause_until);
    else
        vm_avoid_host(planner->store, vm, vm->host, now);
}

static bool relocate(struct planner *planner, const struct lease_record *lease,
                     const struct vm_record *vm, int64_t now)
{
    uint32_t place = other_host(planner, vm, lease->planned->end, now);

    if (place == HOST_NONE) {
        stay(planner, vm, now);
        return false;
    }
    store_history(planner->store, lease->id, now, "elsewhere",
                  "VM %d is to start on host %d instead of host %d", vm->id,
                  planner->hosts->pool.items[place].id, vm->host);
    vm_relocate(planner->store, vm, planner->hosts->pool.items[place].id);
    return true;
}

bool planner_relocate(struct planner *planner, int64_t now)
{
    size_t n, n_vms;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_record *const *vms = store_vms_of(planner->store, leases[i]->id, &n_vms);

        if (leases[i]->phase != PHASE_STARTING || n_vms < 2 || !leases[i]->planned ||
            !leases[i]->planned->in_engine)
            continue;
        for (size_t j = 0; j < n_vms; j++)
            if (must_go_elsewhere(planner, vms[j], now) &&
                relocate(planner, leases[i], vms[j], now))
                return true;
    }
    return false;
}
