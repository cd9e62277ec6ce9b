/* queue.h: leases waiting to be scheduled.
 *
 * Costs: n = leases that wait. Insert and remove: O(n) moves, mostly at the end; all others O(1).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/leases.h"

struct queues {
    struct lease_list pending; /* admitted in this step, ascending id */
    struct lease_list early;   /* not ready yet, ascending start */
    struct lease_list queue;   /* ascending submission, unless queue_add() says otherwise */
    struct lease_list trying;  /* scratch: the queue while it is being scheduled */
    struct lease_list future;  /* hold a place in the future by the backfilling rules */
    bool has_deadlines;        /* a lease of the queue has, or had, a deadline */
    int64_t next_expiry;       /* the earliest time at which one of these misses its deadline */
    int64_t rebooking_work;    /* mappings done by rebooking.c in this pass */
    struct held_part *held;    /* in the last pass: held_room.c */
    size_t n_held, held_allocated;
};

/* Inserts by submission, after leases of the same second. */
void queue_insert(struct engine *engine, struct lease *lease);
/* The same for a lease that is new or has just been tried, but with new_leases_queued_last at
 * the end: Haizea sorts the queue only when it inserts another lease. */
void queue_add(struct engine *engine, struct lease *lease);
/* The same, but by id among leases of the same second. */
void queue_insert_by_id(struct engine *engine, struct lease *lease);
void queue_remove(struct engine *engine, struct lease *lease);

/* Releases the lease's place in the future, if it has one. */
void future_remove(struct engine *engine, struct lease *lease);
/* May one more queued lease hold a place in the future? */
bool future_allowed(const struct engine *engine);
/* The same if `fewer` of them gave it up. */
bool future_allowed_without(const struct engine *engine, size_t fewer);

/* The earliest time at which a waiting lease may be (re)started; INSTANT_NONE: at once. */
int64_t lease_ready_at(const struct lease *lease);
/* Keeps the lease out of the queue until then. */
void keep_early(struct engine *engine, struct lease *lease);
