#include <stdlib.h>

#include "core/resettle.h"
#include "core/trial.h"
#include "util/memory.h"

static void book_list(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        reservation_book(engine, list->items[i]);
}

/* When the first operation of a planned stretch begins. */
static int64_t planned_start(const struct vm_plan *planned)
{
    return planned->before.n ? planned->before.items[0]->from : planned->vm->from;
}

/* Haizea's order: preparation, before, VM, after. */
void proposal_take_over(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct vm_plan *plan = lease_plan_add(lease);

    *plan = proposal->plan;
    proposal->plan = (struct vm_plan){0};
    book_list(engine, &proposal->preparation);
    for (size_t i = 0; i < proposal->preparation.n; i++)
        reservation_list_append(&lease->plan->preparation, proposal->preparation.items[i]);
    proposal->preparation.n = 0;
    book_list(engine, &plan->before);
    reservation_book(engine, plan->vm);
    book_list(engine, &plan->after);
    if (planned_start(plan) <= engine->now)
        vms_arrive(engine, plan->vm);
    lease_plan_publish(lease);
}

/* A reservation that has lost its place goes on as soon as there is room. */
static bool is_due_exactly(const struct engine *engine, const struct lease *lease)
{
    if (lease->request.kind != LEASE_RESERVATION || lease_is_suspended(lease))
        return false;
    return lease->state != LEASE_QUEUED || engine->settings.behaviour.lease_kinds_of_haizea_1_0;
}

static bool place(struct engine *engine, struct lease *lease, bool may_wait,
                  struct proposal *proposal)
{
    struct placing_request request = {
        .lease = lease, .may_wait = may_wait, .before = INSTANT_NEVER, .from = engine->now};
    int64_t *earliest = NULL;
    bool placed;

    if (lease->request.kind == LEASE_DEADLINE)
        return place_deadline(engine, lease, proposal);
    if (is_due_exactly(engine, lease))
        return place_exact(engine, lease, proposal) ||
               place_by_moving_others(engine, lease, proposal);
    if (lease_is_suspended(lease)) {
        if (engine->settings.migration != MIGRATION_NO)
            request.from += migration_estimate(engine, lease);
    } else if (lease->request.image) {
        earliest = memory_new(engine->site.n_hosts, sizeof *earliest);
        if (preparation_earliest(engine, lease, earliest))
            request.earliest = earliest;
    }
    placed = place_as_soon_as_possible(engine, &request, proposal);
    free(earliest);
    return placed;
}

static void preempt_victims(struct engine *engine, const struct lease *lease,
                            const struct proposal *proposal)
{
    for (size_t i = 0; i < proposal->victims.n; i++) {
        struct preemption preemption = {.victim = proposal->victims.items[i],
                                        .at = proposal->start,
                                        .by = lease,
                                        .suspend = proposal->suspend_victims};

        if (preemption.victim->request.kind != LEASE_DEADLINE)
            preempt(engine, &preemption);
    }
}

/* All victims make room by their terms. False: a deadline would be missed, nothing has changed. */
static bool make_room(struct engine *engine, struct lease *lease, const struct proposal *proposal)
{
    struct resettlement wish = {.lease = lease,
                                .victims = &proposal->victims,
                                .from = proposal->start,
                                .until = proposal->held_until,
                                .placement = proposal->plan.vm->placement};
    struct trial trial;
    bool kept;

    if (!resettle_has_work(&proposal->victims)) {
        preempt_victims(engine, lease, proposal);
        return true;
    }
    kept = resettle_try(&trial, engine, &wish);
    if (kept) {
        preempt_victims(engine, lease, proposal);
        trial_commit(&trial, lease);
    }
    trial_end(&trial);
    return kept;
}

bool proposal_accept(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    bool resuming = lease_is_suspended(lease) || lease->state == LEASE_SUSPENDING;
    size_t n_transfers;

    if (!resuming && !plan_preparation(engine, lease, proposal)) {
        proposal_finish(proposal);
        return false;
    }
    if (!make_room(engine, lease, proposal)) {
        proposal_finish(proposal);
        return false;
    }
    if (resuming)
        plan_migration(engine, lease, proposal);
    lease->reason = (struct reason){.id = REASON_PLANNED, .n = {proposal->start}};
    if (proposal->in_future && lease->request.kind == LEASE_BEST_EFFORT) {
        lease->plan->holds_future = true;
        lease_list_append(&engine->future, lease);
    }
    n_transfers = proposal->preparation.n;
    proposal_take_over(engine, lease, proposal);
    proposal_finish(proposal);
    if (lease->state == LEASE_SUSPENDING)
        return true;
    if (resuming) {
        lease_set_state(engine, lease, LEASE_SUSPENDED_SCHEDULED);
    } else {
        lease_set_state(engine, lease, LEASE_SCHEDULED);
        if (commit_preparation(engine, lease, n_transfers))
            lease_set_state(engine, lease, LEASE_READY);
    }
    return true;
}

bool engine_schedule_lease(struct engine *engine, struct lease *lease, bool may_wait)
{
    struct proposal proposal;

    engine->attempts++;
    return place(engine, lease, may_wait, &proposal) && proposal_accept(engine, lease, &proposal);
}

void stretch_withdraw(struct engine *engine, struct lease *lease)
{
    struct vm_plan *current = lease_plan_current(lease);

    reservation_list_withdraw(engine, &current->before);
    reservation_list_withdraw(engine, &current->after);
    reservation_withdraw(engine, current->vm);
    reservation_list_finish(&current->before);
    reservation_list_finish(&current->after);
    lease->plan->n_vms--;
    lease_plan_publish(lease);
}

