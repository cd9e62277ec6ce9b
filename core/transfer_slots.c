/* The gaps between image transfers in which the network of hosts has room. */
#include "core/transfer_slots.h"

#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/slot_table.h"

bool transfers_are_never_cancelled(const struct engine *engine)
{
    return engine->settings.behaviour.transfers_never_cancelled;
}

static bool networks_do_not_count(const struct engine *engine)
{
    return engine->settings.behaviour.transfers_exceed_networks;
}

static int64_t network_of(const struct engine *engine, uint32_t host)
{
    return engine->site.hosts[host].capacity.of[RESOURCE_NET_IN];
}

int64_t image_rate_to(const struct engine *engine, uint32_t host)
{
    int64_t bandwidth = engine->settings.transfer_bandwidth, network = network_of(engine, host);

    return networks_do_not_count(engine) || network == 0 || network > bandwidth ? bandwidth
                                                                                : network;
}

int64_t image_rate_to_all(const struct engine *engine, const struct placed_vm *vms, uint32_t n)
{
    int64_t rate = engine->settings.transfer_bandwidth;

    for (uint32_t i = 0; i < n; i++)
        if (image_rate_to(engine, vms[i].host) < rate)
            rate = image_rate_to(engine, vms[i].host);
    return rate;
}

int64_t image_network_of(const struct engine *engine, uint32_t host, int64_t rate)
{
    return networks_do_not_count(engine) || network_of(engine, host) > 0 ? rate : 0;
}

int64_t image_rate_of(const struct placement *transfer)
{
    return transfer->amounts[RESOURCE_NET_OUT];
}

static void add_receiver(struct engine *engine, struct placement *placement, uint32_t host)
{
    uint32_t *slot = &engine->host_slot[host];

    if (*slot != HOST_NONE)
        return;
    *slot = placement->n_hosts++;
    placement->hosts[*slot] = host;
    placement->amounts[*slot * placement->n_types + RESOURCE_NET_IN] =
        image_network_of(engine, host, image_rate_of(placement));
}

struct placement *image_placement(struct engine *engine, const struct placed_vm *vms, uint32_t n,
                                  int64_t rate)
{
    uint32_t n_types = (uint32_t)engine->site.types.count;
    struct placement *placement = placement_create(n + 1, n, n_types);

    placement->n_hosts = 1;
    placement->hosts[0] = HOST_REPOSITORY;
    placement->amounts[RESOURCE_NET_OUT] = rate;
    for (uint32_t i = 0; i < n; i++) {
        placement->vms[i] = vms[i];
        add_receiver(engine, placement, vms[i].host);
    }
    for (uint32_t i = 1; i < placement->n_hosts; i++)
        engine->host_slot[placement->hosts[i]] = HOST_NONE;
    return placement;
}

struct placement *image_placement_with(const struct placement *old, const struct placed_vm *guests,
                                       uint32_t n)
{
    struct placement *placement = placement_create(old->n_hosts, old->n_vms + n, old->n_types);

    placement->n_hosts = old->n_hosts;
    memcpy(placement->hosts, old->hosts, old->n_hosts * sizeof *old->hosts);
    memcpy(placement->amounts, old->amounts,
           (size_t)old->n_hosts * old->n_types * sizeof *old->amounts);
    memcpy(placement->vms, old->vms, old->n_vms * sizeof *old->vms);
    memcpy(&placement->vms[old->n_vms], guests, n * sizeof *guests);
    return placement;
}

uint32_t image_vms_of_others(const struct placement *placement, int64_t lease,
                             struct placed_vm *others)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < placement->n_vms; i++)
        if (placement->vms[i].lease != lease)
            others[n++] = placement->vms[i];
    return n;
}

int64_t image_span(const struct engine *engine, const struct lease *lease, int64_t copies,
                   int64_t rate)
{
    const struct engine_settings *settings = &engine->settings;
    int64_t one = settings->force_transfer_time;

    if (one == SPAN_NONE)
        one = span_from_seconds((double)lease->request.image_size / ((double)rate / 8.0));
    return settings->transfer_mechanism == TRANSFER_MULTICAST ? one : one * copies;
}

bool image_network_is_free(const struct engine *engine, uint32_t host, int64_t network,
                           struct interval during)
{
    const struct amounts need = {.of = {[RESOURCE_NET_IN] = network}};

    return networks_do_not_count(engine) || network == 0 ||
           slot_table_fits_until(engine->table, host, &need, during.from) >= during.until;
}

/* The earliest start in the gap; INSTANT_NEVER. */
static int64_t first_in_gap(const struct engine *engine, const struct image_sending *sending,
                            struct interval gap)
{
    struct placement hosts = *sending->to; /* but the repository */

