/* Places deadline leases again in the slot table only; successful changes are committed. */
#include "core/trial.h"

#include <stdlib.h>
#include <string.h>

#include "core/deadline_terms.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/migration.h"
#include "core/outputs.h"
#include "core/placing.h"
#include "core/preparation.h"
#include "core/stretches.h"
#include "core/windows.h"
#include "util/memory.h"

void trial_begin(struct trial *trial, struct engine *engine)
{
    memset(trial, 0, sizeof *trial);
    trial->engine = engine;
    trial->mark = slot_table_mark(engine->table);
}

void change_finish(struct change *change)
{
    reservation_list_destroy(&change->windows);
    if (change->shortened)
        reservation_destroy(change->shortened);
    proposal_finish(&change->next);
}

void trial_end(struct trial *trial)
{
    for (size_t i = 0; i < trial->n; i++)
        change_finish(&trial->changes[i]);
    free(trial->changes);
    free(trial->points);
}

void trial_add_point(struct trial *trial, int64_t at)
{
    MEMORY_GROW(trial->points, trial->points_allocated, trial->n_points + 1);
    trial->points[trial->n_points++] = at;
}

void trial_book_list(struct trial *trial, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        slot_table_book(trial->engine->table, list->items[i]);
        trial_add_point(trial, list->items[i]->until);
    }
}

static struct change *add_change(struct trial *trial, struct lease *lease)
{
    MEMORY_GROW(trial->changes, trial->allocated, trial->n + 1);
    memset(&trial->changes[trial->n], 0, sizeof *trial->changes);
    trial->changes[trial->n].lease = lease;
    return &trial->changes[trial->n++];
}

/* --- attempts --------------------------------------------------------------------------------- */

void trial_take_out(struct trial *trial, struct lease *lease)
{
    add_change(trial, lease);
    stretch_release(trial->engine, lease_plan_current(lease));
}

bool trial_suspend(struct trial *trial, struct lease *lease, int64_t at)
{
    struct engine *engine = trial->engine;
    const struct vm_plan *current = lease_plan_current(lease);
    struct change *change;
    int64_t begins;

    if (at - current->vm->from < scheduling_threshold(engine, lease))
        return false;
    change = add_change(trial, lease);
    change->suspends = true;
    begins = suspend_windows(engine, lease, current->vm->placement, at, &change->windows);
    if (begins <= current->vm->from || begins < engine->now || begins >= current->vm->until)
        return false;
    stretch_release(engine, current);
    change->shortened = reservation_create(lease, RESERVATION_VM, current->vm->from, begins,
                                           placement_share(current->vm->placement));
    slot_table_book(engine->table, change->shortened);
    trial_book_list(trial, &change->windows);
    return true;
}

void trial_restart(struct trial *trial, struct lease *lease)
{
    add_change(trial, lease)->restarts = true;
    stretch_release(trial->engine, lease_plan_current(lease));
}

/* Has the lease been, or will it be, suspended before its next stretch? */
static bool resumes(const struct change *change)
{
    return change->suspends || change->lease->plan->n_vms > 1;
}

int64_t change_remaining(const struct change *change)
{
    if (change->restarts)
        return change->lease->request.duration;
    if (change->suspends)
        return remaining_span(change->lease) - (change->shortened->until - change->shortened->from);
    return left_to_run(change->lease);
}

/* The hosts with the lease's saved memory; NULL: none, or all hosts reach it. */
static const struct placement *change_hosts(const struct change *change)
{
    const struct lease_plan *plan = change->lease->plan;

    if (change->suspends)
        return change->shortened->placement;
    if (plan->n_vms < 2 || !plan->vms[plan->n_vms - 2].vm->placement->n_vms)
        return NULL;
    return plan->vms[plan->n_vms - 2].vm->placement;
}

/* The earliest time at which the lease can begin. */
static int64_t change_base(const struct trial *trial, const struct change *change)
{
    const struct lease *lease = change->lease;
    int64_t base = trial->engine->now;

    if (lease->request.start != INSTANT_NONE && lease->request.start > base)
        base = lease->request.start;
    if (change->suspends && change->windows.items[change->windows.n - 1]->until > base)
        base = change->windows.items[change->windows.n - 1]->until;
    if (!change->suspends && lease->plan->n_vms > 1) {
        const struct reservation_list *after = &lease->plan->vms[lease->plan->n_vms - 2].after;

        if (after->n && after->items[after->n - 1]->until > base)
            base = after->items[after->n - 1]->until;
    }
    return base;
}

/* May the lease continue on other hosts, after a transfer of its memory? */
static bool may_move(const struct trial *trial, const struct change *change)
{
    return change->lease->request.terms == TERMS_MIGRATABLE &&
           trial->engine->settings.migration != MIGRATION_NO && resumes(change) &&
           change_hosts(change);
}

static int64_t moving_span(const struct trial *trial, const struct lease *lease)
{
    return trial->engine->settings.migration == MIGRATION_YES ? move_span(trial->engine, lease) : 0;
}

/* Places the lease on its previous hosts if possible, else anywhere. */
static bool place_change(struct trial *trial, struct change *change, struct window_request *request)
{
    if (place_within(trial->engine, request, &change->next))
        return true;
    if (!may_move(trial, change))
        return false;
    request->from += moving_span(trial, change->lease);
    request->pinned = NULL;
    return place_within(trial->engine, request, &change->next);
}

