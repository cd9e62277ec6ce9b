/* earlier_room.h: a quick check whether a planned lease may find an earlier place.
 *
 * A search for one releases the lease's place and books it again if there is none, as for most
 * leases each time that room becomes free. The check only reads: the site's total of free CPU must
 * suffice for the lease's shortest run at some time before the planned start, and so must the hosts
 * of a suspended lease, at the same time. The lease's own place stays booked: it begins at the
 * planned start.
 *
 * Costs: p = change points of the site's total up to the result, h = hosts of the lease, b = times
 * at which the total suffices and one of these hosts is blocked. O(p); suspended: O(p + b) while
 * the blocked hosts (slot_table_placement_free_from()) are known from the last check, and O(h)
 * scans for each time at which something was released there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct lease;

/* False: a search for a start before this time would fail, if the check is exact. Else two rules go
 * beyond that: a lease that may preempt others is not searched for if at no time before the site
 * has free CPU for it, nor is any lease while a host is overbooked, which reduces the total. */
bool has_room_before(struct engine *engine, struct lease *lease, int64_t before);

/* O(1). */
bool room_check_is_exact(const struct engine *engine, const struct lease *lease);
