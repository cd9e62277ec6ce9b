/* Room that figures do not show: on datastores, promised to VMs and not measured yet; on hosts, of
 * VMs that cannot be read. */

#include "daemon/live/clock.h"
#include "daemon/live/world_inside.h"
#include "util/memory.h"

enum {
    LONGEST = 15 * 60 * 1000, /* milliseconds: datastores are measured well within this time */
};

/* MB free as last measured; -1: not measured. */
static int64_t reported(const struct world *world, const struct room_promise *promise)
{
    const struct host *host =
        world->hosts ? host_pool_find(&world->hosts->pool, promise->host) : NULL;
    bool by_itself;

    for (size_t i = 0; host && world->site && i < world->site->datastores.n; i++)
        if (world->site->datastores.items[i].id == promise->datastore)
            return datastore_reported(&world->site->datastores.items[i], host, &by_itself);
    return -1;
}

void world_promise(struct world *world, const struct room_promise *promise)
{
    struct room_promise *kept = NULL;

    for (size_t i = 0; i < world->n_promises && !kept; i++)
        if (world->promises[i].vm == promise->vm)
            kept = &world->promises[i];
    if (promise->amount <= 0) {
        if (kept)
            *kept = world->promises[--world->n_promises];
        return;
    }
    if (!kept) {
        world->promises = memory_grow(world->promises, &world->promises_allocated,
                                      world->n_promises + 1, sizeof *world->promises);
        kept = &world->promises[world->n_promises++];
    }
    *kept = *promise;
    kept->reported = reported(world, promise);
    kept->at = clock_monotonic();
}

const struct room_promise *world_promises(const struct world *world, size_t *n)
{
    *n = world->n_promises;
    return world->promises;
}

/* A pending VM keeps its promise: its deployment may have been commanded. */
static bool is_over(const struct world *world, const struct room_promise *promise, int64_t now)
{
    const struct vm_observation *observed = world_vm(world, promise->vm);
    bool waits = observed && (observed->state == VM_PENDING || observed->state == VM_HOLD);

    if (!observed || !observed->present || now - promise->at > LONGEST)
        return true;
    if (observed->asked <= promise->at)
        return false;
    if (!waits && observed->history.datastore >= 0 &&
        observed->history.datastore != promise->datastore)
        return true;
    if (waits || observed->state == VM_PREPARING)
        return false;
    return reported(world, promise) != promise->reported;
}

void promises_review(struct world *world)
{
    int64_t now = clock_monotonic();

    for (size_t i = world->n_promises; i-- > 0;)
        if (is_over(world, &world->promises[i], now))
            world->promises[i] = world->promises[--world->n_promises];
}

/* --- VMs that cannot be read ------------------------------------------------------------------ */

bool world_unread(const struct world *world, const struct host *host, struct unread_room *room)
{
    bool any = false;

    *room = (struct unread_room){.cpu = host->cpu_usage, .memory = host->memory_usage};
    for (size_t i = 0; i < host->n_vms; i++) {
        const struct vm_observation *observed = world_vm(world, host->vms[i]);

        if (observed && observed->asked > 0) {
            room->cpu -= observed->cpu;
            room->memory -= observed->memory;
        } else {
            room->vm = host->vms[i];
            any = true;
        }
    }
    room->cpu = room->cpu > 0 ? room->cpu : 0;
    room->memory = room->memory > 0 ? room->memory : 0;
    return any;
}

uint64_t world_unread_digest(const struct world *world)
{
    const struct host_pool *pool = world->hosts ? &world->hosts->pool : NULL;
    uint64_t digest = 0;

    for (size_t i = 0; pool && i < pool->n; i++) {
        struct unread_room room;

        if (world_unread(world, &pool->items[i], &room))
            digest = (digest ^ (uint64_t)pool->items[i].id ^ (uint64_t)(room.cpu << 24) ^
                      (uint64_t)room.memory) *
                         UINT64_C(1099511628211) +
                     1;
    }
    return digest;
}
