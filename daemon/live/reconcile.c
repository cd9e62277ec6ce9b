/* Compares the store with OpenNebula, and applies the resulting events to leases. */
#include "daemon/live/reconcile.h"

#include "core/reason_details.h"
#include "daemon/live/daemon.h"
#include "daemon/live/intake.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/learned.h"
#include "daemon/store/awake.h"

/* --- one lease -------------------------------------------------------------------------------- */

/* Has a VM failed in the present start? The pauses after earlier failures were over when it began;
 * it may wait for other VMs to leave its host. */
static bool has_failed(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        int64_t again =
            vms[i]->next_try > vms[i]->pause_until ? vms[i]->next_try : vms[i]->pause_until;

        if (!vms[i]->gone && (vms[i]->attempts > 0 || vms[i]->refusals > 0) &&
            again > lease->expected)
            return true;
    }
    return false;
}

/* A remark on a VM in UNKNOWN, which may or may not be running, or on a VM that breaks a rule of
 * its VM group and stays where it is. */
static struct reason remark_on(const struct daemon *daemon, const struct lease_record *lease,
                               char *text, size_t size)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);
    struct reason reason = {.id = REASON_NONE};

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);
        const struct broken_rule *rule =
            map_value(&daemon->broken_rules, map_find(&daemon->broken_rules, vms[i]->id));

        if (vms[i]->gone || !observed)
            continue;
        if (observed->state == VM_UNKNOWN && !(vms[i]->resched && store_is_leaving(lease)))
            return (struct reason){.id = REASON_UNKNOWN, .n = {vms[i]->id, observed->history.host}};
        if (!rule || reason.id != REASON_NONE)
            continue;
        broken_rule_add(rule, text, size);
        reason =
            (struct reason){.id = REASON_RULE_BROKEN, .n = {vms[i]->id, rule->host}, .text = text};
    }
    return reason;
}

static bool is_remark(enum reason_id id)
{
    return id == REASON_UNKNOWN || id == REASON_RULE_BROKEN;
}

/* The lease continues, with the remark as its reason. */
static void watch_running(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    char text[STORE_TEXT_MAX] = "", rule[STORE_SENTENCE_MAX];
    enum reason_id before = lease->reason_id;
    struct reason reason = remark_on(daemon, lease, text, sizeof text);

    if ((reason.id == REASON_NONE && !is_remark(before)) ||
        !lease_explain(daemon->store, lease, &reason, NULL, INSTANT_NONE))
        return;
    if (lease->terms != TERMS_NON_PREEMPTABLE &&
        (reason.id == REASON_UNKNOWN) != (before == REASON_UNKNOWN))
        daemon_replan(daemon, "lease %lld can%s be suspended", (long long)lease->id,
                      reason.id == REASON_UNKNOWN ? "not" : "");
    if (reason.id == REASON_RULE_BROKEN)
        store_history(daemon->store, lease->id, now, "rule-broken", "VM %d on host %d: %s",
                      (int)reason.n[0], (int)reason.n[1],
                      details_text(text, rule, sizeof rule, lease_time_text));
    else if (reason.id == REASON_UNKNOWN)
        store_history(daemon->store, lease->id, now, "unknown", "VM %d on host %d",
                      (int)reason.n[0], (int)reason.n[1]);
    else if (before == REASON_UNKNOWN)
        store_history(daemon->store, lease->id, now, "monitored", "all its VMs run");
    else
        store_history(daemon->store, lease->id, now, "rules-kept",
                      "its VMs keep the rules of their VM groups");
}

/* While a lease resumes, VMs that their user has switched off stay off. */
static bool all_run(const struct lease_record *lease, const struct vm_statuses *s)
{
    size_t off = lease->phase == PHASE_STARTING ? s->off : 0;

    return s->of[STATUS_RUNNING] > 0 && s->of[STATUS_RUNNING] + off == s->n;
}

