/* Devices and NUMA nodes: units of hosts, demands of VMs, and the units that VMs hold. */
#include <stdlib.h>
#include <string.h>

#include "daemon/planner/planner_inside.h"
#include "planner/wire_units.h"
#include "util/memory.h"

void sent_init(struct sent *sent)
{
    *sent = (struct sent){0};
    map_init_copying(&sent->filters, sizeof(int32_t));
    map_init_copying(&sent->bitmaps, sizeof(int32_t));
    map_init(&sent->columns, 0);
    map_init_copying(&sent->demands, 0);
    map_init_copying(&sent->names, 0);
}

void sent_finish(struct sent *sent)
{
    map_finish(&sent->filters);
    map_finish(&sent->bitmaps);
    map_finish(&sent->columns);
    map_finish(&sent->demands);
    map_finish(&sent->names);
}

static uint32_t number_of_name(const struct facts *facts, const char *name, size_t length)
{
    return map_add_bytes(&facts->sent->names, name, length);
}

/* Only the first word of a profile identifies it: "1145 (NVIDIA L40S-1B)". */
static uint32_t number_of_profile(const struct facts *facts, const char *profile)
{
    return number_of_name(facts, profile, strcspn(profile, " ,"));
}

/* --- hosts ------------------------------------------------------------------------------------ */

/* Numbers of the devices' short addresses, which requests name; if two devices share one, the first
 * has it. DEMAND_ANY: no address of its own. To be freed. */
static uint32_t *device_numbers(const struct facts *facts, const struct host_hardware *hardware)
{
    uint32_t *numbers = memory_new(hardware->n_devices, sizeof *numbers);
    struct map known;

    map_init(&known, 0);
    for (size_t i = 0; i < hardware->n_devices; i++) {
        const char *const names[] = {hardware->devices[i].short_address,
                                     hardware->devices[i].address};

        numbers[i] = DEMAND_ANY;
        for (size_t j = 0; j < 2 && numbers[i] == DEMAND_ANY; j++) {
            uint32_t number = number_of_name(facts, names[j], strlen(names[j]));
            size_t n = known.n;

            map_add(&known, number);
            if (*names[j] && known.n > n)
                numbers[i] = number;
        }
    }
    map_finish(&known);
    return numbers;
}

/* The VM's hardware request if the plan has the VM on this host; else NULL. */
static const struct vm_hardware *planned_there(const struct facts *facts, const struct host *host,
                                               int32_t vm)
{
    const struct vm_observation *observed = world_vm(facts->planner->world, vm);

    return observed && observed->hardware && !observed->hardware->fault &&
                   observed_holds_host(observed) && observed->history.host == host->id
               ? observed->hardware
               : NULL;
}

static bool device_is_planned(const struct facts *facts, const struct host *host, int32_t vm)
{
    const struct vm_hardware *hardware = planned_there(facts, host, vm);

    return hardware && hardware->n_devices > 0;
}

static bool cpu_is_planned(const struct facts *facts, const struct host *host, int32_t vm)
{
    const struct vm_hardware *hardware = planned_there(facts, host, vm);

    return hardware && hardware->n_nodes > 0 && hardware->policy != PIN_NONE;
}

static void make_profiles(const struct facts *facts, const char *profiles, struct kept_list *kept,
                          struct pci_device *made)
{
    uint32_t *numbers, n = 0;

    for (const char *c = profiles; *c; c++)
        n += *c == ',';
    made->profiles = numbers = kept_new(kept, n + 1, sizeof *numbers);
    while (*profiles) {
        profiles += strspn(profiles, " ,");
        if (*profiles && made->n_profiles <= n)
            numbers[made->n_profiles++] = number_of_profile(facts, profiles);
        profiles += strcspn(profiles, ",");
    }
}

/* Leaves out devices held by VMs that are not in the plan. */
static void make_devices(const struct facts *facts, const struct host *host, struct kept_list *kept,
                         struct host_units *units)
{
    const struct host_hardware *hardware = host->hardware;
    struct pci_device *devices = kept_new(kept, hardware->n_devices, sizeof *devices);
    uint32_t *numbers = device_numbers(facts, hardware);

