/* The functions that show hosts, for answers. */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/services/services_question.h"
#include "daemon/state/quarantine.h"
#include "util/memory.h"

const char *services_host_word(enum host_state state)
{
    switch (state) {
    case HOST_ON:
        return "on";
    case HOST_DISABLED:
        return "disabled";
    case HOST_OFFLINE:
        return "offline";
    case HOST_ERROR:
        return "error";
    default:
        return "init";
    }
}

struct host_use {
    int64_t cpu, memory;
    uint32_t vms;
};

static void count_use(const struct daemon *daemon, const struct host_pool *pool,
                      struct host_use *uses)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(daemon->world, &cursor))) {
        const struct vm_record *vm =
            observed_uses_host(observed) ? NULL : store_vm(daemon->store, observed->id);
        const struct host *host = enactor_keeps_room(daemon, vm, observed)
                                      ? host_pool_find(pool, observed->history.host)
                                      : NULL;

        if (!host)
            continue;
        uses[host - pool->items].cpu += observed->cpu;
        uses[host - pool->items].memory += observed->memory;
        uses[host - pool->items].vms++;
    }
}

/* The use of each host, in the order of the pool; recomputed after changes. */
static const struct host_use *use_of_hosts(struct daemon *daemon, struct hosts_seen *hosts)
{
    struct hosts_use *known = &daemon->hosts_use;
    uint64_t changes = store_changes(daemon->store), of_world = world_changes(daemon->world);

    if (known->hosts == hosts && known->changes == changes && known->world_changes == of_world)
        return known->items;
    services_hosts_forget(daemon);
    *known = (struct hosts_use){.hosts = hosts_retain(hosts),
                                .changes = changes,
                                .world_changes = of_world,
                                .items = memory_new(hosts->pool.n, sizeof *known->items)};
    count_use(daemon, &hosts->pool, known->items);
    return known->items;
}

void services_hosts_forget(struct daemon *daemon)
{
    hosts_release(daemon->hosts_use.hosts);
    free(daemon->hosts_use.items);
    daemon->hosts_use = (struct hosts_use){.hosts = NULL};
}

static void show_host(const struct daemon *daemon, const struct host *host,
                      const struct host_use *use,
                      void (*visit)(void *visitor, const struct host_view *host), void *visitor)
{
    bool on = host->state == HOST_ON;
    int64_t until =
        on ? quarantine_until(&daemon->quarantine, host->id, clock_now()) : INSTANT_NONE;
    bool quarantined = until != INSTANT_NONE;
    struct drain_times drains[DRAINS_OF_HOST_MOST];
    size_t n_drains = services_drains_of(daemon, host->id, drains);
    const struct drain *drain = drains_at(&daemon->drains, host->id, clock_now());
    struct unread_room unread;
    bool used;

    if (!world_unread(daemon->world, host, &unread))
        unread = (struct unread_room){.vms = 0};
    used = use->vms + unread.vms > 0;
    visit(visitor, &(struct host_view){.id = host->id,
                                       .name = host->name,
                                       .cluster = host->cluster_name,
                                       .state = drain         ? services_drain_word(drain, used)
                                                : quarantined ? "quarantined"
                                                              : services_host_word(host->state),
                                       .usable = on && !quarantined && !drain,
                                       .cpu = host->cpu,
                                       .memory = host->memory,
                                       .cpu_used = use->cpu + unread.cpu,
                                       .memory_used = use->memory + unread.memory,
                                       .vms = use->vms + unread.vms,
                                       .unread = unread.vms,
                                       .unread_cpu = unread.cpu,
                                       .unread_memory = unread.memory,
                                       .quarantined_until = until,
                                       .drains = drains,
                                       .n_drains = n_drains});
}

void services_each_host(void *context, int32_t which,
                        void (*visit)(void *visitor, const struct host_view *host), void *visitor)
{
    struct daemon *daemon = context;
    struct hosts_seen *hosts = world_hosts(daemon->world);
    struct drain_times drains[DRAINS_OF_HOST_MOST];
    const struct host *one;
    const struct host_use *uses;

    if (!hosts || (which == HOSTS_DRAINED && daemon->drains.n == 0))
        return;
    uses = use_of_hosts(daemon, hosts);
    one = which >= 0 ? host_pool_find(&hosts->pool, which) : NULL;
    if (one)
        show_host(daemon, one, &uses[one - hosts->pool.items], visit, visitor);
    for (size_t i = 0; which < 0 && i < hosts->pool.n; i++) {
        const struct host *host = &hosts->pool.items[i];

        if (which == HOSTS_ALL ||
            (which == HOSTS_DRAINED && services_drains_of(daemon, host->id, drains) > 0))
            show_host(daemon, host, &uses[i], visit, visitor);
    }
}

const char *services_host_name(void *context, const char *name, int64_t *id)
{
    const struct daemon *daemon = context;
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    const struct host *found = NULL;

    if (hosts && !name)
        found = *id >= 0 && *id <= INT32_MAX ? host_pool_find(&hosts->pool, (int32_t)*id) : NULL;
    for (size_t i = 0; hosts && name && i < hosts->pool.n && !found; i++)
        if (strcmp(hosts->pool.items[i].name, name) == 0)
            found = &hosts->pool.items[i];
    if (found)
        *id = found->id;
    return found ? found->name : NULL;
}
