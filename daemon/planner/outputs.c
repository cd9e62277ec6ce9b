/* Applies the planner's decisions to leases as events, and the notes made while gathering facts. */
#include <string.h>

#include "core/reason_details.h"
#include "daemon/base/log.h"
#include "daemon/planner/in_vain.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

#define LOG_SUBSYSTEM LOG_OF_PLANNER

enum {
    LOOK_AGAIN = 10,   /* seconds until a VM is retried if its host takes no VMs and no other has
                          room */
    POLICY_PAUSE = 30, /* seconds until a lease retries admission while the policy is out of
                          service */
};

static int32_t host_id(const struct planner *planner, uint32_t place)
{
    return planner->snapshot.hosts->pool.items[place].id;
}

/* As planner_vm(), if the VM belongs to the lease. */
static const struct vm_record *vm_of(const struct planner *planner,
                                     const struct lease_record *lease, uint32_t vm)
{
    const struct vm_record *found = planner_vm(planner, lease->id, vm);

    return found && found->lease == lease->id ? found : NULL;
}

/* Places the lease's VMs on the hosts of the plan. */
static void take_hosts(struct planner *planner, const struct lease_record *lease,
                       const struct plan_reservation *stretch)
{
    for (size_t i = 0; i < stretch->n_vms; i++) {
        const struct vm_record *vm = vm_of(planner, lease, stretch->vms[i].vm);

        if (vm)
            vm_place(planner->store, vm, host_id(planner, stretch->vms[i].host));
    }
}

/* Would a VM be suspended at once for a drain or booking? The next plan leaves its host out. */
static bool starts_in_vain(const struct planner *planner, const struct lease_record *lease,
                           int64_t now, const struct plan_reservation *stretch)
{
    for (size_t i = 0; i < stretch->n_vms; i++) {
        const struct vm_start start = {.drains = planner->settings.drains,
                                       .vm = vm_of(planner, lease, stretch->vms[i].vm),
                                       .host = host_id(planner, stretch->vms[i].host),
                                       .now = now};
        int64_t others = -1, until;

        if (start.vm && planner_starts_in_vain(planner, &start, &others, &until))
            return true;
    }
    return false;
}

/* Starts or resumes the VMs on these hosts now. The engine resumes the VMs of a host one after
 * another, but here all get their goal at once: a crash in between would leave some behind. */
static void start_lease(struct planner *planner, const struct lease_record *lease, int64_t now,
                        const struct plan_reservation *r)
{
    bool resumes = lease_is_suspended_by_us(planner->store, lease);

    /* A lease that is still being stopped is planned again afterwards: the hosts of its VMs must
     * not change during the transition. A reservation whose time passed while nothing could be done
     * is missed; reconcile reports it. */
    if (!lease_can(lease, EVENT_START) || r->n_vms == 0 ||
        (lease->kind == LEASE_RESERVATION && lease_is_over(lease, now)))
        return;
    if (starts_in_vain(planner, lease, now, r)) {
        planned_of(&planner->planned, lease->id)->in_engine = false;
        planner->outdated = true;
        return;
    }
    take_hosts(planner, lease, r);
    lease_apply(planner->store, lease, resumes ? EVENT_RESUME : EVENT_START, now, "%s", "");
}

/* A lease that the plan put into a gap is suspended at its end without having been preempted. */
static void note_end_of_gap(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    int64_t next = lease_next_on_hosts(planner->store, lease);
    struct reason reason = {.id = REASON_SUSPENDED_PLANNED, .n = {now}};

    if (next >= 0)
        reason = (struct reason){.id = REASON_SUSPENDED_FOR, .n = {next, now}};
    planner_set_reason(planner, lease, &reason);
    if (next >= 0)
        planner_note_preemption(planner, lease, next, now, now);
}

