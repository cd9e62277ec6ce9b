/* lifecycle.h: planned operations are carried out; leases end early or are cancelled.
 *
 * Costs: O(reservations of the lease) each; an early end or a cancellation also brings others
 * forward (reevaluation.h).
 */
#pragma once

#include "core/lease.h"
#include "core/reservation.h"

struct engine;

/* A planned operation begins, or is over; the state of its lease follows. */
void operation_begins(struct engine *engine, struct reservation *r);
void operation_ends(struct engine *engine, struct reservation *r);

/* The VMs have ended early; the lease is done. */
void lease_ended_early(struct engine *engine, struct lease *lease);
/* The lease fails if its reason is a failure; else it is cancelled. */
void lease_cancel(struct engine *engine, struct lease *lease);
