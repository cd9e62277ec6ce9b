/* PCI devices and NUMA nodes in words: those of hosts, and those that VMs request. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapters/simulated/simulated_inside.h"
#include "core/units.h"
#include "util/memory.h"

enum { KB_PER_MB = 1024, NAME_ROOM = 48 };
#define MB_MOST (KB_MOST / KB_PER_MB)

/* --- values ----------------------------------------------------------------------------------- */

static int read_identifier(const struct attributes *vector, const char *name, uint32_t *value,
                           struct error *err)
{
    const char *text = attributes_find(vector, name);
    char *end;
    unsigned long number;

    if (!text)
        return 0;
    number = strtoul(text, &end, 16);
    if (!isxdigit((unsigned char)*text) || *end || number > UINT16_MAX)
        return error_set(err, EINVAL, "%s: expected a PCI identifier such as 10de, not '%.40s'",
                         name, text);
    *value = (uint32_t)number;
    return 0;
}

static int read_identifiers(const struct attributes *vector, uint32_t *vendor, uint32_t *device,
                            uint32_t *class_id, struct error *err)
{
    if (read_identifier(vector, "PCI/VENDOR", vendor, err) < 0 ||
        read_identifier(vector, "PCI/DEVICE", device, err) < 0)
        return -1;
    return read_identifier(vector, "PCI/CLASS", class_id, err);
}

/* --- hosts ------------------------------------------------------------------------------------ */

void simulated_host_name(size_t host, char name[HOST_NAME_ROOM])
{
    snprintf(name, HOST_NAME_ROOM, "host-%zu", host);
}

static int add_devices(struct pool_memory *memory, const struct attributes *vector,
                       struct host_units *units, struct error *err)
{
    struct pci_device device = {0}, *devices;
    int64_t count = 1, node = NODE_ANY;

    if (read_identifiers(vector, &device.vendor, &device.device, &device.class_id, err) < 0 ||
        simulated_number(vector,
                         (struct simulated_number){"PCI/NUMA_NODE", NODE_ANY, HOST_NODES_MOST - 1},
                         &node, err) < 0 ||
        simulated_number(
            vector, (struct simulated_number){"PCI/COUNT", 1, HOST_DEVICES_MOST - units->n_devices},
            &count, err) < 0)
        return -1;
    device.numa_node = (int32_t)node;
    devices = simulated_lengthen(memory, units->devices, units->n_devices, (size_t)count,
                                 sizeof *devices);
    for (; count > 0; count--) {
        device.address = units->n_devices;
        devices[units->n_devices++] = device;
    }
    units->devices = devices;
    return 0;
}

/* Threads are numbered through, node by node and core by core: the number is the place. */
static int add_node(struct pool_memory *memory, const struct attributes *vector,
                    struct host_units *units, struct error *err)
{
    uint32_t first = unit_layout_of(units).memory, *ids;
    int64_t cores = 0, threads = 1, megabytes = 0;
    struct numa_node *nodes;
    struct numa_core *made;

    if (units->n_nodes == HOST_NODES_MOST)
        return error_set(err, EINVAL, "a host has at most %d nodes", HOST_NODES_MOST);
    if (simulated_number(vector,
                         (struct simulated_number){"NODE/THREADS", 1, HOST_THREADS_MOST - first},
                         &threads, err) < 0 ||
        simulated_number(
            vector,
            (struct simulated_number){"NODE/CORES", 1, (HOST_THREADS_MOST - first) / threads},
            &cores, err) < 0 ||
        simulated_number(vector, (struct simulated_number){"NODE/MEMORY", 1, MB_MOST}, &megabytes,
                         err) < 0)
        return -1;
    nodes = simulated_lengthen(memory, units->nodes, units->n_nodes, 1, sizeof *nodes);
    made = pool_memory_array(memory, (size_t)cores, sizeof *made);
    ids = pool_memory_array(memory, (size_t)(cores * threads), sizeof *ids);
    for (int64_t i = 0; i < cores * threads; i++)
        ids[i] = first + (uint32_t)i;
    for (int64_t i = 0; i < cores; i++)
        made[i] = (struct numa_core){.threads = ids + i * threads, .n_threads = (uint32_t)threads};
    nodes[units->n_nodes] = (struct numa_node){.id = (int32_t)units->n_nodes,
                                               .cores = made,
                                               .n_cores = (uint32_t)cores,
                                               .memory_kb = megabytes * KB_PER_MB};
    units->nodes = nodes;
    units->n_nodes++;
    return 0;
}

static int add_pages(struct pool_memory *memory, const struct attributes *vector,
                     struct host_units *units, struct error *err)
{
    struct huge_pages made = {0}, *pages;
    struct numa_node *nodes;
    int64_t id = 0;

