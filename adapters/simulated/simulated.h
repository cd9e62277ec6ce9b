/* simulated.h: a cloud in memory, for galernad --simulate.
 *
 * The hosts come from a site; VMs boot, are suspended, move and end by the real clock, with the
 * durations in the settings. A file stores the VMs, which are restored when the cloud is opened
 * again; active operations continue. A file that cannot be written is reported once and retried;
 * the cloud continues in memory. Devices and CPUs are chosen when a VM is deployed or moved, as in
 * OpenNebula. No network, no processes, no documents. Costs: an observation of all hosts or VMs
 * copies them; about 0.5 KB of memory per host while hosts are observed.
 */
#pragma once

#include "adapters/cloud/cloud.h"
#include "core/settings.h"
#include "core/site.h"

struct simulated_settings {
    const struct site *site; /* copied; host ids are indexes: 0, 1, ... */
    /* Hosts' devices, NUMA nodes and huge pages; templates, numbered from 0, joined by '+';
     * networks (galerna.conf(5)). NULL: none. Threads, devices: within the limits of
     * core/demand.h. */
    const char *hardware, *templates, *networks;
    const char *file;                     /* stores the VMs; created if missing, mode 0600 */
    bool must_exist;                      /* leases with its VMs exist */
    int64_t boot_time;                    /* seconds; 0: a moment */
    const struct engine_settings *engine; /* rates of suspension and resumption, shutdown time */
    /* Reports problems to the operator; NULL: not reported. */
    void (*complain)(void *context, const char *text);
    void *context;
};

/* *resumed: the file had VMs. Errors: EINVAL (a missing file that must exist, invalid hardware,
 * templates or networks), EEXIST (the file has another number of hosts), EPROTO (not the file of a
 * simulated cloud), errors of SQLite (EIO). */
struct cloud *simulated_create(const struct simulated_settings *settings, bool *resumed,
                               struct error *err);