/* The plan gives the hosts to other leases at the lease's end, but its VMs have not all started
 * yet. */
static void keep_hosts(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    int64_t end = planner_end(daemon->planner, lease->id);

    if (lease->phase == PHASE_STARTING && end != INSTANT_NONE && end <= now)
        daemon_replan(daemon, "lease %lld has not started yet", (long long)lease->id);
}

static void reconcile_active(struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_statuses *s, int64_t now)
{
    if (planner_must_relocate(daemon->planner, lease, now))
        daemon_replan(daemon, "a VM of lease %lld moves to another host", (long long)lease->id);
    keep_hosts(daemon, lease, now);
    if (s->of[STATUS_UNKNOWN])
        return;
    if (all_run(lease, s)) {
        if (lease->phase != PHASE_RUNNING ||
            (s->since && (lease->since != s->since || lease->accumulated != s->ran_before)))
            reconcile_runs(daemon, lease, s, now);
        watch_running(daemon, lease, now);
    } else if (s->of[STATUS_STOPPED_BY_USER] == s->n) {
        reconcile_parked_by_user(daemon, lease, now);
    } else if (s->of[STATUS_PENDING] == s->n &&
               (lease->phase == PHASE_RUNNING || has_failed(daemon, lease))) {
        reconcile_wait_again(
            daemon, lease, lease->phase == PHASE_RUNNING ? EVENT_PENDING_AGAIN : EVENT_START_FAILED,
            now);
    }
}

/* Did OpenNebula lose sight of a VM before it was told to suspend it? It cannot save the
 * memory of a VM in UNKNOWN: the lease would neither run nor make room. */
static bool cannot_make_room(const struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_statuses *s)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n && s->of[STATUS_RUNNING] == s->n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        if (!vms[i]->gone && vms[i]->goal == GOAL_STOP && vms[i]->command == COMMAND_NONE &&
            observed && observed->state == VM_UNKNOWN)
            return true;
    }
    return false;
}

static void reconcile_stopping(struct daemon *daemon, const struct lease_record *lease,
                               const struct vm_statuses *s, int64_t now)
{
    if (s->of[STATUS_UNKNOWN])
        return;
    if (cannot_make_room(daemon, lease, s)) {
        if (store_is_preempted(lease))
            lease_keeps_hosts(daemon->store, lease, now);
        reconcile_apply(daemon, lease, EVENT_REPLANNED, now, "%s", "");
        daemon_replan(daemon, "lease %lld cannot be suspended", (long long)lease->id);
        return;
    }
    if (s->of[STATUS_STOPPED_BY_USER] == s->n)
        reconcile_parked_by_user(daemon, lease, now);
    else if (s->of[STATUS_PREEMPTED] + s->of[STATUS_PENDING] + s->of[STATUS_STOPPED_BY_USER] ==
             s->n)
        reconcile_wait_again(daemon, lease,
                             s->of[STATUS_PREEMPTED] ? EVENT_SUSPENDED : EVENT_STOPPED, now);
}

static void reconcile_waiting(struct daemon *daemon, const struct lease_record *lease,
                              const struct vm_statuses *s, int64_t now)
{
    if (s->of[STATUS_UNKNOWN])
        return;
    if (s->of[STATUS_RUNNING] + s->of[STATUS_IN_TRANSITION] > 0) {
        reconcile_apply(daemon, lease, EVENT_STARTED_BY_OTHERS, now, "by a user or operator");
        daemon_replan(daemon, "lease %lld was started outside galernad", (long long)lease->id);
    } else if (s->of[STATUS_STOPPED_BY_USER] == s->n) {
        reconcile_parked_by_user(daemon, lease, now);
    } else if (lease->kind != LEASE_RESERVATION && lease_is_over(lease, now)) {
        reconcile_apply_by(daemon, lease, EVENT_TIME_OVER, REASON_TIME_OVER, now);
    }
}

