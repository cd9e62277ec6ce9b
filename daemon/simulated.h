/* simulated.h: interactive simulation: the stand-in for OpenNebula, in a child process, with the
 * hosts that the configuration describes and the real clock. The daemon talks to it as to any
 * other.
 */
#ifndef GALERNA_DAEMON_SIMULATED_H
#define GALERNA_DAEMON_SIMULATED_H

#include "configuration/configuration.h"
#include "util/error.h"

struct simulated; /* opaque */

/* Start it with the hosts of simulation.resources (default: 4 hosts of 1 CPU and 1024 MB, as
 * Haizea's); its pool of VMs is kept in the state directory and taken up again. It ends with the
 * daemon. with_leases: the store knows VMs, so there must be a pool. Errors: EINVAL (no site,
 * another number of hosts than before, no pool), those of the files. */
struct simulated *simulated_start(const struct configuration *configuration,
                                  const char *state_directory, bool with_leases, struct error *err);
void simulated_stop(struct simulated *simulated); /* NULL is allowed */

const char *simulated_endpoint(const struct simulated *simulated);
const char *simulated_auth_file(const struct simulated *simulated);

#endif
