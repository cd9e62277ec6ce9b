/* Plans the moves of a suspended lease to other hosts before its resumption. */
#include "core/migration.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "util/memory.h"

enum { HAIZEA_MIGRATION_BANDWIDTH = 100 };

/* Do migrations run at Haizea's rate, regardless of other traffic? */
static bool at_fixed_rate(const struct engine *engine)
{
    return engine->settings.behaviour.migration_at_100_mbits;
}

/* For memory and images between hosts. */
static int64_t transfer_rate(const struct engine *engine)
{
    return at_fixed_rate(engine) ? HAIZEA_MIGRATION_BANDWIDTH : engine->settings.transfer_bandwidth;
}

static int64_t slower_of(int64_t rate, int64_t network)
{
    return network > 0 && network < rate ? network : rate;
}

int64_t transfer_rate_between(const struct engine *engine, uint32_t from, uint32_t to)
{
    const struct site_host *hosts = engine->site.hosts;
    int64_t rate = transfer_rate(engine);

    if (from != HOST_NONE && !at_fixed_rate(engine))
        rate = slower_of(rate, hosts[from].capacity.of[RESOURCE_NET_OUT]);
    if (to != HOST_NONE && !at_fixed_rate(engine))
        rate = slower_of(rate, hosts[to].capacity.of[RESOURCE_NET_IN]);
    return rate;
}

/* Seconds to transfer that many MB. */
static int64_t span_at(int64_t megabytes, int64_t rate)
{
    return span_from_seconds((double)megabytes / ((double)rate / 8.0));
}

int64_t transfer_span_of_vm(const struct engine *engine, int64_t memory)
{
    return span_at(memory, transfer_rate(engine));
}

bool has_image_transfer(const struct engine *engine, const struct lease *lease)
{
    return engine->settings.preparation == PREPARATION_IMAGE_TRANSFER && lease->request.image;
}

int64_t move_span_at(const struct engine *engine, const struct lease *lease, uint32_t vm,
                     int64_t rate)
{
    return span_at(lease_vm_memory(lease, vm), rate) +
           (has_image_transfer(engine, lease) ? span_at(lease->request.image_size, rate) : 0);
}

int64_t move_span_of_vm(const struct engine *engine, const struct lease *lease, uint32_t vm)
{
    return move_span_at(engine, lease, vm, transfer_rate(engine));
}

int64_t move_span(const struct engine *engine, const struct lease *lease)
{
    int64_t sum = 0;

    for (uint32_t vm = 0; vm < lease->n_vms; vm++)
        sum += move_span_of_vm(engine, lease, vm);
    return sum;
}

/* Haizea adds up, for each VM, the memory of all VMs on its host: n VMs on a host count n times.
 * With `image`, the image sizes instead. */
static int64_t haizea_estimate(const struct engine *engine, const struct lease *lease, bool image)
{
    const struct placement *at = lease_plan_current(lease)->vm->placement;
    int64_t most = 0;

    for (uint32_t i = 0; i < at->n_hosts; i++) {
        int64_t sum = 0;

        for (uint32_t vm = 0; vm < at->n_vms; vm++)
            if (at->vms[vm].host == at->hosts[i])
                sum += image ? lease->request.image_size
                             : at->amounts[i * at->n_types + RESOURCE_MEMORY];
        most = sum > most ? sum : most;
    }
    return span_at(most, transfer_rate(engine));
}

/* Seconds to move all VMs of the suspended lease to the host, one after the other. */
static int64_t span_to(const struct engine *engine, const struct lease *lease, uint32_t host)
{
    const struct placement *memory = lease_plan_memory(lease);
    int64_t sum = 0;

    for (uint32_t vm = 0; vm < lease->n_vms; vm++)
        sum += move_span_at(engine, lease, vm,
                            transfer_rate_between(engine, memory->vms[vm].host, host));
    return sum;
}

