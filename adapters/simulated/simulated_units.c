/* PCI devices and NUMA nodes of hosts that VMs hold: chosen when a VM is deployed or moved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/memory.h"

enum { ADDRESS_ROOM = 24, DEVICES_PER_BUS = 32 };

static bool holds_units(const struct simulated_vm *vm)
{
    return vm->held && vm->host >= 0 && vm_state_traits[vm->state].holds;
}

/* --- choice ----------------------------------------------------------------------------------- */

static void add_to(void *context, uint32_t counter, int64_t amount)
{
    ((int64_t *)context)[counter] += amount;
}

bool simulated_hold(struct simulated *self, struct simulated_vm *vm, int32_t host)
{
    struct unit_layout layout = unit_layout_of(&self->units[host]);
    struct unit_set *set;
    int64_t *used;
    bool chosen;

    if (!vm->demand || (holds_units(vm) && vm->host == host))
        return true;
    used = memory_new(layout.n, sizeof *used);
    set = memory_new(1, sizeof *set);
    for (size_t i = 0; i < self->n_vms; i++)
        if (self->vms[i].host == host && holds_units(&self->vms[i]))
            held_units_visit(&layout, self->vms[i].held, add_to, used);
    chosen = units_choose(&layout, &vm->demand->demand, used, set);
    if (chosen) {
        held_units_destroy(vm->held);
        vm->held = held_units_create((uint32_t)vm->id, (uint32_t)host, &vm->demand->demand, set);
    }
    free(set);
    free(used);
    return chosen;
}

/* --- in the file ------------------------------------------------------------------------------ */

size_t simulated_units_size(const struct held_units *held)
{
    return (size_t)(held->n_threads + held->n_devices) * sizeof(uint16_t) + held->n_memory;
}

static bool are_of(const struct held_units *held, const struct unit_layout *layout)
{
    for (uint32_t i = 0; i < held->n_threads; i++)
        if (held_threads(held)[i] >= layout->memory)
            return false;
    for (uint32_t i = 0; i < held->n_memory; i++)
        if (held_memory(held)[i] >= layout->units->n_nodes)
            return false;
    for (uint32_t i = 0; i < held->n_devices; i++)
        if (held_devices(held)[i] >= layout->units->n_devices)
            return false;
    return true;
}

void simulated_hold_again(const struct simulated *self, struct simulated_vm *vm, const void *units,
                          size_t size)
{
    const struct vm_demand *demand = vm->demand ? &vm->demand->demand : NULL;
    size_t others = demand ? demand->n_devices * sizeof(uint16_t) + demand->n_nodes : 0;
    struct unit_layout layout;
    struct unit_set *set;

    if (!demand || vm->host < 0 || size < others ||
        (size - others) / sizeof(uint16_t) > VM_CPUS_MOST)
        return;
    set = memory_new(1, sizeof *set);
    set->n_threads = (uint32_t)((size - others) / sizeof(uint16_t));
    set->n_devices = demand->n_devices;
    set->n_memory = demand->n_nodes;
    vm->held = held_units_create((uint32_t)vm->id, (uint32_t)vm->host, demand, set);
    free(set);
    if (simulated_units_size(vm->held) == size)
        memcpy(vm->held->threads_and_devices, units, size);
    layout = unit_layout_of(&self->units[vm->host]);
    if (simulated_units_size(vm->held) == size && are_of(vm->held, &layout))
        return;
    held_units_destroy(vm->held);
    vm->held = NULL;
}

/* --- hosts ------------------------------------------------------------------------------------ */

static const char *address_of(struct pool_memory *memory, uint32_t number, bool brief)
{
    char text[ADDRESS_ROOM];
    int length = snprintf(text, sizeof text, brief ? "%02x:%02x.0" : "0000:%02x:%02x:0",
                          1 + number / DEVICES_PER_BUS, number % DEVICES_PER_BUS);

    return pool_memory_text(memory, text, (size_t)length);
}

static void show_devices(struct pool_memory *memory, const struct host_units *units,
                         struct host_hardware *hardware)
{
    hardware->n_devices = units->n_devices;
    hardware->devices = pool_memory_array(memory, units->n_devices, sizeof *hardware->devices);
    for (uint32_t i = 0; i < units->n_devices; i++) {
        const struct pci_device *device = &units->devices[i];

        hardware->devices[i] = (struct host_device){.vendor = device->vendor,
                                                    .device = device->device,
                                                    .class = device->class_id,
                                                    .address = address_of(memory, i, false),
                                                    .short_address = address_of(memory, i, true),
                                                    .profiles = "",
                                                    .node = device->numa_node,
                                                    .vm = -1};
    }
}

static void show_node(struct pool_memory *memory, const struct numa_node *from,
                      struct host_node *node)
{
    size_t n_cpus = from->n_cores * (size_t)from->cores[0].n_threads;

