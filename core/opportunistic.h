/* opportunistic.h: moving a lease that runs to better hosts (Montero, Huedo, Llorente: Grid
 * Resource Selection for Opportunistic Job Migration).
 *
 * When capacity has come back, and at an interval, leases that run on migratable terms are mapped
 * anew on what is free to their end. The host selection policy estimates how long the lease takes
 * in all where it is and where it could go, the move included; a gain of the threshold or more is
 * worth it. No lease makes room for such a move, and reservations are neither moved nor in the way:
 * what is promised or planned to others is booked, and only free room is used.
 *
 * A live move books the new hosts from now on and leaves the old ones when the memory is there, and
 * the images with it where they lie on the disks of hosts; the lease is Migrating in between and
 * its VMs keep running. A cold one suspends, transfers and resumes.
 */
#pragma once

#include "core/lease.h"
#include "core/reservation.h"

struct engine;

/* Searches for moves if it is time to. O(leases), plus one mapping for each lease that may move. */
void move_to_better_hosts(struct engine *engine);

/* Time of the next periodic search; INSTANT_NEVER. O(1). */
int64_t next_look_for_moves(const struct engine *engine);

/* VMs of this lease begin to run, so a later search may consider it. */
void note_movable(struct engine *engine, const struct lease *lease);

/* Is the operation the live copy of running VMs' memory to other hosts? */
bool is_live_move(const struct reservation *r);