/* Haizea does not stop migrations that run: they end at their time, whatever is planned by then. */
static void leave_running_migrations(struct lease *lease)
{
    struct reservation_list *before = &lease_plan_current(lease)->before;
    size_t kept = 0;

    for (size_t i = 0; i < before->n; i++) {
        struct reservation *r = before->items[i];
        bool migration =
            r->kind == RESERVATION_MEMORY_MIGRATION || r->kind == RESERVATION_DISK_MIGRATION;

        if (migration && r->state == RESERVATION_ACTIVE)
            reservation_list_append(&lease->plan->left_behind, r);
        else
            before->items[kept++] = r;
    }
    before->n = kept;
}

void unschedule_lease(struct engine *engine, struct lease *lease)
{
    cancel_preparation(engine, lease);
    if (engine->settings.behaviour.running_migrations_stay)
        leave_running_migrations(lease);
    stretch_withdraw(engine, lease);
    future_remove(engine, lease);
}

static int by_submission(const void *a, const void *b)
{
    const struct lease *x = *(struct lease *const *)a, *y = *(struct lease *const *)b;

    if (x->request.submit != y->request.submit)
        return x->request.submit < y->request.submit ? -1 : 1;
    return x->request.id < y->request.id ? -1 : x->request.id > y->request.id;
}

static int64_t cpu_of(const struct lease *lease)
{
    int64_t cpu = 0;

    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        cpu += lease->request.node_sets[set].amounts.of[RESOURCE_CPU] *
               lease->request.node_sets[set].count;
    return cpu;
}

/* Before its planned start a lease's own place does not matter: is there room at that instant, on
 * its hosts if it has to be resumed there, else anywhere? */
static bool has_room_at(const struct engine *engine, const struct lease *lease, int64_t at)
{
    const struct placement *placement = lease_plan_current(lease)->vm->placement;
    struct amounts need = {{0}};

    if (slot_table_least_free_cpu(engine->table, at, at + 1) < cpu_of(lease))
        return false;
    for (uint32_t i = 0; lease_is_suspended(lease) && i < placement->n_hosts; i++) {
        const int64_t *share = &placement->amounts[(size_t)i * placement->n_types];

        for (uint32_t type = 0; type < placement->n_types; type++)
            need.of[type] = share[type];
        if (slot_table_fits_until(engine->table, placement->hosts[i], &need, at) == at)
            return false;
    }
    return true;
}

/* A quick no, without touching anything. */
static bool has_room_before(const struct engine *engine, const struct lease *lease, int64_t before)
{
    size_t i = reservation_index_after(&engine->by_end, engine->now);
    int64_t tried = engine->now;

    if (has_room_at(engine, lease, engine->now))
        return true;
    for (; i < engine->by_end.n; i++) {
        int64_t at = reservation_index_at(&engine->by_end, i)->time;

        if (at >= before)
            return false;
        if (at != tried && has_room_at(engine, lease, at))
            return true;
        tried = at;
    }
    return false;
}

static void release_list(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        slot_table_release(engine->table, list->items[i]);
}

/* With its own place given up for the moment: is there an earlier one? Changes nothing. */
static bool could_start_earlier(struct engine *engine, struct lease *lease)
{
    const struct vm_plan *planned = lease_plan_current(lease);
    struct placing_request request = {
        .lease = lease, .may_wait = true, .before = planned_start(planned), .from = engine->now};
    struct reason reason = lease->reason;
    struct proposal proposal;
    size_t mark;
    bool earlier;

    engine->attempts++;
    if (!has_room_before(engine, lease, request.before))
        return false;
    mark = slot_table_mark(engine->table);
    release_list(engine, &planned->before);
    slot_table_release(engine->table, planned->vm);
    release_list(engine, &planned->after);
    earlier = place_as_soon_as_possible(engine, &request, &proposal);
    if (earlier)
        proposal_finish(&proposal);
    slot_table_undo(engine->table, mark);
    lease->reason = reason;
    return earlier;
}

/* Leases that stay where they are need not be booked anew. Those that migrate or need an image
 * always are: what they need depends on what they have planned. */
static bool stays(struct engine *engine, struct lease *lease)
{
    bool moves = lease_is_suspended(lease) && engine->settings.migration != MIGRATION_NO;

    return !engine->settings.behaviour.reevaluation_books_anew && !moves && !lease->request.image &&
           !could_start_earlier(engine, lease);
}

/* Room has come back unexpectedly: leases that wait for a planned start may start earlier
 * (Haizea walks a set here; the order is by submission, then id). */
void reevaluate_future(struct engine *engine)
{
    size_t n = engine->future.n;
    struct lease **leases = memory_copy(engine->future.items, n * sizeof(struct lease *));

    if (n)
        qsort(leases, n, sizeof(struct lease *), by_submission);
    for (size_t i = 0; i < n; i++) {
        struct lease *lease = leases[i];
        bool suspended = lease->state == LEASE_SUSPENDED_SCHEDULED;

        if (lease->state != LEASE_PREPARING && lease->state != LEASE_READY &&
            lease->state != LEASE_SCHEDULED && !suspended)
            continue;
        if (stays(engine, lease))
            continue;
        unschedule_lease(engine, lease);
        lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_PENDING : LEASE_PENDING);
        if (!engine_schedule_lease(engine, lease, true)) {
            lease_set_state(engine, lease, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
            queue_insert(engine, lease);
        }
    }
    free(leases);
    pull_deadlines_forward(engine);
}
