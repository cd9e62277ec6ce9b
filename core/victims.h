/* victims.h: shared by the files that choose victims (candidates.c: leases that may make room;
 * victims.c: leases that do; victim_sets.c: the test for policies that choose a set). */
#ifndef GALERNA_CORE_VICTIMS_H
#define GALERNA_CORE_VICTIMS_H

#include "core/mapper.h"

struct victims {
    struct victim *items; /* ascending lease id */
    size_t n, allocated;
};

struct candidates {
    struct victims may;  /* may make room */
    struct victims late; /* would miss their deadlines */
};

/* --- candidates.c --- */

/* Leases that hold something during the request's time and may make room for it, by ascending id
 * (Haizea has no order here). O(reservations that end after its start). */
void candidates_gather(struct engine *engine, const struct map_request *request,
                       struct candidates *candidates);
void candidates_finish(struct candidates *candidates);
/* Moves candidates that are in the list (NULL: that have a deadline) to `late`. O(n). */
void candidates_are_late(struct candidates *candidates, const struct lease_list *list);
/* Lets the late candidates make room, too. O(n). */
void candidates_take_late(struct candidates *candidates);

/* --- victim_sets.c --- */

/* Lets the policy choose a set, for O(change points of the interval) and its tests (room.h); the
 * set is taken out of the slot table and the request mapped. */
bool victims_by_choice(struct engine *engine, const struct map_request *request,
                       const struct victims *victims, const struct host_snapshot *snapshot,
                       struct mapping *mapping);

/* --- victims.c --- */

/* Maps with as many leases preempted as the policy and the room require. */
bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping);

#endif
