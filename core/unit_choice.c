/* Chooses a host's units for a VM: free ones, or those that the VM reports. */
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "util/memory.h"

/* --- checks ----------------------------------------------------------------------------------- */

static void add_to(void *context, uint32_t counter, int64_t amount)
{
    ((int64_t *)context)[counter] += amount;
}

/* Is each thread used by at most the allowed number of VMs, and each dedicated core by its VM only?
 */
static bool core_is_sound(const struct host_units *units, const struct numa_core *core,
                          const int64_t *used)
{
    int64_t most = units->vms_per_thread ? units->vms_per_thread : 1, sum = 0;
    bool sound = true;

    for (uint32_t i = 0; i < core->n_threads; i++) {
        sum += used[i];
        sound = sound && used[i] <= most;
    }
    return sound || sum == DEDICATED;
}

bool units_are_free(const struct unit_layout *layout, const struct held_units *held, int64_t *used)
{
    const struct host_units *units = layout->units;
    uint32_t thread = 0, pages = layout->pages;

    held_units_visit(layout, held, add_to, used);
    for (uint32_t i = 0; i < units->n_nodes; i++) {
        const struct numa_node *node = &units->nodes[i];

        for (uint32_t core = 0; core < node->n_cores; thread += node->cores[core++].n_threads)
            if (held->n_threads && !core_is_sound(units, &node->cores[core], &used[thread]))
                return false;
        if (held->n_memory && used[layout->memory + i] > node->memory_kb)
            return false;
        for (uint32_t k = 0; k < node->n_pages; k++)
            if (held->n_memory && used[pages + k] > node->pages[k].count)
                return false;
        pages += node->n_pages;
    }
    for (uint32_t i = 0; i < held->n_devices; i++)
        if (used[layout->devices + held_devices(held)[i]] > 1)
            return false;
    return true;
}

/* --- choice ----------------------------------------------------------------------------------- */

/* The NUMA nodes of the first n devices. */
static uint64_t nodes_of_devices(const struct host_units *units, const struct unit_set *set)
{
    uint64_t nodes = 0;

    for (uint32_t i = 0; i < set->n_devices; i++) {
        uint32_t node = numa_node_place(units, units->devices[set->devices[i]].numa_node);

        if (node != NO_PLACE)
            nodes |= UINT64_C(1) << node;
    }
    return nodes;
}

/* The nodes with enough devices of their own for the demand. */
static uint64_t nodes_with_all_devices(const struct unit_layout *layout,
                                       const struct vm_demand *demand, const int64_t *used)
{
    struct unit_set set;
    uint64_t nodes = 0;

    for (uint32_t node = 0; node < layout->units->n_nodes; node++)
        if (devices_choose(layout, demand, UINT64_C(1) << node, used, &set))
            nodes |= UINT64_C(1) << node;
    return nodes;
}

/* The nodes of the VM's threads, or of its memory if it is not pinned. */
static uint64_t nodes_of_pins(const struct host_units *units, const struct unit_set *set)
{
    uint64_t nodes = 0;
    uint32_t thread = 0;

    for (uint32_t i = 0; i < set->n_memory && !set->n_threads; i++)
        nodes |= UINT64_C(1) << set->memory[i];
    for (uint32_t node = 0; node < units->n_nodes && set->n_threads; node++) {
        uint32_t first = thread;

        for (uint32_t core = 0; core < units->nodes[node].n_cores; core++)
            thread += units->nodes[node].cores[core].n_threads;
        for (uint32_t i = 0; i < set->n_threads; i++)
            if (set->threads[i] >= first && set->threads[i] < thread)
                nodes |= UINT64_C(1) << node;
    }
    return nodes;
}

/* oned takes devices first and then prefers their NUMA nodes. */
static bool choose_anywhere(const struct unit_layout *layout, const struct vm_demand *demand,
                            int64_t *used, struct unit_set *set)
{
    return devices_choose(layout, demand, ALL_NODES, used, set) &&
           pins_choose(layout, demand,
                       (struct numa_nodes){ALL_NODES, nodes_of_devices(layout->units, set)}, used,
                       set);
}

/* A VM with one virtual node is pinned to the node with the devices; with more, to the nodes with
 * most of them. */
