/* units.h: the units that a VM holds on a host, and the choice of free units for a demand.
 *
 * A column of counters (struct unit_layout) describes the use of a host: for each hardware thread
 * the VMs on it, for each NUMA node the KB and, by size, the pages in use, and for each device 1 if
 * a VM has it. Threads, nodes, and devices are known by their place on the host.
 *
 * Costs: u = counters of the host. Layout, choice: O(u), for d devices demanded O(d^2 * devices) at
 * most. Add: O(units of the VM).
 */
#pragma once

#include "core/demand.h"

/* Units by place; filled by a choice, or from the report of a running VM. */
struct unit_set {
    uint32_t n_threads, n_memory, n_devices;
    uint16_t threads[VM_CPUS_MOST]; /* CORE: the first of each core stands for the core */
    uint8_t memory[VM_NODES_MOST];  /* NUMA node of each virtual node; NO_PLACE: none */
    uint16_t devices[VM_DEVICES_MOST];
};

enum { NO_PLACE = UINT8_MAX };

/* Units and the role of a VM on its host. Shared by placements; changed after creation only by
 * held_units_exchange(). */
struct held_units {
    uint32_t references;
    uint32_t vm, host;
    const struct vm_demand *demand;
    uint16_t n_threads, n_memory, n_devices;
    uint16_t threads_and_devices[]; /* then the bytes of memory */
};

/* set NULL: no units, only the role. Returns one reference. */
struct held_units *held_units_create(uint32_t vm, uint32_t host, const struct vm_demand *demand,
                                     const struct unit_set *set);
struct held_units *held_units_share(struct held_units *held);
void held_units_destroy(struct held_units *held); /* NULL is allowed */
/* Gives the VM of `held`, which does not run yet, the units of `other`, which were chosen for the
 * same demand and so are as many. */
void held_units_exchange(struct held_units *held, const struct held_units *other);

static inline const uint16_t *held_threads(const struct held_units *held)
{
    return held->threads_and_devices;
}

static inline const uint16_t *held_devices(const struct held_units *held)
{
    return held->threads_and_devices + held->n_threads;
}

static inline const uint8_t *held_memory(const struct held_units *held)
{
    return (const uint8_t *)(held_devices(held) + held->n_devices);
}

/* Does the VM hold units, beyond the place of its role? */
static inline bool held_has_units(const struct held_units *held)
{
    return held->n_threads + held->n_memory + held->n_devices > 0;
}

/* Are the limits of demand.h respected? */
bool demand_is_sound(const struct vm_demand *demand);
bool host_units_are_sound(const struct host_units *units);

/* Does the demand include units? */
static inline bool demand_has_units(const struct vm_demand *demand)
{
    return demand->n_devices > 0 || demand->n_nodes > 0;
}

/* The first counter of each type of unit of a host; threads begin at 0. */
struct unit_layout {
    const struct host_units *units;
    uint32_t memory, pages, devices, n;
};

struct unit_layout unit_layout_of(const struct host_units *units);

/* The count of a thread on a core dedicated to one VM. */
enum { DEDICATED = 1 << 20 };

/* Calls visit with each counter that the VM's units change and the amount. */
void held_units_visit(const struct unit_layout *layout, const struct held_units *held,
                      void (*visit)(void *context, uint32_t counter, int64_t amount),
                      void *context);

/* Chooses free units that meet the demand. False: there are none. `used` changes. */
bool units_choose(const struct unit_layout *layout, const struct vm_demand *demand, int64_t *used,
                  struct unit_set *set);

/* Could a host with these units (NULL: none) meet the demand when empty? */
bool units_could_meet(const struct host_units *units, const struct vm_demand *demand);

/* Are exactly these units free for the VM? `used` changes. */
bool units_are_free(const struct unit_layout *layout, const struct held_units *held, int64_t *used);

/* The units that a running VM reports, completed by units_choose(). False: units_choose() finds
 * none. */
bool units_reported(const struct unit_layout *layout, const struct vm_demand *demand,
                    const struct vm_units *reported, int64_t *used, struct unit_set *set);

/* --- parts of a choice ------------------------------------------------------------------------ */

/* Sets of NUMA nodes: 1 << place. */
#define ALL_NODES UINT64_MAX

uint32_t numa_node_place(const struct host_units *units, int32_t id); /* NO_PLACE: unknown */

/* The counter of a node's pages of that size; 0: the node has none. */
uint32_t unit_pages_of(const struct unit_layout *layout, uint32_t node, int64_t size_kb);

/* Nodes for the threads, and for the memory of VMs that are not pinned. */
struct numa_nodes {
    uint64_t allowed;
    uint64_t preferred; /* taken first */
};

/* pinning.c: threads, and memory with its pages. Adds the chosen units to `used`. */
bool pins_choose(const struct unit_layout *layout, const struct vm_demand *demand,
                 struct numa_nodes nodes, int64_t *used, struct unit_set *set);

/* devices.c: a device for each demand, on these NUMA nodes unless ALL_NODES. */
bool devices_choose(const struct unit_layout *layout, const struct vm_demand *demand,
                    uint64_t nodes, const int64_t *used, struct unit_set *set);
/* Does the device match? */
bool device_matches(const struct pci_device *device, const struct pci_demand *demand);
