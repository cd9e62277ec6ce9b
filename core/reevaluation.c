/* Brings planned leases forward when room becomes free. */
#include "core/reevaluation.h"

#include <stdlib.h>

#include "core/deadline.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/outputs.h"
#include "core/placing.h"
#include "core/queue_order.h"
#include "core/schedule.h"
#include "core/stretches.h"
#include "util/memory.h"

/* A quick check that changes nothing. The lease's own place is not released, which does not matter
 * before its planned start: is there room at some instant until then, or for its time if hosts are
 * counted? A suspended lease needs it on its hosts, as long as it is to run at least. */
static bool has_room_before(struct engine *engine, struct lease *lease, int64_t before)
{
    const bool suspended = lease_is_suspended(lease);
    const int64_t cpu = lease_cpu(lease);
    const int64_t span = engine->binding.late ? remaining_span(lease) : 1;
    const struct placement *placement = lease_plan_current(lease)->vm->placement;
    struct lease_plan *plan = lease->plan;
    size_t kept = 0;

    if (suspended && !plan->planned_blocked) {
        plan->planned_blocked = memory_new(BLOCKED_KEPT, sizeof *plan->planned_blocked);
        plan->planned_least = placing_least_span(engine, lease);
    }
    for (int64_t at = engine->now, from = at; from < before; at = from) {
        if (suspended)
            from = slot_table_placement_free_from(
                engine->table, placement, (struct interval){at, before}, plan->planned_least,
                &plan->planned_blocked[kept]);
        if (kept < BLOCKED_KEPT - 1)
            kept++;
        if (from == at)
            from = slot_table_earliest_free_cpu(engine->table, cpu, at, span, before);
        if (from == at || (!suspended && from < before))
            return true;
    }
    return false;
}

/* Releases the lease's own place: is there an earlier one? If so, the slot table keeps it released;
 * else nothing changes. */
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

/* Leases that migrate or need an image, whose operations depend on what they have planned, are
 * always rebooked. */
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

/* Room has become free unexpectedly: leases with a planned start may start earlier (Haizea walks a
 * set here; the order is by priority, fair share, submission, then id). */
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