    *node = (struct host_node){
        .id = from->id,
        .cores = pool_memory_array(memory, from->n_cores, sizeof *node->cores),
        .n_cores = from->n_cores,
        .cpus = pool_memory_array(memory, n_cpus, sizeof *node->cpus),
        .uses = pool_memory_array(memory, n_cpus, sizeof *node->uses),
        .n_pages = from->n_pages,
        .memory = from->memory_kb,
    };
    for (uint32_t i = 0; i < from->n_cores; i++) {
        const struct numa_core *core = &from->cores[i];

        node->cores[i] = (struct host_core){(int32_t)i, (uint32_t)node->n_cpus, core->n_threads};
        memcpy(node->cpus + node->n_cpus, core->threads, core->n_threads * sizeof *node->cpus);
        node->n_cpus += core->n_threads;
    }
    for (uint32_t i = 0; i < from->n_pages; i++)
        node->pages[i] =
            (struct host_pages){.size = from->pages[i].size_kb, .count = from->pages[i].count};
}

static void show_pinned(int32_t vm, uint32_t cpu, struct host_hardware *hardware)
{
    struct host_node *node = hardware->nodes;

    while (cpu > node->cpus[node->n_cpus - 1])
        node++;
    if (node->n_uses < node->n_cpus)
        node->uses[node->n_uses++] = (struct cpu_use){vm, cpu};
}

static void show_held(const struct simulated_vm *vm, struct host_hardware *hardware)
{
    const struct vm_demand *demand = &vm->demand->demand;

    for (uint32_t i = 0; i < vm->held->n_devices; i++)
        hardware->devices[held_devices(vm->held)[i]].vm = vm->id;
    for (uint32_t i = 0; i < vm->held->n_threads; i++)
        show_pinned(vm->id, held_threads(vm->held)[i], hardware);
    for (uint32_t i = 0; i < vm->held->n_memory; i++) {
        struct host_node *node = &hardware->nodes[held_memory(vm->held)[i]];

        node->memory_used += demand->nodes[i].memory_kb;
        for (size_t k = 0; k < node->n_pages; k++)
            if (node->pages[k].size == demand->page_kb)
                node->pages[k].used += demand->nodes[i].memory_kb / demand->page_kb;
    }
}

void simulated_show_units(const struct simulated *self, struct host_pool *pool)
{
    struct host_hardware *all = pool_memory_array(pool->memory, pool->n, sizeof *all);

    for (size_t i = 0; i < pool->n; i++) {
        const struct host_units *units = &self->units[i];

        if (!units->n_nodes && !units->n_devices)
            continue;
        all[i] = (struct host_hardware){
            .n_nodes = units->n_nodes,
            .nodes = pool_memory_array(pool->memory, units->n_nodes, sizeof *all[i].nodes),
            .vms_per_cpu = 1};
        for (uint32_t k = 0; k < units->n_nodes; k++)
            show_node(pool->memory, &units->nodes[k], &all[i].nodes[k]);
        show_devices(pool->memory, units, &all[i]);
        pool->items[i].hardware = &all[i];
    }
    for (size_t i = 0; i < self->n_vms; i++)
        if (holds_units(&self->vms[i]))
            show_held(&self->vms[i], &all[self->vms[i].host]);
}

/* --- VMs -------------------------------------------------------------------------------------- */

const struct vm_hardware *simulated_show_demand(const struct simulated_vm *vm,
                                                struct pool_memory *memory)
{
    const struct held_units *held = holds_units(vm) ? vm->held : NULL;
    const struct vm_demand *demand;
    struct vm_hardware *hardware;

    if (!vm->demand)
        return NULL;
    demand = &vm->demand->demand;
    hardware = pool_memory_array(memory, 1, sizeof *hardware);
    *hardware = (struct vm_hardware){
        .devices = pool_memory_array(memory, demand->n_devices, sizeof *hardware->devices),
        .n_devices = demand->n_devices,
        .nodes = pool_memory_array(memory, demand->n_nodes, sizeof *hardware->nodes),
        .n_nodes = demand->n_nodes,
        .policy = demand->pin,
        .threads = demand->threads_per_core,
        .page_size = demand->page_kb,
        .affinity = demand->node};
    for (uint32_t i = 0; i < demand->n_devices; i++)
        hardware->devices[i] = (struct device_request){
            .vendor = demand->devices[i].vendor,
            .device = demand->devices[i].device,
            .class = demand->devices[i].class_id,
            .address = held ? address_of(memory, held_devices(held)[i], false) : NULL};
    for (uint32_t i = 0; i < demand->n_nodes; i++) {
        int32_t node = held ? held_memory(held)[i] : -1;

        hardware->nodes[i] = (struct node_request){.cpus = demand->nodes[i].cpus,
                                                   .memory = demand->nodes[i].memory_kb,
                                                   .node = node,
                                                   .memory_node = node};
    }
    return hardware;
}
