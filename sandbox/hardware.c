/* Devices and NUMA nodes: given to VMs by OpenNebula's rules. */
#include "sandbox/hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sandbox/hardware_view.h"

void oned_hardware_report(struct oned_host *host, struct oned_attributes *report)
{
    static const char *const kinds[] = {"PCI", "CORE", "HUGEPAGE", "MEMORY_NODE"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!oned_attributes_vector(report, kinds[i], 0))
            continue;
        oned_attributes_remove(&host->hardware, kinds[i]);
        oned_attributes_move(&host->hardware, report, kinds[i]);
    }
}

/* --- devices ---------------------------------------------------------------------------------- */

/* The device assigned to each of the VM's requests. */
struct assignment {
    struct oned_attributes *devices[64];
    size_t count;
};

static bool is_named(const struct oned_attributes *request)
{
    const char *vendor = oned_attributes_get(request, "VENDOR");
    const char *device = oned_attributes_get(request, "DEVICE");
    const char *class = oned_attributes_get(request, "CLASS");

    return (vendor && *vendor) || (device && *device) || (class && *class);
}

static bool has_identifier(const struct oned_attributes *request,
                           const struct oned_attributes *device, const char *name)
{
    const char *wanted = oned_attributes_get(request, name);
    const char *has = oned_attributes_get(device, name);

    return !wanted || !*wanted || (has && strtoul(wanted, NULL, 16) == strtoul(has, NULL, 16));
}

static bool suits(const struct oned_attributes *request, const struct oned_attributes *device)
{
    const char *wanted = oned_attributes_get(request, "SHORT_ADDRESS");
    const char *has = oned_attributes_get(device, "SHORT_ADDRESS");

    if (is_named(request))
        return has_identifier(request, device, "VENDOR") &&
               has_identifier(request, device, "DEVICE") &&
               has_identifier(request, device, "CLASS");
    return wanted && has && strcmp(wanted, has) == 0;
}

static bool is_taken(const struct assignment *assignment, const struct oned_attributes *device)
{
    for (size_t i = 0; i < assignment->count; i++)
        if (assignment->devices[i] == device)
            return true;
    return false;
}

/* The free device with the lowest address. */
static struct oned_attributes *free_device(const struct oned *oned, const struct oned_host *host,
                                           const struct oned_attributes *request,
                                           const struct assignment *assignment)
{
    struct oned_attributes *best = NULL, *device;

    for (size_t i = 0; (device = oned_attributes_vector(&host->hardware, "PCI", i)); i++) {
        const char *address = oned_attributes_get(device, "ADDRESS");

        if (!address || !suits(request, device) || is_taken(assignment, device) ||
            oned_device_user(oned, host, device) != NO_VM)
            continue;
        if (!best || strcmp(address, oned_attributes_get(best, "ADDRESS")) < 0)
            best = device;
    }
    return best;
}

/* Requests by address come first. False: a device is missing. */
static bool assign_devices(const struct oned *oned, const struct oned_host *host,
                           const struct oned_vm *vm, struct assignment *assignment)
{
    const struct oned_attributes *request;

    for (int named = 0; named < 2; named++)
        for (size_t i = 0; (request = oned_attributes_vector(&vm->template, "PCI", i)); i++) {
            if (i == sizeof assignment->devices / sizeof *assignment->devices)
                return false;
            if (assignment->count <= i)
                assignment->count = i + 1;
            if (is_named(request) != named)
                continue;
            assignment->devices[i] = free_device(oned, host, request, assignment);
            if (!assignment->devices[i])
                return false;
        }
    return true;
}

static void copy(struct oned_attributes *to, const struct oned_attributes *from, const char *name)
{
    const char *value = oned_attributes_get(from, name);

    if (value)
        oned_attributes_set(to, name, value);
}

void oned_hardware_address(struct oned_attributes *request, size_t i)
{
    char text[24];

    snprintf(text, sizeof text, "01:%02zx.0", i + 1);
    oned_attributes_set(request, "VM_ADDRESS", text);
    oned_attributes_set(request, "VM_DOMAIN", "0x0000");
    oned_attributes_set(request, "VM_FUNCTION", "0");
    snprintf(text, sizeof text, "0x%02zx", i + 1);
    oned_attributes_set(request, "VM_SLOT", text);
}

