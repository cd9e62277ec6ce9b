/* Units of the hosts of a world, and what its VMs demand of them. */
#include "test/property/world_demands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/units.h"
#include "util/memory.h"

enum { THREADS_OF_CORE = 2, STAYS_MOST = 4096 };

static const uint32_t threads[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct numa_core cores[] = {
    {threads, 2}, {threads + 2, 2}, {threads + 4, 2}, {threads + 6, 2}};
static const struct huge_pages pages[] = {{2048, 300}};
static const struct numa_node nodes[] = {
    {.id = 0, .cores = cores, .n_cores = 2, .memory_kb = 1 << 20, .pages = pages, .n_pages = 1},
    {.id = 1, .cores = cores + 2, .n_cores = 2, .memory_kb = 1 << 20}};
static const struct pci_device devices[] = {{1, 1, 3, .address = 10, .numa_node = 0},
                                            {1, 1, 3, .address = 11, .numa_node = 1},
                                            {1, 2, 3, .address = 12, .numa_node = 1}};
static const struct host_units units = {
    .nodes = nodes, .n_nodes = 2, .devices = devices, .n_devices = 3};

static const struct pci_demand any[] = {{1, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY}};
static const struct pci_demand rare[] = {{1, 2, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY}};
static const struct pci_demand named[] = {{DEMAND_ANY, DEMAND_ANY, 3, 10, DEMAND_ANY}};
static const struct vm_node one_cpu[] = {{1, 100 << 10}}, two_cpus[] = {{2, 300 << 10}};
static const struct company_rule apart[] = {{.role = 5, .apart = true}};

#define ALONE .node = NODE_ANY, .role = DEMAND_ANY
static const struct vm_demand demands[] = {
    {ALONE, .devices = any, .n_devices = 1},
    {ALONE, .devices = rare, .n_devices = 1},
    {ALONE, .devices = named, .n_devices = 1},
    {ALONE, .pin = PIN_CORE, .nodes = one_cpu, .n_nodes = 1},
    {ALONE, .pin = PIN_THREAD, .nodes = two_cpus, .n_nodes = 1},
    {ALONE, .nodes = two_cpus, .n_nodes = 1, .page_kb = 2048},
    {ALONE, .pin = PIN_THREAD, .nodes = one_cpu, .n_nodes = 1, .devices = any, .n_devices = 1},
    {.node = NODE_ANY, .role = 5, .rules = apart, .n_rules = 1},
};

void world_give_units(struct site *site)
{
    for (size_t host = 0; host < site->n_hosts; host++)
        site->hosts[host].units = &units;
}

const struct vm_demand *world_demand(struct random *random)
{
    size_t n = sizeof demands / sizeof *demands;

    return random_once_in(random, 3) ? NULL : &demands[random_between(random, 0, (int64_t)n - 1)];
}

static void report(struct vm_units *vm, const struct held_units *held)
{
    uint32_t *ids = memory_new(held->n_threads + held->n_devices, sizeof *ids);
    int32_t *memory = memory_new(held->n_memory, sizeof *memory);

    for (uint32_t i = 0; i < held->n_threads; i++)
        ids[i] = threads[held_threads(held)[i]];
    for (uint32_t i = 0; i < held->n_devices; i++)
        ids[held->n_threads + i] = devices[held_devices(held)[i]].address;
    for (uint32_t i = 0; i < held->n_memory; i++)
        memory[i] = nodes[held_memory(held)[i]].id;
    *vm = (struct vm_units){.threads = ids,
                            .n_threads = held->n_threads,
                            .memory_nodes = held->n_memory ? memory : NULL,
                            .devices = ids + held->n_threads,
                            .n_devices = held->n_devices};
    if (!held->n_memory)
        free(memory);
}

struct vm_units *world_report(const struct reservation *vm)
{
    const struct held_list *held = vm->placement->held;
    struct vm_units *reported;

    if (!held)
        return NULL;
    reported = memory_new(vm->placement->n_vms, sizeof *reported);
    for (size_t i = 0; i < held->n; i++)
        report(&reported[held->items[i]->vm], held->items[i]);
    return reported;
}

void world_forget(struct vm_units *reported, size_t n)
{
    for (size_t i = 0; reported && i < n; i++) {
        memory_free(reported[i].threads);
        memory_free(reported[i].memory_nodes);
    }
    free(reported);
}

/* --- check ------------------------------------------------------------------------------------ */

struct stays_found {
    struct {
        const struct reservation *r;
        const struct held_units *held;
    } items[STAYS_MOST];
    size_t n;
};

static void add_stays(void *context, const struct lease *lease)
{
    struct stays_found *found = context;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        for (size_t k = 0; r->state != RESERVATION_DONE && r->placement->held &&
                           k < r->placement->held->n && found->n < STAYS_MOST;
             k++) {
            found->items[found->n].r = r;
            found->items[found->n++].held = r->placement->held->items[k];
        }
    }
}

static bool share_units(const struct held_units *a, const struct held_units *b)
{
    bool cores_apart = a->demand->pin == PIN_CORE || b->demand->pin == PIN_CORE;

    for (uint32_t i = 0; i < a->n_devices; i++)
        for (uint32_t k = 0; k < b->n_devices; k++)
            if (held_devices(a)[i] == held_devices(b)[k])
                return true;
    for (uint32_t i = 0; i < a->n_threads; i++)
        for (uint32_t k = 0; k < b->n_threads; k++)
            if (held_threads(a)[i] == held_threads(b)[k] ||
                (cores_apart &&
                 held_threads(a)[i] / THREADS_OF_CORE == held_threads(b)[k] / THREADS_OF_CORE))
                return true;
    return a->demand->role == 5 && b->demand->role == 5;
}

bool world_demands_are_met(const struct engine *engine, char *text, size_t size)
{
    struct stays_found *found = memory_new(1, sizeof *found);
    bool met = true;

    engine_each_lease(engine, add_stays, found);
    for (size_t i = 0; i < found->n; i++)
        for (size_t k = 0; k < i && met; k++) {
            const struct reservation *a = found->items[i].r, *b = found->items[k].r;
            const struct held_units *x = found->items[i].held, *y = found->items[k].held;

            if (a->from >= b->until || b->from >= a->until || x->host != y->host ||
                (a->lease == b->lease && x->vm == y->vm) || !share_units(x, y))
                continue;
            met = false;
            snprintf(text, size,
                     "VM %u of lease %" PRId64 " and VM %u of lease %" PRId64
                     " hold the same units of host %u",
                     x->vm + 1, a->lease->request.id, y->vm + 1, b->lease->request.id, x->host + 1);
        }
    free(found);
    return met;
}