    if (!units->n_nodes)
        return error_set(err, EINVAL, "HUGEPAGE must follow the NODE of the host");
    if (simulated_number(vector,
                         (struct simulated_number){"HUGEPAGE/NODE_ID", 0, units->n_nodes - 1}, &id,
                         err) < 0 ||
        simulated_number(vector, (struct simulated_number){"HUGEPAGE/SIZE", 1, KB_MOST},
                         &made.size_kb, err) < 0 ||
        simulated_number(vector, (struct simulated_number){"HUGEPAGE/PAGES", 1, KB_MOST},
                         &made.count, err) < 0)
        return -1;
    nodes = simulated_lengthen(memory, units->nodes, units->n_nodes, 0, sizeof *nodes);
    for (uint32_t i = 0; i < nodes[id].n_pages; i++)
        if (nodes[id].pages[i].size_kb == made.size_kb)
            return error_set(err, EINVAL, "duplicate pages of %lld KB on node %lld", (long long)id,
                             (long long)made.size_kb);
    if (nodes[id].n_pages == NODE_PAGES_MAX)
        return error_set(err, EINVAL, "a node has pages of at most %d sizes", NODE_PAGES_MAX);
    pages = simulated_lengthen(memory, nodes[id].pages, nodes[id].n_pages, 1, sizeof *pages);
    pages[nodes[id].n_pages++] = made;
    nodes[id].pages = pages;
    units->nodes = nodes;
    return 0;
}

static int add_vector(struct pool_memory *memory, const struct attributes *vector,
                      struct host_units *units, struct error *err)
{
    if (simulated_is_of(vector, "PCI"))
        return add_devices(memory, vector, units, err);
    return simulated_is_of(vector, "NODE") ? add_node(memory, vector, units, err)
                                           : add_pages(memory, vector, units, err);
}

/* A misspelled name would leave the host without. */
static int check_names(const struct attributes *vector, struct error *err)
{
    static const char *const known[] = {
        "PCI/HOST",      "PCI/VENDOR",       "PCI/DEVICE",    "PCI/CLASS",      "PCI/NUMA_NODE",
        "PCI/COUNT",     "NODE/HOST",        "NODE/CORES",    "NODE/THREADS",   "NODE/MEMORY",
        "HUGEPAGE/HOST", "HUGEPAGE/NODE_ID", "HUGEPAGE/SIZE", "HUGEPAGE/PAGES",
    };

    for (size_t i = 0; i < vector->n; i++) {
        size_t k = 0;

        while (k < sizeof known / sizeof *known && strcmp(vector->items[i].name, known[k]) != 0)
            k++;
        if (k == sizeof known / sizeof *known)
            return error_set(err, EINVAL,
                             "%s is unknown; hosts have PCI=[...], NODE=[...] and HUGEPAGE=[...]",
                             vector->items[i].name);
    }
    return 0;
}

static int add_to_hosts(struct simulated *self, const struct attributes *vector, struct error *err)
{
    char word[NAME_ROOM], name[HOST_NAME_ROOM];
    const char *wanted;
    size_t given = 0;

    if (check_names(vector, err) < 0)
        return -1;
    snprintf(word, sizeof word, "%.*s/HOST", (int)strcspn(vector->items[0].name, "/"),
             vector->items[0].name);
    wanted = attributes_find(vector, word);
    for (size_t i = 0; i < self->site.n_hosts; i++) {
        simulated_host_name(i, name);
        if (wanted && strcmp(wanted, name) != 0)
            continue;
        if (add_vector(self->memory, vector, &self->units[i], err) < 0)
            return -1;
        given++;
    }
    if (!given)
        return error_set(err, EINVAL, "%s: unknown host '%.40s'; the hosts are host-0 to host-%zu",
                         word, wanted, self->site.n_hosts - 1);
    return 0;
}

int simulated_read_hardware(struct simulated *self, const char *text, struct error *err)
{
    struct attributes vector;

    self->units =
        simulated_lengthen(self->memory, NULL, 0, self->site.n_hosts, sizeof *self->units);
    for (const char *at = text; at && *at;) {
        at = simulated_next_item(at, self->memory, &vector, err);
        if (!at || add_to_hosts(self, &vector, err) < 0)
            return -1;
    }
    return 0;
}

/* --- VMs -------------------------------------------------------------------------------------- */

/* As requested, before it is known what follows from it. */
struct topology {
    int64_t vcpu, sockets, threads, page_size /* MB */, affinity;
    enum pin_policy pin;
};

static int read_pci(const struct attributes *vector, struct simulated_demand *made,
                    struct error *err)
{
    struct pci_demand device = {DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY};

    if (made->demand.n_devices == VM_DEVICES_MOST)
        return error_set(err, EINVAL, "a VM has at most %d PCI devices", VM_DEVICES_MOST);
    if (read_identifiers(vector, &device.vendor, &device.device, &device.class_id, err) < 0)
        return -1;
    if (device.vendor == DEMAND_ANY && device.device == DEMAND_ANY && device.class_id == DEMAND_ANY)
        return error_set(err, EINVAL, "PCI requires VENDOR, DEVICE or CLASS");
    made->devices[made->demand.n_devices++] = device;
    return 0;
}

