/* Moves running leases off hosts that they must leave. */
#include "core/leaving.h"

#include <stdlib.h>

#include "core/deadline.h"
#include "core/demand_check.h"
#include "core/engine_state.h"
#include "core/placing.h"
#include "core/preemptable.h"
#include "core/relocation.h"
#include "core/schedule.h"
#include "core/stretches.h"
#include "util/memory.h"

/* Withdraws the planned move, so that the lease runs to its end on its present hosts. */
static void withdraw_leave(struct engine *engine, struct lease *lease)
{
    const struct vm_plan *next = lease_plan_current(lease);
    int64_t until = next->vm->until, end = vm_plan_end(next);
    struct vm_plan *current;
    struct reservation *shutdown;

    stretch_withdraw(engine, lease);
    current = lease_plan_current(lease);
    reservation_set_until(engine, current->vm, until);
    if (until != INSTANT_NEVER) {
        shutdown = reservation_create(lease, RESERVATION_SHUTDOWN, until, end,
                                      placement_share(current->vm->placement));
        reservation_list_append(&current->after, shutdown);
        reservation_book(engine, shutdown);
    }
    lease_plan_publish(lease);
}

/* The id of the first host that a VM leaves. */
static int32_t left_host(const struct engine *engine, const struct relocation *move)
{
    uint32_t vm = 0;

    while (vm + 1 < move->lease->n_vms && move->to[vm] == move->from->vms[vm].host)
        vm++;
    return engine->site.hosts[move->from->vms[vm].host].id;
}

/* The time at which the lease should begin to move, at least now. */
static int64_t begins_to_leave(const struct engine *engine, const struct lease *lease)
{
    if (lease->plan->makes_room)
        return makes_room_from(engine, lease, lease->plan->leave_by);
    return later_of(lease->plan->leave_by - longest_live_span(engine, lease), engine->now);
}

static bool must_leave(const struct lease *lease)
{
    return lease->plan->leave_by != INSTANT_NONE && runs_to_its_end(lease);
}

static void commit(struct engine *engine, struct relocation *move)
{
    const struct lease_plan *plan = move->lease->plan;
    struct reason reason = {.id = REASON_LEAVES, .n = {left_host(engine, move), move->begins}};

    if (plan->makes_room) {
        reason.n[2] = plan->leave_for;
        reason.n[3] = plan->leave_by;
    }
    relocation_commit(engine, move, &reason);
}

static bool leave_alone(struct engine *engine, struct lease *lease)
{
    struct relocation move = relocation_of(engine, lease);
    bool planned;

    move.begins = begins_to_leave(engine, lease);
    if (lease->plan->makes_room)
        move.end = INSTANT_NEVER;
    planned = relocation_plan_live(engine, &move);
    if (planned)
        commit(engine, &move);
    relocation_drop(&move);
    return planned;
}

/* --- leases that must move together ----------------------------------------------------------- */

/* Leases whose VMs must be together, and so must leave together. */
struct party {
    struct relocation *moves;
    size_t n, allocated;
};

static bool is_in(const struct party *party, const struct lease *lease)
{
    size_t i = 0;

    while (i < party->n && party->moves[i].lease != lease)
        i++;
    return i < party->n;
}

static void join(struct engine *engine, struct party *party, struct lease *lease)
{
    MEMORY_GROW(party->moves, party->allocated, party->n + 1);
    party->moves[party->n++] = relocation_of(engine, lease);
}

/* Collects all leases that must leave and are tied to the lease, directly or through others. */
static void gather(struct engine *engine, struct party *party, struct lease *lease)
{
    join(engine, party, lease);
    for (size_t done = 0; done < party->n; done++)
        for (size_t i = 0; i < engine->leases.list.n; i++) {
            struct lease *other = engine->leases.list.items[i];

            if (other && must_leave(other) && lease_joins(party->moves[done].lease, other) &&
                !is_in(party, other))
                join(engine, party, other);
        }
}

/* Sets the same time for all moves. */
static void set_times(struct engine *engine, struct party *party)
{
    int64_t begins = INSTANT_NEVER, arrives = 0;

    for (size_t i = 0; i < party->n; i++) {
        int64_t from = begins_to_leave(engine, party->moves[i].lease);

        begins = from < begins ? from : begins;
    }
    for (size_t i = 0; i < party->n; i++)
        arrives = later_of(arrives, begins + longest_live_span(engine, party->moves[i].lease));
    for (size_t i = 0; i < party->n; i++) {
        party->moves[i].begins = begins;
        party->moves[i].arrives = arrives;
    }
}

