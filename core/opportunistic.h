/* opportunistic.h: moves running leases to better hosts (Montero, Huedo, Llorente: Grid Resource
 * Selection for Opportunistic Job Migration).
 *
 * After capacity has been freed, and at an interval, running leases with migratable terms are
 * mapped again in the room that is free until their end. The host selection policy estimates the
 * total time of the lease on its present and its new hosts, including the move; the lease moves if
 * it gains at least the threshold. No lease makes room for such a move, and promises and plans are
 * not affected: they are booked, and only free room is used.
 *
 * A live move books the new hosts from now on and releases the old ones when the memory has
 * arrived, with the images if they are stored on the disks of hosts. Meanwhile the lease is
 * Migrating and its VMs keep running. A cold move suspends, transfers and resumes.
 */
#pragma once

#include "core/lease.h"
#include "core/reservation.h"

struct engine;

/* Searches for moves if a search is due. O(leases), plus one mapping for each lease that may move.
 */
void move_to_better_hosts(struct engine *engine);

/* Time of the next periodic search; INSTANT_NEVER. O(1). */
int64_t next_look_for_moves(const struct engine *engine);

/* Called when VMs of this lease begin to run, so that later searches consider it. */
void note_movable(struct engine *engine, const struct lease *lease);

/* Is the operation a live copy of running VMs' memory to other hosts? */
bool is_live_move(const struct reservation *r);
