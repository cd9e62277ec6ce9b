/* Finds hosts for a lease without an end until a reservation begins there or they close, and hosts
 * for the time after. */
#include "core/in_front.h"

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/mapper_restricted.h"
#include "core/migration.h"
#include "core/placing.h"
#include "core/rebooking.h"
#include "core/relocation.h"

static bool may_move_on(const struct engine *engine, const struct lease *lease)
{
    const struct lease_request *request = &lease->request;

    return engine->settings.in_front_least > 0 && request->duration == SPAN_UNLIMITED &&
           request->terms == TERMS_NON_PREEMPTABLE && !has_image_transfer(engine, lease);
}

bool may_start_in_front(const struct engine *engine, const struct lease *lease)
{
    return may_move_on(engine, lease) && lease->request.kind == LEASE_BEST_EFFORT &&
           lease->n_vms == 1 && !lease->plan->has_demand &&
           engine->figures.unfinished[LEASE_RESERVATION];
}

static bool has_turns(const struct engine *engine)
{
    return engine->queues.rebooking_work < REBOOKING_WORK;
}

/* The host with room for the longest time, or HOST_NONE. */
static uint32_t longest_free(struct engine *engine, const struct node_set *vm, int64_t *until)
{
    const struct survey *survey = mapper_survey(engine, &vm->amounts, engine->now);
    uint32_t longest = HOST_NONE;

    *until = engine->now;
    for (uint32_t host = 0; host < engine->site.n_hosts; host++)
        if (survey->looks[host].fits_until > *until && host_is_usable(engine, vm, host)) {
            *until = survey->looks[host].fits_until;
            longest = host;
        }
    return longest;
}

/* The reservation that takes the host's room from `from` on, or NULL if there is another cause. */
static const struct lease *lease_behind(const struct engine *engine, uint32_t host, int64_t from)
{
    struct index_walk walk = reservation_index_first(&engine->bookings.by_start);
    const struct index_entry *entry;

    while ((entry = index_walk_next(&walk)) && entry->time <= from) {
        const struct reservation *r = entry->reservation;

        for (uint32_t k = 0; r->from == from && k < r->placement->n_hosts; k++)
            if (r->placement->hosts[k] == host && r->lease->request.kind == LEASE_RESERVATION &&
                !r->closes)
                return r->lease;
    }
    return NULL;
}

/* Plans the move to other hosts, with the first stretch in the lease's plan meanwhile. False: there
 * are none. */
static bool plan_the_move(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    size_t mark = slot_table_mark(engine->table);
    struct relocation move;
    bool planned;

    slot_table_book(engine->table, proposal->plan.vm);
    *lease_plan_add(lease) = proposal->plan;
    move = relocation_of(engine, lease);
    move.begins = makes_room_from(engine, lease, proposal->leave_by);
    move.end = INSTANT_NEVER;
    planned = relocation_plan_live(engine, &move);
    lease->plan->n_vms--;
    slot_table_undo(engine->table, mark);
    if (planned) {
        proposal->plan.vm->until = move.at;
        proposal->next = move.next.plan;
        move.next.plan = (struct vm_plan){0};
    }
    relocation_drop(&move);
    return planned;
}

bool place_in_front(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    const struct lease *behind;
    uint32_t host;
    int64_t until;

    *proposal = (struct proposal){.start = engine->now};
    if (!has_turns(engine) || !may_start_in_front(engine, lease))
        return false;
    host = longest_free(engine, &lease->request.node_sets[0], &until);
    if (host == HOST_NONE || until == INSTANT_NEVER ||
        until - engine->now < engine->settings.in_front_least)
        return false;
    behind = lease_behind(engine, host, until);
    if (!behind)
        return false;
    engine->queues.rebooking_work++;
    proposal->leave_by = proposal->held_until = until;
    proposal->leave_for = behind->request.id;
    proposal->plan.vm = reservation_create(lease, RESERVATION_VM, engine->now, until,
                                           placement_of_vms(engine, lease, &host, NULL));
    if (plan_the_move(engine, lease, proposal))
        return true;
    proposal_finish(proposal);
    return false;
}

/* --- hosts that are closed later -------------------------------------------------------------- */

/* The time at which the first of the hosts closes, or INSTANT_NEVER. */
static int64_t first_closing(const struct engine *engine, const struct placement *placement)
{
    struct index_walk walk = reservation_index_first(&engine->bookings.by_start);

    for (const struct index_entry *entry; (entry = index_walk_next(&walk));) {
        const struct reservation *r = entry->reservation;

        for (uint32_t k = 0; r->closes && k < placement->n_hosts; k++)
            if (placement->hosts[k] == r->placement->hosts[0])
                return r->from;
    }
    return INSTANT_NEVER;
}

/* Places the lease now, for ever, as if no host closed from closings_from on. */
static bool place_until(struct engine *engine, struct lease *lease, int64_t closings_from,
                        struct proposal *proposal)
{
    const struct window_request request = {.lease = lease,
                                           .from = engine->now,
                                           .latest = engine->now,
                                           .remaining = SPAN_UNLIMITED,
                                           .spare_others = true};
    struct reason reason = lease->reason;
    size_t mark = slot_table_mark(engine->table);
    bool placed = closings_lift(engine, closings_from) && place_within(engine, &request, proposal);

    slot_table_undo(engine->table, mark);
    lease->reason = reason;
    return placed;
}

bool place_before_closings(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    int64_t from = instant_add(engine->now, engine->settings.in_front_least);

    *proposal = (struct proposal){.start = engine->now};
    if (!engine->bookings.n_closings || !has_turns(engine) || !may_move_on(engine, lease) ||
        lease_is_suspended(lease))
        return false;
    engine->queues.rebooking_work++;
    if (!place_until(engine, lease, from, proposal))
        return false;
    proposal->before_closing = true;
    proposal->leave_by = first_closing(engine, proposal->plan.vm->placement);
    if (proposal->leave_by != INSTANT_NEVER && plan_the_move(engine, lease, proposal))
        return true;
    proposal_finish(proposal);
    return false;
}

bool place_exact_before_closings(struct engine *engine, struct lease *lease,
                                 struct proposal *proposal)
{
    const struct lease_request *request = &lease->request;
    int64_t start = instant_later(request->start, engine->now);
    struct reason reason = lease->reason;
    size_t mark;
    bool placed;

    if (!engine->bookings.n_closings || engine->settings.in_front_least <= 0 ||
        request->duration != SPAN_UNLIMITED || has_image_transfer(engine, lease))
        return false;
    mark = slot_table_mark(engine->table);
    placed = closings_lift(engine, instant_add(start, engine->settings.in_front_least)) &&
             place_exact(engine, lease, proposal);
    slot_table_undo(engine->table, mark);
    if (!placed)
        lease->reason = reason;
    return placed;
}