    if (gap.until - sending->span < gap.from)
        return INSTANT_NEVER;
    if (networks_do_not_count(engine))
        return gap.from;
    hosts.hosts++;
    hosts.amounts += hosts.n_types;
    hosts.n_hosts--;
    gap.from = slot_table_placement_earliest(engine->table, &hosts, gap, sending->span);
    return gap.until - sending->span < gap.from ? INSTANT_NEVER : gap.from;
}

/* The i-th gap, of transfers->n + 1. */
static struct interval gap_of(const struct engine *engine, const struct reservation_list *transfers,
                              size_t i)
{
    return (struct interval){.from = i ? transfers->items[i - 1]->until : engine->now,
                             .until = i < transfers->n ? transfers->items[i]->from : INSTANT_NEVER};
}

/* Haizea finds no gap where one transfer follows the other at once, not even for an empty image. */
static bool is_gap(const struct engine *engine, const struct reservation_list *transfers, size_t i)
{
    return i == 0 || i == transfers->n || !transfers_are_never_cancelled(engine) ||
           transfers->items[i]->from != transfers->items[i - 1]->until;
}

size_t image_first_gap(const struct engine *engine, const struct reservation_list *transfers,
                       int64_t span)
{
    for (size_t i = 0; i < transfers->n; i++) {
        const struct interval gap = gap_of(engine, transfers, i);

        if (gap.until - span >= gap.from)
            return i;
    }
    return transfers->n;
}

int64_t image_first_slot(const struct engine *engine, const struct reservation_list *transfers,
                         const struct image_sending *sending)
{
    int64_t start = INSTANT_NEVER;

    for (size_t i = sending->gap; i <= transfers->n && start == INSTANT_NEVER; i++)
        if (is_gap(engine, transfers, i))
            start = first_in_gap(engine, sending, gap_of(engine, transfers, i));
    return start;
}

/* As late as possible if there is room then, else as early as possible. */
static int64_t last_in_gap(const struct engine *engine, const struct image_sending *sending,
                           struct interval gap)
{
    const struct interval end = {gap.until - sending->span, gap.until};
    int64_t start;

    if (end.from < gap.from)
        return INSTANT_NEVER;
    start = first_in_gap(engine, sending, end);
    return start == INSTANT_NEVER ? first_in_gap(engine, sending, gap) : start;
}

int64_t image_last_slot(const struct engine *engine, const struct reservation_list *transfers,
                        const struct image_sending *sending, int64_t deadline)
{
    struct interval gap = {.until = deadline};

    for (size_t i = transfers->n;; i--) {
        int64_t start = INSTANT_NEVER;

        gap.from = i > 0 ? transfers->items[i - 1]->until : engine->now;
        if (is_gap(engine, transfers, i))
            start = last_in_gap(engine, sending, gap);
        if (start != INSTANT_NEVER)
            return start;
        if (i == 0)
            return engine->now - 1;
        gap.until = transfers->items[i - 1]->from;
        if (gap.until > deadline && (i == 1 || !transfers_are_never_cancelled(engine)))
            gap.until = deadline;
    }
}

void image_transfers_insert(struct reservation_list *transfers, struct reservation *transfer)
{
    size_t place;

    reservation_list_append(transfers, transfer);
    for (place = transfers->n - 1; place; place--) {
        struct reservation *before = transfers->items[place - 1];

        if (before->from < transfer->from ||
            (before->from == transfer->from && before->until <= transfer->until))
            break;
        transfers->items[place] = before;
    }
    transfers->items[place] = transfer;
}

static bool list_has(const struct lease_list *leases, int64_t id)
{
    for (size_t i = 0; i < leases->n; i++)
        if (leases->items[i]->request.id == id)
            return true;
    return false;
}

static bool is_needed_only_by(const struct reservation *transfer, const struct lease_list *leases)
{
    for (uint32_t i = 0; i < transfer->placement->n_vms; i++)
        if (!list_has(leases, transfer->placement->vms[i].lease))
            return false;
    return true;
}

struct reservation_list image_transfers_without(struct engine *engine,
                                                const struct reservation_list *transfers,
                                                const struct lease_list *leases)
{
    struct reservation_list rest = {0};

    for (size_t i = 0; i < transfers->n; i++) {
        struct reservation *transfer = transfers->items[i];

        if (!transfers_are_never_cancelled(engine) && is_needed_only_by(transfer, leases))
            slot_table_release(engine->table, transfer);
        else
            reservation_list_append(&rest, transfer);
    }
    return rest;
}
