/* demand.c: what it costs to place VMs with demands beyond amounts.
 *
 *   bench-demand [HOSTS [VMS]]
 *
 * Every host has two NUMA nodes of 8 cores with 2 threads and 4 PCI devices of two kinds. Each VM
 * may use half of the hosts, has a rank for each host, is pinned to two threads of a core, demands
 * a device, and is of a role of ten VMs that must be apart. Prints the processor time of the pass
 * that places them, of a pass when nothing is free any more, and the peak memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "core/demand.h"
#include "core/engine.h"
#include "core/host_filter.h"
#include "util/memory.h"

enum { NODES = 2, CORES = 8, THREADS = 2, DEVICES = 4, ROLE_VMS = 10 };

static double processor_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

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

static void make_vm(struct vm *vm, uint32_t i, uint32_t n_hosts, const double *figures)
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
    vm->nodes = (struct node_set){.count = 1,
                                  .amounts.of = {[RESOURCE_CPU] = 200, [RESOURCE_MEMORY] = 4096},
                                  .hosts = &vm->filter,
                                  .demand = &vm->demand};
    vm->request = (struct lease_request){.id = i + 1,
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

static int place(struct engine *engine, uint32_t n_hosts, uint32_t n_vms, struct error *err)
{
    struct engine_input *inputs = memory_new(n_vms, sizeof *inputs);
    struct vm *vms = memory_new(n_vms, sizeof *vms);
    double *figures = memory_new(n_hosts, sizeof *figures);
    struct engine_outputs outputs;
    struct rusage usage;
    int result = 0;

    for (uint32_t host = 0; host < n_hosts; host++)
        figures[host] = (double)(host * UINT32_C(2654435761) % 1000);
    engine_outputs_init(&outputs);
    for (uint32_t i = 0; i < n_vms; i++) {
        make_vm(&vms[i], i, n_hosts, figures);
        inputs[i] = (struct engine_input){.kind = INPUT_REQUEST, .request = &vms[i].request};
    }
    for (int pass = 0; pass < 2 && result == 0; pass++) {
        double began = processor_ms();

        result = engine_step(engine, pass, pass ? NULL : inputs, pass ? 0 : n_vms, &outputs, err);
        printf("%u VMs on %u hosts: %.1f ms for pass %d, %zu wait\n", n_vms, n_hosts,
               processor_ms() - began, pass + 1, engine_queue_length(engine));
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld MB at most\n", usage.ru_maxrss / 1024);
    engine_outputs_finish(&outputs);
    for (uint32_t i = 0; i < n_vms; i++) {
        memory_free(vms[i].filter.allowed);
    }
    free(figures);
    free(vms);
    free(inputs);
    return result;
}

int main(int argc, char **argv)
{
    uint32_t n_hosts = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    uint32_t n_vms = argc > 2 ? (uint32_t)atoi(argv[2]) : 1000;
    const struct amounts capacity = {.of = {[RESOURCE_CPU] = 3200, [RESOURCE_MEMORY] = 131072}};
    const struct policy_hooks hooks = {0};
    struct engine_settings settings;
    struct engine *engine;
    struct error err;
    struct site site;

    engine_settings_init(&settings);
    site_init(&site);
    make_units();
    if (site_add_hosts(&site, n_hosts, &capacity, &err) < 0)
        return 1;
    for (uint32_t host = 0; host < n_hosts; host++)
        site.hosts[host].units = &units;
    engine = engine_create(&site, &settings, &hooks, &err);
    if (!engine || place(engine, n_hosts, n_vms, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    engine_destroy(engine);
    site_finish(&site);
    return 0;
}