    units->devices = devices;
    for (size_t i = 0; i < hardware->n_devices; i++) {
        const struct host_device *device = &hardware->devices[i];
        struct pci_device *made = &devices[units->n_devices];

        if (numbers[i] == DEMAND_ANY ||
            (device->vm >= 0 && !device_is_planned(facts, host, device->vm)))
            continue;
        *made = (struct pci_device){.vendor = device->vendor,
                                    .device = device->device,
                                    .class_id = device->class,
                                    .address = numbers[i],
                                    .numa_node = device->node < 0 ? NODE_ANY : device->node};
        make_profiles(facts, device->profiles, kept, made);
        units->n_devices++;
    }
    free(numbers);
}

/* CPUs of the node that VMs outside the plan use; usually none. */
static uint32_t *foreign_cpus(const struct facts *facts, const struct host *host,
                              const struct host_node *node, size_t *n)
{
    uint32_t *cpus = NULL;
    size_t allocated = 0;

    *n = 0;
    for (size_t i = 0; i < node->n_uses; i++) {
        if (cpu_is_planned(facts, host, node->uses[i].vm))
            continue;
        MEMORY_GROW(cpus, allocated, *n + 1);
        cpus[(*n)++] = node->uses[i].cpu;
    }
    return cpus;
}

static bool has_one_of(const uint32_t *cpus, size_t n, const uint32_t *others, size_t n_others)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n_others; j++)
            if (cpus[i] == others[j])
                return true;
    return false;
}

/* Leaves out a core entirely if a VM outside the plan uses it: the core may be dedicated to that
 * VM. */
static void make_cores(const struct facts *facts, const struct host *host,
                       const struct host_node *node, struct kept_list *kept, struct numa_node *made)
{
    struct numa_core *cores = kept_new(kept, node->n_cores, sizeof *cores);
    size_t n_foreign;
    uint32_t *foreign = foreign_cpus(facts, host, node, &n_foreign);

    made->cores = cores;
    for (size_t i = 0; i < node->n_cores; i++) {
        const uint32_t *cpus = node->cpus + node->cores[i].first_cpu;
        uint32_t n = node->cores[i].n_cpus;

        if (n && !has_one_of(cpus, n, foreign, n_foreign))
            cores[made->n_cores++] = (struct numa_core){.threads = cpus, .n_threads = n};
    }
    free(foreign);
}

static bool has_node(const struct host_hardware *hardware, int32_t id)
{
    for (size_t i = 0; i < hardware->n_nodes; i++)
        if (hardware->nodes[i].id == id)
            return true;
    return false;
}

/* The host's distances, if they name each node once. */
static const int32_t *nearest_of(const struct host_hardware *hardware, const struct host_node *node)
{
    if (node->n_distances != hardware->n_nodes || node->distance[0] != node->id)
        return NULL;
    for (size_t i = 0; i < node->n_distances; i++) {
        if (!has_node(hardware, node->distance[i]))
            return NULL;
        for (size_t j = 0; j < i; j++)
            if (node->distance[j] == node->distance[i])
                return NULL;
    }
    return node->distance;
}

static void make_nodes(const struct facts *facts, const struct host *host, struct kept_list *kept,
                       struct host_units *units)
{
    const struct host_hardware *hardware = host->hardware;
    struct numa_node *nodes = kept_new(kept, hardware->n_nodes, sizeof *nodes);

    units->nodes = nodes;
    units->n_nodes = (uint32_t)hardware->n_nodes;
    for (size_t i = 0; i < hardware->n_nodes; i++) {
        const struct host_node *node = &hardware->nodes[i];
        struct huge_pages *pages = kept_new(kept, node->n_pages, sizeof *pages);

        nodes[i] = (struct numa_node){.id = node->id,
                                      .memory_kb = node->memory,
                                      .pages = pages,
                                      .n_pages = (uint32_t)node->n_pages,
                                      .nearest = nearest_of(hardware, node)};
        for (size_t j = 0; j < node->n_pages; j++)
            pages[j] = (struct huge_pages){node->pages[j].size, node->pages[j].count};
        make_cores(facts, host, node, kept, &nodes[i]);
    }
}