/* With 7.4 a request by address becomes one for a device of that kind. */
static void write_device(const struct oned *oned, struct oned_attributes *request, size_t i,
                         const struct oned_attributes *device)
{
    static const char *const names[] = {"ADDRESS",   "BUS",           "DOMAIN", "FUNCTION",
                                        "NUMA_NODE", "SHORT_ADDRESS", "SLOT",   "UUID",
                                        "CLASS",     "DEVICE",        "VENDOR"};
    size_t n = sizeof names / sizeof *names - (oned->options.version >= ONED_7_4 ? 0 : 3);
    const char *before = oned_attributes_get(request, "ADDRESS");

    if (before)
        oned_attributes_set(request, "PREV_ADDRESS", before);
    for (size_t name = 0; name < n; name++)
        copy(request, device, names[name]);
    if (oned->options.version >= ONED_7_4)
        oned_hardware_address(request, i);
}

/* --- nodes ------------------------------------------------------------------------------------ */

struct request {
    int64_t cpus, memory, page; /* KB */
    bool dedicated;
    int64_t threads; /* of a core */
    uint64_t near;   /* nodes that are preferred, a bit each */
};

static bool is_free(const struct oned_hardware *view, const struct oned_core *core, size_t i)
{
    return view->cpus[core->first + i].vm == NO_VM;
}

/* How many of the request's CPUs the core can take. */
static int64_t room_of(const struct oned_hardware *view, const struct oned_core *core,
                       const struct request *request)
{
    int64_t n = 0;

    if (core->dedicated)
        return 0;
    for (size_t i = 0; i < core->count; i++)
        n += is_free(view, core, i);
    if (request->dedicated)
        return n == (int64_t)core->count && n > 0;
    return n / request->threads * request->threads;
}

static bool has_memory(const struct oned_hardware *view, const struct oned_node *node,
                       const struct request *request)
{
    const struct oned_pages *pages = oned_hardware_pages(view, node->id, request->page);

    if (node->memory - node->used < request->memory)
        return false;
    return request->page == 0 ||
           (pages && pages->count - pages->used >= request->memory / request->page);
}

/* The node for the memory of a VM on that node: the nearest with room; -1: none. */
static int memory_node(const struct oned_hardware *view, const struct oned_node *node,
                       const struct request *request)
{
    const char *text = node->reported ? oned_attributes_get(node->reported, "DISTANCE") : NULL;

    for (char *end; text && *text; text = end) {
        long id = strtol(text, &end, 10);
        const struct oned_node *other = oned_hardware_node(view, id);

        if (end == text)
            break;
        if (other && has_memory(view, other, request))
            return other->id;
    }
    return -1;
}

/* The node with the largest part of it left free; one with a device of the VM comes first. */
static const struct oned_node *best_node(const struct oned_hardware *view,
                                         const struct request *request)
{
    const struct oned_node *best = NULL;
    double best_score = -1;

    for (size_t i = 0; i < view->n_nodes; i++) {
        const struct oned_node *node = &view->nodes[i];
        double score;
        int64_t n = 0;

        for (size_t j = 0; j < view->n_cores; j++)
            n += view->cores[j].node == node->id ? room_of(view, &view->cores[j], request) : 0;
        if (n < request->cpus || memory_node(view, node, request) < 0)
            continue;
        score = 1 - (double)request->cpus / (double)n + (request->near >> node->id & 1);
        if (score >= best_score) {
            best = node;
            best_score = score;
        }
    }
    return best;
}

/* Marks the CPUs as used and lists them. */
static void take_cpus(struct oned_hardware *view, const struct oned_node *node,
                      const struct request *request, int vm, struct oned_text *list)
{
    int64_t left = request->cpus;

    for (size_t i = 0; i < view->n_cores && left > 0; i++) {
        struct oned_core *core = &view->cores[i];
        int64_t room = core->node == node->id ? room_of(view, core, request) : 0;

        for (size_t j = 0; j < core->count && room > 0 && left > 0; j++) {
            struct oned_cpu *cpu = &view->cpus[core->first + j];

            if (cpu->vm != NO_VM)
                continue;
            cpu->vm = vm;
            core->dedicated = request->dedicated;
            oned_text_format(list, "%s%d", list->size ? "," : "", cpu->id);
            room = request->dedicated ? 0 : room - 1;
            left--;
        }
    }
}

