/* Queries about deadline leases: whether they wait, run or may make room, and their tightness. */
#include "core/deadline_terms.h"

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/migration.h"
#include "core/preemptable.h"

bool deadline_waits(const struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    if (lease->request.kind != LEASE_DEADLINE || !last || last->vm->state != RESERVATION_SCHEDULED)
        return false;
    for (size_t i = 0; i < last->before.n; i++)
        if (last->before.items[i]->state != RESERVATION_SCHEDULED)
            return false;
    return true;
}

bool deadline_runs(const struct engine *engine, const struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    return lease->request.kind == LEASE_DEADLINE && lease->state == LEASE_ACTIVE && last &&
           last->vm->state == RESERVATION_ACTIVE && may_be_suspended(engine, lease) &&
           lease->request.terms != TERMS_NON_PREEMPTABLE;
}

int64_t left_to_run(const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;
    int64_t left = remaining_span(lease);

    for (size_t i = 0; i + 1 < plan->n_vms; i++)
        if (plan->vms[i].vm->state != RESERVATION_DONE)
            left -= plan->vms[i].vm->until - plan->vms[i].vm->from;
    return left;
}

int64_t stretch_of(const struct engine *engine, const struct lease *lease, int64_t remaining)
{
    int64_t room, scaled;

    /* A reservation has a fixed start and comes first. */
    if (lease->request.kind != LEASE_DEADLINE)
        return INT64_MIN;
    room = lease->request.deadline - engine->now;
    if (__builtin_mul_overflow(room, INT64_C(1000), &scaled))
        return INT64_MAX;
    return scaled / (remaining > 0 ? remaining : 1);
}

static bool stays_within(const struct engine *engine, const struct lease *lease, int64_t from,
                         int64_t span)
{
    return instant_add(instant_add(from, span), shutdown_span(engine, lease)) <=
           lease->request.deadline;
}

/* Are all operations of earlier stretches done? */
static bool is_in_one_piece(const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;

    for (size_t i = 0; i + 1 < plan->n_vms; i++) {
        if (plan->vms[i].vm->state != RESERVATION_DONE)
            return false;
        for (size_t k = 0; k < plan->vms[i].after.n; k++)
            if (plan->vms[i].after.items[k]->state != RESERVATION_DONE)
                return false;
    }
    return true;
}

static bool could_go_on_after(struct engine *engine, struct lease *lease, int64_t at)
{
    const struct reservation *vm = lease_plan_current(lease)->vm;

    if (lease->request.terms == TERMS_RESTARTABLE)
        return stays_within(engine, lease, engine->now, lease->request.duration);
    return may_be_suspended(engine, lease) && can_be_suspended_at(engine, lease, at, false) &&
           stays_within(engine, lease, at,
                        resume_estimate(engine, lease) + remaining_span(lease) -
                            (at - suspend_estimate(engine, lease) - vm->from));
}

/* Do the lease's terms and its current operation let it leave its hosts? */
static bool could_leave(struct engine *engine, struct lease *lease, int64_t at)
{
    enum lease_terms terms = lease->request.terms;
    const struct vm_plan *current = lease_plan_current(lease);

    return (terms == TERMS_SUSPENDABLE || terms == TERMS_MIGRATABLE ||
            terms == TERMS_RESTARTABLE) &&
           !has_image_transfer(engine, lease) && current && is_in_one_piece(lease) &&
           at <= current->vm->until &&
           (deadline_waits(lease) ||
            (lease->state == LEASE_ACTIVE && current->vm->state == RESERVATION_ACTIVE));
}

bool deadline_may_make_room(struct engine *engine, struct lease *lease, int64_t at)
{
    return could_leave(engine, lease, at) &&
           (deadline_waits(lease) || could_go_on_after(engine, lease, at));
}

bool deadline_would_be_late(struct engine *engine, struct lease *lease, int64_t at)
{
    return could_leave(engine, lease, at) && !deadline_waits(lease) &&
           !could_go_on_after(engine, lease, at);
}
