/* rebooking.h: planned leases go to other hosts, at the same time, to make room for another lease.
 *
 * A lease that fits now may be in the way of leases that are planned for later. They were promised
 * a time, not their hosts: when all of them find room elsewhere for the same time, the lease starts
 * at once. With aggressive backfilling this gives the schedule of EASY (Lifka 1995) also where
 * several VMs share a host. Where hosts can be counted (host_binding.h), planned leases have none.
 *
 * Costs: p = planned leases looked at, at most 32. O(p) to release and book them, and a mapping
 * (mapper.h) for the lease and each planned lease in its way; at most 4 such attempts for a lease
 * and REBOOKING_WORK mappings in a pass over the queue.
 */
#pragma once

#include <stdbool.h>

#include "core/proposal.h"

struct engine;

enum { REBOOKING_WORK = 64 };

/* Places a best-effort or immediate lease at this instant, without preempting any lease.
 * True: the planned leases in its way have their new hosts. False: nothing has changed. */
bool place_by_rebooking(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* If the lease fits now but not for long enough: names in its reason the host that it could have
 * longest, and the planned lease that needs the host then. O(hosts + what begins then). */
void explain_by_planned(struct engine *engine, struct lease *lease);

/* A proposal for a time to come has been accepted: names in the reason what has one of its hosts
 * until then. O(ENDS_LOOKED_AT * hosts of a lease). */
void explain_future(const struct engine *engine, const struct proposal *proposal,
                    struct reason *reason);
