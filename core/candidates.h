/* candidates.h: the leases that may make room for another one. */
#pragma once

#include "core/mapper.h"

struct victims {
    struct victim *items; /* ascending lease id */
    size_t n, allocated;
};

struct candidates {
    struct victims may;  /* may make room */
    struct victims late; /* would miss their deadlines */
};

/* Leases that hold resources during the request's time and may make room for it, by ascending id
 * (Haizea's order is undefined). O(n log n) for the n bookings that end after its start. */
void candidates_gather(struct engine *engine, const struct map_request *request,
                       struct candidates *candidates);
void candidates_finish(struct candidates *candidates);
/* Moves the candidates in the list (NULL: those with a deadline) to `late`. O(n * list + n log n).
 */
void candidates_are_late(struct candidates *candidates, const struct lease_list *list);
/* Adds the late candidates to those that may make room. O(n log n). */
void candidates_take_late(struct candidates *candidates);
