/* Moves running leases to better hosts if the gain is sufficient. */
#include "core/opportunistic.h"

#include <stdlib.h>

#include "core/demand.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/migration.h"
#include "core/placing.h"
#include "core/relocation.h"
#include "core/stretches.h"
#include "core/windows.h"
#include "util/memory.h"

/* Tolerance for comparisons of gains: estimates are rounded to milliseconds. */
static const double TOLERANCE = 1e-5;

static bool is_enabled(const struct engine *engine)
{
    return engine->settings.migration_interval > 0 && engine->hooks->estimate;
}

static bool terms_allow(const struct lease *lease)
{
    return lease->request.terms == TERMS_MIGRATABLE && lease->request.kind != LEASE_RESERVATION;
}

int64_t next_look_for_moves(const struct engine *engine)
{
    return engine->next_move_look > engine->now ? engine->next_move_look : INSTANT_NEVER;
}

void note_movable(struct engine *engine, const struct lease *lease)
{
    if (is_enabled(engine) && terms_allow(lease) && engine->next_move_look == INSTANT_NONE)
        engine->next_move_look = instant_add(engine->now, engine->settings.migration_interval);
}

bool is_live_move(const struct reservation *r)
{
    const struct vm_plan *plan = lease_plan_of(r);
    const struct lease_plan *all = r->lease->plan;

    if ((r->kind != RESERVATION_MEMORY_MIGRATION && r->kind != RESERVATION_DISK_MIGRATION) ||
        !plan || plan == all->vms)
        return false;
    return plan[-1].vm->until == plan->vm->from && !plan[-1].after.n;
}

/* Will the lease run to its end as planned, and do its terms allow a move? */
static bool may_move(const struct engine *engine, const struct lease *lease)
{
    if (!terms_allow(lease) || !runs_to_its_end(lease))
        return false;
    return engine->settings.migration_mode == MOVING_LIVE ||
           (may_be_suspended(engine, lease) && engine->settings.migration != MIGRATION_NO);
}

/* May the lease be moved live? With demands, only a single VM without PCI devices may. */
static bool may_leave_units(const struct lease *lease)
{
    const struct vm_demand *demand = lease->request.node_sets[0].demand;

    return !lease->plan->has_demand || (lease->n_vms == 1 && demand->n_devices == 0);
}

/* The earliest time by which the lease can be suspended. 0: it cannot be suspended, has only just
 * started, or would hold its hosts for longer than booked. */
static int64_t suspend_soon(struct engine *engine, struct relocation *move)
{
    struct vm_plan *current = lease_plan_current(move->lease);
    int64_t off = engine->now + suspend_estimate(engine, move->lease);
    int64_t begins =
        suspend_windows(engine, move->lease, current->vm->placement, off, &move->windows);

    return move->windows.n && begins >= engine->now && begins > current->vm->from &&
                   begins < current->vm->until && off <= vm_plan_end(current)
               ? off
               : 0;
}

/* Plans a cold move: the suspension, and hosts on which the lease can resume at once and run to its
 * end. */
static bool plan_cold(struct engine *engine, struct relocation *move)
{
    struct vm_plan *current = lease_plan_current(move->lease);
    int64_t off = suspend_soon(engine, move), begins;
    struct window_request request = {.lease = move->lease, .resuming = true, .spare_others = true};
    struct reason reason = move->lease->reason;
    struct reservation *shortened;
    size_t mark;
    bool placed;

    if (!off)
        return false;
    mark = slot_table_mark(engine->table);
    begins = move->windows.items[0]->from;
    request.from = request.latest = off + migration_estimate(engine, move->lease);
    request.remaining = remaining_span(move->lease);
    if (request.remaining != SPAN_UNLIMITED)
        request.remaining -= begins - current->vm->from;
    shortened = reservation_create(move->lease, RESERVATION_VM, current->vm->from, begins,
                                   placement_share(current->vm->placement));
    stretch_release(engine, current);
    slot_table_book(engine->table, shortened);
    for (size_t i = 0; i < move->windows.n; i++)
        slot_table_book(engine->table, move->windows.items[i]);
    placed = place_within(engine, &request, &move->next);
    slot_table_undo(engine->table, mark);
    reservation_destroy(shortened);
    move->lease->reason = reason;
    if (!placed)
        return false;
    for (uint32_t vm = 0; vm < move->lease->n_vms; vm++)
        move->to[vm] = move->next.plan.vm->placement->vms[vm].host;
    move->at = move->next.plan.vm->from;
    move->overhead = move->at - begins;
    return plan_migration(engine, move->lease, &move->next, off) && relocation_moves_any(move);
}

/* --- gain ------------------------------------------------------------------------------------- */

static bool is_worth_it(struct engine *engine, struct relocation *move)
{
    uint32_t *from = memory_new(move->lease->n_vms, sizeof *from);
    struct lease_estimate question = {.lease = move->lease,
                                      .site = &engine->site,
                                      .at = engine->now,
                                      .hosts = from,
                                      .from = from};

    for (uint32_t vm = 0; vm < move->lease->n_vms; vm++)
        from[vm] = move->from->vms[vm].host;
    move->stay = engine->hooks->estimate(engine->hooks->context, &question);
    question.hosts = move->to;
    question.overhead = move->overhead;
    move->move = engine->hooks->estimate(engine->hooks->context, &question);
    free(from);
    if (move->stay <= 0 || move->move < 0)
        return false;
    return (double)(move->stay - move->move) / (double)move->stay >=
           engine->settings.migration_threshold / 100 - TOLERANCE;
}

/* --- moves ------------------------------------------------------------------------------------ */

static void consider(struct engine *engine, struct lease *lease)
{
    struct relocation move = relocation_of(engine, lease);
    bool planned = engine->settings.migration_mode != MOVING_LIVE
                       ? plan_cold(engine, &move)
                       : may_leave_units(lease) && relocation_plan_live(engine, &move);

    engine->figures.attempts++;
    if (planned && is_worth_it(engine, &move))
        relocation_commit(engine, &move,
                          &(struct reason){.id = REASON_MOVED,
                                           .n = {engine->now, move.stay / 1000, move.move / 1000,
                                                 (move.stay - move.move) * 100 / move.stay}});
    relocation_drop(&move);
}

void move_to_better_hosts(struct engine *engine)
{
    bool due = engine->next_move_look != INSTANT_NONE && engine->next_move_look <= engine->now;
    bool candidates = false;

    if (!is_enabled(engine) || (!due && !engine->bookings.capacity_freed))
        return;
    for (size_t i = 0; i < engine->leases.list.n; i++) {
        struct lease *lease = engine->leases.list.items[i];

        if (!lease || !may_move(engine, lease))
            continue;
        candidates = true;
        consider(engine, lease);
    }
    engine->next_move_look =
        candidates ? instant_add(engine->now, engine->settings.migration_interval) : INSTANT_NONE;
    engine->bookings.capacity_freed = false;
}
