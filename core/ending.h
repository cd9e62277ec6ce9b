/* ending.h: leases that end, and what they give back.
 *
 * Costs: as unbooking their reservations (booking.h).
 */
#ifndef GALERNA_CORE_ENDING_H
#define GALERNA_CORE_ENDING_H

#include "core/lease.h"

struct engine;

/* The lease reaches a final state; nothing of it may be booked. */
void lease_finish(struct engine *engine, struct lease *lease, enum lease_state final);

/* The VMs that run stop now, before their planned end; planned stretches are withdrawn. */
void lease_cut_short(struct engine *engine, struct lease *lease);

/* Cancelled, or failed, for the reason the lease has already; others are not brought forward into
 * its room. */
void lease_end_now(struct engine *engine, struct lease *lease);

#endif
