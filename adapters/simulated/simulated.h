/* simulated.h: a cloud in memory, for galernad --simulate.
 *
 * Hosts are those of a site; VMs boot, are suspended, move and end by the real clock, as fast as
 * the settings say. The VMs are kept in a file and restored when the cloud is opened again;
 * operations under way continue. A file that cannot be written is reported once and retried; the
 * cloud continues in memory. Devices and CPUs are chosen when a VM is deployed or moved, as
 * OpenNebula does. No network, no processes, no documents. Costs: an observation of all hosts or
 * VMs is a copy of them; memory per host about 0.5 KB while hosts are observed.
 */
#pragma once

#include "adapters/cloud/cloud.h"
#include "core/settings.h"
#include "core/site.h"

struct simulated_settings {
    const struct site *site; /* copied; host ids are places: 0, 1, ... */
    /* Hosts' devices, NUMA nodes and huge pages; templates, numbered from 0, joined by '+';
     * networks (galerna.conf(5)). NULL: none. Threads, devices: within the limits of
     * core/demand.h. */
    const char *hardware, *templates, *networks;
    const char *file;  /* where the VMs are kept; made when not there, mode 0600 */
    bool must_exist;   /* there are leases of its VMs */
    int64_t boot_time; /* seconds; 0: a moment */
    const struct engine_settings *engine; /* rates of suspension and resumption, shutdown time */
    /* Reports problems to the operator; NULL: not reported. */
    void (*complain)(void *context, const char *text);
    void *context;
};

/* *resumed: the file held VMs. Errors: EINVAL (no file although it must exist, hardware,
 * templates or networks that make no sense), EEXIST (the file has another number of hosts), EPROTO
 * (not a simulated cloud's file), those of SQLite (EIO). */
struct cloud *simulated_create(const struct simulated_settings *settings, bool *resumed,
                               struct error *err);
