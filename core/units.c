/* Units of a host held by VMs, and counters of the units in use. */
#include "core/units.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* --- units of a VM ---------------------------------------------------------------------------- */

struct held_units *held_units_create(uint32_t vm, uint32_t host, const struct vm_demand *demand,
                                     const struct unit_set *set)
{
    static const struct unit_set nothing;
    struct held_units *held;
    uint16_t *numbers;

    set = set ? set : &nothing;
    held = memory_new(1, sizeof *held + (set->n_threads + set->n_devices) * sizeof(uint16_t) +
                             set->n_memory);
    held->references = 1;
    held->vm = vm;
    held->host = host;
    held->demand = demand;
    held->n_threads = (uint16_t)set->n_threads;
    held->n_memory = (uint16_t)set->n_memory;
    held->n_devices = (uint16_t)set->n_devices;
    numbers = held->threads_and_devices;
    memcpy(numbers, set->threads, set->n_threads * sizeof *numbers);
    memcpy(numbers + set->n_threads, set->devices, set->n_devices * sizeof *numbers);
    memcpy(numbers + set->n_threads + set->n_devices, set->memory, set->n_memory);
    return held;
}

struct held_units *held_units_share(struct held_units *held)
{
    held->references++;
    return held;
}

void held_units_destroy(struct held_units *held)
{
    if (held && --held->references == 0)
        free(held);
}

void held_units_exchange(struct held_units *held, const struct held_units *other)
{
    memcpy(held->threads_and_devices, other->threads_and_devices,
           (size_t)(held->n_threads + held->n_devices) * sizeof(uint16_t) + held->n_memory);
}

/* --- limits ----------------------------------------------------------------------------------- */

bool demand_is_sound(const struct vm_demand *demand)
{
    uint64_t cpus = 0;

    if (demand->n_nodes > VM_NODES_MOST || demand->n_devices > VM_DEVICES_MOST ||
        demand->n_rules > VM_RULES_MOST || demand->page_kb < 0 ||
        demand->threads_per_core > VM_CPUS_MOST || (demand->pin != PIN_NONE && !demand->n_nodes))
        return false;
    for (uint32_t i = 0; i < demand->n_nodes; i++) {
        cpus += demand->nodes[i].cpus;
        if (demand->nodes[i].memory_kb < 0 || demand->nodes[i].memory_kb > KB_MOST)
            return false;
    }
    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].role == DEMAND_ANY || demand->rules[i].weight > WEIGHT_MOST ||
            demand->rules[i].weight < -WEIGHT_MOST)
            return false;
    return cpus <= VM_CPUS_MOST;
}

bool host_units_are_sound(const struct host_units *units)
{
    uint64_t threads = 0;

    if (units->n_nodes > HOST_NODES_MOST || units->n_devices > HOST_DEVICES_MOST ||
        units->vms_per_thread > VM_CPUS_MOST)
        return false;
    for (uint32_t i = 0; i < units->n_nodes; i++)
        for (uint32_t core = 0; core < units->nodes[i].n_cores; core++)
            threads += units->nodes[i].cores[core].n_threads;
    return threads <= HOST_THREADS_MOST;
}

/* --- counters --------------------------------------------------------------------------------- */

struct unit_layout unit_layout_of(const struct host_units *units)
{
    struct unit_layout layout = {.units = units};
    uint32_t pages = 0;

    for (uint32_t node = 0; node < units->n_nodes; node++) {
        for (uint32_t core = 0; core < units->nodes[node].n_cores; core++)
            layout.memory += units->nodes[node].cores[core].n_threads;
        pages += units->nodes[node].n_pages;
    }
    layout.pages = layout.memory + units->n_nodes;
    layout.devices = layout.pages + pages;
    layout.n = layout.devices + units->n_devices;
    return layout;
}

uint32_t numa_node_place(const struct host_units *units, int32_t id)
{
    for (uint32_t node = 0; node < units->n_nodes; node++)
        if (units->nodes[node].id == id)
            return node;
    return NO_PLACE;
}

uint32_t unit_pages_of(const struct unit_layout *layout, uint32_t node, int64_t size_kb)
{
    uint32_t counter = layout->pages;

    for (uint32_t i = 0; i < node; i++)
        counter += layout->units->nodes[i].n_pages;
    for (uint32_t i = 0; i < layout->units->nodes[node].n_pages; i++)
        if (layout->units->nodes[node].pages[i].size_kb == size_kb)
            return counter + i;
    return 0;
}

void held_units_visit(const struct unit_layout *layout, const struct held_units *held,
                      void (*visit)(void *context, uint32_t counter, int64_t amount), void *context)
{
    const struct vm_demand *demand = held->demand;
    int64_t share = demand->pin == PIN_CORE ? DEDICATED : 1;

    for (uint32_t i = 0; i < held->n_threads; i++)
        visit(context, held_threads(held)[i], share);
    for (uint32_t i = 0; i < held->n_memory; i++) {
        uint32_t node = held_memory(held)[i], pages;

        if (node == NO_PLACE)
            continue;
        visit(context, layout->memory + node, demand->nodes[i].memory_kb);
        pages = demand->page_kb ? unit_pages_of(layout, node, demand->page_kb) : 0;
        if (pages)
            visit(context, pages, demand->nodes[i].memory_kb / demand->page_kb);
    }
    for (uint32_t i = 0; i < held->n_devices; i++)
        visit(context, layout->devices + held_devices(held)[i], 1);
}