static int read_topology(const struct attributes *vector, struct topology *topology,
                         struct error *err)
{
    static const char *const policies[] = {
        [PIN_NONE] = "NONE", [PIN_CORE] = "CORE", [PIN_THREAD] = "THREAD", [PIN_SHARED] = "SHARED"};
    const char *policy = attributes_find(vector, "TOPOLOGY/PIN_POLICY");

    for (int i = PIN_NONE; policy && i <= PIN_SHARED; i++)
        if (strcasecmp(policy, policies[i]) == 0)
            topology->pin = (enum pin_policy)i;
    if (policy && strcasecmp(policy, policies[topology->pin]) != 0)
        return error_set(err, EINVAL,
                         "PIN_POLICY: expected NONE, CORE, THREAD or SHARED, not '%.40s'", policy);
    if (simulated_number(vector, (struct simulated_number){"TOPOLOGY/SOCKETS", 1, VM_NODES_MOST},
                         &topology->sockets, err) < 0 ||
        simulated_number(vector, (struct simulated_number){"TOPOLOGY/THREADS", 0, VM_CPUS_MOST},
                         &topology->threads, err) < 0 ||
        simulated_number(vector, (struct simulated_number){"TOPOLOGY/HUGEPAGE_SIZE", 0, MB_MOST},
                         &topology->page_size, err) < 0)
        return -1;
    return simulated_number(
        vector, (struct simulated_number){"TOPOLOGY/NODE_AFFINITY", NODE_ANY, HOST_NODES_MOST - 1},
        &topology->affinity, err);
}

/* A pinned VM has a node for each socket; one with huge pages, or with its memory on a node, has
 * one. */
static int settle(const struct topology *topology, int64_t memory, struct simulated_demand *made,
                  struct error *err)
{
    struct vm_demand *demand = &made->demand;
    bool pinned = topology->pin != PIN_NONE;

    if (pinned && topology->vcpu % topology->sockets != 0)
        return error_set(err, EINVAL, "VCPU must be a multiple of SOCKETS");
    if (pinned || topology->page_size > 0 || topology->affinity >= 0)
        demand->n_nodes = pinned ? (uint32_t)topology->sockets : 1;
    demand->pin = topology->pin;
    demand->threads_per_core = (uint32_t)topology->threads;
    demand->page_kb = topology->page_size * KB_PER_MB;
    demand->node = pinned ? NODE_ANY : (int32_t)topology->affinity;
    demand->devices_near = pinned && demand->n_devices > 0;
    for (uint32_t i = 0; i < demand->n_nodes; i++)
        made->nodes[i] = (struct vm_node){(uint32_t)(topology->vcpu / demand->n_nodes),
                                          memory * KB_PER_MB / demand->n_nodes};
    return 0;
}

static int read_items(const char *text, struct pool_memory *memory, struct topology *topology,
                      struct simulated_demand *made, struct error *err)
{
    struct attributes item;
    int code = 0;

    for (const char *at = text; code == 0 && *at;) {
        at = simulated_next_item(at, memory, &item, err);
        if (!at)
            return -1;
        if (simulated_is_of(&item, "PCI"))
            code = read_pci(&item, made, err);
        else if (simulated_is_of(&item, "TOPOLOGY"))
            code = read_topology(&item, topology, err);
        else if (simulated_is_of(&item, "VMGROUP"))
            code = simulated_check_group(&item, err);
        else if (simulated_is_of(&item, "NIC"))
            code = simulated_check_nic(&item, err);
        else
            code = simulated_number(&item, (struct simulated_number){"VCPU", 1, VM_CPUS_MOST},
                                    &topology->vcpu, err);
    }
    return code;
}

int simulated_read_demand(const char *text, int64_t memory, struct simulated_demand **demand,
                          struct error *err)
{
    struct simulated_demand *made = memory_new(1, sizeof *made);
    struct topology topology = {.vcpu = 1, .sockets = 1, .affinity = NODE_ANY};
    struct pool_memory *texts = pool_memory_create();
    int code;

    made->demand.role = DEMAND_ANY;
    made->demand.nodes = made->nodes;
    made->demand.devices = made->devices;
    code = read_items(text, texts, &topology, made, err);
    if (code == 0)
        code = settle(&topology, memory, made, err);
    pool_memory_destroy(texts);
    if (code < 0 || !demand_has_units(&made->demand)) {
        free(made);
        made = NULL;
    }
    *demand = made;
    return code;
}

int simulated_read_templates(struct simulated *self, const char *text, struct error *err)
{
    struct simulated_demand *demand;
    struct attributes item;

    for (const char *at = text, *begin; at; at = *at == '+' ? at + 1 : NULL) {
        for (begin = at; at == begin || (*at && *at != '+');) {
            at = simulated_next_item(at, self->memory, &item, err);
            if (!at)
                return -1;
        }
        self->templates = simulated_lengthen(self->memory, self->templates, self->n_templates, 1,
                                             sizeof *self->templates);
        self->templates[self->n_templates] =
            pool_memory_text(self->memory, begin, (size_t)(at - begin));
        if (simulated_read_demand(self->templates[self->n_templates++], 1, &demand, err) < 0)
            return -1;
        free(demand);
    }
    return 0;
}
