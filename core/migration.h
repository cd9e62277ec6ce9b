/* migration.h: moves suspended leases to other hosts before they are resumed.
 *
 * Rates in Mbit/s, sizes in MB, times in seconds. Costs: O(VMs), planning O(VMs x batches).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/proposal.h"

/* The transfer rate for memory and images between hosts. */
int64_t transfer_rate(const struct engine *engine);
/* Seconds to send a VM's memory to another host. */
int64_t transfer_span_of_vm(const struct engine *engine, int64_t memory);
/* Does the lease's image have to be transferred? */
bool has_image_transfer(const struct engine *engine, const struct lease *lease);
/* Seconds to send a VM of the lease to another host: its memory and, if images are stored on the
 * disks of hosts, its image. */
int64_t move_span_of_vm(const struct engine *engine, const struct lease *lease, uint32_t vm);
/* The same for all VMs of the lease, one after the other. */
int64_t move_span(const struct engine *engine, const struct lease *lease);
/* Upper bound of the seconds to move the whole suspended lease. */
int64_t migration_estimate(const struct engine *engine, const struct lease *lease);

/* Prepends the migrations that a resumption needs to proposal->plan.before, beginning now or at
 * `at`, or later if the network of a host is in use until then. False: the network has no room for
 * them before the resumption; they are planned as if it had. */
bool plan_migration(struct engine *engine, struct lease *lease, struct proposal *proposal);
bool plan_migration_at(struct engine *engine, struct lease *lease, struct proposal *proposal,
                       int64_t at);
