/* ending.h: ends leases and releases what they hold.
 *
 * Costs: those of unbooking their reservations (reservations.h).
 */
#pragma once

#include "core/lease.h"

struct engine;

/* Puts the lease in a final state; it must not have any bookings left. */
void lease_finish(struct engine *engine, struct lease *lease, enum lease_state final);

/* Stops running VMs now, before their planned end; withdraws planned stretches. */
void lease_cut_short(struct engine *engine, struct lease *lease);

/* Ends the lease as cancelled or failed, by the reason it already has; does not bring other leases
 * forward into the freed room. */
void lease_end_now(struct engine *engine, struct lease *lease);
