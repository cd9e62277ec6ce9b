/* Holds room for waiting leases against leases of lower priority. */
#include "core/held_room.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/mapper_restricted.h"
#include "core/occupancy.h"
#include "util/memory.h"

enum {
    EXPLAINED_BY = 64, /* held parts examined for a lease's reason */
};

static bool could_hold(const struct engine *engine, const struct node_set *nodes, uint32_t host)
{
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        if (nodes->amounts.of[type] > engine->site.hosts[host].capacity.of[type])
            return false;
    if (!host_is_usable(engine, nodes, host))
        return false;
    return !nodes->demand || units_could_meet(engine->site.hosts[host].units, nodes->demand);
}

/* --- hosts by free CPU ------------------------------------------------------------------------
 *
 * most[1] is the root, node i has the children 2 i and 2 i + 1, hosts start at n_leaves. */

static int64_t free_cpu(const struct engine *engine, uint32_t host)
{
    return slot_table_free(engine->table, host, RESOURCE_CPU, engine->now);
}

static int64_t larger_child(const struct held_room *held, uint32_t node)
{
    const int64_t *children = &held->most[2 * (size_t)node];

    return children[0] > children[1] ? children[0] : children[1];
}

static void look_at_all(const struct engine *engine, struct held_room *held)
{
    uint32_t n_hosts = (uint32_t)engine->site.n_hosts;

    for (uint32_t host = 0; host < n_hosts; host++)
        held->most[held->n_leaves + host] = free_cpu(engine, host);
    for (uint32_t node = held->n_leaves - 1; node > 0; node--)
        held->most[node] = larger_child(held, node);
}

static void look_at(const struct engine *engine, struct held_room *held, uint32_t host)
{
    uint32_t node = held->n_leaves + host;

    held->most[node] = free_cpu(engine, host);
    while (node /= 2)
        held->most[node] = larger_child(held, node);
}

static void see_changes(const struct engine *engine, struct held_room *held)
{
    uint64_t changes = slot_table_changes(engine->table);

    if (!held->most) {
        held->n_leaves = 1;
        while (held->n_leaves < engine->site.n_hosts)
            held->n_leaves *= 2;
        held->most = memory_new(2 * (size_t)held->n_leaves, sizeof *held->most);
        look_at_all(engine, held);
    } else if (changes - held->changes > SLOT_TABLE_CHANGES_KEPT) {
        look_at_all(engine, held);
    } else {
        for (; held->changes < changes; held->changes++)
            look_at(engine, held, slot_table_changed_host(engine->table, held->changes));
    }
    held->changes = changes;
}

struct host_search {
    const struct engine *engine;
    const struct held_room *held;
    const struct node_set *nodes;
    uint32_t best;
    int64_t most; /* free CPU of the best host */
};

/* Among hosts with equal free CPU, the first in site order is the best. */
static bool may_be_better(const struct host_search *search, uint32_t node)
{
    uint32_t first = node;

    while (first < search->held->n_leaves)
        first *= 2;
    return search->held->most[node] > search->most ||
           (search->held->most[node] == search->most && search->best != HOST_NONE &&
            first - search->held->n_leaves < search->best);
}

/* Visits the child with more free CPU first; recursion depth: log2 of the hosts. */
static void search_below(struct host_search *search, uint32_t node)
{
    const int64_t *children = &search->held->most[2 * (size_t)node];
    uint32_t host = node - search->held->n_leaves, first;

    if (!may_be_better(search, node))
        return;
    if (node < search->held->n_leaves) {
        first = 2 * node + (children[1] > children[0]);
        search_below(search, first);
        search_below(search, first ^ 1);
    } else if (host < search->engine->site.n_hosts &&
               could_hold(search->engine, search->nodes, host)) {
        search->best = host;
        search->most = search->held->most[node];
    }
}

/* The host with the most free CPU; HOST_NONE: all free CPU is already held. */
static uint32_t best_host(const struct engine *engine, struct held_room *held,
                          const struct node_set *nodes)
{
    struct host_search search = {.engine = engine, .held = held, .nodes = nodes, .best = HOST_NONE};

    see_changes(engine, held);
    search_below(&search, 1);
    return search.best;
}

/* --- holding ---------------------------------------------------------------------------------- */

/* Units for the part of the demand that can be met now: its first devices, with its CPUs and memory
 * if they are free. Shortens *until. */
