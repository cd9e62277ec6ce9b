/* placing.h: finds a time and hosts for a lease; books nothing.
 *
 * Costs: a mapping (mapper.h) for each time that is tried; times are those at which something
 * booked ends, O(n log n) to put n of them in order. In the future, where no lease makes room, only
 * those are tried at which the slot table has room: for each a question to it (slot_table.h).
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
    int64_t before;          /* if it begins earlier than this; INSTANT_NEVER: no limit */
    const int64_t *earliest; /* per host, or NULL: from `from` on everywhere */
    int64_t from;
};

/* At the start that the lease requests. All functions that place: true: the caller takes over or
 * finishes the proposal; false: there is no room, and lease->reason says why, except after
 * place_within() and place_again(), whose callers say it. */
bool place_exact(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* The same on pinned hosts or with forced victims; ignores the wish's times. */
bool place_exact_as(struct engine *engine, const struct map_request *wish,
                    struct proposal *proposal);
/* Records in the reason of a lease that must begin at request->from how many VMs would fit then. */
void refuse_for_room(struct engine *engine, const struct map_request *request,
                     const struct mapping *mapping);

/* The hosts on which the VMs of a suspended lease whose memory cannot move must be resumed, each on
 * its own; NULL: VMs may exchange them, or hosts reach all memory. */
const struct placement *must_resume_in(const struct engine *engine, const struct lease *lease);

/* Records how many VMs of a lease that waits would fit now. */
void refuse_for_now(struct engine *engine, struct lease *lease);

bool place_as_soon_as_possible(struct engine *engine, const struct placing_request *request,
                               struct proposal *proposal);

/* For how long its hosts must at least be free, wherever it begins. O(VMs). */
int64_t placing_least_span(struct engine *engine, struct lease *lease);

/* A place for a lease that needs all its time in one stretch, beginning in [from, latest]. */
struct window_request {
    struct lease *lease;
    int64_t from, latest;
    int64_t remaining; /* seconds its VMs have to run */
    bool resuming;     /* the lease will be suspended by then */
    bool spare_others;
    bool may_be_late; /* only to find out when it could end */
    bool forced;
    const struct placement *pinned; /* hosts of its VMs; NULL: any */
    uint32_t *hosts;                /* hosts that may be used, ascending; NULL: all */
    size_t n_hosts;
    const int64_t *more_points; /* start times to try in addition to the booked ends */
    size_t n_more_points;
};

bool place_within(struct engine *engine, const struct window_request *request,
                  struct proposal *proposal);
/* The lease's previous place: on its hosts (pinned) from request->from on, if each of its
 * operations still fits on its own. Ignores latest. */
bool place_again(struct engine *engine, const struct window_request *request,
                 struct proposal *proposal);
