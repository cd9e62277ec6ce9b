/* Places one lease, preempts its victims, and books it. */
#include "core/schedule.h"

#include <stdlib.h>

#include "core/deadline.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/host_choice.h"
#include "core/in_front.h"
#include "core/migration.h"
#include "core/outputs.h"
#include "core/placing.h"
#include "core/preemption.h"
#include "core/preparation.h"
#include "core/rebooking.h"
#include "core/resettle.h"
#include "core/stretches.h"
#include "core/trial.h"
#include "util/memory.h"

/* Must the lease start at an exact time? A reservation that has lost its place continues as soon as
 * there is room. */
static bool is_due_exactly(const struct lease *lease)
{
    return lease->request.kind == LEASE_RESERVATION && !lease_is_suspended(lease) &&
           lease->state != LEASE_QUEUED;
}

/* Places the lease at once instead of later or not at all, if planned leases can use other hosts or
 * the lease itself can move away before they begin. */
static bool place_at_once(struct engine *engine, struct lease *lease, struct proposal *proposal,
                          bool placed)
{
    struct proposal at_once;

    if (place_by_rebooking(engine, lease, &at_once) || place_in_front(engine, lease, &at_once) ||
        place_before_closings(engine, lease, &at_once)) {
        proposal_finish(proposal);
        *proposal = at_once;
        return true;
    }
    if (!placed)
        explain_by_planned(engine, lease);
    return placed;
}

/* The first place without changes to other planned leases. */
static bool search(struct engine *engine, struct lease *lease, bool may_wait,
                   struct proposal *proposal)
{
    struct placing_request request = {
        .lease = lease, .may_wait = may_wait, .before = INSTANT_NEVER, .from = engine->now};
    int64_t *earliest = NULL;
    bool placed;

    if (lease_is_suspended(lease)) {
        if (engine->settings.migration != MIGRATION_NO) {
            request.from += migration_estimate(engine, lease);
            earliest = memory_new(engine->site.n_hosts, sizeof *earliest);
            if (migration_earliest(engine, lease, earliest))
                request.earliest = earliest;
        }
    } else if (lease->request.image) {
        earliest = memory_new(engine->site.n_hosts, sizeof *earliest);
        if (preparation_earliest(engine, lease, earliest))
            request.earliest = earliest;
    }
    placed = place_as_soon_as_possible(engine, &request, proposal);
    free(earliest);
    return placed;
}

static bool place(struct engine *engine, struct lease *lease, bool may_wait,
                  struct proposal *proposal)
{
    bool placed;

    if (lease->request.kind == LEASE_DEADLINE)
        return place_deadline(engine, lease, proposal);
    if (is_due_exactly(lease))
        return place_exact(engine, lease, proposal) ||
               place_by_moving_others(engine, lease, proposal) ||
               place_exact_before_closings(engine, lease, proposal);
    placed = search(engine, lease, may_wait, proposal);
    if (placed && !proposal->in_future)
        return true;
    return place_at_once(engine, lease, proposal, placed);
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

static bool try_to_resettle(struct trial *trial, struct engine *engine, struct lease *lease,
                            const struct proposal *proposal)
{
    const struct resettlement wanted = {.lease = lease,
                                        .victims = &proposal->victims,
                                        .from = proposal->start,
                                        .until = proposal->held_until,
                                        .placement = proposal->plan.vm->placement};

    return resettle_try(trial, engine, &wanted);
}

/* Preempts all victims by their terms. False: a deadline would be missed; nothing has changed. */
static bool make_room(struct engine *engine, struct lease *lease, const struct proposal *proposal)
{
    struct trial trial;
    bool kept;

    if (!resettle_has_work(&proposal->victims)) {
        preempt_victims(engine, lease, proposal);
        return true;
    }
    kept = try_to_resettle(&trial, engine, lease, proposal);
    if (kept) {
        preempt_victims(engine, lease, proposal);
        trial_commit(&trial, lease);
    }
    trial_end(&trial);
    return kept;
}

static void leaves_for(struct engine *engine, struct lease *lease, const struct proposal *proposal)
{
    const struct reservation *here = proposal->plan.vm;

    lease->plan->leave_by = proposal->leave_by;
    lease->plan->leave_for = proposal->leave_for;
    lease->plan->makes_room = !proposal->before_closing;
    engine->has_leaving = true;
    lease->reason = (struct reason){
        .id = REASON_LEAVES,
        .n = {engine->site.hosts[here->placement->hosts[0]].id, vm_plan_start(&proposal->next)}};
    if (lease->plan->makes_room) {
        lease->reason.n[2] = proposal->leave_for;
        lease->reason.n[3] = proposal->leave_by;
    }
}

static bool is_resumed(const struct lease *lease)
{
    return lease_is_suspended(lease) || lease->state == LEASE_SUSPENDING;
}

static bool accept(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    bool resuming = is_resumed(lease);

    if (!resuming && !plan_preparation(engine, lease, proposal)) {
        proposal_finish(proposal);
        return false;
    }
    if (!make_room(engine, lease, proposal)) {
        proposal_finish(proposal);
        return false;
    }
    lease->reason = (struct reason){.id = REASON_PLANNED, .n = {proposal->start}};
    if (proposal->in_future && lease->request.kind == LEASE_BEST_EFFORT) {
        explain_future(engine, proposal, &lease->reason);
        lease->plan->holds_future = true;
        lease_list_append(&engine->queues.future, lease);
    }
    if (proposal->next.vm)
        leaves_for(engine, lease, proposal);
    proposal_take_over(engine, lease, proposal);
    if (resuming && lease->state != LEASE_SUSPENDING) {
        lease_set_state(engine, lease, LEASE_SUSPENDED_SCHEDULED);
    } else if (!resuming) {
        lease_set_state(engine, lease, LEASE_SCHEDULED);
        if (commit_preparation(engine, lease, proposal))
            lease_set_state(engine, lease, LEASE_READY);
    }
    proposal_finish(proposal);
    return true;
}

/* Plans the migrations of a proposal to resume the lease. False: the network has no room for them;
 * the proposal is finished. */
static bool migrates_in_time(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    if (!is_resumed(lease) || plan_migration(engine, lease, proposal, engine->now))
        return true;
    proposal_finish(proposal);
    return false;
}

bool proposal_accept(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    return migrates_in_time(engine, lease, proposal) && accept(engine, lease, proposal);
}

/* Finds a place for a suspended lease where its memory is. */
static bool search_in_place(struct engine *engine, struct lease *lease, bool may_wait,
                            struct proposal *proposal)
{
    struct placing_request request = {.lease = lease,
                                      .may_wait = may_wait,
                                      .before = INSTANT_NEVER,
                                      .from = engine->now,
                                      .stays = true};

