/* The hosts and the site as a plan sees them: taken from the world, and kept until the next
 * complete plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

void picture_drop(struct picture *picture)
{
    eligibility_destroy(picture->eligibility);
    hosts_release(picture->hosts);
    site_release(picture->site);
    free(picture->closed);
    *picture = (struct picture){0};
}

uint32_t picture_place(const struct picture *picture, int32_t host)
{
    const struct host_pool *pool = &picture->hosts->pool;
    const struct host *found = host < 0 ? NULL : host_pool_find(pool, host);

    return found ? (uint32_t)(found - pool->items) : HOST_NONE;
}

static uint64_t mix(uint64_t digest, const char *text)
{
    for (; text && *text; text++)
        digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return digest * UINT64_C(1099511628211) + 1;
}

static uint64_t mix_number(uint64_t digest, int64_t number)
{
    return (digest ^ (uint64_t)number) * UINT64_C(1099511628211) + 1;
}

/* Figures that monitoring changes all the time do not make the hosts different; requirements on
 * such figures are compared by their results. */
static uint64_t hosts_digest(const struct host_pool *pool)
{
    uint64_t digest = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];

        digest = mix_number(digest, host->id);
        digest = mix_number(digest, host->state);
        digest = mix_number(digest, host->cpu);
        digest = mix_number(digest, host->memory);
        digest = mix_number(digest, host->cluster);
        for (size_t j = 0; j < host->attributes.n; j++)
            if (!eligibility_changes_all_the_time(host->attributes.items[j].name)) {
                digest = mix(digest, host->attributes.items[j].name);
                digest = mix(digest, host->attributes.items[j].value);
            }
    }
    return digest;
}

/* Use the latest figures for new leases, if the hosts are otherwise the same. */
static bool picture_follow(struct picture *picture, struct hosts_seen *seen)
{
    if (hosts_digest(&seen->pool) != picture->digest ||
        !eligibility_follow(picture->eligibility, &seen->pool))
        return false;
    hosts_release(picture->hosts);
    picture->hosts = hosts_retain(seen);
    return true;
}

bool planner_sees_same_hosts(struct planner *planner)
{
    struct hosts_seen *seen = world_hosts(planner->world);

    if (!planner->ready || !seen)
        return false;
    if (seen->number != planner->compared) {
        planner->compared = seen->number;
        planner->same = picture_follow(&planner->picture, seen);
    }
    return planner->same;
}

static bool takes_vms(const struct host *host)
{
    return host->state == HOST_ON;
}

/* Room on datastores that was promised to VMs and is not in the datastores' figures yet. */
static void repeat_promises(struct picture *picture, const struct planner *planner)
{
    size_t n;
    const struct room_promise *promises = world_promises(planner->world, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t place = picture_place(picture, promises[i].host);

        if (place != HOST_NONE)
            eligibility_promise(picture->eligibility, promises[i].datastore, place,
                                promises[i].amount);
    }
}

int picture_take(struct picture *picture, const struct planner *planner, struct error *err)
{
    const struct host_pool *pool;

    picture_drop(picture);
    if (!world_hosts(planner->world) || !world_site(planner->world))
        return error_set(err, EAGAIN, "OpenNebula's hosts have not been seen yet");
    picture->hosts = hosts_retain(world_hosts(planner->world));
    picture->site = site_retain(world_site(planner->world));
    pool = &picture->hosts->pool;
    if (pool->n == 0)
        return error_set(err, EAGAIN, "OpenNebula has no hosts");
    picture->digest = hosts_digest(pool);
    picture->closed = memory_new(pool->n, sizeof *picture->closed);
    for (size_t i = 0; i < pool->n; i++)
        picture->closed[i] =
            !takes_vms(&pool->items[i]) ||
            quarantine_has(planner->settings.quarantine, pool->items[i].id, clock_now());
    picture->eligibility = eligibility_create(
        pool, &picture->site->datastores, &picture->site->clusters, &picture->site->users,
        &picture->site->acl, &planner->settings.eligibility, err);
    if (!picture->eligibility)
        return -1;
    repeat_promises(picture, planner);
    return 0;
}

int32_t planner_datastore(struct planner *planner, int32_t id, int32_t host, char *reason,
                          size_t size)
{
    const struct vm_observation *observed = world_vm(planner->world, id);
    uint32_t place;
    int32_t datastore;

    if (!planner->picture.eligibility || !observed || !observed->full)
        return -1;
    place = picture_place(&planner->picture, host);
    if (place == HOST_NONE) {
        snprintf(reason, size, "host %d is gone", host);
        return -1;
    }
    datastore =
        eligibility_datastore(planner->picture.eligibility, observed->full, place, reason, size);
    if (datastore >= 0) {
        int64_t amount = eligibility_room_needed(planner->picture.eligibility, observed->full);

        eligibility_promise(planner->picture.eligibility, datastore, place, amount);
        world_promise(planner->world,
                      &(struct room_promise){
                          .vm = id, .datastore = datastore, .host = host, .amount = amount});
    }
    return datastore;
}