void facts_make_units(const struct facts *facts, const struct host *host, struct kept_list *kept,
                      struct host_units *units)
{
    int64_t sharing = host->hardware->vms_per_cpu;

    *units = (struct host_units){.vms_per_thread =
                                     (uint32_t)(sharing < VM_CPUS_MOST ? sharing : VM_CPUS_MOST)};
    make_nodes(facts, host, kept, units);
    make_devices(facts, host, kept, units);
}

static void put_units(const struct facts *facts, const struct host *host,
                      struct wire_writer *writer)
{
    struct kept_list kept = {0};
    struct host_units units;

    facts_make_units(facts, host, &kept, &units);
    wire_put_host_units(writer, &units);
    kept_finish(&kept);
}

int32_t *facts_put_units(const struct facts *facts, struct wire_writer *frame)
{
    const struct host_pool *pool = &facts->snapshot->hosts->pool;
    int32_t *numbers = memory_new(pool->n, sizeof *numbers);
    struct wire_writer section = {0}, writer = {0};
    struct map known;

    map_init_copying(&known, 0);
    for (size_t i = 0; i < pool->n; i++) {
        size_t n = known.n;

        numbers[i] = -1;
        if (!pool->items[i].hardware)
            continue;
        wire_writer_finish(&writer);
        put_units(facts, &pool->items[i], &writer);
        numbers[i] = (int32_t)map_add_bytes(&known, wire_bytes(&writer), writer.n);
        if (known.n > n)
            wire_put_all(&section, &writer);
    }
    wire_put(frame, (int64_t)known.n);
    wire_move(frame, &section);
    wire_writer_finish(&writer);
    map_finish(&known);
    return numbers;
}

/* --- VMs -------------------------------------------------------------------------------------- */

/* A virtual node without CPUs or memory needs no place. */
static bool counts(const struct node_request *node)
{
    return node->cpus > 0 && node->memory > 0;
}

static bool has_topology(const struct vm_hardware *hardware)
{
    return hardware->policy != PIN_NONE || hardware->page_size > 0 || hardware->affinity >= 0;
}

static uint32_t make_vm_nodes(const struct vm_hardware *hardware, struct vm_node *nodes)
{
    uint32_t n = 0;

    for (size_t i = 0; i < hardware->n_nodes && has_topology(hardware); i++)
        if (counts(&hardware->nodes[i]))
            nodes[n++] = (struct vm_node){.cpus = (uint32_t)hardware->nodes[i].cpus,
                                          .memory_kb = hardware->nodes[i].memory};
    return n;
}

static void make_requests(const struct facts *facts, const struct vm_hardware *hardware,
                          struct pci_demand *devices)
{
    for (size_t i = 0; i < hardware->n_devices; i++) {
        const struct device_request *device = &hardware->devices[i];
        const char *address = device->short_address;

        devices[i] = (struct pci_demand){
            .vendor = device->vendor,
            .device = device->device,
            .class_id = device->class,
            .address = address ? number_of_name(facts, address, strlen(address)) : DEMAND_ANY,
            .profile = device->profile ? number_of_profile(facts, device->profile) : DEMAND_ANY};
    }
}

bool facts_make_demand(const struct facts *facts, const struct vm_hardware *hardware,
                       struct made_demand *made)
{
    struct vm_demand *demand = &made->demand;

