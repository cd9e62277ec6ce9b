/* demand_checks.h: what must hold of demands, found slowly from the leases' own lists. */
#ifndef GALERNA_TEST_CORE_DEMAND_CHECKS_H
#define GALERNA_TEST_CORE_DEMAND_CHECKS_H

#include "core/demand.h"
#include "scenario.h"

/* From now on, at every time: no device has two VMs, no thread more than it may, no core with CORE
 * another VM, no node more memory or pages in use than it has; every VM holds all that it demands;
 * and every rule of a role is kept. */
void check_demands(struct scenario *s);

/* Is there a host for one more VM during [from, until), by trying everything? Pinned VMs have one
 * virtual node. */
bool place_exists(struct scenario *s, const struct amounts *amounts, const struct vm_demand *demand,
                  int64_t from, int64_t until);

#endif
