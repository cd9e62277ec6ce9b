/* room.h: is there enough room when some leases are gone? Asked again and again with sets of leases
 * that differ by a few.
 *
 * A room copies what is free on each host during the time that is asked for, in stretches in which
 * nothing changes, and counts how many VMs of each size fit. Leases go and come back in that copy;
 * the slot table is not changed, and must not be meanwhile.
 */
#pragma once

#include "core/candidates.h"

struct room; /* opaque */

/* MAYBE: for each size alone there are enough hosts, but only the mapper can decide for all
 * together (VMs of several sizes that prefer different hosts, an interval that may be cut short,
 * demands beyond amounts). */
enum room_answer { ROOM_NO, ROOM_YES, ROOM_MAYBE };

/* For an unpinned request and the leases that may make room. hosts: those to count, in order; NULL:
 * all that it may use. O(change points of the hosts during the interval, and what the leases
 * hold). */
struct room *room_create(struct engine *engine, const struct map_request *request,
                         const struct victims *victims, const struct host_snapshot *hosts);
void room_destroy(struct room *room); /* NULL is allowed */

/* Answers for exactly these victims removed (their places, without duplicates). O(n, and the
 * stretches held by victims that differ from the last call); for VMs of several sizes also O(all
 * stretches). */
enum room_answer room_without(struct room *room, const size_t *gone, size_t n);