    *demand = (struct vm_demand){
        .node = NODE_ANY, .role = DEMAND_ANY, .nodes = made->nodes, .devices = made->devices};
    if (!hardware || hardware->fault)
        return false;
    demand->n_nodes = make_vm_nodes(hardware, made->nodes);
    if (demand->n_nodes) {
        demand->pin = hardware->policy;
        demand->threads_per_core = (uint32_t)hardware->threads;
        demand->page_kb = hardware->page_size;
        demand->node = demand->pin == PIN_NONE ? hardware->affinity : NODE_ANY;
    }
    demand->n_devices = (uint32_t)hardware->n_devices;
    demand->devices_near = demand->pin != PIN_NONE && demand->n_devices > 0;
    make_requests(facts, hardware, made->devices);
    return demand->n_nodes > 0 || demand->n_devices > 0;
}

int32_t facts_demand(struct facts *facts, const struct lease_record *lease,
                     const struct vm_observation *observed)
{
    struct wire_writer writer = {0};
    size_t n = facts->sent->demands.n;
    struct made_demand made;
    struct amounts rest;
    int32_t number;
    bool any;

    if (!observed)
        return -1;
    any = facts_make_demand(facts, observed->hardware, &made);
    facts_add_company(facts, lease, observed->id, &made.demand, &rest);
    if (!any && made.demand.role == DEMAND_ANY)
        return -1;
    wire_put_demand(&writer, &made.demand);
    number = (int32_t)map_add_bytes(&facts->sent->demands, wire_bytes(&writer), writer.n);
    if (facts->sent->demands.n > n) {
        wire_put_all(&facts->demand_section, &writer);
        facts->n_new_demands++;
    }
    wire_writer_finish(&writer);
    return number;
}

/* --- units that a VM holds -------------------------------------------------------------------- */

bool facts_has_units(const struct facts *facts, const struct vm_observation *observed,
                     uint32_t place)
{
    const struct host *host = place == HOST_NONE ? NULL : snapshot_host(facts->snapshot, place);

    return observed && host && host->hardware && planned_there(facts, host, observed->id);
}

static uint32_t *threads_of(const struct host_hardware *hardware, int32_t vm,
                            struct kept_list *kept, uint32_t *n)
{
    uint32_t *threads = kept_new(kept, HOST_THREADS_MOST, sizeof *threads);

    *n = 0;
    for (size_t i = 0; i < hardware->n_nodes; i++)
        for (size_t j = 0; j < hardware->nodes[i].n_uses && *n < HOST_THREADS_MOST; j++)
            if (hardware->nodes[i].uses[j].vm == vm)
                threads[(*n)++] = hardware->nodes[i].uses[j].cpu;
    return threads;
}

uint32_t facts_make_vm_units(const struct facts *facts, const struct host *host,
                             const struct vm_observation *observed, struct kept_list *kept,
                             struct vm_units *units)
{
    const struct host_hardware *held = host->hardware;
    const struct vm_hardware *hardware = observed->hardware;
    uint32_t *devices = kept_new(kept, held->n_devices, sizeof *devices), n_nodes = 0;
    int32_t *memory_nodes = kept_new(kept, hardware->n_nodes, sizeof *memory_nodes);
    uint32_t *numbers = device_numbers(facts, held);

    *units = (struct vm_units){.devices = devices};
    for (size_t i = 0; i < hardware->n_nodes && has_topology(hardware); i++)
        if (counts(&hardware->nodes[i]))
            memory_nodes[n_nodes++] = hardware->nodes[i].memory_node;
    for (size_t i = 0; i < held->n_devices; i++)
        if (held->devices[i].vm == observed->id && numbers[i] != DEMAND_ANY)
            devices[units->n_devices++] = numbers[i];
    units->threads = threads_of(held, observed->id, kept, &units->n_threads);
    units->memory_nodes = n_nodes ? memory_nodes : NULL;
    free(numbers);
    return n_nodes;
}

void facts_put_vm_units(const struct facts *facts, const struct vm_observation *observed,
                        uint32_t place, struct wire_writer *section)
{
    struct kept_list kept = {0};
    struct vm_units units;
    uint32_t n_nodes =
        facts_make_vm_units(facts, snapshot_host(facts->snapshot, place), observed, &kept, &units);

    wire_put_vm_units(section, &units, n_nodes);
    kept_finish(&kept);
}