static void book_all(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        slot_table_book(engine->table, list->items[i]);
}

/* Books the lease as if it had moved by then, on its new hosts if they are planned. */
static void book_as_gone(struct engine *engine, const struct relocation *move,
                         struct reservation_list *shortened)
{
    const struct vm_plan *current = lease_plan_current(move->lease), *next = &move->next.plan;

    stretch_release(engine, current);
    reservation_list_append(shortened, reservation_create(move->lease, RESERVATION_VM,
                                                          current->vm->from, move->arrives,
                                                          placement_share(current->vm->placement)));
    slot_table_book(engine->table, shortened->items[shortened->n - 1]);
    book_all(engine, &next->before);
    if (next->vm)
        slot_table_book(engine->table, next->vm);
    book_all(engine, &next->after);
}

static bool plan_member(struct engine *engine, struct party *party, size_t member)
{
    size_t mark = slot_table_mark(engine->table);
    struct reservation_list shortened = {0};
    bool planned;

    for (size_t i = 0; i < party->n; i++)
        if (i != member)
            book_as_gone(engine, &party->moves[i], &shortened);
    planned = relocation_plan_live(engine, &party->moves[member]);
    slot_table_undo(engine->table, mark);
    reservation_list_destroy(&shortened);
    return planned;
}

static bool leave_together(struct engine *engine, struct lease *lease)
{
    struct party party = {0};
    bool planned;

    gather(engine, &party, lease);
    planned = party.n > 1;
    set_times(engine, &party);
    for (size_t i = 0; i < party.n && planned; i++)
        planned = plan_member(engine, &party, i);
    for (size_t i = 0; i < party.n; i++) {
        if (planned)
            commit(engine, &party.moves[i]);
        relocation_drop(&party.moves[i]);
    }
    free(party.moves);
    return planned;
}

/* Does the lease end before its VMs could have moved one after the other? */
static bool ends_first(const struct engine *engine, const struct lease *lease)
{
    return lease_plan_current(lease)->vm->until <= engine->now + longest_live_span(engine, lease);
}

static void cannot_leave(const struct engine *engine, struct lease *lease)
{
    lease->reason = (struct reason){
        .id = REASON_CANNOT_LEAVE,
        .n = {lease->plan->leave_by, lease->plan->has_demand, ends_first(engine, lease)}};
}

/* --- for another lease ------------------------------------------------------------------------ */

/* Does the lease have room on its hosts without an end, now that the other lease has moved? */
static bool can_stay(struct engine *engine, const struct lease *lease)
{
    const struct placement *at = lease_plan_running(lease)->vm->placement;
    size_t mark = slot_table_mark(engine->table);
    bool fits = true;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->state != RESERVATION_DONE)
            slot_table_release(engine->table, lease->reservations[i]);
    for (uint32_t i = 0; i < at->n_hosts && fits; i++) {
        struct amounts need = {{0}};

        for (uint32_t type = 0; type < at->n_types; type++)
            need.of[type] = at->amounts[(size_t)i * at->n_types + type];
        fits =
            slot_table_fits_until(engine->table, at->hosts[i], &need, engine->now) == INSTANT_NEVER;
    }
    slot_table_undo(engine->table, mark);
    return fits;
}

static void stay(struct engine *engine, struct lease *lease)
{
    if (leaves_later(lease))
        stretch_withdraw(engine, lease);
    reservation_set_until(engine, lease_plan_current(lease)->vm, INSTANT_NEVER);
    lease_plan_publish(lease);
}

/* Plans the move once and keeps it planned, so that no other lease takes its new room. */
static void make_room(struct engine *engine, struct lease *lease)
{
    if (can_stay(engine, lease)) {
        stay(engine, lease);
        lease->plan->leave_by = INSTANT_NONE;
        lease->plan->makes_room = false;
        lease->reason = (struct reason){.id = REASON_PLANNED, .n = {lease->start_actual}};
    } else if (!leaves_later(lease) && !leave_alone(engine, lease)) {
        stay(engine, lease);
        cannot_leave(engine, lease);
    }
}

