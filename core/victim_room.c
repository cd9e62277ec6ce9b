/* Determines by counting whether there is room once some victims have left, to avoid a mapping for
 * each set of victims. */
#include "core/victim_room.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/mapper_restricted.h"
#include "util/memory.h"

/* Resources that a lease holds on a host over some stretches; removing the lease frees them. */
struct piece {
    uint32_t host;
    uint32_t first, end; /* stretches */
    const int64_t *amounts;
};

struct room_of_host {
    uint32_t first, end; /* its stretches */
    bool touched;        /* its stretches are kept because a victim holds it or all hosts are kept
                          */
};

/* Room for the VMs of one size. */
struct size_room {
    const struct node_set *nodes;
    uint32_t *fit; /* per host, at most nodes->count; 0 on hosts that are not allowed */
    bool *usable;  /* per host */
    uint32_t left; /* in a pass: VMs not placed yet */
    uint64_t sum;
};

struct victim_room {
    const struct engine *engine;
    int64_t from, until;
    const struct lease *lease;
    enum { BY_COUNT, BY_PASS, BY_MAPPER } sure; /* the method that decides for all sizes together */
    uint32_t *order;                            /* hosts in the order of a pass */
    size_t n_order;

    struct room_of_host *hosts;
    int64_t *times; /* start of each stretch */
    int64_t *free;  /* n_types for each */
    size_t n_stretches, times_allocated;
    uint32_t n_types;
    uint32_t *dirty; /* hosts to be counted again */
    bool *is_dirty;
    size_t n_dirty;

    struct size_room *sizes;
    size_t n_sizes;

    struct piece *pieces;
    size_t n_pieces, pieces_allocated;
    size_t *first_piece; /* pieces of victim i: first_piece[i] ... [i + 1] */
    size_t *gone;        /* victims currently removed */
    size_t n_gone;
    bool *is_gone;
    uint32_t *asked; /* number of the last query that named the victim */
    uint32_t question;
};

/* --- free amounts ----------------------------------------------------------------------------- */

static void add_time(struct victim_room *room, int64_t at)
{
    MEMORY_GROW(room->times, room->times_allocated, room->n_stretches + 1);
    room->times[room->n_stretches++] = at;
}

/* Times at which victims begin or end on hosts: room->free changes there when they are removed. */
struct edges {
    uint32_t *n; /* per host; then the insertion position of its next edge */
    int64_t *times;
};

static void visit_edges(const struct victim_room *room, const struct victim *victims, size_t n,
                        void (*visit)(struct edges *edges, uint32_t host, int64_t at),
                        struct edges *edges)
{
    for (size_t i = 0; i < n; i++)
        for (const struct reservation *r = victims[i].lease->booked; r; r = r->next_booked) {
            if (r->from >= room->until || r->until <= room->from)
                continue;
            for (uint32_t k = 0; k < r->placement->n_hosts; k++) {
                if (r->placement->hosts[k] == HOST_REPOSITORY)
                    continue;
                room->hosts[r->placement->hosts[k]].touched = true;
                if (r->from > room->from)
                    visit(edges, r->placement->hosts[k], r->from);
                if (r->until < room->until)
                    visit(edges, r->placement->hosts[k], r->until);
            }
        }
}

static void count_edge(struct edges *edges, uint32_t host, int64_t at)
{
    (void)at;
    edges->n[host]++;
}

static void keep_edge(struct edges *edges, uint32_t host, int64_t at)
{
    edges->times[edges->n[host]++] = at;
}

/* Afterwards the edges of host h are edges->times from edges->n[h - 1] up to edges->n[h],
 * exclusive. */
static void collect_edges(struct victim_room *room, const struct victim *victims, size_t n,
                          struct edges *edges)
{
    size_t n_hosts = room->engine->site.n_hosts;
    uint32_t sum = 0;

    edges->n = memory_new(n_hosts, sizeof *edges->n);
    visit_edges(room, victims, n, count_edge, edges);
    for (size_t host = 0; host < n_hosts; host++) {
        uint32_t mine = edges->n[host];

        edges->n[host] = sum;
        sum += mine;
    }
    edges->times = memory_new(sum, sizeof *edges->times);
    visit_edges(room, victims, n, keep_edge, edges);
}