static bool choose_near(const struct unit_layout *layout, const struct vm_demand *demand,
                        int64_t *used, struct unit_set *set)
{
    uint64_t nodes = nodes_with_all_devices(layout, demand, used);

    if (demand->n_nodes == 1 && !nodes)
        return false;
    if (!nodes && devices_choose(layout, demand, ALL_NODES, used, set))
        nodes = nodes_of_devices(layout->units, set);
    return pins_choose(layout, demand,
                       (struct numa_nodes){demand->n_nodes == 1 ? nodes : ALL_NODES, nodes}, used,
                       set) &&
           devices_choose(layout, demand, nodes_of_pins(layout->units, set), used, set);
}

bool units_choose(const struct unit_layout *layout, const struct vm_demand *demand, int64_t *used,
                  struct unit_set *set)
{
    set->n_threads = set->n_memory = set->n_devices = 0;
    if (demand->devices_near && demand->n_devices && demand->n_nodes)
        return choose_near(layout, demand, used, set);
    return choose_anywhere(layout, demand, used, set);
}

bool units_could_meet(const struct host_units *units, const struct vm_demand *demand)
{
    struct unit_layout layout;
    struct unit_set set;
    int64_t *used;
    bool met;

    if (!units || !demand_has_units(demand))
        return !demand_has_units(demand);
    layout = unit_layout_of(units);
    used = memory_new(layout.n, sizeof *used);
    met = units_choose(&layout, demand, used, &set);
    free(used);
    return met;
}

/* --- reports of running VMs ------------------------------------------------------------------- */

static void find_threads(const struct host_units *units, const struct vm_units *reported,
                         struct unit_set *set)
{
    uint16_t place = 0;

    for (uint32_t node = 0; node < units->n_nodes; node++)
        for (uint32_t core = 0; core < units->nodes[node].n_cores; core++)
            for (uint32_t i = 0; i < units->nodes[node].cores[core].n_threads; i++, place++)
                for (uint32_t k = 0; k < reported->n_threads; k++)
                    if (reported->threads[k] == units->nodes[node].cores[core].threads[i] &&
                        set->n_threads < VM_CPUS_MOST)
                        set->threads[set->n_threads++] = place;
}

static void find_devices(const struct host_units *units, const struct vm_units *reported,
                         struct unit_set *set)
{
    for (uint32_t i = 0; i < units->n_devices; i++)
        for (uint32_t k = 0; k < reported->n_devices && set->n_devices < VM_DEVICES_MOST; k++)
            if (reported->devices[k] == units->devices[i].address) {
                set->devices[set->n_devices++] = (uint16_t)i;
                break;
            }
}

/* The part of the demand that is missing from the VM's report. */
static struct vm_demand unreported(const struct vm_demand *demand, const struct unit_set *set)
{
    struct vm_demand rest = *demand;

    if (set->n_devices)
        rest.n_devices = 0;
    if (set->n_threads || set->n_memory)
        rest.n_nodes = 0;
    return rest;
}

bool units_reported(const struct unit_layout *layout, const struct vm_demand *demand,
                    const struct vm_units *reported, int64_t *used, struct unit_set *set)
{
    struct vm_demand rest;
    struct unit_set chosen;

    set->n_threads = set->n_memory = set->n_devices = 0;
    if (reported && demand->pin != PIN_NONE)
        find_threads(layout->units, reported, set);
    if (reported)
        find_devices(layout->units, reported, set);
    for (uint32_t i = 0; reported && reported->memory_nodes && i < demand->n_nodes; i++)
        set->memory[set->n_memory++] =
            (uint8_t)numa_node_place(layout->units, reported->memory_nodes[i]);
    rest = unreported(demand, set);
    if (!units_choose(layout, &rest, used, &chosen))
        return false;
    if (!set->n_devices) {
        set->n_devices = chosen.n_devices;
        memcpy(set->devices, chosen.devices, chosen.n_devices * sizeof *chosen.devices);
    }
    if (rest.n_nodes) {
        set->n_threads = chosen.n_threads;
        set->n_memory = chosen.n_memory;
        memcpy(set->threads, chosen.threads, chosen.n_threads * sizeof *chosen.threads);
        memcpy(set->memory, chosen.memory, chosen.n_memory);
    }
    return true;
}
