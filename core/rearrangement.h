/* rearrangement.h: reassigns units of VMs that do not run yet, so that one more VM fits on their
 * host.
 *
 * A planned VM is promised devices or CPUs, but not particular ones among equals. A new engine that
 * adopts leases chooses units in another order than its predecessor; without reassignment it might
 * find no place for an accepted lease.
 *
 * Costs: s = bookings with units on the host: O(s^2), plus a choice of units for each VM.
 */
#pragma once

#include <stdint.h>

struct engine;
struct lease;

/* On each host planned for the lease's VMs during [from, until) where their demands are not free:
 * chooses units again for all VMs that begin after now, the most demanding first. If this does not
 * meet all demands, the host is unchanged. vm_host: a place for each VM, or HOST_NONE. No mark of
 * the slot table may be open. */
void rearrange_for(struct engine *engine, const struct lease *lease, const uint32_t *vm_host,
                   int64_t from, int64_t until);
