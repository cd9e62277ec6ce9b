/* migration.h: moves suspended leases to other hosts before they are resumed.
 *
 * Rates in Mbit/s, sizes in MB, times in seconds. Costs: O(VMs), planning O(VMs x batches).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/proposal.h"

/* Seconds to send a VM's memory to another host. */
int64_t transfer_span_of_vm(const struct engine *engine, int64_t memory);
/* Does the lease's image have to be transferred? */
bool has_image_transfer(const struct engine *engine, const struct lease *lease);
/* The rate between these hosts: that of the slower one's network, if it is less. HOST_NONE: any
 * fast host. */
int64_t transfer_rate_between(const struct engine *engine, uint32_t from, uint32_t to);
/* Seconds to send a VM of the lease to another host: its memory and, if images are stored on the
 * disks of hosts, its image. */
int64_t move_span_of_vm(const struct engine *engine, const struct lease *lease, uint32_t vm);
/* The same at this rate. */
int64_t move_span_at(const struct engine *engine, const struct lease *lease, uint32_t vm,
                     int64_t rate);
/* The same for all VMs of the lease, one after the other. */
int64_t move_span(const struct engine *engine, const struct lease *lease);
/* Upper bound of the seconds to move the whole suspended lease, except to hosts with a slow
 * network.
 */
int64_t migration_estimate(const struct engine *engine, const struct lease *lease);
/* Fills earliest (one entry per host) with the times at which the whole lease can have been moved
 * there, and returns true; false if all hosts are fast enough for the estimate. O(hosts VMs),
 * O(hosts) if all are. */
bool migration_earliest(const struct engine *engine, const struct lease *lease, int64_t *earliest);

/* Prepends the migrations that a resumption needs to proposal->plan.before, beginning at `at`, or
 * later if the network of a host is in use until then. False: the network has no room for them
 * before the resumption; they are planned as if it had. */
bool plan_migration(struct engine *engine, struct lease *lease, struct proposal *proposal,
                    int64_t at);
