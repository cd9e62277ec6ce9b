/* Arrivals and departures since the last plan, and whether a complete plan must follow. */
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

static void append(int64_t **ids, size_t *n, size_t *allocated, int64_t id)
{
    MEMORY_GROW(*ids, *allocated, *n + 1);
    (*ids)[(*n)++] = id;
}

void planner_new(struct planner *planner, int64_t lease)
{
    const struct lease_record *record = store_lease(planner->store, lease);

    append(&planner->arrivals, &planner->n_arrivals, &planner->arrivals_allocated, lease);
    if (record && record->kind != LEASE_BEST_EFFORT && (planner->in_flight || planner->has_queued))
        planner->outdated = true;
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

bool planner_is_outdated(const struct planner *planner)
{
    return planner->outdated;
}
