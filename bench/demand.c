/* demand.c: what it costs to place VMs with demands beyond amounts.
 *
 *   bench-demand [HOSTS [VMS [RUNNING [plain]]]]
 *
 * Every host has two NUMA nodes of 8 cores with 2 threads and 4 PCI devices of two kinds. Each VM
 * may use half of the hosts, has a rank for each host, is pinned to two threads of a core, demands
 * a device, and is of a role of ten VMs that must be apart; `plain`: only the hosts it may use, and
 * the rank. RUNNING VMs that ask for nothing but amounts are placed before them. Prints the
 * processor time of the pass that places them, of a pass when nothing is free any more, and the
 * peak memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench/processor_time.h"
#include "core/demand.h"
#include "core/engine.h"
#include "core/host_filter.h"
#include "util/memory.h"

enum { NODES = 2, CORES = 8, THREADS = 2, DEVICES = 4, ROLE_VMS = 10 };

static uint32_t thread_ids[NODES * CORES * THREADS];
static struct numa_core cores[NODES * CORES];
static struct numa_node nodes[NODES];
static struct pci_device devices[DEVICES];
static const struct host_units units = {
    .nodes = nodes, .n_nodes = NODES, .devices = devices, .n_devices = DEVICES};

static void make_units(void)
{
    for (uint32_t i = 0; i < NODES * CORES * THREADS; i++)
        thread_ids[i] = i;
    for (uint32_t i = 0; i < NODES * CORES; i++)
        cores[i] = (struct numa_core){&thread_ids[i * THREADS], THREADS};
    for (int32_t i = 0; i < NODES; i++)
        nodes[i] = (struct numa_node){
            .id = i, .cores = &cores[i * CORES], .n_cores = CORES, .memory_kb = INT64_C(64) << 20};
    for (uint32_t i = 0; i < DEVICES; i++)
        devices[i] = (struct pci_device){.vendor = 0x10de,
                                         .device = i / 2,
                                         .class_id = 0x0302,
                                         .address = i,
                                         .numa_node = (int32_t)i % NODES};
}

/* A VM's requirement, rank and demand. */
struct vm {
    struct host_filter filter;
    struct host_rank rank;
    struct rank_step steps[3];
    struct vm_demand demand;
    struct company_rule rule;
    struct node_set nodes;
    struct lease_request request;
};

static const struct vm_node two_cpus = {2, 4 << 20};
static const struct pci_demand any_device = {0x10de, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY,
                                             DEMAND_ANY};

static void make_request(struct vm *vm, int64_t id)
{
    vm->nodes = (struct node_set){.count = 1,
                                  .amounts.of = {[RESOURCE_CPU] = 200, [RESOURCE_MEMORY] = 4096}};
    vm->request = (struct lease_request){.id = id,
                                         .kind = LEASE_BEST_EFFORT,
                                         .start = INSTANT_NONE,
                                         .deadline = INSTANT_NONE,
                                         .duration = SPAN_UNLIMITED,
                                         .duration_original = SPAN_UNLIMITED,
                                         .duration_known = SPAN_NONE,
                                         .terms = TERMS_NON_PREEMPTABLE,
                                         .user = -1,
                                         .node_sets = &vm->nodes,
                                         .n_node_sets = 1};
}

