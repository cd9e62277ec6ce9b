/* refusals.h: for each host, the last demand for units that it did not meet.
 *
 * Many VMs ask for the same, and hosts whose units are taken refuse one after the other. A choice
 * of units follows from the demand, the begin of the time, and the stays that begin before its end
 * ("ahead"); so as long as the stays on the host are the same, so is the answer.
 *
 * Costs: O(1), with the devices and virtual nodes of the demand to compare. Memory: a demand for
 * each host, from the first refusal on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/demand.h"

struct refusals; /* opaque */

struct refusals *refusals_create(size_t n_hosts);
void refusals_destroy(struct refusals *refusals);

/* Did the host not meet this demand for units? Roles and rules do not matter. */
bool refusals_has(const struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                  int64_t from, size_t ahead);
/* Did it refuse any demand for units from then on? If not, refusals_has() says no. */
bool refusals_any(const struct refusals *refusals, uint32_t host, int64_t from);
/* Keeps the demand's virtual nodes and devices, which are the driver's. */
void refusals_note(struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                   int64_t from, size_t ahead);
/* The stays on the host have changed. O(1). */
void refusals_forget(struct refusals *refusals, uint32_t host);
