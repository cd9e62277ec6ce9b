/* Plans the hosts and the time of a move of a running lease, and books it. */
#include "core/relocation.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/host_filter.h"
#include "core/migration.h"
#include "core/occupancy.h"
#include "core/stretches.h"
#include "core/unit_move.h"
#include "util/memory.h"

bool runs_to_its_end(const struct lease *lease)
{
    const struct vm_plan *current = lease_plan_current(lease);

    if (lease->state != LEASE_ACTIVE || lease->plan->ends_cancelled || !current ||
        current->vm->state != RESERVATION_ACTIVE)
        return false;
    for (size_t i = 0; i < current->after.n; i++)
        if (current->after.items[i]->kind != RESERVATION_SHUTDOWN)
            return false;
    return true;
}

/* --- new hosts -------------------------------------------------------------------------------- */

/* Does the VM's filter exclude its present host? */
static bool is_excluded(const struct lease *lease, const struct placed_vm *vm)
{
    return !host_filter_allows(lease_vm_set(lease, vm->vm)->hosts, vm->host);
}

int64_t longest_live_span(const struct engine *engine, const struct lease *lease)
{
    const struct placement *at = lease_plan_current(lease)->vm->placement;
    int64_t span = 0;

    for (uint32_t i = 0; i < at->n_vms; i++)
        if (is_excluded(lease, &at->vms[i]))
            span += move_span_of_vm(engine, lease, at->vms[i].vm);
    if (!span)
        span = move_span(engine, lease);
    return span > 1 ? span : 1;
}

int64_t makes_room_from(const struct engine *engine, const struct lease *lease, int64_t leave_by)
{
    return later_of(leave_by - 2 * longest_live_span(engine, lease), engine->now);
}

/* Seconds until all moving VMs have arrived; a host sends and receives one VM at a time. */
static int64_t live_span(struct engine *engine, const struct relocation *move)
{
    const struct lease *lease = move->lease;
    int64_t *busy = memory_new(engine->site.n_hosts, sizeof *busy), most = 1;

    for (uint32_t vm = 0; vm < lease->n_vms; vm++) {
        uint32_t ends[] = {move->from->vms[vm].host, move->to[vm]};
        int64_t rate = transfer_rate_between(engine, ends[0], ends[1]);
        int64_t span = move_span_at(engine, lease, vm, rate);

        for (size_t i = 0; ends[0] != ends[1] && i < 2; i++)
            if ((busy[ends[i]] += span) > most)
                most = busy[ends[i]];
    }
    free(busy);
    return most;
}

/* Finds the best hosts for the lease from move->at on, including its current hosts. If none are
 * free for ever, takes hosts that close much later: the lease moves on before they close. */
static bool map_rest(struct engine *engine, struct relocation *move)
{
    const struct vm_plan *current = lease_plan_current(move->lease);
    struct map_request request = {.lease = move->lease,
                                  .from = move->at,
                                  .until = move->end,
                                  .strict = true,
                                  .spare_others = true};
    struct reservation *shortened =
        reservation_create(move->lease, RESERVATION_VM, current->vm->from, move->at,
                           placement_share(current->vm->placement));
    struct reason reason = move->lease->reason;
    size_t mark = slot_table_mark(engine->table);
    struct mapping mapping;
    bool mapped;

    request.shortest = request.until == INSTANT_NEVER ? SPAN_UNLIMITED : move->end - move->at;
    stretch_release(engine, current);
    slot_table_book(engine->table, shortened);
    mapped = mapper_map(engine, &request, &mapping);
    if (!mapped && request.until == INSTANT_NEVER && engine->settings.in_front_least > 0 &&
        closings_lift(engine, instant_add(move->at, engine->settings.in_front_least))) {
        mapping_finish(&mapping);
        mapped = mapper_map(engine, &request, &mapping);
    }
    if (mapped)
        memcpy(move->to, mapping.vm_host, move->lease->n_vms * sizeof *move->to);
    mapping_finish(&mapping);
    slot_table_undo(engine->table, mark);
    reservation_destroy(shortened);
    move->lease->reason = reason;
    return mapped;
}

/* VMs of one size without demands are interchangeable: VMs whose hosts are used again stay there.
 */