int64_t migration_estimate(const struct engine *engine, const struct lease *lease)
{
    int64_t sum = 0;

    if (engine->settings.migration != MIGRATION_YES || !lease_plan_memory(lease))
        return 0;
    if (engine->settings.behaviour.migration_estimate_squared) {
        sum = haizea_estimate(engine, lease, false);
        if (has_image_transfer(engine, lease))
            sum += haizea_estimate(engine, lease, true);
        return sum;
    }
    return span_to(engine, lease, HOST_NONE);
}

bool migration_earliest(const struct engine *engine, const struct lease *lease, int64_t *earliest)
{
    uint32_t host = 0;

    if (engine->settings.migration != MIGRATION_YES || !lease_plan_memory(lease))
        return false;
    while (host < engine->site.n_hosts &&
           transfer_rate_between(engine, HOST_NONE, host) == transfer_rate(engine))
        host++;
    if (host == engine->site.n_hosts)
        return false;
    for (host = 0; host < engine->site.n_hosts; host++)
        earliest[host] = instant_add(engine->now, span_to(engine, lease, host));
    return true;
}

/* A host without network capacity is skipped, except by Haizea. */
static int64_t traffic_on(const struct engine *engine, const struct placed_vm *move, int type)
{
    uint32_t host = type == RESOURCE_NET_OUT ? move->from : move->host;
    bool counts = at_fixed_rate(engine) || engine->site.hosts[host].capacity.of[type] > 0;

    return counts ? transfer_rate_between(engine, move->from, move->host) : 0;
}

static struct reservation *reservation_of_moves(struct engine *engine, struct lease *lease,
                                                enum reservation_kind kind,
                                                const struct placed_vm *moves, uint32_t n)
{
    uint32_t n_types = (uint32_t)engine->site.types.count, n_hosts = 0;
    bool transfer = engine->settings.migration == MIGRATION_YES;
    struct placement *placement = placement_create(transfer ? 2 * n : 0, n, n_types);

    for (uint32_t i = 0; i < n; i++) {
        placement->vms[i] = moves[i];
        if (!transfer)
            continue;
        if (moves[i].from != moves[i].host) {
            placement->hosts[n_hosts] = moves[i].from;
            placement->amounts[n_hosts++ * n_types + RESOURCE_NET_OUT] =
                traffic_on(engine, &moves[i], RESOURCE_NET_OUT);
        }
        placement->hosts[n_hosts] = moves[i].host;
        placement->amounts[n_hosts++ * n_types + RESOURCE_NET_IN] =
            traffic_on(engine, &moves[i], RESOURCE_NET_IN);
    }
    placement->n_hosts = n_hosts;
    return reservation_create(lease, kind, engine->now, engine->now, placement);
}

/* Takes VMs whose hosts are not used in this batch yet; returns their number. */
static uint32_t take_batch(struct engine *engine, struct placed_vm *left, uint32_t n_left,
                           struct placed_vm *batch)
{
    uint32_t n = 0, kept = 0;