static void stop_lease(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    if (!lease_can(lease, EVENT_SUSPEND))
        return;
    if (planner_suspends_in_vain(planner, lease, now)) { /* the next plan lets it run to its end */
        planned_of(&planner->planned, lease->id)->in_engine = false;
        planner->outdated = true;
        return;
    }
    if (!store_is_preempted(lease))
        note_end_of_gap(planner, lease, now);
    lease_apply_because(planner->store, lease, EVENT_SUSPEND, now);
}

/* Is it time to stop a lease that loses its work? */
static bool is_to_stop(const struct planner *planner, const struct lease_record *lease, int64_t now)
{
    int64_t at = planner_stops_at(planner, lease);

    return at != INSTANT_NONE && at <= now;
}

/* The engine counts from the planned start; a lease whose VMs start late still gets its full time.
 * A lease that is still starting is left to reconcile, which determines whether the lease has run
 * or is missed. */
static void end_lease(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    if (!lease_can(lease, EVENT_GIVES_WAY)) /* the lease holds no hosts */
        return;
    planned_of(&planner->planned, lease->id)->end = INSTANT_NONE;
    if (planner_needs_stop(planner, lease, now) && is_to_stop(planner, lease, now)) {
        lease_apply_because(planner->store, lease, EVENT_RESTART, now);
        planner->outdated = true;
        return;
    }
    if (!lease_is_over(lease, now) || lease->phase == PHASE_STARTING)
        return;
    planner_set_reason(planner, lease, &(struct reason){.id = REASON_TIME_OVER});
    lease_apply(planner->store, lease, EVENT_TIME_OVER, now, "its time is over");
}

static void admitted(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    char when[64];

    lease_time_text(lease->kind == LEASE_RESERVATION ? lease->start : lease->deadline, when,
                    sizeof when);
    if (lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE)
        lease_apply(planner->store, lease, EVENT_ACCEPTED, now, "%s %s%s",
                    lease->kind == LEASE_RESERVATION ? "starts" : "ends by", when,
                    lease->kind == LEASE_RESERVATION && lease->start < lease->submit
                        ? ", which has passed: it starts at once, for the rest of its time"
                        : "");
    else
        lease_apply(planner->store, lease, EVENT_ACCEPTED, now,
                    lease->kind == LEASE_IMMEDIATE ? "starts at once" : "waits for room");
}

/* A lease too large for all hosts may fit later: larger hosts may be added. */
static bool may_fit_later(const struct planned *planned, const struct reason *reason)
{
    return planned->may_fit_later && planner_is_too_big(reason);
}

static void wait_for_hosts(struct planner *planner, const struct lease_record *lease,
                           const struct reason *reason)
{
    struct reason told = *reason;
    const struct vm_record *vm = planner_too_small(planner, lease, &told);

    if (lease_explain(planner->store, lease, &told, vm, INSTANT_NONE))
        lease_expect(planner->store, lease, INSTANT_NONE, lease->contract);
}

/* Was the lease rejected only because the admission policy is out of service, and can it wait? */
static bool is_for_now(const struct lease_record *lease, const struct reason *reason)
{
    return lease->kind != LEASE_IMMEDIATE && reason->id == REASON_TEXT &&
           strcmp(reason_word(reason), POLICY_OUT_OF_SERVICE) == 0;
}

static void rejected(struct planner *planner, const struct lease_record *lease,
                     const struct planned *planned, const struct reason *reason, int64_t now)
{
    char text[STORE_TEXT_MAX];
    struct reason told = *reason;
    const struct vm_record *vm = planner_is_too_big(reason)
                                     ? planner_too_small(planner, lease, &told)
                                     : planner_vm_without_room(planner, lease, reason);

    if (may_fit_later(planned, reason)) {
        wait_for_hosts(planner, lease, reason);
        return;
    }
    if (is_for_now(lease, reason)) {
        planner_set_reason(planner, lease, reason);
        if (now + POLICY_PAUSE < planner->retry)
            planner->retry = now + POLICY_PAUSE;
        return;
    }
    if (reason->id != REASON_REFUSED_BY_POLICY && planner_has_old_rules(planner, lease)) {
        planner_doubts(planner, lease, reason);
        return;
    }
    told = planner_reason_in_full(planner, lease, &told, text, sizeof text);
    lease_refuse(planner->store, lease, now, &told, vm);
}