static void stay_where_possible(struct relocation *move)
{
    const struct lease *lease = move->lease;

    for (size_t set = 0; !lease->plan->has_demand && set < lease->request.n_node_sets; set++) {
        uint32_t first = lease->plan->set_first_vm[set];
        uint32_t end = first + lease->request.node_sets[set].count;

        for (uint32_t vm = first; vm < end; vm++) {
            uint32_t host = move->from->vms[vm].host, other = first;

            while (other < end &&
                   (move->to[other] != host || move->to[other] == move->from->vms[other].host))
                other++;
            if (move->to[vm] == host || other == end)
                continue;
            move->to[other] = move->to[vm];
            move->to[vm] = host;
        }
    }
}

/* The host's row of amounts; a new host is added to the placement. */
static int64_t *amounts_on(struct engine *engine, struct placement *placement, uint32_t host)
{
    uint32_t *slot = &engine->host_slot[host];

    if (*slot == HOST_NONE)
        placement->hosts[ *slot = placement->n_hosts++] = host;
    return &placement->amounts[(size_t)*slot * placement->n_types];
}

/* A host sends and receives one VM at a time, at the transfer rate or with all of its network. A
 * host without network capacity is skipped. */
static void add_traffic(struct engine *engine, struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        const struct placed_vm *vm = &placement->vms[i];
        bool sends = engine->site.hosts[vm->from].capacity.of[RESOURCE_NET_OUT] > 0;
        bool receives = engine->site.hosts[vm->host].capacity.of[RESOURCE_NET_IN] > 0;

        for (uint32_t k = 0; k < i; k++) {
            sends = sends && placement->vms[k].from != vm->from;
            receives = receives && placement->vms[k].host != vm->host;
        }
        if (sends)
            amounts_on(engine, placement, vm->from)[RESOURCE_NET_OUT] +=
                transfer_rate_between(engine, vm->from, HOST_NONE);
        if (receives)
            amounts_on(engine, placement, vm->host)[RESOURCE_NET_IN] +=
                transfer_rate_between(engine, HOST_NONE, vm->host);
    }
}

/* Resources the moving VMs hold on their new hosts, plus the traffic between old and new hosts. */
static struct placement *arrivals(struct engine *engine, const struct relocation *move)
{
    uint32_t n_types = (uint32_t)engine->site.types.count, n_vms = move->lease->n_vms, n = 0;
    struct placement *placement = placement_create(2 * n_vms, n_vms, n_types);

    placement->n_hosts = 0;
    for (uint32_t vm = 0; vm < n_vms; vm++) {
        uint32_t host = move->to[vm];
        const struct amounts *amounts = lease_vm_amounts(move->lease, vm);

        if (host == move->from->vms[vm].host)
            continue;
        for (uint32_t type = 0; type < n_types; type++)
            amounts_on(engine, placement, host)[type] += amounts->of[type];
        placement->vms[n++] =
            (struct placed_vm){vm, host, move->from->vms[vm].host, move->lease->request.id};
    }
    placement->n_vms = n;
    if (engine->settings.migration == MIGRATION_YES)
        add_traffic(engine, placement);
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        engine->host_slot[placement->hosts[i]] = HOST_NONE;
    return placement;
}

/* A host that VMs only leave must have the bandwidth, even if it is closed and overbooked in CPU
 * and memory. */
static bool can_send_during(const struct engine *engine, uint32_t host, const struct amounts *need,
                            int64_t from, int64_t until)
{
    for (int64_t at = from; at < until; at = slot_table_unchanged_until(engine->table, host, at))
        if (slot_table_free(engine->table, host, RESOURCE_NET_OUT, at) < need->of[RESOURCE_NET_OUT])
            return false;
    return true;
}

/* During the copy, the new hosts must have room in addition to the old ones, and all of them the
 * bandwidth. */
static bool has_room_during(struct engine *engine, const struct placement *arrivals, int64_t from,
                            int64_t until)
{
    for (uint32_t i = 0; i < arrivals->n_hosts; i++) {
        struct amounts need = {{0}};
        uint32_t host = arrivals->hosts[i];
        bool only_sends;

        for (uint32_t type = 0; type < arrivals->n_types; type++)
            need.of[type] = arrivals->amounts[i * arrivals->n_types + type];
        only_sends = need.of[RESOURCE_NET_OUT] > 0 && need.of[RESOURCE_NET_IN] == 0 &&
                     need.of[RESOURCE_CPU] == 0 && need.of[RESOURCE_MEMORY] == 0;
        if (only_sends ? !can_send_during(engine, host, &need, from, until)
                       : slot_table_fits_until(engine->table, host, &need, from) < until)
            return false;
    }
    return true;
}

