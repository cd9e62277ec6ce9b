/* refusals.h: remembers which hosts did not meet a demand for units.
 *
 * Many VMs have the same demand, and hosts without free units refuse them one after the other. A
 * choice of units depends on the demand, the start of the time, and the stays that begin before its
 * end ("ahead"): with more of them, fewer units are free. A refusal remains valid as long as the
 * stays on the host do not change. The last REFUSALS_MAX pairs of demand and start are remembered.
 *
 * Costs: O(REFUSALS_MAX) comparisons of a start, and of the demands with this start; the first
 * refusal of a pair O(hosts). Memory: 33 bits per host and pair.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/demand.h"
#include "core/site.h"

enum { REFUSALS_MAX = 16 };

struct refusals; /* opaque */

/* The site must outlive the refusals. */
struct refusals *refusals_create(const struct site *site);
void refusals_destroy(struct refusals *refusals);

/* Is it known that the host does not meet this demand for units? Ignores roles and rules. */
bool refusals_has(struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                  int64_t from, size_t ahead);
/* A bit for each host that is known not to meet the demand from `from` on, whatever the end of the
 * time, and for those without units; also set beyond the last host. Valid until the next
 * refusals_note(). NULL: nothing is known. */
const uint64_t *refusals_hosts(struct refusals *refusals, const struct vm_demand *demand,
                               int64_t from);
struct refusal {
    uint32_t host;
    const struct vm_demand *demand; /* refers to virtual nodes and devices, which the driver owns */
    int64_t from;
    size_t ahead;
    bool at_once; /* none of these stays begins after `from` */
};

void refusals_note(struct refusals *refusals, const struct refusal *refusal);
/* Called when the stays on the host have changed. O(REFUSALS_MAX). */
void refusals_forget(struct refusals *refusals, uint32_t host);
