/* in_front.h: a lease without an end runs in front of a reservation that begins much later, or on
 * hosts that are taken out of service much later.
 *
 * Where the reservation can neither be moved (rebooking.h) nor the lease be suspended for it, the
 * lease starts at once on the reserved host, and is moved, running, to a host that has room for
 * ever from then on. Both stays and the move are booked when the lease is placed: the reservation
 * keeps its host and its time. The same where hosts close: but on the next host, too, the lease
 * need not stay for ever. So hosts that are closed in turn, each week, can be used.
 *
 * Costs: O(hosts), and two mappings (mapper.h); closings: what is scheduled, besides.
 */
#pragma once

#include <stdbool.h>

#include "core/proposal.h"

struct engine;

/* Places a best-effort lease of one VM, without an end and never preempted, at this instant, if it
 * can stay for in_front_least (option start-in-front). The proposal has two stretches. False:
 * nothing has changed. */
bool place_in_front(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* The same for any best-effort or immediate lease without an end that is never preempted, on hosts
 * that close later. */
bool place_before_closings(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* A reservation without an end, at its start, on hosts that close so much later. Where it goes then
 * is planned when it runs. */
bool place_exact_before_closings(struct engine *engine, struct lease *lease,
                                 struct proposal *proposal);