/* Are any VMs of the lease still to be held? */
static bool is_being_parked(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && vms[i]->goal == GOAL_PARK)
            return true;
    return false;
}

static void reconcile_parked(struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_statuses *s, int64_t now)
{
    if (s->of[STATUS_UNKNOWN])
        return;
    if (!lease->accepted && s->of[STATUS_PENDING] == s->n && !is_being_parked(daemon, lease)) {
        intake_again(daemon, lease, now); /* the lease was on hold from the beginning */
    } else if (lease->accepted && lease->kind == LEASE_RESERVATION && lease_is_over(lease, now)) {
        reconcile_apply_by(daemon, lease, EVENT_TIME_OVER, REASON_TIME_OVER, now);
    } else if (s->of[STATUS_RUNNING] + s->of[STATUS_IN_TRANSITION] > 0) {
        reconcile_apply(daemon, lease, EVENT_RESUMED, now, "by a user or operator");
        daemon_replan(daemon, "lease %lld was resumed", (long long)lease->id);
    } else if (is_being_parked(daemon, lease)) {
        if (s->of[STATUS_STOPPED_BY_USER] == s->n)
            reconcile_apply(daemon, lease, EVENT_HELD, now, "%s", "");
    } else if (s->of[STATUS_PENDING] == s->n) {
        reconcile_wait_again(daemon, lease, EVENT_RELEASED, now);
    }
}

static bool is_ended_state(const struct daemon *daemon, const struct vm_observation *observed)
{
    switch (daemon->live->end_action) {
    case END_POWEROFF:
        return observed->state == VM_POWEROFF;
    case END_UNDEPLOY:
        return observed->state == VM_UNDEPLOYED;
    default:
        return false;
    }
}

static void reconcile_ending(struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_statuses *s, int64_t now)
{
    size_t n, over = 0;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    if (s->of[STATUS_UNKNOWN])
        return;
    if (lease->since == INSTANT_NONE && s->of[STATUS_RUNNING] == s->n && s->since)
        lease_ran_unseen(daemon->store, lease, s->since, s->ran_before);
    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        over += vms[i]->gone || (observed && is_ended_state(daemon, observed)) ||
                (vms[i]->ran && observed && observed->state == VM_HOLD);
    }
    if (over == n)
        reconcile_apply_by(daemon, lease, EVENT_ENDED, REASON_NONE, now);
}

/* The goal that VMs of a finished lease still have to reach: GOAL_END while any VM is to be ended;
 * otherwise the goal of the first existing VM, where an ended VM counts as held. NONE: nothing to
 * do. */
static enum vm_goal goal_of(const struct daemon *daemon, const struct lease_record *lease)
{
    enum vm_goal goal = GOAL_NONE;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = n; i-- > 0;) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        if (vms[i]->gone)
            continue;
        if (vms[i]->goal == GOAL_END &&
            !(observed && (observed->state == VM_HOLD || is_ended_state(daemon, observed))))
            return GOAL_END;
        goal = vms[i]->goal == GOAL_END ? GOAL_HOLD : vms[i]->goal;
    }
    return goal;
}

/* A refused VM released by its user is requested again; a VM started after the end of its lease is
 * ended again. */
static void reconcile_final(struct daemon *daemon, const struct lease_record *lease,
                            const struct vm_statuses *s, int64_t now)
{
    enum vm_goal goal = goal_of(daemon, lease);

    if (lease->phase == PHASE_FAILED)
        reconcile_failed(daemon, lease, now);
    if (s->of[STATUS_UNKNOWN])
        return;
    if (lease->phase != PHASE_ENDED && s->of[STATUS_STOPPED_BY_USER] == s->n && goal == GOAL_HOLD)
        reconcile_apply(daemon, lease, EVENT_HELD, now, "%s", "");
    else if (lease->phase != PHASE_ENDED && s->of[STATUS_PENDING] == s->n && goal == GOAL_NONE &&
             daemon->live->refusal == REFUSAL_HOLD)
        intake_again(daemon, lease, now);
    else if (lease->phase == PHASE_ENDED && s->of[STATUS_RUNNING] > 0)
        reconcile_apply(daemon, lease, EVENT_STARTED_AFTER_END, now,
                        "it was started after its end");
}