static void write_node(struct oned_attributes *numa, const struct oned_text *cpus, int node,
                       int memory)
{
    oned_attributes_set(numa, "CPUS", cpus->bytes ? cpus->bytes : "");
    oned_attributes_set_number(numa, "NODE_ID", node);
    oned_attributes_set_number(numa, "MEMORY_NODE_ID", memory);
}

/* One virtual node of the VM. False: it does not fit. */
static bool place_node(struct oned_hardware *view, const struct request *request, int vm,
                       struct oned_attributes *numa, bool write)
{
    const struct oned_node *node = best_node(view, request);
    int memory = node ? memory_node(view, node, request) : -1;
    struct oned_pages *pages = oned_hardware_pages(view, memory, request->page);
    struct oned_text list = {0};

    if (!node)
        return false;
    take_cpus(view, node, request, vm, &list);
    oned_hardware_node(view, memory)->used += request->memory;
    if (pages)
        pages->used += request->memory / request->page;
    if (write)
        write_node(numa, &list, node->id, memory);
    oned_text_finish(&list);
    return true;
}

/* All virtual nodes, with that many threads of a core each. */
static bool place_nodes(const struct oned *oned, const struct oned_host *host,
                        const struct oned_vm *vm, struct request request, bool write)
{
    struct oned_hardware view = oned_hardware_view(oned, host);
    struct oned_attributes *numa;
    uint64_t near = request.near;
    bool placed = true;

    for (size_t i = 0; placed && (numa = oned_attributes_vector(&vm->template, "NUMA_NODE", i));
         i++) {
        request.cpus = oned_attributes_number(numa, "TOTAL_CPUS", 0);
        request.memory = oned_attributes_number(numa, "MEMORY", 0);
        /* 7.4 expects the devices of virtual node 0 on node 0, and so on. */
        request.near = oned->options.version >= ONED_7_4 ? near & UINT64_C(1) << i : near;
        placed = place_node(&view, &request, vm->id, numa, write);
    }
    oned_hardware_view_finish(&view);
    return placed;
}

static bool divides(const struct oned_vm *vm, int64_t threads)
{
    const struct oned_attributes *numa;

    for (size_t i = 0; (numa = oned_attributes_vector(&vm->template, "NUMA_NODE", i)); i++)
        if (oned_attributes_number(numa, "TOTAL_CPUS", 0) % threads != 0)
            return false;
    return true;
}

static int64_t threads_of(const struct oned *oned, const struct oned_host *host)
{
    struct oned_hardware view = oned_hardware_view(oned, host);
    int64_t threads = view.n_cores ? (int64_t)view.cores[0].count : 1;

    oned_hardware_view_finish(&view);
    while (threads & (threads - 1))
        threads &= threads - 1;
    return threads;
}

static void write_topology(struct oned_vm *vm, int64_t threads)
{
    struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);
    int64_t sockets = oned_attributes_number(topology, "SOCKETS", 1);
    int64_t vcpu = oned_attributes_number(&vm->template, "VCPU", 1);

    oned_attributes_set_number(topology, "THREADS", threads);
    oned_attributes_set_number(topology, "CORES", vcpu / (threads * sockets));
}

static bool place_pinned(const struct oned *oned, const struct oned_host *host, struct oned_vm *vm,
                         struct request request, bool write)
{
    const struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);
    int64_t wanted = oned_attributes_number(topology, "THREADS", 0);
    int64_t most = request.dedicated ? 1 : threads_of(oned, host);

    for (request.threads = most; request.threads > 0; request.threads /= 2) {
        if ((wanted && !request.dedicated && request.threads != wanted) ||
            !divides(vm, request.threads) || !place_nodes(oned, host, vm, request, write))
            continue;
        if (write)
            write_topology(vm, request.threads);
        return true;
    }
    return false;
}

