/* simulated.h: galernad --simulate: hosts in memory and the real clock, without an OpenNebula. */
#ifndef GALERNA_DAEMON_SIMULATED_H
#define GALERNA_DAEMON_SIMULATED_H

#include "adapters/cloud/cloud.h"
#include "configuration/configuration.h"
#include "util/error.h"

/* With the hosts of simulation.resources (default: 4 hosts of 1 CPU and 1024 MB, as Haizea's); its
 * VMs are kept in simulated.db in the state directory. with_leases: the store knows VMs, so they
 * must be there. Errors: EINVAL (no site, no VMs), others of simulated_create(). */
struct cloud *simulated_cloud(const struct configuration *configuration,
                              const char *state_directory, bool with_leases, struct error *err);

#endif
