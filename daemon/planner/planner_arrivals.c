/* What has come and gone since the last plan, and whether a complete plan must follow. */
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

static void append(int64_t **ids, size_t *n, size_t *allocated, int64_t id)
{
    *ids = memory_grow(*ids, allocated, *n + 1, sizeof **ids);
    (*ids)[(*n)++] = id;
}

void planner_new(struct planner *planner, int64_t lease)
{
    append(&planner->arrivals, &planner->n_arrivals, &planner->arrivals_allocated, lease);
}

void planner_gone(struct planner *planner, int64_t lease)
{
    struct planned *planned = planned_of(&planner->planned, lease);

    if (!planned || !planned->in_engine)
        return;
    append(&planner->departures, &planner->n_departures, &planner->departures_allocated, lease);
    planned->in_engine = false;
    planned->gone = true;
    planner->outdated = planner->outdated || planned->stays; /* the lease's room on the other
                                                                side of a booking remains */
}

static bool queue_has_places(const struct planner *planner)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct planned *planned =
            leases[i]->phase == PHASE_WAITING ? planned_of(&planner->planned, leases[i]->id) : NULL;

        if (planned && planned->in_engine && planned->is_placed)
            return true;
    }
    return false;
}

static bool request_arrives(const struct planner *planner)
{
    for (size_t i = 0; i < planner->n_arrivals; i++) {
        const struct lease_record *lease = store_lease(planner->store, planner->arrivals[i]);

        if (lease && lease->kind != LEASE_BEST_EFFORT)
            return true;
    }
    return false;
}

bool planner_is_outdated(const struct planner *planner)
{
    return planner->outdated || (request_arrives(planner) && queue_has_places(planner));
}
