#include "core/scheduler.h"

/* Suspending ends at `at`; does it begin while the VMs run, and not in the past? */
static bool suspension_fits(struct engine *engine, struct lease *lease, int64_t at,
                            struct reservation_list *windows)
{
    struct vm_plan *current = lease_plan_current(lease);
    int64_t begins = suspend_windows(engine, lease, current->vm->placement, at, windows);

    if (begins >= current->vm->from && begins >= engine->now && begins <= current->vm->until)
        return true;
    for (size_t i = 0; i < windows->n; i++)
        reservation_destroy(windows->items[i]);
    windows->n = 0;
    return false;
}

static void suspend_in(struct engine *engine, struct lease *lease, struct reservation_list *windows)
{
    struct vm_plan *current = lease_plan_current(lease);

    reservation_list_withdraw(engine, &current->after);
    reservation_list_finish(&current->after);
    current->after = *windows;
    reservation_set_until(engine, current->vm, windows->items[0]->from);
    for (size_t i = 0; i < windows->n; i++)
        reservation_book(engine, windows->items[i]);
    lease_plan_publish(lease);
}

static void requeue(struct engine *engine, struct lease *lease)
{
    bool suspended = lease->state == LEASE_SUSPENDED_SCHEDULED;
    bool running = lease->state == LEASE_ACTIVE;

    unschedule_lease(engine, lease);
    if (running)
        engine_output(engine, (struct engine_output){.kind = OUTPUT_VM_WITHDRAWN, .lease = lease});
    lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
    queue_insert(engine, lease);
}

/* Is it worth while? A promise made before asks no such thing. */
static bool can_suspend(struct engine *engine, const struct lease *lease, int64_t at, bool promised)
{
    const struct reservation *vm = lease_plan_current(lease)->vm;

    if (vm->state == RESERVATION_SCHEDULED && vm->from >= at)
        return false;
    return may_be_suspended(engine, lease) &&
           (promised || at - vm->from >= scheduling_threshold(engine, lease));
}

void preempt(struct engine *engine, const struct preemption *preemption)
{
    struct lease *victim = preemption->victim;
    const struct lease *by = preemption->by;
    int64_t at = preemption->at;
    struct reservation_list windows = {0};
    bool suspend = can_suspend(engine, victim, at, preemption->suspend) &&
                   suspension_fits(engine, victim, at, &windows);

    engine_output(engine,
                  (struct engine_output){.kind = OUTPUT_PREEMPTED,
                                         .lease = victim,
                                         .other = by->request.id,
                                         .at = at,
                                         .how = suspend ? PREEMPTED_SUSPEND : PREEMPTED_REQUEUE});
    victim->reason = (struct reason){.id = suspend ? REASON_SUSPENDED_FOR : REASON_REQUEUED_FOR,
                                     .n = {by->request.id, at}};
    if (suspend)
        suspend_in(engine, victim, &windows);
    else
        requeue(engine, victim);
    if (!suspend)
        reservation_list_finish(&windows);
}

bool can_be_suspended_at(struct engine *engine, struct lease *lease, int64_t at, bool promised)
{
    struct reservation_list windows = {0};
    bool fits = can_suspend(engine, lease, at, promised) &&
                suspension_fits(engine, lease, at, &windows);

    for (size_t i = 0; i < windows.n; i++)
        reservation_destroy(windows.items[i]);
    reservation_list_finish(&windows);
    return fits;
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
    case LEASE_RESUMING:
        /* A resumption under way is not taken back, but the lease may be suspended later. */
        if (!can_be_suspended_at(engine, lease, at, false))
            return false;
        break;
    default:
        return false;
    }
    /* Not while it shuts down or is already being suspended at that time. */
    return at <= current->vm->until;
}