/* The times at which a host's free amounts may change, ascending, without duplicates. */
static void cut_host(struct victim_room *room, uint32_t host, const struct edges *edges)
{
    const struct slot_table *table = room->engine->table;
    size_t first = room->n_stretches, n;

    for (int64_t at = room->from; at < room->until;
         at = slot_table_unchanged_until(table, host, at))
        add_time(room, at);
    n = room->n_stretches;
    for (uint32_t i = host ? edges->n[host - 1] : 0; i < edges->n[host]; i++)
        add_time(room, edges->times[i]);
    if (room->n_stretches > n)
        qsort(room->times + first, room->n_stretches - first, sizeof *room->times, instant_compare);
    n = first + 1;
    for (size_t i = first + 1; i < room->n_stretches; i++)
        if (room->times[i] != room->times[n - 1])
            room->times[n++] = room->times[i];
    room->n_stretches = n;
    room->hosts[host].first = (uint32_t)first;
    room->hosts[host].end = (uint32_t)n;
}

static void copy_free(struct victim_room *room, uint32_t host)
{
    for (uint32_t i = room->hosts[host].first; i < room->hosts[host].end; i++)
        for (uint32_t type = 0; type < room->n_types; type++)
            room->free[(size_t)i * room->n_types + type] =
                slot_table_free(room->engine->table, host, (int)type, room->times[i]);
}

static void copy_table(struct victim_room *room, const struct victim *victims, size_t n)
{
    uint32_t n_hosts = (uint32_t)room->engine->site.n_hosts;
    struct edges edges;

    collect_edges(room, victims, n, &edges);
    for (uint32_t host = 0; host < n_hosts; host++)
        if (room->hosts[host].touched)
            cut_host(room, host, &edges);
    room->free = memory_new(room->n_stretches * room->n_types, sizeof *room->free);
    for (uint32_t host = 0; host < n_hosts; host++)
        copy_free(room, host);
    free(edges.n);
    free(edges.times);
}

/* --- resources of the victims ----------------------------------------------------------------- */

/* The stretch of a host that begins at `at`, or its end. */
static uint32_t stretch_at(const struct victim_room *room, uint32_t host, int64_t at)
{
    uint32_t i = room->hosts[host].first;

    while (i < room->hosts[host].end && room->times[i] < at)
        i++;
    return i;
}

static void add_pieces(struct victim_room *room, const struct reservation *r)
{
    const struct placement *placement = r->placement;

    if (r->from >= room->until || r->until <= room->from)
        return;
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        uint32_t host = placement->hosts[i];

        if (host == HOST_REPOSITORY)
            continue;
        MEMORY_GROW(room->pieces, room->pieces_allocated, room->n_pieces + 1);
        room->pieces[room->n_pieces++] =
            (struct piece){.host = host,
                           .first = stretch_at(room, host, r->from),
                           .end = stretch_at(room, host, r->until),
                           .amounts = &placement->amounts[(size_t)i * placement->n_types]};
    }
}

static void list_pieces(struct victim_room *room, const struct victim *victims, size_t n)
{
    room->first_piece = memory_new(n + 1, sizeof *room->first_piece);
    for (size_t i = 0; i < n; i++) {
        for (const struct reservation *r = victims[i].lease->booked; r; r = r->next_booked)
            add_pieces(room, r);
        room->first_piece[i + 1] = room->n_pieces;
    }
}

/* --- counting --------------------------------------------------------------------------------- */

/* VMs that fit on a host the whole time in addition to the use of others, at most `most`. An
 * overbooked resource also blocks VMs that request none of it. */
static int64_t fit_on(const struct victim_room *room, uint32_t host, const struct amounts *vm,
                      const struct amounts *used, int64_t most)
{
    const int64_t *free = &room->free[(size_t)room->hosts[host].first * room->n_types];

    for (uint32_t i = room->hosts[host].first; i < room->hosts[host].end && most > 0;
         i++, free += room->n_types)
        for (uint32_t type = 0; type < room->n_types; type++) {
            int64_t need = vm->of[type], left = free[type] - used->of[type];

            if (left < need)
                return 0;
            if (need > 0 && left < need * most)
                most = left / need;
        }
    return most;
}

