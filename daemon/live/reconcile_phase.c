#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/live/clock.h"
#include "daemon/live/estimates.h"
#include "daemon/live/moves.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/log.h"

/* --- phases ----------------------------------------------------------------------------------- */

void reconcile_set_phase(struct daemon *daemon, struct lease_record *lease, enum lease_phase phase)
{
    lease->phase = phase;
    store_mark_lease(daemon->store, lease);
    daemon_wake(daemon);
}

void reconcile_set_goal(struct daemon *daemon, const struct lease_record *lease, enum vm_goal goal)
{
    size_t n;
    struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        if (vms[i]->gone || vms[i]->goal == goal)
            continue;
        vms[i]->goal = goal;
        if (goal != GOAL_NONE) {
            vms[i]->attempts = 0;
            vms[i]->next_try = INSTANT_NONE;
        }
        store_mark_vm(daemon->store, vms[i]);
    }
}

/* The shortest time that any of its VMs ran in stretches that are over. */
int64_t reconcile_ran_for(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);
    int64_t least = -1;

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && (least < 0 || vms[i]->ran_for < least))
            least = vms[i]->ran_for;
    return least < 0 ? 0 : least;
}

static int64_t end_of(const struct lease_record *lease)
{
    if (lease->duration == SPAN_UNLIMITED)
        return INSTANT_NEVER;
    if (lease->kind == LEASE_RESERVATION)
        return lease->start + lease->duration;
    return lease->since + lease->duration - lease->accumulated;
}

void reconcile_runs(struct daemon *daemon, struct lease_record *lease, int64_t since, int64_t now)
{
    bool begins = lease->since == INSTANT_NONE || lease->phase != PHASE_RUNNING;
    int64_t promised, late;

    lease->accumulated = reconcile_ran_for(daemon, lease);
    lease->since = since > 0 ? since : now;
    lease->end = end_of(lease);
    if (lease->phase != PHASE_RUNNING)
        reconcile_set_phase(daemon, lease, PHASE_RUNNING);
    store_mark_lease(daemon->store, lease);
    if (!begins)
        return;
    store_set_reason(daemon->store, lease, "", "");
    store_history(daemon->store, lease->id, now, "running", "since its VMs run");
    promised = lease->accumulated == 0 ? store_promised_start(lease) : INSTANT_NONE;
    late = promised != INSTANT_NONE ? lease->since - promised : 0;
    if (late > daemon->live->poll_interval && !lease->late) {
        lease->late = true;
        store_history(daemon->store, lease->id, now, "late", "%lld s after its start",
                      (long long)late);
    }
    if (lease->end != INSTANT_NEVER && planner_end(daemon->planner, lease->id) != lease->end &&
        planner_end(daemon->planner, lease->id) != INSTANT_NONE)
        daemon_replan(daemon, "lease %lld runs %lld s late", (long long)lease->id,
                      (long long)(lease->end - planner_end(daemon->planner, lease->id)));
}

/* Its VMs do not run: when their time is over is not known, but for a reservation. */
static void stands_still(struct daemon *daemon, struct lease_record *lease)
{
    lease->accumulated = reconcile_ran_for(daemon, lease);
    lease->since = INSTANT_NONE;
    if (lease->kind != LEASE_RESERVATION)
        lease->end = INSTANT_NONE;
}

void reconcile_parked_by_user(struct daemon *daemon, struct lease_record *lease, int64_t now)
{
    stands_still(daemon, lease);
    lease->expected = INSTANT_NONE;
    store_set_reason(
        daemon->store, lease, "parked",
        "Its VMs were suspended, powered off or held by a user; resume or release them to go on");
    reconcile_set_phase(daemon, lease, PHASE_PARKED);
    reconcile_set_goal(daemon, lease, GOAL_NONE);
    store_history(daemon->store, lease->id, now, "parked", "by a user or operator");
    daemon_replan(daemon, "lease %lld was parked", (long long)lease->id);
}

void reconcile_wait_again(struct daemon *daemon, struct lease_record *lease, const char *event,
                          int64_t now)
{
    bool promised =
        lease->accepted && (lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE);
    /* Of a deadline lease that runs it is when it was to be resumed after a later suspension. */
    bool is_past = !promised || (lease->kind == LEASE_DEADLINE && lease->phase == PHASE_RUNNING);

    stands_still(daemon, lease);
    if (lease->kind != LEASE_RESERVATION && lease->duration != SPAN_UNLIMITED &&
        lease->accumulated >= lease->duration) {
        reconcile_begin_ending(daemon, lease, "its time is over", now);
        return;
    }
    if (is_past)
        lease->expected = INSTANT_NONE; /* it was that of the start that is over */
    reconcile_set_goal(daemon, lease, GOAL_NONE);
    reconcile_set_phase(daemon, lease, promised ? PHASE_RESERVED : PHASE_WAITING);
    store_history(daemon->store, lease->id, now, event, "%s", lease->reason);
    daemon_replan(daemon, "lease %lld waits again", (long long)lease->id);
}

void reconcile_ended(struct daemon *daemon, struct lease_record *lease, const char *how,
                     int64_t now)
{
    if (lease->since != INSTANT_NONE) {
        int64_t until = lease->end != INSTANT_NONE && lease->end < now ? lease->end : now;

        if (until > lease->since)
            lease->accumulated += until - lease->since;
    }
    lease->end = now;
    lease->since = lease->expected = INSTANT_NONE;
    planner_gone(daemon->planner, lease->id);
    reconcile_set_goal(daemon, lease, GOAL_NONE);
    reconcile_set_phase(daemon, lease, PHASE_ENDED);
    store_history(daemon->store, lease->id, now, "ended", "%s", how);
}

void reconcile_begin_ending(struct daemon *daemon, struct lease_record *lease, const char *why,
                            int64_t now)
{
    planner_gone(daemon->planner, lease->id);
    reconcile_set_phase(daemon, lease, PHASE_ENDING);
    reconcile_set_goal(daemon, lease, GOAL_END);
    store_history(daemon->store, lease->id, now, "ending", "%s", why);
}
