/* Why no host can hold a lease: which VM is too large, and in CPU or memory. */
#include "daemon/planner/planner_inside.h"

/* The largest sizes among the hosts that a VM may use. */
struct largest {
    int64_t cpu, memory; /* possibly of different hosts */
    bool holds;          /* one of the hosts could hold the VM when empty */
};

static struct largest largest_for(const struct planner *planner, const struct vm_record *vm)
{
    const struct host_pool *pool = &planner->snapshot.hosts->pool;
    const struct vm_observation *observed = world_vm(planner->world, vm->id);
    struct eligible eligible = {.filter = NULL};
    struct largest largest = {0};

    if (observed && observed->full)
        eligibility_of_later(planner->snapshot.eligibility, observed->full, &eligible);
    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];

        if (!host_filter_allows(eligible.filter, i))
            continue;
        largest.cpu = host->cpu > largest.cpu ? host->cpu : largest.cpu;
        largest.memory = host->memory > largest.memory ? host->memory : largest.memory;
        largest.holds |= host->cpu >= vm->cpu && host->memory >= vm->memory;
    }
    return largest;
}

static bool lacks_units(const struct reason *reason)
{
    return reason->id == REASON_NO_DEVICE || reason->id == REASON_NO_TOPOLOGY;
}

bool planner_is_too_big(const struct reason *reason)
{
    return reason->id == REASON_TOO_BIG || reason->id == REASON_NO_HOST_ALLOWED ||
           lacks_units(reason);
}

/* Any of the VMs if all have the same size; else NULL. */
static const struct vm_record *of_one_size(const struct vm_record *const *vms, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (vms[i]->cpu != vms[0]->cpu || vms[i]->memory != vms[0]->memory)
            return NULL;
    return n ? vms[0] : NULL;
}

const struct vm_record *planner_too_small(const struct planner *planner,
                                          const struct lease_record *lease, struct reason *reason)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    for (size_t i = 0; i < n && planner_is_too_big(reason); i++) {
        struct largest largest;

        if (vms[i]->gone)
            continue;
        largest = largest_for(planner, vms[i]);
        if (largest.holds)
            continue;
        *reason =
            (struct reason){.id = REASON_HOSTS_TOO_SMALL,
                            .n = {largest.cpu, largest.memory, (int64_t)n,
                                  (vms[i]->cpu > largest.cpu ? TOO_SMALL_CPU : 0) |
                                      (vms[i]->memory > largest.memory ? TOO_SMALL_MEMORY : 0)},
                            .word = "too-big"};
        return vms[i];
    }
    return lacks_units(reason) ? NULL : of_one_size(vms, n);
}
