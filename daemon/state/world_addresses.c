/* Addresses of virtual networks that are promised to VMs, and that OpenNebula may not count yet. */
#include "daemon/base/clock.h"
#include "daemon/state/world_inside.h"
#include "util/memory.h"

enum { LONGEST = 15 * 60 * 1000 }; /* milliseconds, for a VM that is never deployed */

void world_promise_addresses(struct world *world, int32_t vm, const struct nic_choice *choices,
                             size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < world->n_addresses; i++)
        if (world->addresses[i].vm != vm)
            world->addresses[kept++] = world->addresses[i];
    MEMORY_GROW(world->addresses, world->addresses_allocated, kept + n);
    for (size_t i = 0; i < n; i++)
        world->addresses[kept++] =
            (struct address_promise){.vm = vm, .choice = choices[i], .at = clock_monotonic()};
    world->n_addresses = kept;
}

const struct address_promise *world_addresses(const struct world *world, size_t *n)
{
    *n = world->n_addresses;
    return world->addresses;
}

size_t world_nics(const struct world *world, int32_t vm, struct nic_choice *choices)
{
    size_t n = 0;

    for (size_t i = 0; i < world->n_addresses && n < VM_NICS_MAX; i++)
        if (world->addresses[i].vm == vm)
            choices[n++] = world->addresses[i].choice;
    return n;
}

/* OpenNebula leases an address when it accepts the deployment: the networks must have been
 * requested after the VM was observed deployed. */
static bool is_over(const struct world *world, struct address_promise *promise, int64_t now)
{
    const struct vm_observation *observed = world_vm(world, promise->vm);
    bool waits = observed && (observed->state == VM_PENDING || observed->state == VM_HOLD);

    if (!observed || !observed->present)
        return true;
    if (waits || observed->asked <= promise->at)
        return now - promise->at > LONGEST;
    if (!promise->seen)
        promise->seen = now;
    return world->site_asked > promise->seen;
}

void addresses_review(struct world *world)
{
    int64_t now = clock_monotonic();
    size_t kept = 0;

    for (size_t i = 0; i < world->n_addresses; i++)
        if (!is_over(world, &world->addresses[i], now))
            world->addresses[kept++] = world->addresses[i];
    world->n_addresses = kept;
}
