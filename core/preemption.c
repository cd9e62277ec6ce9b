/* What is done to a lease that makes room for another. */
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

/* It ends in time for the other one, with its shutdown; at once when there is no time for that. */
static void give_up(struct engine *engine, struct lease *lease, int64_t at)
{
    struct vm_plan *current = lease_plan_current(lease);
    int64_t until = at - shutdown_span(engine, lease);
    struct reservation *shutdown;

    if (lease->state != LEASE_ACTIVE || current->vm->state != RESERVATION_ACTIVE ||
        until <= engine->now) {
        lease_end_now(engine, lease);
        return;
    }
    lease->plan->given_up = true;
    reservation_list_withdraw(engine, &current->after);
    if (until < current->vm->until)
        reservation_set_until(engine, current->vm, until);
    shutdown = reservation_create(lease, RESERVATION_SHUTDOWN, current->vm->until, at,
                                  placement_share(current->vm->placement));
    shutdown->until = shutdown->from + shutdown_span(engine, lease);
    reservation_list_append(&current->after, shutdown);
    reservation_book(engine, shutdown);
    lease_plan_publish(lease);
}

/* What is to be done to the victim by its terms. */
static enum preemption_how how_to_preempt(struct engine *engine,
                                          const struct preemption *preemption,
                                          struct reservation_list *windows)
{
    struct lease *victim = preemption->victim;
    bool by_terms = !preemption->suspend && !engine->settings.behaviour.lease_kinds_of_haizea_1_0;

    if (by_terms && victim->request.terms == TERMS_CANCELABLE)
        return PREEMPTED_CANCEL;
    if (by_terms && victim->request.terms == TERMS_RESTARTABLE)
        return PREEMPTED_REQUEUE;
    if (can_suspend(engine, victim, preemption->at, preemption->suspend) &&
        suspension_fits(engine, victim, preemption->at, windows))
        return PREEMPTED_SUSPEND;
    return PREEMPTED_REQUEUE;
}

void preempt(struct engine *engine, const struct preemption *preemption)
{
    static const enum reason_id reasons[] = {[PREEMPTED_SUSPEND] = REASON_SUSPENDED_FOR,
                                             [PREEMPTED_REQUEUE] = REASON_REQUEUED_FOR,
                                             [PREEMPTED_CANCEL] = REASON_CANCELLED_FOR};
    struct lease *victim = preemption->victim;
    struct reservation_list windows = {0};
    enum preemption_how how = how_to_preempt(engine, preemption, &windows);

    engine_output(engine, (struct engine_output){.kind = OUTPUT_PREEMPTED,
                                                 .lease = victim,
                                                 .other = preemption->by->request.id,
                                                 .at = preemption->at,
                                                 .how = how});
    victim->reason =
        (struct reason){.id = reasons[how], .n = {preemption->by->request.id, preemption->at}};
    if (how == PREEMPTED_SUSPEND) {
        suspend_in(engine, victim, &windows);
        return;
    }
    reservation_list_finish(&windows);
    if (how == PREEMPTED_CANCEL)
        give_up(engine, victim, preemption->at);
    else
        requeue(engine, victim);
}

bool can_be_suspended_at(struct engine *engine, struct lease *lease, int64_t at, bool promised)
{
    struct reservation_list windows = {0};
    bool fits =
        can_suspend(engine, lease, at, promised) && suspension_fits(engine, lease, at, &windows);

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
    if (current->vm->state == RESERVATION_DONE &&
        !engine->settings.behaviour.lease_kinds_of_haizea_1_0)
        return false;
    if (at <= current->vm->until)
        return true;
    /* It shuts down or is already being suspended at that time. */
    return engine->settings.behaviour.victims_may_be_ending &&
           current->vm->state != RESERVATION_DONE && !can_suspend(engine, lease, at, false);
}
