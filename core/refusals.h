/* refusals.h: remembers, for each host, the last demand for units that it did not meet.
 *
 * Many VMs have the same demand, and hosts without free units refuse them one after the other. A
 * choice of units depends on the demand, the start of the time, and the stays that begin before its
 * end ("ahead"); the result remains valid as long as the stays on the host do not change.
 *
 * Costs: O(1), plus a comparison of the demand's devices and virtual nodes. Memory: one demand per
 * host, from the first refusal on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/demand.h"

struct refusals; /* opaque */

struct refusals *refusals_create(size_t n_hosts);
void refusals_destroy(struct refusals *refusals);

/* Is it known that the host does not meet this demand for units? Ignores roles and rules. */
bool refusals_has(const struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                  int64_t from, size_t ahead);
/* Has the host refused any demand for units from `from` on? If not, refusals_has() is false. */
bool refusals_any(const struct refusals *refusals, uint32_t host, int64_t from);
/* Refers to the demand's virtual nodes and devices, which the driver owns. */
void refusals_note(struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                   int64_t from, size_t ahead);
/* Called when the stays on the host have changed. O(1). */
void refusals_forget(struct refusals *refusals, uint32_t host);
