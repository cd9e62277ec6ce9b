/* Reads the PCI devices and NUMA nodes of a host. */
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool_hardware.h"
#include "util/search.h"

enum { ADDRESS_MAX = 63 };

static const int64_t largest = INT64_C(1) << 50;

/* --- devices ---------------------------------------------------------------------------------- */

static const char *read_address(struct pool_reader *reader, const struct pool_value *given)
{
    return given->length <= ADDRESS_MAX ? pool_read_text(reader, given) : "";
}

static void read_profiles(struct pool_reader *reader, struct host_hardware_draft *draft,
                          const struct pool_value *given)
{
    if (!draft->profiles || strcmp(draft->profiles, given->text) != 0)
        draft->profiles = pool_read_text(reader, given);
    draft->device.profiles = draft->profiles;
}

static void read_small(const struct pool_value *given, int32_t *value)
{
    int64_t number = -1;

    if (pool_is_count(given, INT32_MAX, &number))
        *value = (int32_t)number;
}

static void read_device(struct pool_reader *reader, struct host_hardware_draft *draft,
                        const struct pool_value *given)
{
    struct host_device *device = &draft->device;

    if (!draft->device_begun)
        *device = (struct host_device){
            .address = "", .short_address = "", .profiles = "", .node = -1, .vm = -1};
    draft->device_begun = true;
    switch (given->elements[3]->word) {
    case WORD_VENDOR:
        pool_is_pci(given, &device->vendor);
        break;
    case WORD_DEVICE:
        pool_is_pci(given, &device->device);
        break;
    case WORD_CLASS:
        pool_is_pci(given, &device->class);
        break;
    case WORD_ADDRESS:
        device->address = read_address(reader, given);
        break;
    case WORD_SHORT_ADDRESS:
        device->short_address = read_address(reader, given);
        break;
    case WORD_PROFILES:
        read_profiles(reader, draft, given);
        break;
    case WORD_NUMA_NODE:
        read_small(given, &device->node);
        break;
    case WORD_VMID:
        read_small(given, &device->vm);
        break;
    default:
        break;
    }
}

