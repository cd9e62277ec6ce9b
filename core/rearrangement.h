/* rearrangement.h: other units for VMs that do not run yet, so that one more VM fits on their host.
 *
 * Which of equal devices or CPUs a planned VM gets is no promise, that it gets them is: an engine
 * that takes over chooses in another order than the one before, and could be left without a place
 * for what was accepted.
 *
 * Costs: s = bookings with units on the host: O(s^2), and a choice for each VM.
 */
#pragma once

#include <stdint.h>

struct engine;
struct lease;

/* On each of the hosts that its VMs are to have during [from, until): if what they demand is not
 * free there, chooses again for all VMs that begin later than now, the most demanding first, so
 * that all demands are met; where that fails, nothing changes. vm_host: a place for each VM, or
 * HOST_NONE. No mark of the slot table may be open. */
void rearrange_for(struct engine *engine, const struct lease *lease, const uint32_t *vm_host,
                   int64_t from, int64_t until);