void withdraw_leaves(struct engine *engine)
{
    bool freed = engine->bookings.capacity_freed;

    for (size_t i = 0; engine->has_leaving && i < engine->leases.list.n; i++) {
        struct lease *lease = engine->leases.list.items[i];

        if (lease && lease->plan->makes_room && lease->state == LEASE_ACTIVE)
            make_room(engine, lease);
        else if (lease && leaves_later(lease))
            withdraw_leave(engine, lease);
    }
    engine->bookings.capacity_freed = freed;
}

/* --- before, beside and after new requests -----------------------------------------------------
 */

/* Do new requests come before the lease's move? They do if it is optional or the lease preemptable.
 */
static bool yields(const struct engine *engine, const struct lease *lease)
{
    return lease->plan->only_wanted || terms_when_preempted(engine, lease) != TERMS_NON_PREEMPTABLE;
}

void leave_hosts(struct engine *engine, enum leaving which)
{
    for (size_t i = 0; engine->has_leaving && i < engine->leases.list.n; i++) {
        struct lease *lease = engine->leases.list.items[i];

        if (!lease || !must_leave(lease) || lease->plan->makes_room ||
            yields(engine, lease) != (which == LEAVING_YIELDS))
            continue;
        engine->figures.attempts++;
        if (!leave_alone(engine, lease) &&
            !(lease->plan->has_demand && leave_together(engine, lease)))
            cannot_leave(engine, lease);
    }
}

/* The leases whose moves do not yield and have not begun. */
static struct lease_list firm_leaves(const struct engine *engine)
{
    struct lease_list leaving = {0};

    for (size_t i = 0; engine->has_leaving && i < engine->leases.list.n; i++) {
        struct lease *lease = engine->leases.list.items[i];

        if (lease && leaves_later(lease) && !lease->plan->makes_room && !yields(engine, lease))
            lease_list_append(&leaving, lease);
    }
    return leaving;
}

static void withdraw_all(struct engine *engine, const struct lease_list *leaving)
{
    for (size_t i = 0; i < leaving->n; i++)
        if (leaves_later(leaving->items[i]))
            withdraw_leave(engine, leaving->items[i]);
}

/* Plans the leases' moves with the proposal booked. False: not all of them find room elsewhere. */
static bool all_leave_beside(struct engine *engine, const struct lease_list *leaving,
                             const struct proposal *proposal)
{
    bool all = true;

    book_all(engine, &proposal->plan.before);
    slot_table_book(engine->table, proposal->plan.vm);
    book_all(engine, &proposal->plan.after);
    leave_hosts(engine, LEAVING_FIRM);
    stretch_release(engine, &proposal->plan);
    for (size_t i = 0; i < leaving->n; i++)
        all = all && leaves_later(leaving->items[i]);
    return all;
}

static bool find_place(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    const struct placing_request at_once = {
        .lease = lease, .before = INSTANT_NEVER, .from = engine->now};

    if (lease->request.kind == LEASE_RESERVATION)
        return place_exact(engine, lease, proposal);
    if (lease->request.kind == LEASE_DEADLINE)
        return place_deadline_in_room(engine, lease, proposal);
    return place_as_soon_as_possible(engine, &at_once, proposal);
}

static bool schedule_beside(struct engine *engine, const struct lease_list *leaving,
                            struct lease *lease)
{
    struct reason reason = lease->reason;
    struct proposal proposal;

    withdraw_all(engine, leaving);
    if (find_place(engine, lease, &proposal)) {
        if (!proposal.victims.n && all_leave_beside(engine, leaving, &proposal))
            return proposal_accept(engine, lease, &proposal);
        proposal_finish(&proposal);
    }
    lease->reason = reason;
    return false;
}

void schedule_beside_leaves(struct engine *engine, struct lease_list *refused)
{
    struct lease_list leaving = firm_leaves(engine);
    size_t kept = 0;

    for (size_t i = 0; leaving.n && i < refused->n; i++)
        if (!schedule_beside(engine, &leaving, refused->items[i]))
            refused->items[kept++] = refused->items[i];
    if (leaving.n)
        refused->n = kept;
    leave_hosts(engine, LEAVING_FIRM);
    free(leaving.items);
}
