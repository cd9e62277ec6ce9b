/* in_front.h: runs a lease without an end in front of a reservation that begins much later, or on
 * hosts that go out of service much later.
 *
 * If the reservation cannot be moved (rebooking.h) and the lease cannot be suspended for it, the
 * lease starts at once on the reserved host and later moves, running, to a host with room for ever
 * from then on. Both stays and the move are booked when the lease is placed: the reservation keeps
 * its host and its time. Hosts that close are treated alike, except that the lease need not stay on
 * the next host for ever. Hosts that close in turn, for example each week, thus become usable.
 *
 * Costs: O(hosts), and two mappings (mapper.h); for closings also O(scheduled reservations).
 */
#pragma once

#include <stdbool.h>

#include "core/proposal.h"

struct engine;

/* Is the lease non-preemptable, best-effort, of one VM and without an end, and are there
 * reservations? */
bool may_start_in_front(const struct engine *engine, const struct lease *lease);

/* Places such a lease at this instant, if it can stay for in_front_least (option start-in-front).
 * The proposal has two stretches. False: nothing has changed. */
bool place_in_front(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* The same for any non-preemptable best-effort or immediate lease without an end, on hosts that
 * close later. */
bool place_before_closings(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* The same for a reservation without an end, at its start. Its later move is planned while it runs.
 */
bool place_exact_before_closings(struct engine *engine, struct lease *lease,
                                 struct proposal *proposal);
