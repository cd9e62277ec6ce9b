/* Leases that leave their hosts or make room for others: noted while the plan contains that, then
 * dropped. */
#include <stdio.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/awake.h"

enum { STARTS_MAX = 96 };

bool planner_is_about_leaving(enum reason_id reason)
{
    return reason == REASON_LEAVES || reason == REASON_CANNOT_LEAVE;
}

/* ", which starts at ..." for a reservation, "" for other leases: plans change the times of those,
 * and the history of a lease only contains what stays true. */
static void starts_text(const struct planner *planner, int64_t lease, char text[STARTS_MAX])
{
    const struct lease_record *other = store_lease(planner->store, lease);
    char when[64];

    text[0] = '\0';
    if (!other || other->kind != LEASE_RESERVATION)
        return;
    lease_time_text(other->start, when, sizeof when);
    snprintf(text, STARTS_MAX, ", which starts at %s", when);
}

void planner_note_preemption(struct planner *planner, const struct lease_record *lease,
                             int64_t other, int64_t at, int64_t now)
{
    char when[STARTS_MAX];

    if (!lease_note_preemption(planner->store, lease, other, at))
        return; /* every plan repeats it */
    starts_text(planner, other, when);
    store_history(planner->store, lease->id, now, "preempted", "to be %s for lease %lld%s",
                  store_preemption_word(lease), (long long)other, when);
}

/* The lease whose room it waits for; -1: none is named. */
static int64_t waits_for(enum reason_id id, const int64_t *n)
{
    return (id == REASON_PLANNED && n[3] != 0) || id == REASON_ROOM_RESERVED ? n[1] : -1;
}

void planner_note_delay(struct planner *planner, const struct lease_record *lease,
                        const struct reason *reason, int64_t now)
{
    int64_t cause = waits_for(reason->id, reason->n);
    const struct lease_record *other =
        cause > lease->id ? store_lease(planner->store, cause) : NULL;

    if (!other || lease->phase != PHASE_WAITING || !lease->accepted || !other->accepted ||
        (other->kind != LEASE_RESERVATION && other->kind != LEASE_DEADLINE) ||
        cause <= lease->delayed_by || store_is_preempted(lease))
        return;
    lease_note_delayed(planner->store, lease, cause);
    store_history(planner->store, lease->id, now, "delayed", "by lease %lld, %s requested later",
                  (long long)cause,
                  other->kind == LEASE_DEADLINE ? "a deadline lease" : "a reservation");
}

/* Notes that the lease runs or starts in front of a reservation. */
static void note_in_front(struct planner *planner, const struct lease_record *lease,
                          const struct reason *reason, int64_t now)
{
    char when[STARTS_MAX];

    if (lease->phase != PHASE_RUNNING && lease->phase != PHASE_STARTING)
        return;
    planned_of(&planner->planned, lease->id)->is_preempted = true;
    if (!lease_note_preemption(planner->store, lease, reason->n[2], reason->n[3]))
        return; /* every plan repeats it */
    starts_text(planner, reason->n[2], when);
    store_history(planner->store, lease->id, now, "in-front",
                  "to move off host %lld in time for lease %lld%s", (long long)reason->n[0],
                  (long long)reason->n[2], when);
}

/* Notes that a lease, or a VM that is off, is planned to leave its hosts, or cannot. */
void planner_note_leaving(struct planner *planner, const struct lease_view *view, int64_t now)
{
    const struct vm_record *vm = planner_vm(planner, view->lease, 0);
    const struct lease_record *lease = vm ? store_lease(planner->store, vm->lease) : NULL;
    struct reason reason = view->reason;
    char cause[STORE_TEXT_MAX];

    if (lease && reason.id == REASON_LEAVES && reason.n[3])
        note_in_front(planner, lease, &reason, now);
    else if (lease && store_moves_away(lease))
        planned_of(&planner->planned, lease->id)->is_preempted = true;
    if (!lease || (lease->phase != PHASE_RUNNING && lease->phase != PHASE_PARKED) ||
        (view->reason.id == REASON_CANNOT_LEAVE &&
         !planner_has_to_leave(planner, planner->settings.drains, lease, now)))
        return;
    if (reason.id == REASON_CANNOT_LEAVE) {
        planner_leave_cause(planner, lease, now, cause, sizeof cause);
        reason.text = cause;
        if (reason.n[0] <= now)
            reason.n[0] = INSTANT_NONE; /* keeps the message the same from plan to plan */
    }
    planner_set_reason(planner, lease, &reason);
}

/* Must the lease leave its hosts, may it be suspended, and does the plan not move it? The plan
 * never moves a lease that it preempts, even one that must leave before that. */
static bool is_to_be_suspended(const struct planner *planner, const struct lease_record *lease,
                               int64_t now)
{
    const struct vm_record *vm = planner_vm(planner, lease->id, 0);

    bool has_no_other_host = lease->reason_id == REASON_NO_OTHER_HOST && lease->retry <= now;

    return (lease->reason_id == REASON_CANNOT_LEAVE || has_no_other_host ||
            store_is_preempted(lease)) &&
           vm && !vm->resched && planner_may_suspend(planner, lease) &&
           planner_has_to_leave(planner, planner->settings.drains, lease, now);
}

static void suspend_in_time(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    int64_t at = planner_suspend_by(planner, planner->settings.drains, lease, now);
    struct reason reason = {.id = REASON_CANNOT_LEAVE, .n = {INSTANT_NONE, 0, 0, at}};
    char cause[STORE_TEXT_MAX];

    if (at == INSTANT_NONE || (store_is_preempted(lease) && store_leaves_at(lease) <= at))
        return;
    planner_leave_cause(planner, lease, now, cause, sizeof cause);
    reason.text = cause;
    if (at > now) {
        planner_set_reason(planner, lease, &reason);
        planner->retry = at < planner->retry ? at : planner->retry;
        return;
    }
    reason.n[3] = 0;
    planner_set_reason(planner, lease, &reason);
    planner_avoid_drained(planner, lease, now);
    lease_apply_because(planner->store, lease, EVENT_SUSPEND, now);
    planned_of(&planner->planned, lease->id)->in_engine = false;
    planner->outdated = true;
}

void planner_review_leaves(struct planner *planner, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++)
        if (store_is_leaving(leases[i]) && !planner_is_leaving(planner, leases[i], now))
            planner_set_reason(planner, leases[i],
                               &(struct reason){.id = leases[i]->phase == PHASE_PARKED
                                                          ? REASON_PARKED
                                                          : REASON_NONE});
        else if (is_to_be_suspended(planner, leases[i], now))
            suspend_in_time(planner, leases[i], now);
}
