/* Books reservations in the slot table and the indexes, and updates the figures of hosts. */
#include "core/reservations.h"

#include "core/engine_state.h"
#include "core/fair_share.h"
#include "core/outputs.h"

struct placement *placement_of_vms(struct engine *engine, const struct lease *lease,
                                   const uint32_t *vm_host, struct held_units *const *vm_held)
{
    uint32_t n_types = (uint32_t)engine->site.types.count, n_hosts = 0, vm = 0;
    struct placement *placement;

    if (!vm_host) {
        placement = placement_create(0, 0, n_types);
        placement->unbound_cpu = lease_cpu(lease);
        return placement;
    }
    for (vm = 0; vm < lease->n_vms; vm++)
        if (engine->host_slot[vm_host[vm]] == HOST_NONE)
            engine->host_slot[vm_host[vm]] = n_hosts++;
    placement = placement_create(n_hosts, lease->n_vms, n_types);
    vm = 0;
    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];

        for (uint32_t i = 0; i < nodes->count; i++, vm++) {
            uint32_t host = vm_host[vm], slot = engine->host_slot[host];

            placement->hosts[slot] = host;
            placement->vms[vm] = (struct placed_vm){vm, host, host, lease->request.id};
            for (uint32_t type = 0; type < n_types; type++)
                placement->amounts[slot * n_types + type] += nodes->amounts.of[type];
            if (vm_held && vm_held[vm])
                placement_hold(placement, vm_held[vm]);
        }
    }
    for (uint32_t slot = 0; slot < n_hosts; slot++)
        engine->host_slot[placement->hosts[slot]] = HOST_NONE;
    return placement;
}

static void put_into_indexes(struct engine *engine, struct reservation *r)
{
    r->order = ++engine->bookings.next_order;
    engine->bookings.n_closings += r->closes;
    if (r->state == RESERVATION_SCHEDULED)
        reservation_index_insert(&engine->bookings.by_start, r->from, r);
    reservation_index_insert(&engine->bookings.by_end, r->until, r);
}

void reservation_book(struct engine *engine, struct reservation *r)
{
    put_into_indexes(engine, r);
    slot_table_book(engine->table, r);
}

void reservation_list_book(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        put_into_indexes(engine, list->items[i]);
    slot_table_book_all(engine->table, list->items, list->n);
}

void reservation_unbook(struct engine *engine, struct reservation *r)
{
    engine->bookings.n_closings -= r->closes;
    if (r->state == RESERVATION_SCHEDULED)
        reservation_index_remove(&engine->bookings.by_start, r->from, r);
    reservation_index_remove(&engine->bookings.by_end, r->until, r);
    slot_table_release(engine->table, r);
}

/* CPU that Haizea's utilization probe counts for an operation under way; for suspensions and
 * resumptions, the CPU that the VMs hold on the hosts involved. */
static int64_t cpu_of(const struct reservation *r)
{
    const struct placement *at = r->placement;
    int64_t cpu = r->cpu;

    if (r->kind == RESERVATION_VM || r->kind == RESERVATION_SHUTDOWN)
        for (uint32_t i = 0; i < at->n_hosts; i++)
            cpu += at->amounts[i * at->n_types + RESOURCE_CPU];
    return cpu;
}

/* Counts the CPU of an operation under way; an operation of zero duration uses none. */
static void count_cpu(struct engine *engine, const struct reservation *r, int sign)
{
    struct share *share = r->lease->plan->share;
    int64_t cpu;

    if (r->from >= r->until)
        return;
    cpu = sign * cpu_of(r);
    engine->bookings.cpu_used[r->kind] += cpu;
    if (share && r->kind == RESERVATION_VM)
        share_use_from(engine->shares, share, cpu, engine->now);
}

void vms_arrive(struct engine *engine, struct reservation *vm)
{
    if (vm->counted)
        return;
    vm->counted = true;
    for (uint32_t i = 0; i < vm->placement->n_vms; i++)
        engine->bookings.vms_on[vm->placement->vms[i].host]++;
}

static void vms_leave(struct engine *engine, struct reservation *r)
{
    if (!r->counted)
        return;
    r->counted = false;
    for (uint32_t i = 0; i < r->placement->n_vms; i++)
        engine->bookings.vms_on[r->placement->vms[i].host]--;
}

void reservation_start(struct engine *engine, struct reservation *r)
{
    reservation_index_remove(&engine->bookings.by_start, r->from, r);
    r->state = RESERVATION_ACTIVE;
    count_cpu(engine, r, 1);
    if (r->kind == RESERVATION_VM)
        vms_arrive(engine, r);
    else if (r->kind == RESERVATION_RESUME)
        vms_arrive(engine, lease_plan_of(r)->vm);
    engine_output(engine, (struct engine_output){.kind = OUTPUT_OPERATION_STARTED,
                                                 .lease = r->lease,
                                                 .reservation = r});
}

void reservation_adopt(struct engine *engine, struct reservation *r)
{
    r->state = RESERVATION_ACTIVE;
    count_cpu(engine, r, 1);
    if (r->kind == RESERVATION_VM)
        vms_arrive(engine, r);
    reservation_book(engine, r);
}

void reservation_end(struct engine *engine, struct reservation *r)
{
    count_cpu(engine, r, -1);
    reservation_unbook(engine, r);
    vms_leave(engine, r);
    r->state = RESERVATION_DONE;
    engine->bookings.capacity_freed |= r->placement->n_hosts > 0;
}

void reservation_withdraw(struct engine *engine, struct reservation *r)
{
    if (r->state == RESERVATION_ACTIVE)
        count_cpu(engine, r, -1);
    if (r->state != RESERVATION_DONE)
        reservation_unbook(engine, r);
    vms_leave(engine, r);
    r->state = RESERVATION_DONE;
    engine->bookings.capacity_freed |= r->placement->n_hosts > 0;
    reservation_list_append(&engine->bookings.withdrawn, r);
}

void reservation_list_withdraw(struct engine *engine, struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        reservation_withdraw(engine, list->items[i]);
    list->n = 0;
}

void reservation_list_settle(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->state != RESERVATION_DONE) {
            reservation_unbook(engine, list->items[i]);
            list->items[i]->state = RESERVATION_DONE;
        }
}

void reservation_set_until(struct engine *engine, struct reservation *r, int64_t until)
{
    bool running = r->state == RESERVATION_ACTIVE;

    reservation_unbook(engine, r);
    if (running)
        count_cpu(engine, r, -1);
    r->until = until;
    reservation_book(engine, r);
    if (!running)
        return;
    count_cpu(engine, r, 1);
    engine_output_interval(engine, r);
}

void lease_release_booked(struct engine *engine, const struct lease *lease)
{
    while (lease->booked)
        slot_table_release(engine->table, lease->booked);
}

bool closings_lift(struct engine *engine, int64_t from)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_start, from - 1);
    bool lifted = false;

    if (!engine->bookings.n_closings)
        return false;
    for (const struct index_entry *entry; (entry = index_walk_next(&walk));) {
        if (!entry->reservation->closes)
            continue;
        slot_table_release(engine->table, entry->reservation);
        lifted = true;
    }
    return lifted;
}
