/* Reads the requested and the assigned PCI devices and NUMA nodes of a VM. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "adapters/opennebula/pool_hardware.h"

enum { TEXT_MAX = 127, KB_PER_MB = 1024 };

static const int64_t largest = INT64_C(1) << 40;

/* Keeps the first fault. */
__attribute__((format(printf, 3, 4))) static void
set_fault(struct pool_reader *reader, struct vm_hardware_draft *draft, const char *format, ...)
{
    va_list arguments;
    char text[160];

    if (draft->hardware.fault)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    draft->hardware.fault = pool_memory_text(pool_reader_memory(reader), text, strlen(text));
}

void vm_hardware_fault(struct pool_reader *reader, struct vm_hardware_draft *draft,
                       const struct pool_value *given)
{
    set_fault(reader, draft,
              "its %.30s/%.30s cannot be read: correct the template and create the VM again",
              given->elements[1]->name, given->elements[2]->name);
}

static const char *read_text(struct pool_reader *reader, struct vm_hardware_draft *draft,
                             const struct pool_value *given)
{
    if (given->length <= TEXT_MAX)
        return given->length ? pool_read_text(reader, given) : NULL;
    vm_hardware_fault(reader, draft, given);
    return NULL;
}

static void read_count(struct pool_reader *reader, struct vm_hardware_draft *draft,
                       const struct pool_value *given, int64_t *value)
{
    if (!pool_is_count(given, largest, value))
        vm_hardware_fault(reader, draft, given);
}

static void read_identifier(struct pool_reader *reader, struct vm_hardware_draft *draft,
                            const struct pool_value *given, uint32_t *value)
{
    if (!pool_is_pci(given, value))
        vm_hardware_fault(reader, draft, given);
}

/* Reads the number of a node; other texts, for example "-1", are ignored. */
static void read_node(const struct pool_value *given, int32_t *node)
{
    int64_t number = -1;

    if (pool_is_count(given, INT32_MAX - 1, &number) && number >= 0)
        *node = (int32_t)number;
}

static void read_device(struct pool_reader *reader, struct vm_hardware_draft *draft,
                        const struct pool_value *given)
{
    struct device_request *device = &draft->device;

    if (!draft->device_begun)
        *device = (struct device_request){
            .vendor = DEMAND_ANY, .device = DEMAND_ANY, .class = DEMAND_ANY};
    draft->device_begun = true;
    switch (given->elements[2]->word) {
    case WORD_VENDOR:
        read_identifier(reader, draft, given, &device->vendor);
        break;
    case WORD_DEVICE:
        read_identifier(reader, draft, given, &device->device);
        break;
    case WORD_CLASS:
        read_identifier(reader, draft, given, &device->class);
        break;
    case WORD_SHORT_ADDRESS:
        device->short_address = read_text(reader, draft, given);
        break;
    case WORD_PROFILE:
        device->profile = read_text(reader, draft, given);
        break;
    case WORD_ADDRESS:
        device->address = read_text(reader, draft, given);
        break;
    default:
        break;
    }
}

static void read_numa_node(struct pool_reader *reader, struct vm_hardware_draft *draft,
                           const struct pool_value *given)
{
    if (!draft->node_begun)
        draft->node = (struct node_request){.node = -1, .memory_node = -1};
    draft->node_begun = true;
    switch (given->elements[2]->word) {
    case WORD_TOTAL_CPUS:
        read_count(reader, draft, given, &draft->node.cpus);
        break;
    case WORD_MEMORY:
        read_count(reader, draft, given, &draft->node.memory);
        break;
    case WORD_NODE_ID:
        read_node(given, &draft->node.node);
        break;
    case WORD_MEMORY_NODE_ID:
        read_node(given, &draft->node.memory_node);
        break;
    default:
        break;
    }
}

static enum pin_policy policy_of(const char *text)
{
    static const char *const names[] = {
        [PIN_CORE] = "CORE", [PIN_THREAD] = "THREAD", [PIN_SHARED] = "SHARED"};

    for (int policy = PIN_CORE; policy <= PIN_SHARED; policy++)
        if (strcasecmp(text, names[policy]) == 0)
            return (enum pin_policy)policy;
    return PIN_NONE;
}