static void end_device(struct pool_reader *reader, struct host_hardware_draft *draft)
{
    struct host_hardware *hardware = &draft->hardware;

    if (draft->device_begun && *draft->device.address && hardware->n_devices < HOST_DEVICES_MOST) {
        hardware->devices = pool_append(reader, hardware->devices, hardware->n_devices,
                                        &draft->devices_allocated, sizeof draft->device);
        hardware->devices[hardware->n_devices++] = draft->device;
    }
    draft->device_begun = false;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void begin_node(struct host_hardware_draft *draft)
{
    if (draft->node_begun)
        return;
    draft->node = (struct host_node){.id = -1};
    draft->node_begun = true;
    draft->cores_allocated = draft->cpus_allocated = draft->uses_allocated = 0;
}

static void add_use(struct pool_reader *reader, struct host_hardware_draft *draft, long cpu,
                    long vm)
{
    struct host_node *node = &draft->node;

    if (draft->n_uses == HOST_USES_MAX || vm > INT32_MAX)
        return;
    node->uses =
        pool_append(reader, node->uses, node->n_uses, &draft->uses_allocated, sizeof *node->uses);
    node->uses[node->n_uses++] = (struct cpu_use){.vm = (int32_t)vm, .cpu = (uint32_t)cpu};
    draft->n_uses++;
}

static void add_cpu(struct pool_reader *reader, struct host_hardware_draft *draft, long cpu)
{
    struct host_node *node = &draft->node;

    if (draft->n_cpus == HOST_THREADS_MOST)
        return;
    draft->n_cpus++;
    node->cpus =
        pool_append(reader, node->cpus, node->n_cpus, &draft->cpus_allocated, sizeof *node->cpus);
    node->cpus[node->n_cpus++] = (uint32_t)cpu;
    draft->core.n_cpus++;
}

/* Reads "0:-1,16:12,16:13": each CPU with a VM that uses it; -1: free, -2: not available to VMs. */
static void read_cpus(struct pool_reader *reader, struct host_hardware_draft *draft,
                      const char *text)
{
    long before = -1;

    while (*text) {
        char *end;
        long cpu = strtol(text, &end, 10), vm = -1;

        if (end == text || cpu < 0 || cpu > INT32_MAX)
            return;
        if (*end == ':')
            vm = strtol(end + 1, &end, 10);
        if (cpu != before && vm != -2)
            add_cpu(reader, draft, cpu);
        if (vm >= 0)
            add_use(reader, draft, cpu, vm);
        before = cpu;
        text = end + strcspn(end, ",");
        text += *text == ',';
    }
}

static void read_core(struct pool_reader *reader, struct host_hardware_draft *draft,
                      const struct pool_value *given)
{
    if (!draft->core_begun)
        draft->core = (struct host_core){.id = -1, .first_cpu = (uint32_t)draft->node.n_cpus};
    draft->core_begun = true;
    if (given->elements[4]->word == WORD_ID)
        read_small(given, &draft->core.id);
    else if (given->elements[4]->word == WORD_CPUS && draft->core.n_cpus == 0)
        read_cpus(reader, draft, given->text);
}

/* The last of the node's pages is incomplete until its element closes. */
static void read_pages(struct host_node *node, const struct pool_value *given)
{
    struct host_pages *pages;

    if (node->n_pages == NODE_PAGES_MAX)
        return;
    pages = &node->pages[node->n_pages];
    if (given->elements[4]->word == WORD_SIZE)
        pool_is_count(given, largest, &pages->size);
    else if (given->elements[4]->word == WORD_PAGES)
        pool_is_count(given, largest, &pages->count);
    else if (given->elements[4]->word == WORD_USAGE)
        pool_is_count(given, largest, &pages->used);
}

static void read_distances(struct host_node *node, const char *text)
{
    while (node->n_distances < HOST_NODES_MOST) {
        char *end;
        long id = strtol(text, &end, 10);

        if (end == text || id < 0 || id > INT32_MAX)
            return;
        node->distance[node->n_distances++] = (int32_t)id;
        text = end;
    }
}

static void read_memory(struct host_node *node, const struct pool_value *given)
{
    if (given->elements[4]->word == WORD_TOTAL)
        pool_is_count(given, largest, &node->memory);
    else if (given->elements[4]->word == WORD_USAGE)
        pool_is_count(given, largest, &node->memory_used);
    else if (given->elements[4]->word == WORD_DISTANCE && node->n_distances == 0)
        read_distances(node, given->text);
}

static void read_node(struct pool_reader *reader, struct host_hardware_draft *draft,
                      const struct pool_value *given)
{
    enum pool_word word = given->elements[3]->word;

    begin_node(draft);
    if (given->n == 4 && word == WORD_NODE_ID)
        read_small(given, &draft->node.id);
    else if (given->n == 5 && word == WORD_CORE)
        read_core(reader, draft, given);
    else if (given->n == 5 && word == WORD_HUGEPAGE)
        read_pages(&draft->node, given);
    else if (given->n == 5 && word == WORD_MEMORY)
        read_memory(&draft->node, given);
}

static void end_core(struct pool_reader *reader, struct host_hardware_draft *draft)
{
    struct host_node *node = &draft->node;

    if (draft->core_begun && draft->core.n_cpus) {
        node->cores = pool_append(reader, node->cores, node->n_cores, &draft->cores_allocated,
                                  sizeof draft->core);
        node->cores[node->n_cores++] = draft->core;
    }
    draft->core_begun = false;
}

static void end_node(struct pool_reader *reader, struct host_hardware_draft *draft)
{
    struct host_hardware *hardware = &draft->hardware;

    if (draft->node_begun && draft->node.id >= 0 && hardware->n_nodes < HOST_NODES_MOST) {
        hardware->nodes = pool_append(reader, hardware->nodes, hardware->n_nodes,
                                      &draft->nodes_allocated, sizeof draft->node);
        hardware->nodes[hardware->n_nodes++] = draft->node;
    }
    draft->node_begun = false;
}

/* --- both ------------------------------------------------------------------------------------- */

void host_hardware_read(struct pool_reader *reader, struct host_hardware_draft *draft,
                        const struct pool_value *given)
{
    if (given->n == 2 && given->elements[1]->word == WORD_VMS_THREAD)
        pool_is_count(given, INT32_MAX, &draft->hardware.vms_per_cpu);
    else if (given->n == 4 && given->elements[1]->word == WORD_PCI_DEVICES)
        read_device(reader, draft, given);
    else if (given->n >= 4 && given->elements[1]->word == WORD_NUMA_NODES)
        read_node(reader, draft, given);
}

void host_hardware_close(struct pool_reader *reader, struct host_hardware_draft *draft,
                         const struct pool_value *given)
{
    if (given->elements[1]->word == WORD_PCI_DEVICES && given->n == 3)
        end_device(reader, draft);
    else if (given->elements[1]->word == WORD_NUMA_NODES && given->n == 3)
        end_node(reader, draft);
    else if (given->elements[1]->word == WORD_NUMA_NODES && given->n == 4 && draft->node_begun &&
             given->elements[3]->word == WORD_CORE)
        end_core(reader, draft);
    else if (given->elements[1]->word == WORD_NUMA_NODES && given->n == 4 && draft->node_begun &&
             given->elements[3]->word == WORD_HUGEPAGE)
        draft->node.n_pages += draft->node.n_pages < NODE_PAGES_MAX;
}

static int by_address(const void *a, const void *b)
{
    return strcmp(((const struct host_device *)a)->address,
                  ((const struct host_device *)b)->address);
}

const struct host_hardware *host_hardware_end(struct pool_reader *reader,
                                              struct host_hardware_draft *draft)
{
    struct host_hardware *hardware = &draft->hardware, *kept;

    if (hardware->n_devices == 0 && hardware->n_nodes == 0)
        return NULL;
    if (hardware->vms_per_cpu < 1)
        hardware->vms_per_cpu = 1;
    if (hardware->n_devices)
        qsort(hardware->devices, hardware->n_devices, sizeof *hardware->devices, by_address);
    if (hardware->n_nodes)
        qsort(hardware->nodes, hardware->n_nodes, sizeof *hardware->nodes, search_by_id);
    for (size_t i = 0; i < hardware->n_nodes; i++)
        if (hardware->nodes[i].n_cores)
            qsort(hardware->nodes[i].cores, hardware->nodes[i].n_cores,
                  sizeof *hardware->nodes[i].cores, search_by_id);
    kept = pool_memory_array(pool_reader_memory(reader), 1, sizeof *kept);
    *kept = *hardware;
    return kept;
}