    return lease->request.kind != LEASE_DEADLINE &&
           place_as_soon_as_possible(engine, &request, proposal);
}

/* Would accept() take the proposal? */
static bool is_acceptable(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct trial trial;
    bool kept;

    if (!is_resumed(lease) && !plan_preparation(engine, lease, proposal))
        return false;
    if (!resettle_has_work(&proposal->victims))
        return true;
    kept = try_to_resettle(&trial, engine, lease, proposal);
    trial_end(&trial);
    return kept;
}

/* Must the lease be resumed on the hosts with its memory while one of them has no room now? */
static bool memory_is_blocked(const struct engine *engine, const struct lease *lease)
{
    const struct placement *memory = must_resume_in(engine, lease);

    return memory &&
           slot_table_placement_fits_until(engine->table, memory, engine->now, engine->now + 1,
                                           &lease->plan->blocked) == INSTANT_NONE;
}

/* A quick check for most waiting leases: would a search find no room now, without the option of
 * preempting others? */
static bool has_no_room_now(const struct engine *engine, struct lease *lease)
{
    const struct lease_request *request = &lease->request;
    bool suspended = lease_is_suspended(lease);

    if (request->kind != LEASE_BEST_EFFORT || request->image ||
        request->duration == SPAN_UNLIMITED || remaining_span(lease) <= 0 ||
        (suspended && engine->settings.migration != MIGRATION_NO))
        return false;
    return (!mapper_has_enough_cpu_now(engine, lease) ||
            (suspended && memory_is_blocked(engine, lease))) &&
           !policy_may_preempt(engine->hooks, lease);
}

bool engine_schedule_lease(struct engine *engine, struct lease *lease, bool may_wait)
{
    struct proposal proposal;

    engine->figures.attempts++;
    if (!may_wait && has_no_room_now(engine, lease)) {
        refuse_for_now(engine, lease);
        explain_by_planned(engine, lease);
        return false;
    }
    if (!place(engine, lease, may_wait, &proposal))
        return false;
    return (migrates_in_time(engine, lease, &proposal) ||
            search_in_place(engine, lease, may_wait, &proposal)) &&
           accept(engine, lease, &proposal);
}

static bool would_place(struct engine *engine, struct lease *lease, bool may_wait)
{
    struct proposal proposal;
    bool acceptable;

    if (!search(engine, lease, may_wait, &proposal) && !place_in_front(engine, lease, &proposal) &&
        !place_before_closings(engine, lease, &proposal))
        return false;
    if (!migrates_in_time(engine, lease, &proposal) &&
        !search_in_place(engine, lease, may_wait, &proposal))
        return false;
    acceptable = is_acceptable(engine, lease, &proposal);
    proposal_finish(&proposal);
    return acceptable;
}

bool engine_would_schedule(struct engine *engine, struct lease *lease, bool may_wait,
                           const struct lease_list *without)
{
    const size_t mark = slot_table_mark(engine->table);
    const struct reservation_list transfers = preparation_leave_out(engine, without);
    bool would;

    for (size_t i = 0; i < without->n; i++)
        stretch_release(engine, lease_plan_current(without->items[i]));
    would = would_place(engine, lease, may_wait);
    slot_table_undo(engine->table, mark);
    preparation_put_back(engine, &transfers);
    return would;
}

bool engine_schedule_as(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    engine->figures.attempts++;
    if (proposal->in_future)
        place_at_once(engine, lease, proposal, true);
    return proposal_accept(engine, lease, proposal);
}
