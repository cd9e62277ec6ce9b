/* Preempts a lease that makes room for another. */
#include "core/preemption.h"

#include "core/ending.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/outputs.h"
#include "core/preemptable.h"
#include "core/stretches.h"

static void suspend_in(struct engine *engine, struct lease *lease, struct reservation_list *windows)
{
    struct vm_plan *current = lease_plan_current(lease);

    reservation_list_withdraw(engine, &current->after);
    reservation_list_finish(&current->after);
    current->after = *windows;
    reservation_set_until(engine, current->vm, windows->items[0]->from);
    reservation_list_book(engine, windows);
    lease_plan_publish(lease);
}

static void requeue(struct engine *engine, struct lease *lease)
{
    bool resuming = lease->state == LEASE_RESUMING; /* not yet sent */
    bool suspended = resuming || lease->state == LEASE_SUSPENDED_SCHEDULED;
    bool running = resuming || lease->state == LEASE_ACTIVE;

    unschedule_lease(engine, lease);
    if (running)
        engine_output(engine, (struct engine_output){.kind = OUTPUT_VM_WITHDRAWN, .lease = lease});
    lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
    queue_insert(engine, lease);
}

/* Ends the lease, including its shutdown, in time for the other one, or at once if it is too late.
 */
static void end_by(struct engine *engine, struct lease *lease, int64_t at)
{
    struct vm_plan *current = lease_plan_current(lease);
    int64_t until = at - shutdown_span(engine, lease);
    struct reservation *shutdown;

    if (lease->state != LEASE_ACTIVE || current->vm->state != RESERVATION_ACTIVE ||
        until <= engine->now) {
        lease_end_now(engine, lease);
        return;
    }
    lease->plan->ends_cancelled = true;
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

/* The means of preemption, by the victim's terms. */
static enum preemption_how how_to_preempt(struct engine *engine,
                                          const struct preemption *preemption,
                                          struct reservation_list *windows)
{
    struct lease *victim = preemption->victim;
    enum lease_terms terms =
        preemption->suspend ? TERMS_SUSPENDABLE : terms_when_preempted(engine, victim);

    if (terms == TERMS_CANCELABLE && !victim->plan->unsent)
        return PREEMPTED_CANCEL;
    if (terms == TERMS_RESTARTABLE || victim->plan->unsent)
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
        victim->reason.n[1] = windows.items[0]->from;
        suspend_in(engine, victim, &windows);
        return;
    }
    reservation_list_finish(&windows);
    if (how == PREEMPTED_CANCEL)
        end_by(engine, victim, preemption->at);
    else
        requeue(engine, victim);
}