/* All VMs of the lease are gone. */
static void reconcile_without_vms(struct daemon *daemon, const struct lease_record *lease,
                                  const struct vm_statuses *s, int64_t now)
{
    if (s->resumed && lease->phase < PHASE_ENDING) /* its end was postponed */
        lease_stopped_running(daemon->store, lease);
    if (s->until && lease->phase < PHASE_ENDED)
        lease_ran_until(daemon->store, lease, s->ran_for, s->until);
    if (lease->phase < PHASE_ENDED)
        reconcile_apply_by(daemon, lease, EVENT_ENDED,
                           lease->phase == PHASE_ENDING ? REASON_NONE
                           : s->lost                    ? REASON_VMS_LOST
                                                        : REASON_VMS_GONE,
                           now);
}

static void reconcile_phase(struct daemon *daemon, const struct lease_record *lease,
                            struct vm_statuses *s, int64_t now)
{
    switch (lease->phase) {
    case PHASE_STARTING:
    case PHASE_RUNNING:
        reconcile_active(daemon, lease, s, now);
        break;
    case PHASE_STOPPING:
        reconcile_stopping(daemon, lease, s, now);
        break;
    case PHASE_WAITING:
    case PHASE_RESERVED:
        reconcile_waiting(daemon, lease, s, now);
        break;
    case PHASE_PARKED:
        reconcile_parked(daemon, lease, s, now);
        break;
    case PHASE_ENDING:
        reconcile_ending(daemon, lease, s, now);
        break;
    case PHASE_GATHERING:
        break;
    default:
        reconcile_final(daemon, lease, s, now);
    }
}

static void reconcile_lease(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    struct vm_statuses s = {0};
    size_t n, gone_before = 0;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        gone_before += vms[i]->gone;
    for (size_t i = 0; i < n; i++)
        reconcile_observe_vm(daemon, lease, vms[i], now, &s);
    if (s.has_untimed)
        s.since = 0;
    if (s.n == 0) {
        reconcile_without_vms(daemon, lease, &s, now);
        return;
    }
    if (s.of[STATUS_GONE] > gone_before && lease->phase != PHASE_GATHERING &&
        lease->phase < PHASE_ENDING)
        daemon_replan(daemon, "lease %lld lost a VM", (long long)lease->id);
    reconcile_phase(daemon, lease, &s, now);
}

void reconcile(struct daemon *daemon, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);

    daemon->reconciled = now;
    for (size_t i = 0; i < n; i++)
        reconcile_lease(daemon, leases[i], now);
    if (!daemon_acts(daemon)) /* the observations may be old: time alone decides nothing */
        return;
    for (size_t i = 0; i < n; i++) {
        if (leases[i]->phase == PHASE_RUNNING) {
            reconcile_watch_end(daemon, leases[i], now);
            if (leases[i]->phase == PHASE_RUNNING)
                reconcile_watch_use(daemon, leases[i], now);
        } else if (leases[i]->phase == PHASE_STARTING) {
            reconcile_watch_start(daemon, leases[i], now);
            if (leases[i]->kind == LEASE_RESERVATION)
                reconcile_watch_end(daemon, leases[i], now);
        } else if (leases[i]->phase == PHASE_RESERVED ||
                   (leases[i]->phase == PHASE_WAITING && leases[i]->kind == LEASE_IMMEDIATE)) {
            reconcile_watch_promise(daemon, leases[i], now);
        } else if (leases[i]->phase == PHASE_PARKED) {
            reconcile_watch_deadline(daemon, leases[i], now);
        }
    }
}
