/* room.h: is there enough room when some leases are gone? Asked again and again with sets of leases
 * that differ by a few.
 *
 * A room copies what is free on each host during the time that is asked for, in stretches in which
 * nothing changes, and counts how many VMs of each size fit. Leases go and come back in that copy;
 * the slot table is not changed, and must not be meanwhile.
 */
#ifndef GALERNA_CORE_ROOM_H
#define GALERNA_CORE_ROOM_H

#include "core/victims.h"

struct room; /* opaque */

/* MAYBE: for each size there are hosts enough, but only the mapper can tell for all together (VMs
 * of several sizes that like different hosts, an interval that may be cut short). */
enum room_answer { ROOM_NO, ROOM_YES, ROOM_MAYBE };

/* For a request that is not pinned and the leases that may make room. hosts: those that count, in
 * order; NULL: all that it may use. O(change points of the hosts during the interval, and what the
 * leases hold). */
struct room *room_create(struct engine *engine, const struct map_request *request,
                         const struct victims *victims, const struct host_snapshot *hosts);
void room_destroy(struct room *room); /* NULL is allowed */

/* These victims (their places, each once) are gone, and no others. O(n, and for those that
 * differ from the last time the stretches they hold); for VMs of several sizes also O(all
 * stretches). */
enum room_answer room_without(struct room *room, const size_t *gone, size_t n);

#endif