static void make_vm(struct vm *vm, uint32_t i, uint32_t n_hosts, const double *figures, bool plain)
{
    uint64_t *allowed = memory_new(bitmap_words(n_hosts), sizeof *allowed);

    for (uint32_t host = 0; host < n_hosts; host++)
        if ((host + i) % 2)
            bitmap_add(allowed, host);
    vm->steps[0] = (struct rank_step){.operation = RANK_COLUMN, .column = figures};
    vm->steps[1] = (struct rank_step){.operation = RANK_NUMBER, .number = i};
    vm->steps[2] = (struct rank_step){.operation = RANK_ADD};
    vm->rank = (struct host_rank){.steps = vm->steps, .n = 3, .depth = 2};
    vm->filter = (struct host_filter){.allowed = allowed, .rank = &vm->rank};
    vm->rule = (struct company_rule){.role = i / ROLE_VMS, .apart = true};
    vm->demand = (struct vm_demand){.pin = PIN_THREAD,
                                    .nodes = &two_cpus,
                                    .n_nodes = 1,
                                    .node = NODE_ANY,
                                    .devices = &any_device,
                                    .n_devices = 1,
                                    .role = i / ROLE_VMS,
                                    .rules = &vm->rule,
                                    .n_rules = 1};
    make_request(vm, i + 1);
    vm->nodes.hosts = &vm->filter;
    vm->nodes.demand = plain ? NULL : &vm->demand;
}

static int step(struct engine *engine, int64_t now, struct vm *vms, uint32_t n, struct error *err)
{
    struct engine_input *inputs = memory_new(n, sizeof *inputs);
    struct engine_outputs outputs;
    const double began = processor_ms();
    int result;

    engine_outputs_init(&outputs);
    for (uint32_t i = 0; i < n; i++)
        inputs[i] = (struct engine_input){.kind = INPUT_REQUEST, .request = &vms[i].request};
    result = engine_step(engine, now, inputs, n, &outputs, err);
    printf("%" PRIu32 " new VMs: %.1f ms, %zu wait\n", n, processor_ms() - began,
           engine_queue_length(engine));
    engine_outputs_finish(&outputs);
    free(inputs);
    return result;
}

struct work {
    uint32_t n_hosts, n_vms, n_running;
    bool plain;
};

static int place(struct engine *engine, const struct work *work, struct error *err)
{
    struct vm *running = memory_new(work->n_running, sizeof *running);
    struct vm *vms = memory_new(work->n_vms, sizeof *vms);
    double *figures = memory_new(work->n_hosts, sizeof *figures);
    struct rusage usage;
    int result;

    for (uint32_t host = 0; host < work->n_hosts; host++)
        figures[host] = (double)(host * UINT32_C(2654435761) % 1000);
    for (uint32_t i = 0; i < work->n_running; i++)
        make_request(&running[i], INT64_C(1) + work->n_vms + i);
    for (uint32_t i = 0; i < work->n_vms; i++)
        make_vm(&vms[i], i, work->n_hosts, figures, work->plain);
    result = work->n_running ? step(engine, 0, running, work->n_running, err) : 0;
    if (result == 0)
        result = step(engine, 1, vms, work->n_vms, err);
    if (result == 0)
        result = step(engine, 2, NULL, 0, err);
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld MB at most\n", usage.ru_maxrss / 1024);
    for (uint32_t i = 0; i < work->n_vms; i++)
        memory_free(vms[i].filter.allowed);
    free(figures);
    free(vms);
    free(running);
    return result;
}

int main(int argc, char **argv)
{
    const struct work work = {.n_hosts = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000,
                              .n_vms = argc > 2 ? (uint32_t)atoi(argv[2]) : 1000,
                              .n_running = argc > 3 ? (uint32_t)atoi(argv[3]) : 0,
                              .plain = argc > 4};
    const struct amounts capacity = {.of = {[RESOURCE_CPU] = 3200, [RESOURCE_MEMORY] = 131072}};
    const struct policy_hooks hooks = {0};
    struct engine_settings settings;
    struct engine *engine;
    struct error err;
    struct site site;

    engine_settings_init(&settings);
    site_init(&site);
    make_units();
    if (site_add_hosts(&site, work.n_hosts, &capacity, &err) < 0)
        return 1;
    for (uint32_t host = 0; host < work.n_hosts; host++)
        site.hosts[host].units = &units;
    engine = engine_create(&site, &settings, &hooks, &err);
    if (!engine || place(engine, &work, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    engine_destroy(engine);
    site_finish(&site);
    return 0;
}
