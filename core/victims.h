/* victims.h: what the files that choose who makes room share (candidates.c: who may; victims.c: who
 * does; victim_sets.c: the question of policies that choose a set). */
#ifndef GALERNA_CORE_VICTIMS_H
#define GALERNA_CORE_VICTIMS_H

#include "core/mapper.h"

struct victims {
    struct victim *items; /* ascending lease id */
    size_t n, allocated;
};

struct candidates {
    struct victims may;  /* make room */
    struct victims late; /* would miss their deadlines */
};

/* --- candidates.c --- */

/* Leases that hold something during the request's time and may make room for it, by ascending id
 * (Haizea has no order here). O(reservations that end after its start). */
void candidates_gather(struct engine *engine, const struct map_request *request,
                       struct candidates *candidates);
void candidates_finish(struct candidates *candidates);
/* All that may make room and are in the list (NULL: have a deadline) would be late. O(n). */
void candidates_are_late(struct candidates *candidates, const struct lease_list *list);
/* The late ones may make room, too. O(n). */
void candidates_take_late(struct candidates *candidates);

/* --- victim_sets.c --- */

/* Let the policy choose a set, for O(change points of the interval) and what its trials cost
 * (room.h); it is taken out of the slot table and the request mapped. */
bool victims_by_choice(struct engine *engine, const struct map_request *request,
                       const struct victims *victims, const struct host_snapshot *snapshot,
                       struct mapping *mapping);

/* --- victims.c --- */

/* Map with as many leases preempted as the policy and the room take. */
bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping);

#endif