static void finished(struct planner *planner, const struct lease_record *lease,
                     const struct plan_output *output, int64_t now)
{
    struct planned *planned = planned_of(&planner->planned, lease->id);

    planned->in_engine = false;
    if (output->state == LEASE_DONE) {
        end_lease(planner, lease, now);
    } else if (output->state == LEASE_REJECTED) {
        rejected(planner, lease, planned, &output->reason, now);
    } else if (output->state == LEASE_CANCELLED && lease_can(lease, EVENT_GIVES_WAY)) {
        planner_set_reason(planner, lease, &output->reason);
        lease_apply_because(planner->store, lease, EVENT_GIVES_WAY, now);
    }
}

/* No room for the reservation, but the operator lets such leases wait from their start on. */
static void converted(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    char when[64];

    lease_time_text(lease->start, when, sizeof when);
    lease_apply(planner->store, lease, EVENT_CONVERTED, now,
                "no room for a reservation at %s: it waits for room from then on", when);
}

static void preempted(struct planner *planner, const struct lease_record *lease,
                      const struct plan_output *output, int64_t now)
{
    bool again = output->how == PREEMPTED_REQUEUE && !planner_keeps_work(planner, lease);
    struct reason reason = output->reason;

    if (output->how == PREEMPTED_REQUEUE) /* the engine may have planned the lease again since */
        reason = (struct reason){.id = again ? REASON_REQUEUED_FOR : REASON_SUSPENDED_FOR,
                                 .n = {output->other, output->at}};
    planned_of(&planner->planned, lease->id)->is_preempted = true;
    if (!lease_holds_hosts(lease) ||
        (output->how == PREEMPTED_REQUEUE && planner_has_sent_nothing(planner, lease)))
        return; /* nothing is stopped */
    planner_set_reason(planner, lease, &reason);
    planner_note_preemption(planner, lease, output->other, output->at, now);
}

/* The engine requeues the lease at once, because it loses its work or has no time for the
 * suspension. If it loses its work, it runs until its hosts are needed: the next plan adopts it so.
 * Else its VMs are suspended anyway, so the lease that needs the room starts a little later. */
static void withdrawn(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    bool again = !planner_keeps_work(planner, lease);

    if (!lease_can(lease, EVENT_SUSPEND))
        return;
    if (planner_has_sent_nothing(planner, lease)) { /* the next plan gives the reason for waiting */
        lease_forget_preemption(planner->store, lease);
        lease_apply(planner->store, lease, EVENT_REPLANNED, now, "%s", "");
    } else if (planner_stops_at(planner, lease) == INSTANT_NONE ||
               is_to_stop(planner, lease, now)) {
        lease_apply_because(planner->store, lease, again ? EVENT_RESTART : EVENT_SUSPEND, now);
    }
    planned_of(&planner->planned, lease->id)->in_engine = false;
    planner->outdated = true;
}

