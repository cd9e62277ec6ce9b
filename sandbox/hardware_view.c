/* A host's hardware as reported, with what the VMs there hold of it. */
#include "sandbox/hardware_view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/memory.h"

#define EACH(list, name, vector)                                                                   \
    for (size_t each_##vector = 0;                                                                 \
         ((vector) = oned_attributes_vector(list, name, each_##vector)) != NULL; each_##vector++)

bool oned_is_pinned(const struct oned_vm *vm, const char **policy)
{
    const struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);

    *policy = topology ? oned_attributes_get(topology, "PIN_POLICY") : NULL;
    return *policy && strcasecmp(*policy, "NONE") != 0;
}

/* --- as reported ------------------------------------------------------------------------------ */

static struct oned_node *add_node(struct oned_hardware *view, int id)
{
    struct oned_node *node = oned_hardware_node(view, id);
    size_t place = 0;

    if (node)
        return node;
    while (place < view->n_nodes && view->nodes[place].id < id)
        place++;
    MEMORY_GROW(view->nodes, view->nodes_allocated, view->n_nodes + 1);
    memmove(&view->nodes[place + 1], &view->nodes[place],
            (view->n_nodes++ - place) * sizeof *view->nodes);
    view->nodes[place] = (struct oned_node){.id = id};
    return &view->nodes[place];
}

static void add_cores(struct oned_hardware *view, const struct oned_attributes *hardware)
{
    const struct oned_attributes *core;

    EACH(hardware, "CORE", core)
    {
        const char *cpus = oned_attributes_get(core, "CPUS");
        struct oned_core *made;

        MEMORY_GROW(view->cores, view->cores_allocated, view->n_cores + 1);
        made = &view->cores[view->n_cores++];
        *made = (struct oned_core){.node = (int)oned_attributes_number(core, "NODE_ID", 0),
                                   .id = (int)oned_attributes_number(core, "ID", 0),
                                   .first = view->n_cpus};
        add_node(view, made->node);
        for (char *end; cpus && *cpus; cpus = *end == ',' ? end + 1 : end) {
            int id = (int)strtol(cpus, &end, 10);

            if (end == cpus)
                break;
            MEMORY_GROW(view->cpus, view->cpus_allocated, view->n_cpus + 1);
            view->cpus[view->n_cpus++] = (struct oned_cpu){id, NO_VM};
            made->count++;
        }
    }
}

static void add_memory(struct oned_hardware *view, const struct oned_attributes *hardware)
{
    const struct oned_attributes *vector;

    EACH(hardware, "MEMORY_NODE", vector)
    {
        struct oned_node *node = add_node(view, (int)oned_attributes_number(vector, "NODE_ID", 0));

        node->memory = oned_attributes_number(vector, "TOTAL", 0);
        node->reported = vector;
    }
    EACH(hardware, "HUGEPAGE", vector)
    {
        MEMORY_GROW(view->pages, view->pages_allocated, view->n_pages + 1);
        view->pages[view->n_pages++] =
            (struct oned_pages){.node = (int)oned_attributes_number(vector, "NODE_ID", 0),
                                .size = oned_attributes_number(vector, "SIZE", 0),
                                .count = oned_attributes_number(vector, "PAGES", 0)};
    }
}

/* --- as held ---------------------------------------------------------------------------------- */

static void hold_cpu(struct oned_hardware *view, int id, int vm, bool dedicated)
{
    for (size_t i = 0; i < view->n_cores; i++) {
        struct oned_core *core = &view->cores[i];

        for (size_t j = core->first; j < core->first + core->count; j++) {
            if (view->cpus[j].id != id)
                continue;
            view->cpus[j].vm = vm;
            core->dedicated = core->dedicated || dedicated;
        }
    }
}

static void hold_node(struct oned_hardware *view, const struct oned_vm *vm,
                      const struct oned_attributes *numa)
{
    const struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);
    const char *cpus = oned_attributes_get(numa, "CPUS"), *policy;
    int64_t memory = oned_attributes_number(numa, "MEMORY", 0);
    int64_t memory_node = oned_attributes_number(numa, "MEMORY_NODE_ID", -1);
    int64_t size = topology ? oned_attributes_number(topology, "HUGEPAGE_SIZE", 0) * 1024 : 0;
    struct oned_node *node = oned_hardware_node(view, memory_node);
    struct oned_pages *pages = oned_hardware_pages(view, memory_node, size);
    bool pinned = oned_is_pinned(vm, &policy);

    if (node)
        node->used += memory;
    if (pages)
        pages->used += memory / size;
    for (char *end; pinned && cpus && *cpus; cpus = *end == ',' ? end + 1 : end) {
        int id = (int)strtol(cpus, &end, 10);

        if (end == cpus)
            break;
        hold_cpu(view, id, vm->id, strcasecmp(policy, "CORE") == 0);
    }
}

struct oned_hardware oned_hardware_view(const struct oned *oned, const struct oned_host *host)
{
    struct oned_hardware view = {0};

    add_cores(&view, &host->hardware);
    add_memory(&view, &host->hardware);
    for (size_t i = 0; i < host->vm_count; i++) {
        const struct oned_vm *vm = oned_vm(oned, host->vms[i]);
        const struct oned_attributes *numa;

        if (vm->leaving == host->id)
            continue;
        EACH(&vm->template, "NUMA_NODE", numa)
        {
            hold_node(&view, vm, numa);
        }
    }
    return view;
}

void oned_hardware_view_finish(struct oned_hardware *view)
{
    free(view->cores);
    free(view->cpus);
    free(view->nodes);
    free(view->pages);
}

struct oned_node *oned_hardware_node(const struct oned_hardware *view, int64_t id)
{
    for (size_t i = 0; i < view->n_nodes; i++)
        if (view->nodes[i].id == id)
            return &view->nodes[i];
    return NULL;
}

struct oned_pages *oned_hardware_pages(const struct oned_hardware *view, int64_t node, int64_t size)
{
    for (size_t i = 0; i < view->n_pages && size > 0; i++)
        if (view->pages[i].node == node && view->pages[i].size == size)
            return &view->pages[i];
    return NULL;
}

/* A VM that moves holds its device on the host that it leaves as well. */
int oned_device_user(const struct oned *oned, const struct oned_host *host,
                     const struct oned_attributes *device)
{
    const char *address = oned_attributes_get(device, "ADDRESS");

    for (size_t i = 0; address && i < host->vm_count; i++) {
        const struct oned_vm *vm = oned_vm(oned, host->vms[i]);
        const char *name = vm->leaving == host->id ? "PREV_ADDRESS" : "ADDRESS", *held;
        const struct oned_attributes *request;

        EACH(&vm->template, "PCI", request)
        {
            held = oned_attributes_get(request, name);
            if (held && strcmp(held, address) == 0)
                return vm->id;
        }
    }
    return NO_VM;
}