bool relocation_moves_any(const struct relocation *move)
{
    for (uint32_t vm = 0; vm < move->lease->n_vms; vm++)
        if (move->to[vm] != move->from->vms[vm].host)
            return true;
    return false;
}

static bool choose_units(struct engine *engine, struct relocation *move)
{
    const struct unit_move units = {.lease = move->lease,
                                    .from = move->from,
                                    .to = move->to,
                                    .begins = move->begins,
                                    .at = move->at,
                                    .end = move->end};
    size_t mark;
    bool chosen;

    if (!move->lease->plan->has_demand)
        return true;
    mark = slot_table_mark(engine->table);
    move->held = memory_new(move->lease->n_vms, sizeof(struct held_units *));
    stretch_release(engine, lease_plan_current(move->lease));
    chosen = unit_move_choose(engine, &units, move->held);
    slot_table_undo(engine->table, mark);
    return chosen;
}

static void hold_arriving_units(const struct relocation *move, struct placement *arriving)
{
    for (uint32_t vm = 0; move->held && vm < move->lease->n_vms; vm++)
        if (move->held[vm] && move->to[vm] != move->from->vms[vm].host)
            placement_hold(arriving, move->held[vm]);
}

bool relocation_plan_live(struct engine *engine, struct relocation *move)
{
    struct vm_plan *next = &move->next.plan;
    struct placement *held;

    int64_t runs_until = move->end ? move->end : lease_plan_current(move->lease)->vm->until;

    if (!move->end)
        move->end = vm_plan_end(lease_plan_current(move->lease));
    move->at = later_of(move->begins + longest_live_span(engine, move->lease), move->arrives);
    if (move->at >= runs_until || !map_rest(engine, move))
        return false;
    stay_where_possible(move);
    if (!relocation_moves_any(move) ||
        live_span(engine, move) > longest_live_span(engine, move->lease) ||
        !choose_units(engine, move))
        return false;
    held = arrivals(engine, move);
    hold_arriving_units(move, held);
    if (!has_room_during(engine, held, move->begins, move->at)) {
        placement_destroy(held);
        return false;
    }
    move->at = later_of(move->begins + live_span(engine, move), move->arrives);
    reservation_list_append(&next->before,
                            reservation_create(move->lease, RESERVATION_MEMORY_MIGRATION,
                                               move->begins, move->at, held));
    next->vm = reservation_create(move->lease, RESERVATION_VM, move->at, move->end,
                                  placement_of_vms(engine, move->lease, move->to, move->held));
    carve_shutdown(engine, move->lease, next);
    return true;
}

/* --- booking ---------------------------------------------------------------------------------- */

void relocation_commit(struct engine *engine, struct relocation *move, const struct reason *reason)
{
    struct lease *lease = move->lease;
    struct vm_plan *current = lease_plan_current(lease);
    int64_t until = move->windows.n ? move->windows.items[0]->from : move->at;

    reservation_list_withdraw(engine, &current->after);
    reservation_list_finish(&current->after);
    reservation_set_until(engine, current->vm, until);
    current->after = move->windows;
    move->windows = (struct reservation_list){0};
    reservation_list_book(engine, &current->after);
    lease->reason = *reason;
    proposal_take_over(engine, lease, &move->next);
}

void relocation_drop(struct relocation *move)
{
    reservation_list_destroy(&move->windows);
    proposal_finish(&move->next);
    for (uint32_t vm = 0; move->held && vm < move->lease->n_vms; vm++)
        held_units_destroy(move->held[vm]);
    free(move->held);
    free(move->to);
}

struct relocation relocation_of(const struct engine *engine, struct lease *lease)
{
    return (struct relocation){.lease = lease,
                               .from = lease_plan_current(lease)->vm->placement,
                               .to = memory_new(lease->n_vms, sizeof(uint32_t)),
                               .begins = engine->now};
}
