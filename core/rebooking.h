/* rebooking.h: rebooks planned leases on other hosts, for the same time, to make room for another
 * lease.
 *
 * A lease that fits now may conflict with leases planned for later. These have a planned time, but
 * no right to their hosts: if all of them find room elsewhere for the same time, the lease starts
 * at once. With aggressive backfilling this gives the schedule of EASY (Lifka 1995) also if several
 * VMs share a host. If hosts can be counted (host_binding.h), planned leases have no hosts.
 *
 * Costs: p = planned leases examined, at most 32, h = their hosts in all. O(hosts + h) reads to
 * reject most leases. Otherwise p leases are released and booked again, and the lease and each
 * planned lease in its way take a mapping (mapper.h); at most 4 attempts per lease and
 * REBOOKING_WORK attempts and mappings per pass over the queue.
 */
#pragma once

#include <stdbool.h>

#include "core/proposal.h"

struct engine;

enum { REBOOKING_WORK = 64 };

/* Places a best-effort or immediate lease at this instant, without preempting any lease.
 * True: the planned leases in its way have their new hosts. False: nothing has changed. */
bool place_by_rebooking(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* For a lease that fits now but not for long enough: its reason names the host that it could use
 * longest, and the planned lease that needs the host afterwards. O(hosts + reservations that begin
 * then). */
void explain_by_planned(struct engine *engine, struct lease *lease);

/* For an accepted proposal in the future: the reason names the lease or closing that has one of its
 * hosts until then. O(ENDS_LOOKED_AT * hosts of a lease). */
void explain_future(const struct engine *engine, const struct proposal *proposal,
                    struct reason *reason);
