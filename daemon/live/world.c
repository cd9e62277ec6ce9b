#include "daemon/live/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/live/world_inside.h"
#include "daemon/log.h"
#include "util/memory.h"

/* --- a look at some --------------------------------------------------------------------------- */

struct look {
    struct world *world;
    int64_t asked;
    void (*seen)(void *context, bool ok);
    void *context;
};

static void look_in(void *context, const struct rpc_reply *reply)
{
    struct look *look = context;
    struct vm_pool pool;
    struct error err = {0};
    bool ok = reply->outcome == RPC_DONE && reply->text;

    if (ok && vm_pool_parse(&pool, reply->text, reply->length, &err) < 0) {
        log_warning("one.vmpool.infoset: %s", err.text);
        ok = false;
    }
    if (ok) {
        for (size_t i = 0; i < pool.n; i++)
            observation_see(look->world, &pool.items[i], look->asked);
        vm_pool_finish(&pool);
    }
    look->seen(look->context, ok);
    free(look);
}

void world_look(struct world *world, const int32_t *ids, size_t n,
                void (*seen)(void *context, bool ok), void *context)
{
    struct look *look = memory_new(1, sizeof *look);
    char *list = memory_new(n + 1, 12);
    size_t length = 0;
    struct rpc_argument arguments[2];

    for (size_t i = 0; i < n; i++)
        length += (size_t)sprintf(list + length, "%s%d", length ? "," : "", ids[i]);
    *look = (struct look){world, clock_monotonic(), seen, context};
    arguments[0] = RPC_TEXT(list);
    arguments[1] = RPC_BOOL(true);
    rpc_call(world->settings.rpc, &(struct rpc_request){.method = "one.vmpool.infoset",
                                                        .arguments = arguments,
                                                        .n_arguments = 2,
                                                        .urgent = true,
                                                        .done = look_in,
                                                        .context = look});
    free(list);
}

static void history_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;
    struct vm_pool pool;
    struct error err = {0};

    if (reply->outcome != RPC_DONE || !reply->text)
        return;
    if (vm_pool_parse(&pool, reply->text, reply->length, &err) < 0) {
        log_warning("one.vm.info: %s", err.text);
        return;
    }
    for (size_t i = 0; i < pool.n; i++) {
        struct vm_observation *observed = observation_make(world, pool.items[i].id);

        observed->n_records = pool.items[i].n_records;
        observed->ran_for = pool.items[i].ran_for;
    }
    vm_pool_finish(&pool);
}

void world_read_history(struct world *world, int32_t id)
{
    const struct rpc_argument argument = RPC_INT(id);

    rpc_call(world->settings.rpc, &(struct rpc_request){.method = "one.vm.info",
                                                        .arguments = &argument,
                                                        .n_arguments = 1,
                                                        .urgent = true,
                                                        .done = history_in,
                                                        .context = world});
}

void world_want_full(struct world *world, const int32_t *ids, size_t n)
{
    free(world->wanted);
    world->wanted = memory_copy(ids, n * sizeof *ids);
    world->n_wanted = n;
}

/* --- the rest --------------------------------------------------------------------------------- */

struct world *world_create(const struct world_settings *settings, world_polled *polled,
                           void *context)
{
    struct world *world = memory_new(1, sizeof *world);

    world->settings = *settings;
    world->polled = polled;
    world->context = context;
    world->leads = !settings->check_leader;
    map_init(&world->observations, sizeof(struct vm_observation));
    return world;
}

void world_destroy(struct world *world)
{
    if (!world)
        return;
    full_forms_finish(&world->full);
    full_forms_finish(&world->full_next);
    hosts_release(world->hosts);
    hosts_release(world->hosts_next);
    host_monitoring_finish(&world->monitoring);
    site_release(world->site);
    site_release(world->site_next);
    free(world->promises);
    free(world->wanted);
    map_finish(&world->observations);
    free(world);
}

struct hosts_seen *world_hosts(const struct world *world)
{
    return world->hosts;
}

struct site_seen *world_site(const struct world *world)
{
    return world->site;
}

struct hosts_seen *hosts_retain(struct hosts_seen *hosts)
{
    if (hosts)
        hosts->references++;
    return hosts;
}

void hosts_release(struct hosts_seen *hosts)
{
    if (!hosts || --hosts->references > 0)
        return;
    host_pool_finish(&hosts->pool);
    free(hosts);
}

struct site_seen *site_retain(struct site_seen *site)
{
    if (site)
        site->references++;
    return site;
}

void site_release(struct site_seen *site)
{
    if (!site || --site->references > 0)
        return;
    datastore_pool_finish(&site->datastores);
    cluster_pool_finish(&site->clusters);
    user_pool_finish(&site->users);
    acl_finish(&site->acl);
    free(site);
}

bool world_leads(const struct world *world)
{
    return world->leads;
}

const char *world_raft_state(const struct world *world)
{
    return world->raft_state;
}