/* Not pinned: memory of one node, the one requested or the one with the most free pages. */
static bool place_affine(const struct oned *oned, const struct oned_host *host, struct oned_vm *vm,
                         struct request request, bool write)
{
    const struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);
    int64_t affinity = oned_attributes_number(topology, "NODE_AFFINITY", -1), most = -1;
    struct oned_hardware view = oned_hardware_view(oned, host);
    const struct oned_node *best = NULL;
    struct oned_text list = {0};

    request.memory = vm->memory;
    for (size_t i = 0; i < view.n_nodes; i++) {
        const struct oned_pages *pages = oned_hardware_pages(&view, view.nodes[i].id, request.page);
        int64_t free_pages = pages ? pages->count - pages->used : 0;

        if ((affinity >= 0 && view.nodes[i].id != affinity) ||
            !has_memory(&view, &view.nodes[i], &request) || free_pages <= most)
            continue;
        best = &view.nodes[i];
        most = free_pages;
    }
    for (size_t i = 0; best && i < view.n_cores; i++)
        for (size_t j = 0; view.cores[i].node == best->id && j < view.cores[i].count; j++)
            oned_text_format(&list, "%s%d", list.size ? "," : "",
                             view.cpus[view.cores[i].first + j].id);
    if (best && write)
        write_node(oned_attributes_vector(&vm->template, "NUMA_NODE", 0), &list, best->id,
                   best->id);
    oned_text_finish(&list);
    oned_hardware_view_finish(&view);
    return best != NULL;
}

/* NUMA nodes for the VM; `near`: a bit for each node with a device of it. */
static bool place(const struct oned *oned, const struct oned_host *host, struct oned_vm *vm,
                  uint64_t near, bool write)
{
    const struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);
    struct request request = {.threads = 1, .near = near};
    const char *policy;

    if (!topology || !oned_attributes_vector(&vm->template, "NUMA_NODE", 0))
        return true;
    request.page = oned_attributes_number(topology, "HUGEPAGE_SIZE", 0) * 1024;
    if (!oned_is_pinned(vm, &policy))
        return place_affine(oned, host, vm, request, write);
    request.dedicated = strcasecmp(policy, "CORE") == 0;
    return place_pinned(oned, host, vm, request, write);
}

/* --- both ------------------------------------------------------------------------------------- */

const char *oned_hardware_lacks(const struct oned *oned, const struct oned_host *host,
                                struct oned_vm *vm)
{
    struct assignment assignment = {0};

    if (!assign_devices(oned, host, vm, &assignment))
        return "Unavailable PCI device.";
    return place(oned, host, vm, 0, false) ? NULL : "Cannot allocate NUMA topology";
}

/* Without a check before (one that is not enforced is made all the same), nothing is assigned. */
void oned_hardware_assign(const struct oned *oned, const struct oned_host *host, struct oned_vm *vm)
{
    struct assignment assignment = {0};
    uint64_t near = 0;

    if (!assign_devices(oned, host, vm, &assignment))
        return;
    for (size_t i = 0; i < assignment.count; i++) {
        int64_t node = oned_attributes_number(assignment.devices[i], "NUMA_NODE", -1);

        write_device(oned, oned_attributes_vector(&vm->template, "PCI", i), i,
                     assignment.devices[i]);
        if (node >= 0 && node < 64)
            near |= UINT64_C(1) << node;
    }
    place(oned, host, vm, near, true);
}

void oned_hardware_free(struct oned_vm *vm)
{
    struct oned_attributes *device;

    for (size_t i = 0; (device = oned_attributes_vector(&vm->template, "PCI", i)); i++) {
        oned_attributes_remove(device, "ADDRESS");
        oned_attributes_remove(device, "PREV_ADDRESS");
    }
}

void oned_hardware_arrive(struct oned_vm *vm, bool back)
{
    struct oned_attributes *device;

    for (size_t i = 0; (device = oned_attributes_vector(&vm->template, "PCI", i)); i++) {
        const char *before = oned_attributes_get(device, "PREV_ADDRESS");
        char address[64];

        if (before && back) {
            snprintf(address, sizeof address, "%s", before);
            oned_attributes_set(device, "ADDRESS", address);
        }
        oned_attributes_remove(device, "PREV_ADDRESS");
    }
}
