/* lifecycle.h: planned operations are carried out; leases end early or are cancelled.
 *
 * Costs: O(reservations of the lease) each; an early end or a cancellation also brings others
 * forward (reevaluation.h).
 */
#ifndef GALERNA_CORE_LIFECYCLE_H
#define GALERNA_CORE_LIFECYCLE_H

#include "core/lease.h"
#include "core/reservation.h"

struct engine;

/* A planned operation begins, and is over: the lease's state follows. */
void operation_begins(struct engine *engine, struct reservation *r);
void operation_ends(struct engine *engine, struct reservation *r);

/* The VMs have ended by themselves; the lease is done. */
void lease_ended_early(struct engine *engine, struct lease *lease);
/* For the reason the lease has if that is a failure; else cancelled. */
void lease_cancel(struct engine *engine, struct lease *lease);

#endif