static void count_on_host(struct victim_room *room, uint32_t host)
{
    static const struct amounts nothing;

    for (size_t i = 0; i < room->n_sizes; i++) {
        struct size_room *size = &room->sizes[i];
        int64_t fit;

        if (!size->usable[host])
            continue;
        fit = fit_on(room, host, &size->nodes->amounts, &nothing, size->nodes->count);
        size->sum += (uint64_t)fit;
        size->sum -= size->fit[host];
        size->fit[host] = (uint32_t)fit;
    }
}

static void count_dirty(struct victim_room *room)
{
    while (room->n_dirty) {
        uint32_t host = room->dirty[--room->n_dirty];

        room->is_dirty[host] = false;
        count_on_host(room, host);
    }
}

static void find_usable(struct victim_room *room, const struct map_request *request,
                        const struct host_snapshot *hosts)
{
    const struct engine *engine = room->engine;
    bool *listed = memory_new(engine->site.n_hosts, sizeof *listed);
    bool all = !hosts && !request->allowed;

    for (size_t i = 0; hosts && i < hosts->n; i++)
        listed[hosts->choices[i].host] = true;
    for (size_t i = 0; !hosts && request->allowed && i < request->n_allowed; i++)
        listed[request->allowed[i]] = true;
    for (uint32_t host = 0; host < engine->site.n_hosts; host++)
        for (size_t i = 0; i < room->n_sizes; i++)
            room->sizes[i].usable[host] =
                (all || listed[host]) && host_is_usable(engine, room->sizes[i].nodes, host);
    free(listed);
}

/* Counts of hosts without victims never change. */
static void count_all(struct victim_room *room)
{
    for (uint32_t host = 0; host < room->engine->site.n_hosts; host++) {
        if (room->hosts[host].touched) {
            count_on_host(room, host);
            continue;
        }
        for (size_t i = 0; i < room->n_sizes; i++) {
            struct size_room *size = &room->sizes[i];

            if (size->usable[host])
                size->fit[host] = slot_table_fit_count(
                    room->engine->table, host, &size->nodes->amounts,
                    (struct interval){room->from, room->until}, size->nodes->count);
            size->sum += size->fit[host];
        }
    }
}

static void list_sizes(struct victim_room *room, const struct lease_request *lease)
{
    size_t n_hosts = room->engine->site.n_hosts;

    room->n_sizes = lease->n_node_sets;
    room->sizes = memory_new(room->n_sizes, sizeof *room->sizes);
    for (size_t i = 0; i < room->n_sizes; i++)
        room->sizes[i] = (struct size_room){.nodes = &lease->node_sets[i],
                                            .fit = memory_new(n_hosts, sizeof(uint32_t)),
                                            .usable = memory_new(n_hosts, sizeof(bool))};
}

/* Stores the order in which hosts are taken, which is the same for all sets of victims. */
static void keep_order(struct victim_room *room, const struct host_snapshot *hosts)
{
    struct host_order order = {.n = hosts->n, .in_order = hosts->in_order};

    order.choices = memory_copy(hosts->choices, hosts->n * sizeof *hosts->choices);
    room->n_order = hosts->n;
    room->order = memory_new(hosts->n, sizeof *room->order);
    for (size_t i = 0; i < hosts->n; i++)
        room->order[i] = host_order_take(&order);
    free(order.choices);
    for (size_t host = 0; host < room->engine->site.n_hosts; host++)
        room->hosts[host].touched = true;
}

static void find_sure(struct victim_room *room, const struct map_request *request,
                      const struct host_snapshot *hosts)
{
    room->sure = BY_MAPPER;
    /* Amounts alone are counted. */
    if (!request->strict || request->lease->plan->has_demand)
        return;
    if (room->n_sizes == 1) {
        room->sure = BY_COUNT;
    } else if (hosts && mapper_fills_gaps(room->engine)) {
        room->sure = BY_PASS;
        keep_order(room, hosts);
    }
}

