/* What answers call to show hosts. */
#include <stdlib.h>
#include <string.h>

#include "daemon/control/services_question.h"
#include "daemon/daemon.h"
#include "daemon/live/clock.h"
#include "daemon/live/enactor.h"
#include "daemon/live/quarantine.h"
#include "util/memory.h"

static const char *state_word(enum host_state state)
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

struct usage {
    int64_t cpu, memory;
    uint32_t vms, unread;
    int64_t unread_cpu, unread_memory;
};

/* Adds what the VMs on the hosts of `which` use. Of one host, other VMs cost only a look at where
 * they are. */
static void count_vms(const struct daemon *daemon, const struct host_pool *pool, int32_t which,
                      struct usage *usage)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(daemon->world, &cursor))) {
        const struct host *host;

        if (which >= 0 && observed->history.host != which)
            continue;
        if (!enactor_keeps_room(daemon, store_vm(daemon->store, observed->id), observed))
            continue;
        host = host_pool_find(pool, observed->history.host);
        if (!host)
            continue;
        usage[host - pool->items].cpu += observed->cpu;
        usage[host - pool->items].memory += observed->memory;
        usage[host - pool->items].vms++;
    }
}

static void count_unread(const struct daemon *daemon, const struct host *host, struct usage *usage)
{
    struct unread_room room;

    if (!world_unread(daemon->world, host, &room))
        return;
    usage->cpu += room.cpu;
    usage->memory += room.memory;
    usage->unread = room.vms;
    usage->unread_cpu = room.cpu;
    usage->unread_memory = room.memory;
}

static void show_host(const struct daemon *daemon, const struct host *host,
                      const struct usage *usage,
                      void (*visit)(void *visitor, const struct host_view *host), void *visitor)
{
    bool on = host->state == HOST_ON;
    int64_t until =
        on ? quarantine_until(&daemon->quarantine, host->id, clock_now()) : INSTANT_NONE;
    bool quarantined = until != INSTANT_NONE;
    struct drain_times drains[DRAINS_OF_HOST_MOST];
    size_t n_drains = services_drains_of(daemon, host->id, drains);
    const struct drain *drain = drains_at(&daemon->drains, host->id, clock_now());
    bool used = usage->vms + usage->unread > 0;

    visit(visitor, &(struct host_view){.id = host->id,
                                       .name = host->name,
                                       .cluster = host->cluster_name,
                                       .state = drain         ? services_drain_word(drain, used)
                                                : quarantined ? "quarantined"
                                                              : state_word(host->state),
                                       .usable = on && !quarantined && !drain,
                                       .cpu = host->cpu,
                                       .memory = host->memory,
                                       .cpu_used = usage->cpu,
                                       .memory_used = usage->memory,
                                       .vms = usage->vms + usage->unread,
                                       .unread = usage->unread,
                                       .unread_cpu = usage->unread_cpu,
                                       .unread_memory = usage->unread_memory,
                                       .quarantined_until = until,
                                       .drains = drains,
                                       .n_drains = n_drains});
}

static bool is_wanted(const struct daemon *daemon, const struct host *host, int32_t which)
{
    struct drain_times drains[DRAINS_OF_HOST_MOST];

    return which == HOSTS_ALL || host->id == which ||
           (which == HOSTS_DRAINED && services_drains_of(daemon, host->id, drains) > 0);
}

void services_each_host(void *context, int32_t which,
                        void (*visit)(void *visitor, const struct host_view *host), void *visitor)
{
    struct daemon *daemon = context;
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    struct usage *usage;

    if (!hosts || (which == HOSTS_DRAINED && daemon->drains.n == 0))
        return;
    usage = memory_new(hosts->pool.n, sizeof *usage);
    count_vms(daemon, &hosts->pool, which, usage);
    for (size_t i = 0; i < hosts->pool.n; i++) {
        if (!is_wanted(daemon, &hosts->pool.items[i], which))
            continue;
        count_unread(daemon, &hosts->pool.items[i], &usage[i]);
        show_host(daemon, &hosts->pool.items[i], &usage[i], visit, visitor);
    }
    free(usage);
}

const char *services_host_name(void *context, const char *name, int64_t *id)
{
    const struct daemon *daemon = context;
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    const struct host *found = NULL;

    if (hosts && !name)
        found = *id <= INT32_MAX ? host_pool_find(&hosts->pool, (int32_t)*id) : NULL;
    for (size_t i = 0; hosts && name && i < hosts->pool.n && !found; i++)
        if (strcmp(hosts->pool.items[i].name, name) == 0)
            found = &hosts->pool.items[i];
    if (found)
        *id = found->id;
    return found ? found->name : NULL;
}
