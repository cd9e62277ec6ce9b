/* Any bytes as a document with hosts. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_node(const struct host_node *node)
{
    for (size_t i = 0; i < node->n_uses; i++)
        if (node->uses[i].vm < 0)
            abort();
    for (size_t i = 0; i < node->n_cores; i++)
        if (node->cores[i].first_cpu + node->cores[i].n_cpus > node->n_cpus)
            abort();
    for (size_t i = 0; i < node->n_pages; i++)
        if (node->pages[i].size < 0 || node->pages[i].count < 0 || node->pages[i].used < 0)
            abort();
}

static void check_hardware(const struct host_hardware *hardware)
{
    if (hardware->n_devices > HOST_DEVICES_MOST || hardware->n_nodes > HOST_NODES_MOST ||
        hardware->vms_per_cpu < 1)
        abort();
    for (size_t i = 0; i < hardware->n_devices; i++)
        if (!*hardware->devices[i].address || hardware->devices[i].vm < -1)
            abort();
    for (size_t i = 0; i < hardware->n_nodes; i++)
        check_node(&hardware->nodes[i]);
}

static void check(const struct host_pool *pool, const struct host *host)
{
    if (host_pool_find(pool, host->id) != host)
        abort();
    if (host->cpu < 0 || host->memory < 0 || host->cpu_usage < 0 || host->memory_usage < 0)
        abort();
    if (!host->name || !host->cluster_name || !*host->state_name)
        abort();
    if (host->hardware)
        check_hardware(host->hardware);
    for (size_t i = 0; i < host->n_vms; i++)
        if (host->vms[i] < 0)
            abort();
    for (size_t i = 0; i < host->attributes.n; i++)
        if (!attributes_find(&host->attributes, host->attributes.items[i].name))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host_pool pool;
    struct error err;

    if (host_pool_parse(&pool, (const char *)data, size, &err) < 0)
        return 0;
    for (size_t i = 0; i < pool.n; i++)
        check(&pool, &pool.items[i]);
    host_pool_finish(&pool);
    return 0;
}