struct victim_room *victim_room_create(struct engine *engine, const struct map_request *request,
                                       const struct victims *victims,
                                       const struct host_snapshot *hosts)
{
    struct victim_room *room = memory_new(1, sizeof *room);
    size_t n_hosts = engine->site.n_hosts, n = victims->n;

    room->engine = engine;
    room->lease = request->lease;
    room->from = request->from;
    room->until = mapper_least_until(request);
    room->n_types = (uint32_t)engine->site.types.count;
    room->hosts = memory_new(n_hosts, sizeof *room->hosts);
    room->dirty = memory_new(n_hosts, sizeof *room->dirty);
    room->is_dirty = memory_new(n_hosts, sizeof *room->is_dirty);
    room->gone = memory_new(n, sizeof *room->gone);
    room->is_gone = memory_new(n, sizeof *room->is_gone);
    room->asked = memory_new(n, sizeof *room->asked);
    list_sizes(room, &request->lease->request);
    find_sure(room, request, hosts);
    copy_table(room, victims->items, n);
    list_pieces(room, victims->items, n);
    find_usable(room, request, hosts);
    count_all(room);
    return room;
}

void victim_room_destroy(struct victim_room *room)
{
    if (!room)
        return;
    for (size_t i = 0; i < room->n_sizes; i++) {
        free(room->sizes[i].fit);
        free(room->sizes[i].usable);
    }
    free(room->sizes);
    free(room->order);
    free(room->hosts);
    free(room->times);
    free(room->free);
    free(room->dirty);
    free(room->is_dirty);
    free(room->pieces);
    free(room->first_piece);
    free(room->gone);
    free(room->is_gone);
    free(room->asked);
    free(room);
}

/* --- queries ---------------------------------------------------------------------------------- */

static void give(struct victim_room *room, size_t victim, int64_t sign)
{
    for (size_t i = room->first_piece[victim]; i < room->first_piece[victim + 1]; i++) {
        const struct piece *piece = &room->pieces[i];

        for (uint32_t k = piece->first; k < piece->end; k++)
            for (uint32_t type = 0; type < room->n_types; type++)
                room->free[(size_t)k * room->n_types + type] += sign * piece->amounts[type];
        if (!room->is_dirty[piece->host]) {
            room->is_dirty[piece->host] = true;
            room->dirty[room->n_dirty++] = piece->host;
        }
    }
    room->is_gone[victim] = sign > 0;
}

/* Places as many VMs of each size on the host as fit, the largest first. True: all have a host. */
static bool pass_host(struct victim_room *room, uint32_t host)
{
    struct amounts used = {{0}};
    bool done = true;

    for (size_t i = 0; i < room->n_sizes; i++) {
        struct size_room *size = &room->sizes[room->lease->plan->set_order[i]];
        const struct amounts *vm = &size->nodes->amounts;
        int64_t fit = size->fit[host] && size->left ? fit_on(room, host, vm, &used, size->left) : 0;

        for (uint32_t type = 0; fit && type < room->n_types; type++)
            used.of[type] += fit * vm->of[type];
        size->left -= (uint32_t)fit;
        done = done && !size->left;
    }
    return done;
}

/* The mapper's greedy pass over the hosts. */
static bool pass(struct victim_room *room)
{
    for (size_t i = 0; i < room->n_sizes; i++)
        room->sizes[i].left = room->sizes[i].nodes->count;
    for (size_t i = 0; i < room->n_order; i++)
        if (pass_host(room, room->order[i]))
            return true;
    return false;
}

static void let_go(struct victim_room *room, const size_t *gone, size_t n)
{
    size_t kept = 0;

    room->question++;
    for (size_t i = 0; i < n; i++)
        room->asked[gone[i]] = room->question;
    for (size_t i = 0; i < room->n_gone; i++)
        if (room->asked[room->gone[i]] == room->question)
            room->gone[kept++] = room->gone[i];
        else
            give(room, room->gone[i], -1);
    room->n_gone = kept;
    for (size_t i = 0; i < n; i++)
        if (!room->is_gone[gone[i]]) {
            give(room, gone[i], +1);
            room->gone[room->n_gone++] = gone[i];
        }
}

enum victim_room_answer victim_room_without(struct victim_room *room, const size_t *gone, size_t n)
{
    let_go(room, gone, n);
    count_dirty(room);
    for (size_t i = 0; i < room->n_sizes; i++)
        if (room->sizes[i].sum < room->sizes[i].nodes->count)
            return ROOM_NO;
    if (room->sure == BY_PASS)
        return pass(room) ? ROOM_YES : ROOM_NO;
    return room->sure == BY_COUNT ? ROOM_YES : ROOM_MAYBE;
}
