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

/* The hosts in the order of preference, as they were before anybody made room. */
struct host_snapshot {
    struct host_choice *choices;
    size_t n;
    bool in_order;
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

/* --- victims.c --- */

/* Take all that the lease has booked out of the slot table. */
void victim_release(struct engine *engine, const struct lease *lease);

/* Map with what is free in the slot table. */
bool victims_map(struct engine *engine, const struct map_request *request,
                 const struct host_snapshot *snapshot, struct mapping *mapping);

/* --- victim_sets.c --- */

/* Let the policy choose a set, for O(change points of the interval) and what its trials cost
 * (room.h); it is taken out of the slot table and the request mapped. */
bool victims_by_choice(struct engine *engine, const struct map_request *request,
                       const struct victims *victims, const struct host_snapshot *snapshot,
                       struct mapping *mapping);

#endif
