/* simulate.h: galernad --simulate: hosts in memory and the real clock, without OpenNebula. */
#pragma once

#include "adapters/cloud/cloud.h"
#include "configuration/configuration.h"
#include "util/error.h"

/* Hosts of simulation.resources (default: 4 hosts of 1 CPU and 1024 MB, like Haizea's); VMs are
 * stored in simulated.db in the state directory. with_leases: the store has VMs, so simulated.db
 * must exist. Errors: EINVAL (no site, no VMs), others of simulated_create(). */
struct cloud *simulated_cloud(const struct configuration *configuration,
                              const char *state_directory, bool with_leases, struct error *err);
