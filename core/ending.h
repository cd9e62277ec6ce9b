/* ending.h: leases that end, and what they release.
 *
 * Costs: as unbooking their reservations (reservations.h).
 */
#pragma once

#include "core/lease.h"

struct engine;

/* The lease reaches a final state; nothing of it may still be booked. */
void lease_finish(struct engine *engine, struct lease *lease, enum lease_state final);

/* Running VMs stop now, before their planned end; planned stretches are withdrawn. */
void lease_cut_short(struct engine *engine, struct lease *lease);

/* The lease is cancelled, or failed, for the reason it already has; other leases are not brought
 * forward into the room it frees. */
void lease_end_now(struct engine *engine, struct lease *lease);
