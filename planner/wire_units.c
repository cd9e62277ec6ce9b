/* Encodes units of hosts and demands of VMs: tables of their fields, and arrays. */
#include "planner/wire_units.h"

#include <stdlib.h>

#include "util/memory.h"

/* --- memory ----------------------------------------------------------------------------------- */

void kept_add(struct kept_list *kept, void *memory)
{
    MEMORY_GROW(kept->items, kept->allocated, kept->n + 1);
    kept->items[kept->n++] = memory;
}

void *kept_new(struct kept_list *kept, size_t count, size_t size)
{
    void *memory = memory_new(count, size);

    kept_add(kept, memory);
    return memory;
}

void kept_finish(struct kept_list *kept)
{
    for (size_t i = 0; i < kept->n; i++)
        free(kept->items[i]);
    free(kept->items);
    *kept = (struct kept_list){0};
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* An array of structures described by one table. */
struct array_kind {
    const struct wire_field *fields;
    size_t n_fields, size;
    uint32_t most;
};

static void put_array(struct wire_writer *writer, const struct array_kind *kind, const void *items,
                      uint32_t n)
{
    wire_put(writer, n);
    for (uint32_t i = 0; i < n; i++)
        wire_put_fields(writer, kind->fields, kind->n_fields, (const char *)items + i * kind->size);
}

static size_t get_count(struct wire_reader *reader, size_t size, uint32_t most)
{
    size_t n = wire_get_count(reader, size);

    if (n > most)
        reader->failed = true;
    return reader->failed ? 0 : n;
}

static void *get_array(struct wire_reader *reader, struct kept_list *kept,
                       const struct array_kind *kind, uint32_t *n)
{
    char *items;

    *n = (uint32_t)get_count(reader, kind->n_fields, kind->most);
    items = kept_new(kept, *n, kind->size);
    for (uint32_t i = 0; i < *n; i++)
        wire_get_fields(reader, kind->fields, kind->n_fields, items + i * kind->size);
    return items;
}

static const struct wire_field number_fields[] = {{0, sizeof(uint32_t), 0, 0}};

#define ARRAY(table, type, limit)                                                                  \
    {                                                                                              \
        table, WIRE_TABLE_SIZE(table), sizeof(type), limit                                         \
    }

static const struct array_kind number_array = ARRAY(number_fields, uint32_t, HOST_THREADS_MOST);

/* --- hosts ------------------------------------------------------------------------------------ */

static const struct wire_field page_fields[] = {
    WIRE_FIELD(struct huge_pages, size_kb, 0, INT64_MAX),
    WIRE_FIELD(struct huge_pages, count, 0, INT64_MAX),
};
static const struct array_kind page_array = ARRAY(page_fields, struct huge_pages, HOST_NODES_MOST);

static const struct wire_field device_fields[] = {
    WIRE_ANY(struct pci_device, vendor),    WIRE_ANY(struct pci_device, device),
    WIRE_ANY(struct pci_device, class_id),  WIRE_ANY(struct pci_device, address),
    WIRE_ANY(struct pci_device, numa_node),
};

static void put_node(struct wire_writer *writer, const struct numa_node *node, uint32_t n_nodes)
{
    wire_put(writer, node->id);
    wire_put(writer, node->memory_kb);
    wire_put(writer, node->n_cores);
    for (uint32_t i = 0; i < node->n_cores; i++)
        put_array(writer, &number_array, node->cores[i].threads, node->cores[i].n_threads);
    put_array(writer, &page_array, node->pages, node->n_pages);
    put_array(writer, &number_array, node->nearest, node->nearest ? n_nodes : 0);
}

static void get_node(struct wire_reader *reader, struct kept_list *kept, struct numa_node *node,
                     uint32_t n_nodes)
{
    struct numa_core *cores;
    uint32_t n;

    node->id = (int32_t)wire_get(reader, 0, INT32_MAX);
    node->memory_kb = wire_get(reader, 0, INT64_MAX);
    node->n_cores = (uint32_t)get_count(reader, 1, HOST_THREADS_MOST);
    node->cores = cores = kept_new(kept, node->n_cores, sizeof *cores);
    for (uint32_t i = 0; i < node->n_cores; i++)
        cores[i].threads = get_array(reader, kept, &number_array, &cores[i].n_threads);
    node->pages = get_array(reader, kept, &page_array, &node->n_pages);
    node->nearest = get_array(reader, kept, &number_array, &n);
    if (n == 0)
        node->nearest = NULL;
    else if (n != n_nodes)
        reader->failed = true;
}

void wire_put_host_units(struct wire_writer *writer, const struct host_units *units)
{
    wire_put(writer, units->vms_per_thread);
    wire_put(writer, units->n_nodes);
    for (uint32_t i = 0; i < units->n_nodes; i++)
        put_node(writer, &units->nodes[i], units->n_nodes);
    wire_put(writer, units->n_devices);
    for (uint32_t i = 0; i < units->n_devices; i++) {
        const struct pci_device *device = &units->devices[i];

        wire_put_fields(writer, device_fields, WIRE_TABLE_SIZE(device_fields), device);
        put_array(writer, &number_array, device->profiles, device->n_profiles);
    }
}

const struct host_units *wire_get_host_units(struct wire_reader *reader, struct kept_list *kept)
{
    struct host_units *units = kept_new(kept, 1, sizeof *units);
    struct numa_node *nodes;
    struct pci_device *devices;

    units->vms_per_thread = (uint32_t)wire_get(reader, 0, INT32_MAX);
    units->n_nodes = (uint32_t)get_count(reader, 5, HOST_NODES_MOST);
    units->nodes = nodes = kept_new(kept, units->n_nodes, sizeof *nodes);
    for (uint32_t i = 0; i < units->n_nodes; i++)
        get_node(reader, kept, &nodes[i], units->n_nodes);
    units->n_devices = (uint32_t)get_count(reader, 6, HOST_DEVICES_MOST);
    units->devices = devices = kept_new(kept, units->n_devices, sizeof *devices);
    for (uint32_t i = 0; i < units->n_devices; i++) {
        wire_get_fields(reader, device_fields, WIRE_TABLE_SIZE(device_fields), &devices[i]);
        devices[i].profiles = get_array(reader, kept, &number_array, &devices[i].n_profiles);
    }
    return units;
}

/* --- demands ---------------------------------------------------------------------------------- */

static const struct wire_field demand_fields[] = {
    WIRE_FIELD(struct vm_demand, pin, PIN_NONE, PIN_SHARED),
    WIRE_FIELD(struct vm_demand, threads_per_core, 0, INT32_MAX),
    WIRE_FIELD(struct vm_demand, page_kb, 0, INT64_MAX),
    WIRE_FIELD(struct vm_demand, node, NODE_ANY, INT32_MAX),
    WIRE_ANY(struct vm_demand, devices_near),
    WIRE_ANY(struct vm_demand, role),
};

static const struct wire_field vm_node_fields[] = {
    WIRE_FIELD(struct vm_node, cpus, 0, VM_CPUS_MOST),
    WIRE_FIELD(struct vm_node, memory_kb, 0, INT64_MAX),
};
static const struct array_kind vm_node_array = ARRAY(vm_node_fields, struct vm_node, VM_NODES_MOST);

static const struct wire_field pci_fields[] = {
    WIRE_ANY(struct pci_demand, vendor),   WIRE_ANY(struct pci_demand, device),
    WIRE_ANY(struct pci_demand, class_id), WIRE_ANY(struct pci_demand, address),
    WIRE_ANY(struct pci_demand, profile),
};
static const struct array_kind pci_array = ARRAY(pci_fields, struct pci_demand, VM_DEVICES_MOST);

static const struct wire_field rule_fields[] = {
    WIRE_ANY(struct company_rule, role),
    WIRE_ANY(struct company_rule, apart),
    WIRE_FIELD(struct company_rule, level, COMPANY_HOST, COMPANY_CLUSTER),
    WIRE_ANY(struct company_rule, weight),
};
static const struct array_kind rule_array = ARRAY(rule_fields, struct company_rule, VM_RULES_MOST);

void wire_put_demand(struct wire_writer *writer, const struct vm_demand *demand)
{
    wire_put_fields(writer, demand_fields, WIRE_TABLE_SIZE(demand_fields), demand);
    put_array(writer, &vm_node_array, demand->nodes, demand->n_nodes);
    put_array(writer, &pci_array, demand->devices, demand->n_devices);
    put_array(writer, &rule_array, demand->rules, demand->n_rules);
    wire_put(writer, demand->rest != NULL);
    if (demand->rest)
        wire_put_amounts(writer, demand->rest);
}

const struct vm_demand *wire_get_demand(struct wire_reader *reader, struct kept_list *kept)
{
    struct vm_demand *demand = kept_new(kept, 1, sizeof *demand);
    struct amounts *rest;

    wire_get_fields(reader, demand_fields, WIRE_TABLE_SIZE(demand_fields), demand);
    demand->nodes = get_array(reader, kept, &vm_node_array, &demand->n_nodes);
    demand->devices = get_array(reader, kept, &pci_array, &demand->n_devices);
    demand->rules = get_array(reader, kept, &rule_array, &demand->n_rules);
    if (wire_get_bool(reader)) {
        demand->rest = rest = kept_new(kept, 1, sizeof *rest);
        wire_get_amounts(reader, rest);
    }
    return demand;
}

/* --- units that a VM holds -------------------------------------------------------------------- */

void wire_put_vm_units(struct wire_writer *writer, const struct vm_units *units, uint32_t n_nodes)
{
    put_array(writer, &number_array, units->threads, units->n_threads);
    put_array(writer, &number_array, units->memory_nodes, units->memory_nodes ? n_nodes : 0);
    put_array(writer, &number_array, units->devices, units->n_devices);
}

void wire_get_vm_units(struct wire_reader *reader, struct kept_list *kept, struct vm_units *units,
                       uint32_t n_nodes)
{
    uint32_t n;

    units->threads = get_array(reader, kept, &number_array, &units->n_threads);
    units->memory_nodes = get_array(reader, kept, &number_array, &n);
    if (n == 0)
        units->memory_nodes = NULL;
    else if (n != n_nodes)
        reader->failed = true;
    units->devices = get_array(reader, kept, &number_array, &units->n_devices);
}

/* --- amounts ---------------------------------------------------------------------------------- */

void wire_put_amounts(struct wire_writer *writer, const struct amounts *amounts)
{
    int n = RESOURCE_TYPES_MAX;

    while (n > 0 && amounts->of[n - 1] == 0)
        n--;
    wire_put(writer, n);
    for (int i = 0; i < n; i++)
        wire_put(writer, amounts->of[i]);
}

void wire_get_amounts(struct wire_reader *reader, struct amounts *amounts)
{
    int64_t n = wire_get(reader, 0, RESOURCE_TYPES_MAX);

    *amounts = (struct amounts){{0}};
    for (int64_t i = 0; i < n; i++)
        amounts->of[i] = wire_get(reader, INT64_MIN, INT64_MAX);
}
