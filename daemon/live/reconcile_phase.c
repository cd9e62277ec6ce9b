/* Changes of a lease that its VMs show: a start, a suspension by the owner, a return to the queue.
 */
#include <stdio.h>

#include "daemon/live/daemon.h"
#include "daemon/live/intake.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/lease_state.h"
#include "util/time_text.h"

static void note_late_start(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    int64_t promised = store_promised_start(lease);
    int64_t late = promised != INSTANT_NONE ? lease->since - promised : 0;
    char span[TIME_TEXT_MAX];

    if (late <= daemon->live->poll_interval || lease->late)
        return;
    lease_note_late(daemon->store, lease);
    time_text_span(late, span, sizeof span);
    store_history(daemon->store, lease->id, now, "late", "%s after its start", span);
}

void reconcile_runs(struct daemon *daemon, const struct lease_record *lease,
                    const struct vm_statuses *s, int64_t now)
{
    bool begins = lease->phase != PHASE_RUNNING;

    if (s->since)
        lease_runs_since(daemon->store, lease, s->since, s->ran_before);
    else
        lease_runs_since(daemon->store, lease, now, lease_ran_for(daemon->store, lease));
    if (!begins || !reconcile_apply(daemon, lease, EVENT_RUNNING, now, "all its VMs run"))
        return;
    note_late_start(daemon, lease, now);
    if (lease->end != INSTANT_NEVER && planner_end(daemon->planner, lease->id) != lease->end &&
        planner_end(daemon->planner, lease->id) != INSTANT_NONE)
        daemon_replan(daemon, "lease %lld runs %lld s late", (long long)lease->id,
                      (long long)(lease->end - planner_end(daemon->planner, lease->id)));
}

void reconcile_parked_by_user(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    if (!reconcile_apply(daemon, lease, EVENT_PARKED, now, "by a user or operator"))
        return;
    lease_explain(daemon->store, lease, &(struct reason){.id = REASON_PARKED}, NULL, INSTANT_NONE);
    daemon_replan(daemon, "lease %lld was parked", (long long)lease->id);
}

void reconcile_wait_again(struct daemon *daemon, const struct lease_record *lease,
                          enum lease_event event, int64_t now)
{
    char why[STORE_TEXT_MAX], left[TIME_TEXT_MAX];

    lease_stopped_running(daemon->store, lease);
    if (event == EVENT_SUSPENDED || event == EVENT_STOPPED || event == EVENT_PENDING_AGAIN) {
        int length = 0;

        why[0] = '\0';
        if (event == EVENT_PENDING_AGAIN) /* a preemption was planned, and is not the cause */
            length = snprintf(why, sizeof why, "its VMs are pending again");
        else if (store_is_preempted(lease))
            length = snprintf(why, sizeof why, "for lease %lld", (long long)lease->preempted_for);
        time_text_span(lease->duration - lease->accumulated, left, sizeof left);
        if (lease->duration != SPAN_UNLIMITED)
            snprintf(why + length, sizeof why - (size_t)length, "%s%s left to run",
                     length ? ", " : "", left);
    } else if (event == EVENT_RELEASED) { /* its present reason is the parking */
        snprintf(why, sizeof why, "its VMs are pending again");
    } else {
        store_reason_sentence(lease, false, why, sizeof why);
    }
    if (lease->kind != LEASE_RESERVATION && lease_is_over(lease, now))
        reconcile_apply_by(daemon, lease, EVENT_TIME_OVER, REASON_TIME_OVER, now);
    else if (reconcile_apply(daemon, lease, event, now, "%s", why))
        daemon_replan(daemon, "lease %lld waits again", (long long)lease->id);
    if (event == EVENT_RELEASED) /* its VMs may have been resized */
        intake_check_size(daemon, lease, now);
}
