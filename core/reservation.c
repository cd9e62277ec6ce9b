/* Reservations and placements: creation, sharing, destruction, names. */
#include "core/reservation.h"

#include <stdlib.h>

#include "core/units.h"
#include "util/memory.h"

const char *reservation_kind_name(enum reservation_kind kind)
{
    static const char *const names[RESERVATION_KINDS] = {
        "VM", "SUSPEND", "RESUME", "SHUTDOWN", "MEM_MIGRATION", "DISK_MIGRATION", "FILE_TRANSFER",
    };

    return names[kind];
}

const char *reservation_state_name(enum reservation_state state)
{
    static const char *const names[] = {"Scheduled", "Active", "Done"};

    return names[state];
}

struct placement *placement_create(uint32_t n_hosts, uint32_t n_vms, uint32_t n_types)
{
    /* One allocation: the structure, then the arrays by decreasing alignment. */
    size_t amounts = (size_t)n_hosts * n_types * sizeof(int64_t);
    size_t vms = n_vms * sizeof(struct placed_vm);
    size_t hosts = n_hosts * sizeof(uint32_t);
    char *block = memory_new(1, sizeof(struct placement) + amounts + vms + hosts);
    struct placement *placement = (struct placement *)block;

    placement->references = 1;
    placement->n_hosts = n_hosts;
    placement->n_vms = n_vms;
    placement->n_types = n_types;
    placement->amounts = (int64_t *)(block + sizeof *placement);
    placement->vms = (struct placed_vm *)(block + sizeof *placement + amounts);
    placement->hosts = (uint32_t *)(block + sizeof *placement + amounts + vms);
    return placement;
}

struct placement *placement_share(struct placement *placement)
{
    placement->references++;
    return placement;
}

void placement_destroy(struct placement *placement)
{
    if (!placement || --placement->references)
        return;
    if (placement->held) {
        for (size_t i = 0; i < placement->held->n; i++)
            held_units_destroy(placement->held->items[i]);
        free(placement->held->items);
        free(placement->held);
    }
    free(placement);
}

void placement_hold(struct placement *placement, struct held_units *held)
{
    struct held_list *list = placement->held;

    if (!list)
        list = placement->held = memory_new(1, sizeof *list);
    MEMORY_GROW(list->items, list->allocated, list->n + 1);
    list->items[list->n++] = held_units_share(held);
}

bool placement_has_host(const struct placement *placement, uint32_t host)
{
    for (uint32_t i = 0; placement && i < placement->n_hosts; i++)
        if (placement->hosts[i] == host)
            return true;
    return false;
}

void placement_hold_same(struct placement *placement, const struct placement *other)
{
    for (size_t i = 0; other->held && i < other->held->n; i++)
        if (placement_has_host(placement, other->held->items[i]->host))
            placement_hold(placement, other->held->items[i]);
}

struct reservation *reservation_create(struct lease *lease, enum reservation_kind kind,
                                       int64_t from, int64_t until, struct placement *placement)
{
    struct reservation *r = memory_new(1, sizeof *r);

    r->kind = kind;
    r->state = RESERVATION_SCHEDULED;
    r->lease = lease;
    r->from = from;
    r->until = until;
    r->placement = placement;
    r->image_deadline = INSTANT_NONE;
    return r;
}

void reservation_destroy(struct reservation *r)
{
    placement_destroy(r->placement);
    free(r);
}
