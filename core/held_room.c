/* Room is held for waiting leases against those of lower priority. */
#include "core/held_room.h"

#include <string.h>

#include "core/engine_state.h"
#include "core/restricted.h"

static bool could_hold(const struct engine *engine, const struct node_set *nodes, uint32_t host)
{
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        if (nodes->amounts.of[type] > engine->site.hosts[host].capacity.of[type])
            return false;
    return host_is_usable(engine, nodes, host);
}

/* The host with the most free CPU; HOST_NONE: everything free now is already held. */
static uint32_t best_host(const struct engine *engine, const struct node_set *nodes)
{
    uint32_t best = HOST_NONE;
    int64_t most = 0;

    for (uint32_t host = 0; host < engine->site.n_hosts; host++) {
        int64_t cpu = slot_table_free(engine->table, host, RESOURCE_CPU, engine->now);

        if (cpu > most && could_hold(engine, nodes, host)) {
            most = cpu;
            best = host;
        }
    }
    return best;
}

static struct reservation *hold_on(struct engine *engine, struct lease *lease, uint32_t host,
                                   const struct amounts *wanted)
{
    uint32_t n_types = (uint32_t)engine->site.types.count;
    struct placement *placement = placement_create(1, 0, n_types);
    struct amounts held = {{0}};

    placement->hosts[0] = host;
    for (uint32_t type = 0; type < n_types; type++) {
        int64_t free_now = slot_table_free(engine->table, host, (int)type, engine->now);

        held.of[type] = wanted->of[type] < free_now ? wanted->of[type] : free_now;
        placement->amounts[type] = held.of[type];
    }
    return reservation_create(lease, RESERVATION_VM, engine->now,
                              slot_table_fits_until(engine->table, host, &held, engine->now),
                              placement);
}

void hold_room(struct engine *engine, struct lease *lease, struct reservation_list *held)
{
    for (size_t set = 0;
         set < lease->request.n_node_sets && slot_table_free_cpu_now(engine->table) > 0; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];

        for (uint32_t vm = 0; vm < nodes->count; vm++) {
            uint32_t host = best_host(engine, nodes);
            struct reservation *r;

            if (host == HOST_NONE)
                break;
            r = hold_on(engine, lease, host, &nodes->amounts);
            slot_table_book(engine->table, r);
            reservation_list_append(held, r);
        }
    }
}

void release_held_room(struct engine *engine, struct reservation_list *held)
{
    for (size_t i = 0; i < held->n; i++)
        slot_table_release(engine->table, held->items[i]);
    reservation_list_destroy(held);
}