    for (uint32_t i = 0; i < n_left; i++) {
        if (engine->host_slot[left[i].from] == HOST_NONE &&
            engine->host_slot[left[i].host] == HOST_NONE) {
            engine->host_slot[left[i].from] = engine->host_slot[left[i].host] = 0;
            batch[n++] = left[i];
        } else {
            left[kept++] = left[i];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        engine->host_slot[batch[i].from] = engine->host_slot[batch[i].host] = HOST_NONE;
    return n;
}

static int64_t span_of_batch(const struct engine *engine, const struct lease *lease,
                             enum reservation_kind kind, const struct placed_vm *batch, uint32_t n)
{
    bool disk = kind == RESERVATION_DISK_MIGRATION;
    int64_t most = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t size =
            disk ? lease->request.image_size * (int64_t)n : lease_vm_memory(lease, batch[i].vm);
        int64_t span = span_at(size, transfer_rate_between(engine, batch[i].from, batch[i].host));

        most = span > most ? span : most;
    }
    return most;
}

/* The moving VMs of a lease, and their reservations so far. */
struct moving {
    struct engine *engine;
    struct lease *lease;
    struct placed_vm *moves;
    uint32_t n;
    struct reservation_list list;
    int64_t latest; /* the beginning of the resumption */
    bool fits;      /* the network has room for them before that */
};

/* When the network has room for the batch, from `at` on. */
static int64_t begin_of_batch(struct moving *moving, const struct reservation *batch, int64_t at,
                              int64_t span)
{
    struct interval within = {at, moving->latest};
    int64_t begin;

    if (at_fixed_rate(moving->engine))
        return at;
    begin = slot_table_placement_earliest(moving->engine->table, batch->placement, within, span);
    if (begin <= moving->latest - span)
        return begin;
    moving->fits = false;
    return at;
}

/* Appends the batches one after the other from `at`; returns the end of the last. */
static int64_t append_batches(struct moving *moving, enum reservation_kind kind, int64_t at)
{
    struct placed_vm *left = memory_copy(moving->moves, moving->n * sizeof *left);
    struct placed_vm *batch = memory_new(moving->n, sizeof *batch);
    uint32_t n = moving->n;

    while (n) {
        uint32_t taken = take_batch(moving->engine, left, n, batch);
        struct reservation *r =
            reservation_of_moves(moving->engine, moving->lease, kind, batch, taken);
        int64_t span = span_of_batch(moving->engine, moving->lease, kind, batch, taken);

        r->from = begin_of_batch(moving, r, at, span);
        r->until = at = r->from + span;
        reservation_list_append(&moving->list, r);
        n -= taken;
    }
    free(left);
    free(batch);
    return at;
}

static void prepend(struct reservation_list *list, struct reservation_list *first)
{
    for (size_t i = 0; i < list->n; i++)
        reservation_list_append(first, list->items[i]);
    reservation_list_finish(list);
    *list = *first;
}

/* Moves all VMs at once, in zero time. */
static void append_at_once(struct moving *moving, enum reservation_kind kind, int64_t at)
{
    struct reservation *r =
        reservation_of_moves(moving->engine, moving->lease, kind, moving->moves, moving->n);

    r->from = r->until = at;
    reservation_list_append(&moving->list, r);
}

static uint32_t find_moves(struct engine *engine, const struct lease *lease,
                           const struct placement *from, const struct placement *to,
                           struct placed_vm *moves)
{
    bool everything = engine->settings.behaviour.migration_moves_everything;
    uint32_t n = 0, moved = 0;

    for (uint32_t vm = 0; from && vm < lease->n_vms; vm++) {
        bool moves_host = from->vms[vm].host != to->vms[vm].host;

        moved += moves_host;
        if (moves_host || everything)
            moves[n++] =
                (struct placed_vm){vm, to->vms[vm].host, from->vms[vm].host, lease->request.id};
    }
    return moved ? n : 0;
}

/* Appends all moves of a kind from `at` on; returns their end. */
static int64_t append_moves(struct moving *moving, enum reservation_kind kind,
                            const struct placement *from, const struct placement *to, int64_t at)
{
    enum migration migration = moving->engine->settings.migration;

    if (migration == MIGRATION_NO)
        return at;
    moving->n = find_moves(moving->engine, moving->lease, from, to, moving->moves);
    if (moving->n && migration == MIGRATION_YES)
        return append_batches(moving, kind, at);
    if (moving->n)
        append_at_once(moving, kind, at);
    return at;
}

bool plan_migration(struct engine *engine, struct lease *lease, struct proposal *proposal,
                    int64_t at)
{
    const struct placement *to = proposal->plan.vm->placement;
    struct placed_vm *moves = memory_new(lease->n_vms, sizeof *moves);
    struct moving moving = {.engine = engine,
                            .lease = lease,
                            .moves = moves,
                            .latest = vm_plan_start(&proposal->plan),
                            .fits = true};

    if (has_image_transfer(engine, lease))
        at = append_moves(&moving, RESERVATION_DISK_MIGRATION, lease_plan_images(lease), to, at);
    append_moves(&moving, RESERVATION_MEMORY_MIGRATION, lease_plan_memory(lease), to, at);
    if (moving.list.n)
        prepend(&proposal->plan.before, &moving.list);
    free(moves);
    return moving.fits;
}
