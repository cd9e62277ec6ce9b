/* demand_checks.h: scenarios of VMs with demands, and what must hold of these, found slowly from
 * the leases' own lists. */
#pragma once

#include "core/demand.h"
#include "scenario.h"

/* A lease of one VM, its duration in seconds; a reservation of it from then on; of so many VMs. */
struct ask one_vm(int64_t id, int64_t duration, const struct vm_demand *demand);
struct ask reserved_from(int64_t start, struct ask what);
struct ask with_vms(uint32_t vms, struct ask what);

/* A scenario on hosts that all have these units; NULL: none. */
void begin_with_units(struct scenario *s, size_t n_hosts, const struct host_units *units);

/* The number of the host that the lease's first VM runs on, from 1. */
int host_of(struct scenario *s, int64_t id);

/* Runs to the end, checking demands at every time, and ends the scenario. */
void finish_checked(struct scenario *s);

/* From now on, at every time: no device has two VMs, no thread more than it may, no core with CORE
 * another VM, no node more memory or pages in use than it has; every VM holds all that it demands;
 * and every rule of a role is kept. */
void check_demands(struct scenario *s);

/* Is there a host for one more VM during [from, until), by trying everything? Pinned VMs have one
 * virtual node. */
bool place_exists(struct scenario *s, const struct amounts *amounts, const struct vm_demand *demand,
                  int64_t from, int64_t until);
