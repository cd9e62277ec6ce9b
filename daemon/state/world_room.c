/* Room missing from OpenNebula's figures: on datastores, promised to VMs and not yet measured; on
 * hosts, used by VMs that cannot be read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/state/world_inside.h"
#include "daemon/store/store.h"
#include "util/append.h"
#include "util/memory.h"
#include "util/mix.h"

enum {
    LONGEST = 15 * 60 * 1000, /* milliseconds: datastores are measured well within this time */
};

/* MB free as last measured; -1: not measured. */
static int64_t reported(const struct world *world, const struct room_promise *promise)
{
    const struct host *host =
        world->hosts ? host_pool_find(&world->hosts->pool, promise->host) : NULL;
    const struct datastore *datastore =
        world->site ? datastore_pool_find(&world->site->datastores, promise->datastore) : NULL;
    bool by_itself;

    return host && datastore ? datastore_reported(datastore, host, &by_itself) : -1;
}

static void drop(struct world *world, size_t i)
{
    world->promises[i] = world->promises[--world->n_promises];
    world->promises_changed = true;
}

static struct room_promise *keep(struct world *world, const struct room_promise *promise)
{
    struct room_promise *kept;

    MEMORY_GROW(world->promises, world->promises_allocated, world->n_promises + 1);
    kept = &world->promises[world->n_promises++];
    *kept = *promise;
    world->promises_changed = true;
    return kept;
}

void world_promise(struct world *world, int32_t vm, const struct room_promise *promises, size_t n)
{
    for (size_t i = world->n_promises; i-- > 0;)
        if (world->promises[i].vm == vm)
            drop(world, i);
    for (size_t i = 0; i < n; i++) {
        struct room_promise *kept;

        if (promises[i].amount <= 0)
            continue;
        kept = keep(world, &promises[i]);
        kept->vm = vm;
        kept->reported = reported(world, kept);
        kept->at = clock_monotonic();
    }
}

const struct room_promise *world_promises(const struct world *world, size_t *n)
{
    *n = world->n_promises;
    return world->promises;
}

/* A pending VM keeps its promise, since its deployment may have been commanded. */
static bool is_over(const struct world *world, const struct room_promise *promise, int64_t now)
{
    const struct vm_observation *observed = world_vm(world, promise->vm);
    bool waits = observed && (observed->state == VM_PENDING || observed->state == VM_HOLD);

    if (!observed || !observed->present || now - promise->at > LONGEST)
        return true;
    if (observed->asked <= promise->at)
        return false;
    if (!waits && !promise->of_images && observed->history.datastore >= 0 &&
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
            drop(world, i);
}

/* --- across restarts -------------------------------------------------------------------------- */

/* "vm datastore host of_images amount reported at, ..." */
#define FACT "room-promises"
enum { ROOM_TEXT_MAX = 128 };

void world_remember_promises(struct world *world, struct store *store)
{
    int64_t now = clock_now(), monotonic = clock_monotonic();
    size_t size, length = 0;
    char *text;

    if (!world->promises_changed)
        return;
    world->promises_changed = false;
    size = (world->n_promises + 1) * ROOM_TEXT_MAX;
    text = memory_new(size, 1);
    for (size_t i = 0; i < world->n_promises; i++) {
        const struct room_promise *promise = &world->promises[i];

        length = append_text(text, size, length, "%s%d %d %d %d %" PRId64 " %" PRId64 " %" PRId64,
                             i ? ", " : "", promise->vm, promise->datastore, promise->host,
                             promise->of_images, promise->amount, promise->reported,
                             now - (monotonic - promise->at) / 1000);
    }
    store_set_fact(store, FACT, length ? text : NULL);
    free(text);
}

/* Even if the clock was set back, a promise is not dated in the future. */
void world_recall_promises(struct world *world, const struct store *store)
{
    const char *text = store_fact(store, FACT);
    int64_t now = clock_now(), monotonic = clock_monotonic();

    while (text && *text) {
        struct room_promise promise = {0};
        int64_t at;
        int of_images;

        if (sscanf(text, "%d %d %d %d %" SCNd64 " %" SCNd64 " %" SCNd64, &promise.vm,
                   &promise.datastore, &promise.host, &of_images, &promise.amount,
                   &promise.reported, &at) == 7 &&
            promise.amount > 0) {
            promise.of_images = of_images != 0;
            promise.at = monotonic - (at < now ? (now - at) * 1000 : 0);
            keep(world, &promise);
        }
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
    world->promises_changed = false;
}

/* --- VMs that cannot be read ------------------------------------------------------------------ */

/* Is the VM on the host, as oned shows the VM itself? */
static bool is_there(const struct vm_observation *observed, const struct host *host)
{
    return (observed_holds_host(observed) && observed->history.host == host->id) ||
           observed_migrates(observed);
}

/* Subtracts the VMs that were read; with `there`, only those that are on the host. */
static void subtract_read(const struct world *world, const struct host *host, bool there,
                          struct unread_room *room)
{
    uint32_t unsized = 0;

    *room = (struct unread_room){
        .vm = INT32_MAX - host->id, .cpu = host->cpu_usage, .memory = host->memory_usage};
    for (size_t i = 0; i < host->n_vms; i++) {
        const struct vm_observation *observed = world_vm(world, host->vms[i]);

        if (!observed || observed->asked <= 0) {
            room->vm = host->vms[i];
            room->vms++;
        } else if (!there || is_there(observed, host)) {
            room->cpu -= observed->cpu;
            room->memory -= observed->memory;
            unsized += observed->size_unread;
        }
    }
    room->vms += unsized;
    if (unsized && host->cpu > host->cpu_usage)
        room->cpu += host->cpu - host->cpu_usage;
    if (unsized && host->memory > host->memory_usage)
        room->memory += host->memory - host->memory_usage;
    room->cpu = room->cpu > 0 ? room->cpu : 0;
    room->memory = room->memory > 0 ? room->memory : 0;
}

/* Capacity that the host counts for VMs that are not there. */
static bool subtract_there(const struct world *world, const struct host *host,
                           struct unread_room *room)
{
    subtract_read(world, host, true, room);
    if (room->cpu == 0 && room->memory == 0)
        return false;
    return true;
}

bool world_unread(const struct world *world, const struct host *host, struct unread_room *room)
{
    if (ids_have(world->refusing, world->n_refusing, host->id) && subtract_there(world, host, room))
        return true;
    subtract_read(world, host, false, room);
    return room->vms > 0;
}

bool world_note_refusal(struct world *world, int32_t id, struct unread_room *room)
{
    const struct host *host = world->hosts ? host_pool_find(&world->hosts->pool, id) : NULL;

    if (!host || !subtract_there(world, host, room) || room->vms > 0)
        return false;
    if (ids_have(world->refusing, world->n_refusing, id))
        return true;
    MEMORY_GROW(world->refusing, world->refusing_allocated, world->n_refusing + 1);
    world->refusing[world->n_refusing++] = id;
    return true;
}

uint64_t world_unread_digest(const struct world *world)
{
    const struct host_pool *pool = world->hosts ? &world->hosts->pool : NULL;
    uint64_t digest = 0;

    for (size_t i = 0; pool && i < pool->n; i++) {
        struct unread_room room;

        if (world_unread(world, &pool->items[i], &room))
            digest = mix_number(mix_number(mix_number(digest, pool->items[i].id), room.cpu),
                                room.memory);
    }
    return digest;
}