/* Moves VMs to better hosts, or off hosts that they must leave. */
static void move_vms(struct planner *planner, int64_t now, const struct plan_output *output)
{
    const struct plan_reservation *moves = &output->reservation;

    for (size_t i = 0; i < moves->n_vms; i++) {
        const struct vm_record *vm = planner_vm(planner, output->lease, moves->vms[i].vm);
        const struct lease_record *lease = vm ? store_lease(planner->store, vm->lease) : NULL;
        int32_t to = host_id(planner, moves->vms[i].host);
        const struct vm_observation *observed;
        char why[STORE_TEXT_MAX], details[STORE_TEXT_MAX] = "", text[STORE_SENTENCE_MAX];
        const char *cause;
        struct move_way way;
        bool told, shows;

        if (!lease)
            continue;
        observed = world_vm(planner->world, vm->id);
        if (observed && vm->goal == GOAL_NONE)
            vm_seen_on(planner->store, vm, observed->history.host);
        shows = lease->phase == PHASE_RUNNING || lease->phase == PHASE_PARKED;
        told = vm->move_to == to && (!shows || lease->reason_id == output->reason.id);
        if (shows) /* a finished lease, whose VMs are off, keeps the reason of its end */
            planner_set_reason(planner, lease, &output->reason);
        way = planner_move_way(planner, vm, to, output->reason.id == REASON_LEAVES);
        vm_plan_move(planner->store, vm, to, way.kind);
        if (told) /* a repeated plan repeats moves that were not commanded */
            continue;
        reason_format(&output->reason, why, sizeof why, lease_time_text);
        if (output->reason.id == REASON_LEAVES)
            planner_vm_leave_cause(planner, vm, details, sizeof details);
        cause = details_text(details, text, sizeof text, lease_time_text);
        store_history(planner->store, lease->id, now, "moving",
                      "VM %d from host %d to host %d%s%s: %s%s%s%s", vm->id, vm->host, vm->move_to,
                      way.why.word ? ", " : "", way.why.word ? way.why.sentence : "", why,
                      *cause ? " (" : "", cause, *cause ? ")" : "");
    }
}

/* A planned suspension is adopted with the time at which its host has to be free, so it moves when
 * suspensions turn out to be faster or slower. */
static void runs_until(struct planner *planner, const struct lease_record *lease, int64_t until)
{
    planned_of(&planner->planned, lease->id)->end = until;
    if (lease->phase == PHASE_RUNNING && lease->reason_id == REASON_SUSPENDED_FOR &&
        store_is_preempted(lease) && until < lease->preempted_at)
        planner_set_reason(
            planner, lease,
            &(struct reason){.id = REASON_SUSPENDED_FOR, .n = {lease->preempted_for, until}});
}

static void operation_started(struct planner *planner, const struct lease_record *lease,
                              const struct plan_output *output, int64_t now)
{
    const struct plan_reservation *r = &output->reservation;

    if (r->kind == RESERVATION_VM || r->kind == RESERVATION_RESUME)
        start_lease(planner, lease, now, r);
    else if (r->kind == RESERVATION_SUSPEND)
        stop_lease(planner, lease, now);
    else if (r->kind == RESERVATION_MEMORY_MIGRATION && lease_can(lease, EVENT_SUSPEND))
        move_vms(planner, now, output); /* the lease holds hosts */
    else if (r->kind == RESERVATION_SHUTDOWN)
        end_lease(planner, lease, now);
}

static void decided(struct planner *planner, const struct lease_record *lease,
                    const struct plan_output *output, int64_t now)
{
    switch (output->kind) {
    case OUTPUT_REQUESTED:
        if (output->accepted && !planned_of(&planner->planned, lease->id)->is_refused &&
            lease_can(lease, EVENT_ACCEPTED))
            admitted(planner, lease, now);
        break;
    case OUTPUT_CONVERTED:
        if (lease_can(lease, EVENT_CONVERTED))
            converted(planner, lease, now);
        break;
    case OUTPUT_PREEMPTED:
        preempted(planner, lease, output, now);
        break;
    case OUTPUT_OPERATION_STARTED:
        operation_started(planner, lease, output, now);
        break;
    case OUTPUT_VM_INTERVAL:
        runs_until(planner, lease, output->reservation.until);
        break;
    case OUTPUT_VM_WITHDRAWN:
        withdrawn(planner, lease, now);
        break;
    case OUTPUT_FINISHED:
        finished(planner, lease, output, now);
        break;
    default:
        break;
    }
}

