/* Checks before a lease makes room: can it be suspended or stopped, and in time? */
#include "core/preemptable.h"

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/fair_share.h"
#include "core/windows.h"

/* The suspension must end at `at`, begin while the VMs run, and not begin in the past. */
bool suspension_fits(struct engine *engine, struct lease *lease, int64_t at,
                     struct reservation_list *windows)
{
    struct vm_plan *current = lease_plan_current(lease);
    int64_t begins = suspend_windows(engine, lease, current->vm->placement, at, windows);

    if (begins >= current->vm->from && begins >= engine->now && begins <= current->vm->until)
        return true;
    reservation_list_destroy(windows);
    return false;
}

/* The threshold applies to leases that have not started: restarting a running lease would discard
 * its work. */
static bool keeps_work(const struct engine *engine, const struct reservation *vm)
{
    return vm->state == RESERVATION_ACTIVE && !engine->settings.behaviour.restarts_young_victims;
}

/* Checks whether a suspension is worthwhile, except for an earlier promise. */
bool can_suspend(struct engine *engine, const struct lease *lease, int64_t at, bool promised)
{
    const struct reservation *vm = lease_plan_current(lease)->vm;

    if (vm->state == RESERVATION_SCHEDULED && vm->from >= at)
        return false;
    return may_be_suspended(engine, lease) &&
           (promised || keeps_work(engine, vm) ||
            at - vm->from >= scheduling_threshold(engine, lease));
}

enum lease_terms terms_when_preempted(const struct engine *engine, const struct lease *lease)
{
    return engine->settings.behaviour.victims_whatever_terms ? TERMS_SUSPENDABLE
                                                             : lease->request.terms;
}

bool can_be_suspended_at(struct engine *engine, struct lease *lease, int64_t at, bool promised)
{
    struct reservation_list windows = {0};
    bool fits =
        can_suspend(engine, lease, at, promised) && suspension_fits(engine, lease, at, &windows);

    reservation_list_destroy(&windows);
    return fits;
}

bool is_protected_by_share(const struct engine *engine, const struct lease *lease,
                           const struct lease *preemptor)
{
    return engine->shares && lease->request.kind == LEASE_BEST_EFFORT &&
           preemptor->request.kind == LEASE_BEST_EFFORT &&
           lease->request.priority == preemptor->request.priority &&
           share_compare(engine->shares, lease->plan->share, preemptor->plan->share, engine->now) <
               0;
}

bool is_preemptable_at(struct engine *engine, struct lease *lease, int64_t at)
{
    const struct vm_plan *current = lease_plan_current(lease);

    if (!current)
        return false;
    switch (lease->state) {
    case LEASE_SCHEDULED:
    case LEASE_READY:
    case LEASE_ACTIVE:
    case LEASE_SUSPENDED_SCHEDULED:
        break;
    case LEASE_PREPARING:
    case LEASE_RESUMING:
        /* A start under way is not undone, but the lease may be suspended later. */
        if (!lease->plan->unsent && !can_be_suspended_at(engine, lease, at, false))
            return false;
        break;
    default:
        return false;
    }
    if (current->vm->state == RESERVATION_DONE)
        return false;
    if (at <= current->vm->until)
        return true;
    /* The lease is shutting down or already being suspended at that time. */
    return engine->settings.behaviour.victims_may_be_ending &&
           !can_suspend(engine, lease, at, false);
}
