/* The last demand for units that each host did not meet. */
#include "core/refusals.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct refusal {
    bool valid;
    int64_t from;
    size_t ahead;
    struct vm_demand demand;
};

struct refusals {
    struct refusal *on_host; /* NULL: none so far */
    size_t n_hosts;
};

struct refusals *refusals_create(size_t n_hosts)
{
    struct refusals *refusals = memory_new(1, sizeof *refusals);

    refusals->n_hosts = n_hosts;
    return refusals;
}

void refusals_destroy(struct refusals *refusals)
{
    free(refusals->on_host);
    free(refusals);
}

static bool same_nodes(const struct vm_demand *a, const struct vm_demand *b)
{
    if (a->n_nodes != b->n_nodes)
        return false;
    for (uint32_t i = 0; a->nodes != b->nodes && i < a->n_nodes; i++)
        if (a->nodes[i].cpus != b->nodes[i].cpus || a->nodes[i].memory_kb != b->nodes[i].memory_kb)
            return false;
    return true;
}

static bool same_devices(const struct vm_demand *a, const struct vm_demand *b)
{
    return a->n_devices == b->n_devices &&
           (a->devices == b->devices || a->n_devices == 0 ||
            memcmp(a->devices, b->devices, a->n_devices * sizeof *a->devices) == 0);
}

static bool same_units(const struct vm_demand *a, const struct vm_demand *b)
{
    return a->pin == b->pin && a->threads_per_core == b->threads_per_core &&
           a->page_kb == b->page_kb && a->node == b->node && a->devices_near == b->devices_near &&
           same_devices(a, b) && same_nodes(a, b);
}

bool refusals_any(const struct refusals *refusals, uint32_t host, int64_t from)
{
    return refusals->on_host && refusals->on_host[host].valid &&
           refusals->on_host[host].from == from;
}

bool refusals_has(const struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                  int64_t from, size_t ahead)
{
    return refusals_any(refusals, host, from) && refusals->on_host[host].ahead == ahead &&
           same_units(&refusals->on_host[host].demand, demand);
}

void refusals_note(struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                   int64_t from, size_t ahead)
{
    if (!refusals->on_host)
        refusals->on_host = memory_new(refusals->n_hosts, sizeof *refusals->on_host);
    refusals->on_host[host] = (struct refusal){true, from, ahead, *demand};
}

void refusals_forget(struct refusals *refusals, uint32_t host)
{
    if (refusals->on_host)
        refusals->on_host[host].valid = false;
}