static struct held_units *free_units(const struct engine *engine, struct vm_demand *part,
                                     uint32_t host, int64_t *until)
{
    uint32_t n_devices = part->n_devices;

    for (int attempt = 0; attempt < 2; attempt++, part->n_nodes = 0)
        for (part->n_devices = n_devices; demand_has_units(part); part->n_devices--) {
            const struct unit_question question = {.demand = part,
                                                   .host = host,
                                                   .from = engine->now,
                                                   .until = *until,
                                                   .least = engine->now + 1};
            struct held_units *held;
            int64_t met_until =
                occupancy_units_until(slot_table_occupancy(engine->table), &question, &held);

            if (met_until > engine->now) {
                *until = met_until;
                return held;
            }
            if (!part->n_devices)
                break;
        }
    return NULL;
}

static void hold_units(struct engine *engine, struct held_room *room, struct reservation *r,
                       const struct vm_demand *demand)
{
    struct vm_demand *part = memory_copy(demand, sizeof *part);
    struct held_units *held;

    part->role = DEMAND_ANY;
    part->n_rules = 0;
    MEMORY_GROW(room->demands, room->demands_allocated, room->n_demands + 1);
    room->demands[room->n_demands++] = part;
    held = free_units(engine, part, r->placement->hosts[0], &r->until);
    if (held)
        placement_hold(r->placement, held);
    held_units_destroy(held);
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
        placement->amounts[type] = held.of[type] > 0 ? held.of[type] : 0; /* negative if overbooked
                                                                           */
    }
    return reservation_create(lease, RESERVATION_VM, engine->now,
                              slot_table_fits_until(engine->table, host, &held, engine->now),
                              placement);
}

static void hold_room(struct engine *engine, struct lease *lease, struct held_room *held)
{
    for (size_t set = 0;
         set < lease->request.n_node_sets && slot_table_free_cpu_now(engine->table) > 0; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];

        for (uint32_t vm = 0; vm < nodes->count; vm++) {
            uint32_t host = best_host(engine, held, nodes);
            struct reservation *r;

            if (host == HOST_NONE)
                break;
            r = hold_on(engine, lease, host, &nodes->amounts);
            if (nodes->demand)
                hold_units(engine, held, r, nodes->demand);
            slot_table_book(engine->table, r);
            reservation_list_append(&held->list, r);
        }
    }
}

void hold_room_for(struct held_room *held, struct lease *lease)
{
    lease_list_append(&held->waiting, lease);
}

void hold_room_against(struct engine *engine, struct held_room *held, int64_t priority)
{
    if (!held->waiting.n || held->waiting.items[0]->request.priority <= priority)
        return;
    for (size_t i = 0; i < held->waiting.n; i++)
        hold_room(engine, held->waiting.items[i], held);
    held->waiting.n = 0;
}

/* Does the host have room for a VM without the held room? */
static bool would_hold(const struct engine *engine, const struct node_set *nodes,
                       const struct reservation *r)
{
    uint32_t host = r->placement->hosts[0];

    for (uint32_t type = 0; type < r->placement->n_types; type++)
        if (nodes->amounts.of[type] > slot_table_free(engine->table, host, (int)type, engine->now) +
                                          r->placement->amounts[type])
            return false;
    return could_hold(engine, nodes, host);
}

void explain_by_held(const struct engine *engine, const struct held_room *held, struct lease *lease)
{
    size_t n = held->list.n < EXPLAINED_BY ? held->list.n : EXPLAINED_BY;

    if (lease->reason.id != REASON_NO_ROOM_NOW)
        return;
    for (size_t i = 0; i < n; i++) {
        const struct reservation *r = held->list.items[i];

        if (!would_hold(engine, &lease->request.node_sets[0], r))
            continue;
        lease->reason = (struct reason){.id = REASON_ROOM_KEPT,
                                        .n = {lease->n_vms, r->lease->request.id,
                                              engine->site.hosts[r->placement->hosts[0]].id}};
        return;
    }
}

/* For engine_held(). */
static void note_held(struct queues *queues, const struct reservation *r)
{
    struct held_part *part;

    MEMORY_GROW(queues->held, queues->held_allocated, queues->n_held + 1);
    part = &queues->held[queues->n_held++];
    *part = (struct held_part){.lease = r->lease->request.id, .host = r->placement->hosts[0]};
    for (uint32_t type = 0; type < r->placement->n_types; type++)
        part->amounts.of[type] = r->placement->amounts[type];
}

const struct held_part *engine_held(const struct engine *engine, size_t *n)
{
    *n = engine->queues.n_held;
    return engine->queues.held;
}

void release_held_room(struct engine *engine, struct held_room *held)
{
    engine->queues.n_held = 0;
    for (size_t i = 0; i < held->list.n; i++) {
        note_held(&engine->queues, held->list.items[i]);
        slot_table_release(engine->table, held->list.items[i]);
    }
    reservation_list_destroy(&held->list);
    free(held->waiting.items);
    for (size_t i = 0; i < held->n_demands; i++)
        free(held->demands[i]);
    free(held->demands);
    free(held->most);
}
