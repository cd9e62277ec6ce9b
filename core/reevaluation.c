/* Brings planned leases forward when room becomes free. */
#include "core/reevaluation.h"

#include <stdlib.h>

#include "core/deadline.h"
#include "core/earlier_room.h"
#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/in_front.h"
#include "core/outputs.h"
#include "core/placing.h"
#include "core/queue_order.h"
#include "core/rebooking.h"
#include "core/schedule.h"
#include "core/stretches.h"
#include "util/memory.h"

/* Releases the lease's own place and searches for an earlier one. If there is one, the place stays
 * released in the slot table; else nothing changes. */
static bool could_start_earlier(struct engine *engine, struct lease *lease,
                                struct proposal *proposal)
{
    const struct vm_plan *planned = lease_plan_current(lease);
    struct placing_request request = {
        .lease = lease, .may_wait = true, .before = vm_plan_start(planned), .from = engine->now};
    struct reason reason = lease->reason;
    size_t mark;
    bool earlier;

    engine->figures.attempts++;
    if (!has_room_before(engine, lease, request.before))
        return false;
    mark = slot_table_mark(engine->table);
    stretch_release(engine, planned);
    earlier = place_as_soon_as_possible(engine, &request, proposal);
    if (earlier)
        slot_table_keep(engine->table, mark);
    else
        slot_table_undo(engine->table, mark);
    lease->reason = reason;
    return earlier;
}

/* Leases that migrate or need an image are always rebooked, since their operations depend on the
 * present plan. */
static bool is_always_rebooked(const struct engine *engine, const struct lease *lease)
{
    bool moves = lease_is_suspended(lease) && engine->settings.migration != MIGRATION_NO;

    return engine->settings.behaviour.reevaluation_books_anew || moves || lease->request.image;
}

static void rebook(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    bool suspended = lease->state == LEASE_SUSPENDED_SCHEDULED;

    unschedule_lease(engine, lease);
    lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_PENDING : LEASE_PENDING);
    if (proposal ? engine_schedule_as(engine, lease, proposal)
                 : engine_schedule_lease(engine, lease, true))
        return;
    lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
    queue_insert(engine, lease);
}

/* Called when room has become free unexpectedly: leases with a planned start may start earlier. The
 * order is by priority, fair share, submission, then id; Haizea's is that of a set. */
void reevaluate_future(struct engine *engine)
{
    size_t n = engine->queues.future.n;
    struct lease **leases = memory_copy(engine->queues.future.items, n * sizeof(struct lease *));

    queue_sort(engine, leases, n, true);
    for (size_t i = 0; i < n; i++) {
        struct lease *lease = leases[i];
        struct proposal proposal;

        if (lease->state != LEASE_PREPARING && lease->state != LEASE_READY &&
            lease->state != LEASE_SCHEDULED && lease->state != LEASE_SUSPENDED_SCHEDULED)
            continue;
        if (is_always_rebooked(engine, lease))
            rebook(engine, lease, NULL);
        else if (could_start_earlier(engine, lease, &proposal))
            rebook(engine, lease, &proposal);
    }
    free(leases);
    pull_deadlines_forward(engine, true);
}

/* Its plan is taken out meanwhile, as a start in front is planned with another one. */
static bool could_start_now(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    const struct vm_plan planned = *lease_plan_current(lease);
    struct reason reason = lease->reason;
    size_t mark = slot_table_mark(engine->table);
    bool now;

    stretch_release(engine, &planned);
    lease->plan->n_vms--;
    now = place_by_rebooking(engine, lease, proposal) || place_in_front(engine, lease, proposal);
    if (now)
        slot_table_keep(engine->table, mark);
    else
        slot_table_undo(engine->table, mark);
    *lease_plan_add(lease) = planned;
    lease->reason = reason;
    return now;
}

void start_in_front(struct engine *engine)
{
    size_t n = engine->queues.future.n;
    struct lease **leases;

    if (n == 0 || engine->settings.in_front_least <= 0)
        return;
    leases = memory_copy(engine->queues.future.items, n * sizeof(struct lease *));
    queue_sort(engine, leases, n, true);
    engine->queues.rebooking_work = 0;
    for (size_t i = 0; i < n; i++) {
        struct proposal proposal;

        if ((leases[i]->state == LEASE_SCHEDULED || leases[i]->state == LEASE_READY) &&
            leases[i]->plan->n_vms == 1 && may_start_in_front(engine, leases[i]) &&
            mapper_has_enough_cpu_now(engine, leases[i]) &&
            could_start_now(engine, leases[i], &proposal))
            rebook(engine, leases[i], &proposal);
    }
    free(leases);
}
