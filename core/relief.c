/* The times at which a best-effort lease can start in room made by other leases: it can wait and so
 * must not cost them their work, and starts once running leases have been suspended. */
#include "core/relief.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/preemptable.h"
#include "util/memory.h"

bool policy_displaces(const struct engine *engine, const struct lease *lease)
{
    return !engine->hooks->choose_victims && policy_may_preempt(engine->hooks, lease);
}

struct reliefs {
    struct victim *victims;
    size_t n, allocated;
};

static void gather_running(struct engine *engine, const struct lease *lease,
                           struct reliefs *reliefs)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_end, engine->now);

    for (const struct index_entry *entry; (entry = index_walk_next(&walk));) {
        const struct reservation *r = entry->reservation;

        if (r->kind != RESERVATION_VM || r->state != RESERVATION_ACTIVE || r->lease == lease ||
            r->lease->request.kind != LEASE_BEST_EFFORT || !may_be_suspended(engine, r->lease) ||
            is_protected_by_share(engine, r->lease, lease))
            continue;
        MEMORY_GROW(reliefs->victims, reliefs->allocated, reliefs->n + 1);
        reliefs->victims[reliefs->n++] =
            (struct victim){.lease = r->lease, .started = true, .runs_since = r->from};
    }
}

/* Keeps the earliest few points, without duplicates. */
static size_t add_point(int64_t *points, size_t n, int64_t at)
{
    size_t place = n;

    while (place && points[place - 1] > at)
        place--;
    if (place == RELIEF_POINTS || (place && points[place - 1] == at))
        return n;
    n -= n == RELIEF_POINTS;
    memmove(&points[place + 1], &points[place], (n - place) * sizeof *points);
    points[place] = at;
    return n + 1;
}

size_t relief_points(struct engine *engine, const struct lease *lease, int64_t after,
                     int64_t points[RELIEF_POINTS])
{
    const struct policy_hooks *hooks = engine->hooks;
    struct reliefs reliefs = {0};
    int64_t *scores;
    size_t n = 0;

    if (lease->request.kind != LEASE_BEST_EFFORT || !policy_displaces(engine, lease))
        return 0;
    gather_running(engine, lease, &reliefs);
    scores = memory_new(reliefs.n + 1, sizeof *scores);
    if (reliefs.n)
        hooks->score_victims(hooks->context,
                             &(struct victim_batch){lease, after, reliefs.victims, reliefs.n},
                             scores);
    for (size_t i = 0; i < reliefs.n; i++) {
        const struct lease *victim = reliefs.victims[i].lease;
        int64_t at = engine->now + suspend_estimate(engine, victim);
        int64_t worth = reliefs.victims[i].runs_since + scheduling_threshold(engine, victim);

        at = at > worth ? at : worth;
        if (scores[i] != POLICY_VETO && at > after)
            n = add_point(points, n, at);
    }
    free(scores);
    free(reliefs.victims);
    return n;
}