static void take_output(struct planner *planner, const struct plan_output *output, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, output->lease);
    const struct planned *planned = planned_of(&planner->planned, output->lease);

    if (output->lease >= BLOCK_BASE && output->kind == OUTPUT_OPERATION_STARTED)
        move_vms(planner, now, output); /* a VM that is off */
    if (!lease || !planned)
        return;
    if (!planned->gone)
        decided(planner, lease, output, now);
    else if (output->kind == OUTPUT_FINISHED) /* gone before this plan was made */
        planned_drop(&planner->planned, output->lease);
}

/* --- waiting leases --------------------------------------------------------------------------- */

/* Notes when a suspended deadline lease continues, because a rebuilt engine keeps that place. The
 * planned time remains until the lease has been resumed. */
static void note_resumption(struct planner *planner, const struct lease_record *lease,
                            const struct lease_view *view, int64_t now)
{
    if (view->state == LEASE_RESUMING || view->state == LEASE_RESUMED_READY)
        return;
    if (view->begin != INSTANT_NONE || lease->expected > now)
        lease_expect(planner->store, lease, view->begin, lease->contract);
}

/* Notes the promised start of a reservation, or the planned start of another lease. Waiting leases
 * without a planned start get an estimate (planner_forecast()). */
static void note_expectation(struct planner *planner, const struct planned *planned,
                             const struct lease_record *lease, const struct lease_view *view,
                             int64_t now)
{
    int64_t ahead =
        lease->phase == PHASE_WAITING ? planner_start_ahead(planner, lease->id, now) : INSTANT_NONE;
    bool contract = lease->phase == PHASE_RESERVED && lease->kind == LEASE_RESERVATION;
    struct reason reason = ahead == INSTANT_NONE ? view->reason : planner_reason_ahead(planned);
    struct eligible eligible;

    if (lease->phase == PHASE_RESERVED && reason.id == REASON_PLANNED)
        planner_look_for_room(planner, lease, now, &reason, &eligible);
    planner_note_delay(planner, lease, &reason, now);
    planner_set_reason(planner, lease, &reason);
    if (lease->phase == PHASE_WAITING) {
        if (view->stretch.there)
            planner_estimate(planner, lease, ahead == INSTANT_NONE ? planned->start : ahead, now);
        lease_note_far(planner->store, lease, lease->is_far && !view->stretch.there);
        return;
    }
    take_hosts(planner, lease, &view->stretch);
    lease_expect(planner->store, lease, contract ? lease->start : view->begin, contract);
}

static void take_view_of(struct planner *planner, struct planned *planned,
                         const struct lease_record *lease, const struct lease_view *view,
                         int64_t now)
{
    planned->is_placed = view->stretch.there;
    planner->has_queued |= lease->phase == PHASE_WAITING && view->stretch.there;
    planned->start = view->stretch.from;
    if (store_is_queued(lease))
        note_expectation(planner, planned, lease, view, now);
    else if (lease->kind == LEASE_DEADLINE &&
             (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STOPPING))
        note_resumption(planner, lease, view, now);
}

static void take_view(struct planner *planner, const struct lease_view *view, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, view->lease);
    struct planned *planned = planned_of(&planner->planned, view->lease);

    if (planner_is_about_leaving(view->reason.id))
        planner_note_leaving(planner, view, now);
    else if (!lease || !planned || !planned->in_engine || planned->gone)
        return;
    else
        take_view_of(planner, planned, lease, view, now);
}

/* --- adopted leases --------------------------------------------------------------------------- */

/* Handles a lease that could not be adopted with its places. */
static void take_exception(struct planner *planner, const struct plan_exception *exception)
{
    const struct lease_record *lease = store_lease(planner->store, exception->lease);
    struct planned *planned = planned_of(&planner->planned, exception->lease);

    if (planned)
        planned->in_engine = false;
    if (exception->lease >= DRAIN_BASE) {
        log_error("a drain or booking of a host is left out of the plan: %s",
                  exception->reason.text ? exception->reason.text : "");
        return;
    }
    if (exception->lease >= BLOCK_BASE) {
        log_error_of(-1, (int32_t)(exception->lease - BLOCK_BASE),
                     "VM %lld is left out of the plan: %s",
                     (long long)(exception->lease - BLOCK_BASE),
                     exception->reason.text ? exception->reason.text : "");
        return;
    }
    planner->n_unplaced++;
    if (!exception->no_place)
        log_error_of(exception->lease, -1, "lease %lld is left out of the plan: %s",
                     (long long)exception->lease,
                     exception->reason.text ? exception->reason.text : "");
    else if (lease && planned && may_fit_later(planned, &exception->reason))
        wait_for_hosts(planner, lease, &exception->reason);
    else if (lease)
        planner_set_reason(planner, lease, &exception->reason);
}

