/* placing.h: finds a time and hosts for a lease; books nothing.
 *
 * Costs: a mapping (mapper.h) for each time tried. These are the ends of bookings; sorting n of
 * them takes O(n log n). Times in the future, when no lease makes room, are tried only if the slot
 * table has room: one query each (slot_table.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mapper.h"
#include "core/proposal.h"

struct placing_request {
    struct lease *lease;
    bool may_wait;           /* a place in the future is acceptable */
    int64_t before;          /* only a start earlier than this; INSTANT_NEVER: no limit */
    const int64_t *earliest; /* per host, or NULL: `from` on all hosts */
    int64_t from;
    bool stays; /* a suspended lease is resumed where its memory is, even if it may migrate */
};

/* Places the lease at its requested start. All functions that place return true with a proposal
 * that the caller must take over or finish, or false without room; lease->reason then states why,
 * except after place_within() and place_again(), whose callers set it. */
bool place_exact(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* The same on pinned hosts or with forced victims; ignores the times in `wanted`. */
bool place_exact_as(struct engine *engine, const struct map_request *wanted,
                    struct proposal *proposal);
/* Records in the lease's reason how many VMs would fit at request->from, its required start. */
void refuse_for_room(struct engine *engine, const struct map_request *request,
                     const struct mapping *mapping);

/* For a suspended lease whose memory cannot move: the hosts on which its VMs must be resumed, each
 * on its own host. NULL: VMs may exchange hosts, or hosts reach all memory. */
const struct placement *must_resume_in(const struct engine *engine, const struct lease *lease);

/* Records in the reason how many VMs of a waiting lease would fit now. */
void refuse_for_now(struct engine *engine, struct lease *lease);

bool place_as_soon_as_possible(struct engine *engine, const struct placing_request *request,
                               struct proposal *proposal);

/* The shortest time for which the lease's hosts must be free, regardless of its start. O(VMs). */
int64_t placing_least_span(struct engine *engine, struct lease *lease);

/* A place for a lease that needs all its time in one stretch, beginning in [from, latest]. */
struct window_request {
    struct lease *lease;
    int64_t from, latest;
    int64_t remaining; /* run time left, in seconds */
    bool resuming;     /* the lease will be suspended by then */
    bool spare_others;
    bool may_be_late; /* set to compute only the possible end */
    bool forced;
    const struct placement *pinned; /* one host per VM; NULL: any */
    uint32_t *hosts;                /* allowed hosts, ascending; NULL: all */
    size_t n_hosts;
    const int64_t *more_points; /* start times to try in addition to the booked ends */
    size_t n_more_points;
};

bool place_within(struct engine *engine, const struct window_request *request,
                  struct proposal *proposal);
/* Places the lease where it was: on its hosts (pinned) from request->from on, if each operation
 * still fits by itself. Ignores latest. */
bool place_again(struct engine *engine, const struct window_request *request,
                 struct proposal *proposal);
