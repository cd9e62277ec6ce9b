/* demand.h: what VMs demand of hosts beyond amounts, and what hosts provide: hardware threads,
 * memory and pages of NUMA nodes, PCI devices, and the company of other VMs.
 *
 * The driver owns all of it; it outlives the engine, does not change meanwhile, and may be shared
 * by hosts or by VMs. The engine reads it through struct site_host (`units`, `cluster`), struct
 * node_set (`demand`) and struct adoption (`vm_units`); NULL costs nothing. Names (addresses,
 * profiles, roles) are numbers chosen by the driver, from 0, except DEMAND_ANY; equal numbers mean
 * equal names throughout the site.
 *
 * Demands hold over time, in the slot table: reservations that overlap do not hold the same units
 * of a host. VMs hold units while they run and during a suspension, resumption or shutdown, not
 * between suspension and resumption; a resumed VM gets units that meet its demand again. A VM that
 * moves live holds units on both hosts meanwhile; VMs with PCI devices do not move live.
 *
 * The rules follow oned's allocation (its host share): a plan made here can be deployed there. oned
 * chooses threads and devices itself at deployment; the units that a VM really got are known when
 * it is adopted.
 *
 * Costs: o = bookings with a demand on a host that begin before the end of the time in question,
 * u = the host's threads, pages and devices, m = bookings of VMs whose role a rule names. Whether a
 * VM's demand is met on a host: O(u + units held by the o + m) and O(d * devices) for d devices
 * demanded; until when: times O(log o). Booking and releasing: O(o + m) moves. Memory: proportional
 * to the bookings; none for VMs without a demand.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/resources.h"

#define DEMAND_ANY UINT32_MAX
#define NODE_ANY   (-1)

/* Limits of the engine; a driver refuses VMs that exceed them. */
enum {
    HOST_NODES_MOST = 64,
    HOST_THREADS_MOST = 4096,
    HOST_DEVICES_MOST = 4096,
    VM_NODES_MOST = 16,
    VM_CPUS_MOST = 1024,
    VM_DEVICES_MOST = 64,
    VM_RULES_MOST = 64,
};
#define KB_MOST     (INT64_C(1) << 50) /* memory of a virtual node */
#define WEIGHT_MOST (INT64_C(1) << 40)

/* --- hosts ------------------------------------------------------------------------------------ */

/* A core and the hardware threads that VMs may use; excludes reserved threads. */
struct numa_core {
    const uint32_t *threads; /* ids, unique on the host, ascending */
    uint32_t n_threads;
};

struct huge_pages {
    int64_t size_kb;
    int64_t count;
};

struct numa_node {
    int32_t id;
    const struct numa_core *cores; /* by ascending id */
    uint32_t n_cores;
    int64_t memory_kb;              /* for VMs with a topology; other VMs are not counted */
    const struct huge_pages *pages; /* one entry per size */
    uint32_t n_pages;
    const int32_t *nearest; /* ids of all nodes, by distance, itself first; NULL: itself, then by
                             * ascending id */
};

/* A device is held by at most one VM at a time. Each part of a divided device (a virtual function,
 * a MIG instance) is a separate device. */
struct pci_device {
    uint32_t vendor, device, class_id; /* as the PCI SIG numbers them */
    uint32_t address;                  /* unique on the host */
    int32_t numa_node;                 /* id; NODE_ANY: not known */
    const uint32_t *profiles;          /* profiles it can have in a VM */
    uint32_t n_profiles;
};

/* Excludes devices held by VMs unknown to the engine. */
struct host_units {
    const struct numa_node *nodes; /* by ascending id */
    uint32_t n_nodes;
    uint32_t vms_per_thread;          /* VMs that may share a thread (oned: VMS_THREAD); 0: one */
    const struct pci_device *devices; /* in the order in which oned takes them: by address */
    uint32_t n_devices;
};

/* --- VMs -------------------------------------------------------------------------------------- */

/* CORE: each virtual CPU gets a core of its own. THREAD: each gets a hardware thread; VMs with
 * THREAD or SHARED may share a core. SHARED: the VM floats on its threads, which are counted as for
 * THREAD (as oned does). */
enum pin_policy { PIN_NONE, PIN_CORE, PIN_THREAD, PIN_SHARED };

/* A virtual NUMA node. */
struct vm_node {
    uint32_t cpus;
    int64_t memory_kb;
};

/* At least one of vendor, device, class_id and address is a value. */
struct pci_demand {
    uint32_t vendor, device, class_id, address, profile; /* or DEMAND_ANY */
};

enum company_level { COMPANY_HOST, COMPANY_CLUSTER };

/* Where the VM may be placed relative to the VMs of a role, its own or another. VMs of both roles
 * have the rule. Together: on the same host (in the same cluster) as one of them, if any is placed
 * at that time; each role of a set that must be together has a rule about every role of the set,
 * including itself. Apart: never on the same host (in the same cluster) as one of them. All rules
 * hold whenever the VMs run at the same time. */
struct company_rule {
    uint32_t role;
    bool apart;
    enum company_level level;
    int64_t weight; /* 0: mandatory. Else a preference: added to a host's rank (apart: subtracted)
                     * for each VM of the role at that level at the start */
};

struct vm_demand {
    enum pin_policy pin;
    const struct vm_node *nodes; /* at least one if pinned, or with pages or a node, all pinned to
                                  * the host's nodes together; else none */
    uint32_t n_nodes;
    uint32_t threads_per_core; /* of its topology; 0: the most that host and nodes allow */
    int64_t page_kb;           /* size of the pages of its memory; 0: any memory */
    int32_t node;              /* host's NUMA node with its memory; NODE_ANY. Not with pinning */

    const struct pci_demand *devices;
    uint32_t n_devices;
    bool devices_near; /* devices must be on the NUMA nodes to which the VM is pinned */

    uint32_t role; /* DEMAND_ANY: none */
    const struct company_rule *rules;
    uint32_t n_rules;
    /* The needs of the VMs that must share a host with this one (those not yet placed, except this
     * lease's): the first of them goes to a host with room for all. NULL: none */
    const struct amounts *rest;
};

/* --- what a VM holds -------------------------------------------------------------------------- */

/* Units of a running VM, for adoption. Unknown ids are ignored; the engine chooses demanded units
 * that are missing here. */
struct vm_units {
    const uint32_t *threads; /* ids */
    uint32_t n_threads;
    const int32_t *memory_nodes; /* the host's node with the memory of each of its n_nodes, or
                                  * NODE_ANY; NULL: unknown */
    const uint32_t *devices;     /* addresses */
    uint32_t n_devices;
};
