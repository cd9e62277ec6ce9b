/* in_front.h: a lease without an end runs in front of a reservation that begins much later.
 *
 * Where the reservation can neither be moved (rebooking.h) nor the lease be suspended for it, the
 * lease starts at once on the reserved host, and is moved, running, to a host that has room for
 * ever from then on. Both stays and the move are booked when the lease is placed: the reservation
 * keeps its host and its time.
 *
 * Costs: O(hosts), and a mapping (mapper.h).
 */
#ifndef GALERNA_CORE_IN_FRONT_H
#define GALERNA_CORE_IN_FRONT_H

#include <stdbool.h>

#include "core/proposal.h"

struct engine;

/* Places a best-effort lease of one VM, without an end and never preempted, at this instant, if it
 * can stay as long as the settings say. The proposal has two stretches. False: nothing has
 * changed. */
bool place_in_front(struct engine *engine, struct lease *lease, struct proposal *proposal);

#endif
