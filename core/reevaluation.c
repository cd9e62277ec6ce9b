/* Brings planned leases forward when room becomes free. */
#include "core/reevaluation.h"

#include <stdlib.h>

#include "core/deadline.h"
#include "core/earlier_room.h"
#include "core/engine_state.h"
#include "core/held_room.h"
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

/* --- planned leases, in their order
 * --------------------------------------------------------------- */

/* Leases with a planned start, by priority, fair share, submission, then id. Room is held for
 * leases of higher priority that wait without one. */
struct planned_leases {
    struct lease **items;
    size_t n;
    struct lease_list ahead; /* waiting leases of higher priority than some of the items, ... */
    size_t n_held;           /* ... the first of which have room held for them */
    struct held_room held;
};

static struct planned_leases planned_begin(struct engine *engine)
{
    const struct lease_list *future = &engine->queues.future, *queue = &engine->queues.queue;
    struct planned_leases planned = {
        .items = memory_copy(future->items, future->n * sizeof(struct lease *)), .n = future->n};

    queue_sort(engine, planned.items, planned.n, true);
    for (size_t i = 0; planned.n && i < queue->n; i++)
        if (queue->items[i]->request.priority > planned.items[planned.n - 1]->request.priority)
            lease_list_append(&planned.ahead, queue->items[i]);
    queue_sort(engine, planned.ahead.items, planned.ahead.n, true);
    return planned;
}

/* Holds room for the leases that go before item i; returns the item. */
static struct lease *planned_next(struct engine *engine, struct planned_leases *planned, size_t i)
{
    const struct lease_list *ahead = &planned->ahead;
    struct lease *lease = planned->items[i];
    const int64_t priority = lease->request.priority;

    while (planned->n_held < ahead->n &&
           ahead->items[planned->n_held]->request.priority > priority &&
           queue_outranks(engine, ahead->items[planned->n_held], lease))
        hold_room_for(&planned->held, ahead->items[planned->n_held++]);
    hold_room_against(engine, &planned->held, priority);
    return lease;
}

static void planned_end(struct engine *engine, struct planned_leases *planned)
{
    release_held_room(engine, &planned->held);
    free(planned->ahead.items);
    free(planned->items);
}

/* Called when room has become free unexpectedly: leases with a planned start may start earlier.
 * Haizea's order is that of a set. */
void reevaluate_future(struct engine *engine)
{
    struct planned_leases planned = planned_begin(engine);

    for (size_t i = 0; i < planned.n; i++) {
        struct lease *lease = planned_next(engine, &planned, i);
        struct proposal proposal;

        if (lease->state != LEASE_PREPARING && lease->state != LEASE_READY &&
            lease->state != LEASE_SCHEDULED && lease->state != LEASE_SUSPENDED_SCHEDULED)
            continue;
        if (is_always_rebooked(engine, lease))
            rebook(engine, lease, NULL);
        else if (could_start_earlier(engine, lease, &proposal))
            rebook(engine, lease, &proposal);
    }
    planned_end(engine, &planned);
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
    struct planned_leases planned;

    if (engine->queues.future.n == 0 || engine->settings.in_front_least <= 0)
        return;
    planned = planned_begin(engine);
    engine->queues.rebooking_work = 0;
    for (size_t i = 0; i < planned.n; i++) {
        struct lease *lease = planned_next(engine, &planned, i);
        struct proposal proposal;

        if ((lease->state == LEASE_SCHEDULED || lease->state == LEASE_READY) &&
            lease->plan->n_vms == 1 && may_start_in_front(engine, lease) &&
            mapper_has_enough_cpu_now(engine, lease) && could_start_now(engine, lease, &proposal))
            rebook(engine, lease, &proposal);
    }
    planned_end(engine, &planned);
}
