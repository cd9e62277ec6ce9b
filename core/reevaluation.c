/* Brings planned leases forward when room becomes free. */
#include "core/reevaluation.h"

#include <stdlib.h>

#include "core/deadline.h"
#include "core/engine_state.h"
#include "core/outputs.h"
#include "core/placing.h"
#include "core/schedule.h"
#include "core/stretches.h"
#include "util/memory.h"

static int by_priority(const void *a, const void *b)
{
    const struct lease *x = *(struct lease *const *)a, *y = *(struct lease *const *)b;

    if (x->request.priority != y->request.priority)
        return x->request.priority > y->request.priority ? -1 : 1;
    if (x->request.submit != y->request.submit)
        return x->request.submit < y->request.submit ? -1 : 1;
    return x->request.id < y->request.id ? -1 : x->request.id > y->request.id;
}

static int64_t cpu_of(const struct lease *lease)
{
    int64_t cpu = 0;

    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        cpu += lease->request.node_sets[set].amounts.of[RESOURCE_CPU] *
               lease->request.node_sets[set].count;
    return cpu;
}

/* The lease's own place is not released, which does not matter before its planned start: is there
 * room at that instant, on its hosts if it must be resumed there, else anywhere? */
static bool has_room_at(const struct engine *engine, const struct lease *lease, int64_t at)
{
    const struct placement *placement = lease_plan_current(lease)->vm->placement;
    struct amounts need = {{0}};

    if (slot_table_least_free_cpu(engine->table, at, at + 1) < cpu_of(lease))
        return false;
    for (uint32_t i = 0; lease_is_suspended(lease) && i < placement->n_hosts; i++) {
        const int64_t *share = &placement->amounts[(size_t)i * placement->n_types];

        for (uint32_t type = 0; type < placement->n_types; type++)
            need.of[type] = share[type];
        if (slot_table_fits_until(engine->table, placement->hosts[i], &need, at) == at)
            return false;
    }
    return true;
}

/* A quick check that changes nothing. */
static bool has_room_before(const struct engine *engine, const struct lease *lease, int64_t before)
{
    size_t i = reservation_index_after(&engine->bookings.by_end, engine->now);
    int64_t tried = engine->now;

    if (has_room_at(engine, lease, engine->now))
        return true;
    for (; i < engine->bookings.by_end.n; i++) {
        int64_t at = reservation_index_at(&engine->bookings.by_end, i)->time;

        if (at >= before)
            return false;
        if (at != tried && has_room_at(engine, lease, at))
            return true;
        tried = at;
    }
    return false;
}

static void release_list(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        slot_table_release(engine->table, list->items[i]);
}

/* Releases the lease's own place temporarily: is there an earlier one? Changes nothing. */
static bool could_start_earlier(struct engine *engine, struct lease *lease)
{
    const struct vm_plan *planned = lease_plan_current(lease);
    struct placing_request request = {
        .lease = lease, .may_wait = true, .before = vm_plan_start(planned), .from = engine->now};
    struct reason reason = lease->reason;
    struct proposal proposal;
    size_t mark;
    bool earlier;

    engine->figures.attempts++;
    if (!has_room_before(engine, lease, request.before))
        return false;
    mark = slot_table_mark(engine->table);
    release_list(engine, &planned->before);
    slot_table_release(engine->table, planned->vm);
    release_list(engine, &planned->after);
    earlier = place_as_soon_as_possible(engine, &request, &proposal);
    if (earlier)
        proposal_finish(&proposal);
    slot_table_undo(engine->table, mark);
    lease->reason = reason;
    return earlier;
}

/* A lease that keeps its place is not rebooked. Leases that migrate or need an image always are:
 * their operations depend on what they have planned. */
static bool stays(struct engine *engine, struct lease *lease)
{
    bool moves = lease_is_suspended(lease) && engine->settings.migration != MIGRATION_NO;

    return !engine->settings.behaviour.reevaluation_books_anew && !moves && !lease->request.image &&
           !could_start_earlier(engine, lease);
}

/* Room has become free unexpectedly: leases with a planned start may start earlier (Haizea walks a
 * set here; the order is by priority, submission, then id). */
void reevaluate_future(struct engine *engine)
{
    size_t n = engine->queues.future.n;
    struct lease **leases = memory_copy(engine->queues.future.items, n * sizeof(struct lease *));

    if (n)
        qsort(leases, n, sizeof(struct lease *), by_priority);
    for (size_t i = 0; i < n; i++) {
        struct lease *lease = leases[i];
        bool suspended = lease->state == LEASE_SUSPENDED_SCHEDULED;

        if (lease->state != LEASE_PREPARING && lease->state != LEASE_READY &&
            lease->state != LEASE_SCHEDULED && !suspended)
            continue;
        if (stays(engine, lease))
            continue;
        unschedule_lease(engine, lease);
        lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_PENDING : LEASE_PENDING);
        if (!engine_schedule_lease(engine, lease, true)) {
            lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
            queue_insert(engine, lease);
        }
    }
    free(leases);
    pull_deadlines_forward(engine);
}
