/* lifecycle.h: carries out planned operations; ends leases early and cancels them.
 *
 * Costs: O(reservations of the lease) each; an early end or a cancellation also brings others
 * forward (reevaluation.h).
 */
#pragma once

#include "core/lease.h"
#include "core/reservation.h"

struct engine;

/* Begins or ends a planned operation and updates the state of its lease. */
void operation_begins(struct engine *engine, struct reservation *r);
void operation_ends(struct engine *engine, struct reservation *r);

/* Called when the VMs have ended early; the lease is done. */
void lease_ended_early(struct engine *engine, struct lease *lease);
/* Ends the lease as failed if its reason is a failure, else as cancelled. */
void lease_cancel(struct engine *engine, struct lease *lease);
