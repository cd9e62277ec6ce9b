/* in_vain.h: starts shortly before a drain or booking, and suspensions shortly before an end.
 *
 * A start is in vain if the VMs would be suspended again after less than the threshold of
 * core/estimates.h. The engine applies it to the lease's own suspension; before a drain or booking,
 * all preemptable VMs of the host are suspended one after another.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct drains;
struct facts;
struct lease_record;
struct planner;
struct vm_record;

struct vm_start {
    const struct drains *drains; /* NULL: none */
    const struct vm_record *vm;
    int32_t host;
    int64_t now;
};

/* Would the start be in vain, for a drain or booking that begins at *until? *others: seconds to
 * suspend the VMs already on the host; negative: to be computed, O(VMs). */
bool planner_starts_in_vain(const struct planner *planner, const struct vm_start *start,
                            int64_t *others, int64_t *until);

/* Leave out hosts where a VM of a waiting lease would start in vain (allowed: NULL: only look for
 * them). Returns when the first of them is drained or booked; INSTANT_NONE: there is none.
 * O(drains), once O(VMs) for each host with a drain, and O(drains) for each that begins soon. */
int64_t facts_leave_out_in_vain(struct facts *facts, const struct vm_record *vm, uint64_t *allowed);

/* The lease is due to be suspended because the gap that it runs in ends: would it be over before it
 * could be suspended and resumed, and are its hosts promised to no other lease before? */
bool planner_suspends_in_vain(const struct planner *planner, const struct lease_record *lease,
                              int64_t now);