/* The other VMs of the group wait for this one, and some run already. */
static void say_homeless(struct planner *planner, const struct vm_record *vm)
{
    lease_explain(planner->store, store_lease(planner->store, vm->lease),
                  &(struct reason){.id = REASON_NO_HOST_YET, .n = {vm->id}}, NULL, INSTANT_NONE);
}

/* No other host has room: the VM is retried on the host where it failed, after its pause. */
static void stay(struct planner *planner, const struct vm_record *vm, int64_t now)
{
    uint32_t place = snapshot_place(&planner->snapshot, vm->host);

    if (place == HOST_NONE || planner->snapshot.closed[place]) {
        say_homeless(planner, vm);
        vm_retry_at(planner->store, vm, now + LOOK_AGAIN);
    } else if (vm->pause_until != INSTANT_NONE && vm->pause_until > now) {
        vm_retry_at(planner->store, vm, vm->pause_until);
    } else {
        vm_avoid_host(planner->store, vm, vm->host, now);
    }
}

/* Handles a starting member of a group that could not use its host, or had none. */
static void take_relocation(struct planner *planner, const struct plan_relocation *relocation,
                            int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, relocation->lease);
    const struct vm_record *vm = lease ? vm_of(planner, lease, relocation->vm) : NULL;

    if (!vm || lease->phase != PHASE_STARTING || vm->goal != GOAL_RUN || vm->command)
        return;
    if (relocation->place == HOST_NONE) {
        stay(planner, vm, now);
        return;
    }
    if (vm->host >= 0)
        store_history(planner->store, lease->id, now, "elsewhere",
                      "VM %d is to start on host %d instead of host %d", vm->id,
                      host_id(planner, relocation->place), vm->host);
    if (lease->reason_id == REASON_NO_HOST_YET)
        lease_explain(planner->store, lease, &(struct reason){.id = REASON_NONE}, NULL,
                      INSTANT_NONE);
    vm_relocate(planner->store, vm, host_id(planner, relocation->place));
}

/* A lease that passes admission but finds no host with room was never accepted. */
static void note_refusals(struct planner *planner, const struct plan_reply *reply)
{
    for (size_t i = 0; i < reply->n_outputs; i++) {
        const struct plan_output *output = &reply->outputs[i];
        struct planned *planned = planned_of(&planner->planned, output->lease);

        if (planned && output->kind == OUTPUT_FINISHED && output->state == LEASE_REJECTED)
            planned->is_refused = true;
    }
}

void planner_take_reply(struct planner *planner, const struct plan_reply *reply)
{
    int64_t now = planner->planned_at;

    for (size_t i = 0; i < reply->n_exceptions; i++)
        take_exception(planner, &reply->exceptions[i]);
    for (size_t i = 0; i < reply->n_relocations; i++)
        take_relocation(planner, &reply->relocations[i], now);
    note_refusals(planner, reply);
    for (size_t i = 0; i < reply->n_outputs; i++)
        take_output(planner, &reply->outputs[i], now);
    planner->has_queued = false;
    for (size_t i = 0; i < reply->n_views; i++)
        take_view(planner, &reply->views[i], now);
    planner_note_gaps(planner, reply, now);
    if (planner->is_rebuild)
        planner_drop_preemptions(planner, now);
    planner_review_leaves(planner, now);
    planner_note_risks(planner, now);
}