/* In a zeroed topology, 0 means "not given", except that 0 is a valid node number. */
static void read_topology(struct pool_reader *reader, struct vm_hardware_draft *draft,
                          const struct pool_value *given)
{
    struct vm_hardware *hardware = &draft->hardware;
    int32_t node = -1;

    switch (given->elements[2]->word) {
    case WORD_PIN_POLICY:
        hardware->policy = policy_of(given->text);
        break;
    case WORD_THREADS:
        read_count(reader, draft, given, &hardware->threads);
        if (hardware->threads > VM_CPUS_MOST)
            set_fault(reader, draft, "it requests more than %d threads of a core", VM_CPUS_MOST);
        break;
    case WORD_HUGEPAGE_SIZE:
        hardware->page_size = 0;
        read_count(reader, draft, given, &hardware->page_size);
        hardware->page_size *= KB_PER_MB;
        break;
    case WORD_NODE_AFFINITY:
        read_node(given, &node);
        hardware->affinity = node + 1; /* 0 is "any" until vm_hardware_end() */
        break;
    default:
        break;
    }
}

void vm_hardware_read(struct pool_reader *reader, struct vm_hardware_draft *draft,
                      const struct pool_value *given)
{
    switch (given->elements[1]->word) {
    case WORD_PCI:
        read_device(reader, draft, given);
        break;
    case WORD_NUMA_NODE:
        read_numa_node(reader, draft, given);
        break;
    case WORD_TOPOLOGY:
        read_topology(reader, draft, given);
        break;
    default:
        break;
    }
}

/* A device requested by its address has identifiers once assigned. Afterwards any device with these
 * identifiers is suitable, as in oned. */
static void end_device(struct pool_reader *reader, struct vm_hardware_draft *draft)
{
    struct vm_hardware *hardware = &draft->hardware;
    struct device_request *device = &draft->device;
    draft->device_begun = false;
    if (device->vendor != DEMAND_ANY || device->device != DEMAND_ANY || device->class != DEMAND_ANY)
        device->short_address = NULL;
    else if (!device->short_address)
        set_fault(reader, draft, "its PCI has none of VENDOR, DEVICE, CLASS and SHORT_ADDRESS");
    if (hardware->n_devices == VM_DEVICES_MOST) {
        set_fault(reader, draft, "it requests more than %d PCI devices", VM_DEVICES_MOST);
        return;
    }
    hardware->devices = pool_append(reader, hardware->devices, hardware->n_devices,
                                    &draft->devices_allocated, sizeof *device);
    hardware->devices[hardware->n_devices++] = *device;
}

static void end_node(struct pool_reader *reader, struct vm_hardware_draft *draft)
{
    struct vm_hardware *hardware = &draft->hardware;

    draft->node_begun = false;
    if (hardware->n_nodes == VM_NODES_MOST) {
        set_fault(reader, draft, "it requests more than %d NUMA nodes", VM_NODES_MOST);
        return;
    }
    hardware->nodes = pool_append(reader, hardware->nodes, hardware->n_nodes,
                                  &draft->nodes_allocated, sizeof draft->node);
    hardware->nodes[hardware->n_nodes++] = draft->node;
}

void vm_hardware_close(struct pool_reader *reader, struct vm_hardware_draft *draft,
                       const struct pool_value *given)
{
    if (given->elements[1]->word == WORD_PCI && draft->device_begun)
        end_device(reader, draft);
    else if (given->elements[1]->word == WORD_NUMA_NODE && draft->node_begun)
        end_node(reader, draft);
}

const struct vm_hardware *vm_hardware_end(struct pool_reader *reader,
                                          struct vm_hardware_draft *draft)
{
    struct vm_hardware *hardware;
    int64_t cpus = 0;

    draft->hardware.affinity--;
    for (size_t i = 0; i < draft->hardware.n_nodes; i++)
        cpus += draft->hardware.nodes[i].cpus;
    if (cpus > VM_CPUS_MOST)
        set_fault(reader, draft, "its NUMA nodes have more than %d CPUs", VM_CPUS_MOST);
    if (draft->hardware.n_devices == 0 && draft->hardware.n_nodes == 0 && !draft->hardware.fault)
        return NULL;
    hardware = pool_memory_array(pool_reader_memory(reader), 1, sizeof *hardware);
    *hardware = draft->hardware;
    return hardware;
}
