/* victim_room.h: tests whether there is enough room once some victims have left, for many sets of
 * victims with small differences.
 *
 * It copies the free amounts on each host during the requested time, as stretches without changes,
 * and counts how many VMs of each size fit. Victims are removed and put back in this copy; the slot
 * table is not changed, and must not change meanwhile.
 */
#pragma once

#include "core/candidates.h"

struct victim_room; /* opaque */

/* MAYBE: there are enough hosts for each size alone, but only the mapper can decide for all sizes
 * together (VMs of several sizes that prefer different hosts, an interval that may be cut short,
 * demands beyond amounts). */
enum victim_room_answer { ROOM_NO, ROOM_YES, ROOM_MAYBE };

/* For an unpinned request and the leases that may make room. hosts: the hosts to count, in order;
 * NULL: all hosts it may use. O(change points of the hosts during the interval + bookings of the
 * leases). */
struct victim_room *victim_room_create(struct engine *engine, const struct map_request *request,
                                       const struct victims *victims,
                                       const struct host_snapshot *hosts);
void victim_room_destroy(struct victim_room *room); /* NULL is allowed */

/* The answer with exactly these victims removed (their places, without duplicates). O(n + the
 * stretches of victims that differ from the last call); for VMs of several sizes also O(all
 * stretches). */
enum victim_room_answer victim_room_without(struct victim_room *room, const size_t *gone, size_t n);