bool trial_place(struct trial *trial, struct change *change)
{
    struct engine *engine = trial->engine;
    struct lease *lease = change->lease;
    struct window_request request = {
        .lease = lease,
        .from = change_base(trial, change),
        .remaining = change_remaining(change),
        .resuming = resumes(change),
        .spare_others = true,
        .pinned = change_hosts(change),
        .more_points = trial->points,
        .n_more_points = trial->n_points,
    };

    request.latest = lease->request.deadline - request.remaining - shutdown_span(engine, lease);
    if (!place_change(trial, change, &request))
        return false;
    change->placed = true;
    trial_book_list(trial, &change->next.plan.before);
    slot_table_book(engine->table, change->next.plan.vm);
    trial_book_list(trial, &change->next.plan.after);
    trial_add_point(trial, change->next.plan.vm->until);
    return true;
}

int64_t trial_urgency(const struct trial *trial, const struct lease *lease, int64_t remaining)
{
    if (trial->order == EARLIEST_DEADLINE_FIRST && lease->request.kind == LEASE_DEADLINE)
        return lease->request.deadline;
    return stretch_of(trial->engine, lease, remaining);
}

void trial_sort(struct trial *trial)
{
    for (size_t i = 1; i < trial->n; i++) {
        struct change moved = trial->changes[i];
        int64_t key = trial_urgency(trial, moved.lease, change_remaining(&moved));
        size_t k = i;

        for (; k && trial_urgency(trial, trial->changes[k - 1].lease,
                                  change_remaining(&trial->changes[k - 1])) > key;
             k--)
            trial->changes[k] = trial->changes[k - 1];
        trial->changes[k] = moved;
    }
}

bool trial_place_all(struct trial *trial)
{
    trial_sort(trial);
    for (size_t i = 0; i < trial->n; i++)
        if (!trial->changes[i].placed && !trial_place(trial, &trial->changes[i]))
            return false;
    return true;
}

/* --- commit ----------------------------------------------------------------------------------- */

static void commit_suspension(struct engine *engine, struct change *change, const struct lease *by)
{
    struct vm_plan *current = lease_plan_current(change->lease);
    int64_t at = change->windows.items[change->windows.n - 1]->until;

    reservation_list_withdraw(engine, &current->after);
    reservation_list_finish(&current->after);
    reservation_set_until(engine, current->vm, change->windows.items[0]->from);
    current->after = change->windows;
    change->windows = (struct reservation_list){0};
    reservation_list_book(engine, &current->after);
    engine_output(engine, (struct engine_output){.kind = OUTPUT_PREEMPTED,
                                                 .lease = change->lease,
                                                 .other = by->request.id,
                                                 .at = at,
                                                 .how = PREEMPTED_SUSPEND});
    change->lease->reason = (struct reason){.id = REASON_SUSPENDED_FOR,
                                            .n = {by->request.id, current->after.items[0]->from}};
}

/* Stops the lease like a best-effort lease, but gives it its new place. */
static void commit_restart(struct engine *engine, struct lease *lease, const struct change *change,
                           const struct lease *by)
{
    engine_output(engine, (struct engine_output){.kind = OUTPUT_PREEMPTED,
                                                 .lease = lease,
                                                 .other = by->request.id,
                                                 .at = engine->now,
                                                 .how = PREEMPTED_REQUEUE});
    lease->reason =
        (struct reason){.id = REASON_REQUEUED_FOR, .n = {by->request.id, change->next.start}};
    stretch_withdraw(engine, lease);
    engine_output(engine, (struct engine_output){.kind = OUTPUT_VM_WITHDRAWN, .lease = lease});
    lease_set_state(engine, lease, LEASE_QUEUED);
}

static void take_new_place(struct trial *trial, struct change *change)
{
    struct engine *engine = trial->engine;
    struct lease *lease = change->lease;

    proposal_take_over(engine, lease, &change->next);
    if (!change->restarts)
        return;
    lease_set_state(engine, lease, LEASE_SCHEDULED);
    if (commit_preparation(engine, lease, &change->next))
        lease_set_state(engine, lease, LEASE_READY);
}

void trial_commit(struct trial *trial, const struct lease *by)
{
    for (size_t i = 0; i < trial->n; i++) {
        struct change *change = &trial->changes[i];

        int64_t base = change_base(trial, change);
        bool moves = may_move(trial, change);

        if (change->suspends)
            commit_suspension(trial->engine, change, by);
        else if (change->restarts)
            commit_restart(trial->engine, change->lease, change, by);
        else
            stretch_withdraw(trial->engine, change->lease);
        /* From the end of the lease's suspension on, or now. */
        if (moves)
            (void)plan_migration(trial->engine, change->lease, &change->next, base);
    }
    for (size_t i = 0; i < trial->n; i++) {
        struct change *change = &trial->changes[i];

        if (!change->suspends && !change->restarts)
            change->lease->reason =
                (struct reason){.id = REASON_PLANNED, .n = {change->next.start}};
        take_new_place(trial, change);
    }
}
