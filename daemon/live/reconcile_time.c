/* Applies events to leases that are due by time: ends, warnings, missed starts. */
#include <stdio.h>

#include "adapters/cloud/states.h"
#include "core/reason_details.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/reconcile.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/learned.h"
#include "daemon/store/awake.h"
#include "util/time_text.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

enum { WAIT_FOR_DEPARTURES = 15 /* seconds until the lease is replanned */ };

/* --- time ------------------------------------------------------------------------------------- */

/* The last cause of the wait. */
static void why_it_waited(const struct lease_record *lease, char line[STORE_TEXT_MAX])
{
    line[0] = '\0';
    if (lease->reason_id != REASON_NONE && lease->reason_id != REASON_PLANNED &&
        lease->reason_id != REASON_DEADLINE_UNREACHABLE)
        store_pack_reason(lease, line);
}

/* The lease can no longer keep its promise. EVENT_TIME_OVER: its VMs were sent to hosts and are
 * ended. */
static void miss(struct daemon *daemon, const struct lease_record *lease, enum lease_event event,
                 int64_t now)
{
    char text[STORE_SENTENCE_MAX], why[STORE_TEXT_MAX];
    const struct reason missed = {.id = REASON_MISSED,
                                  .n = {lease->kind == LEASE_RESERVATION
                                            ? lease->start + lease->duration
                                            : store_latest_start(lease)},
                                  .text = why};

    why_it_waited(lease, why);
    lease_explain(daemon->store, lease, &missed, NULL, INSTANT_NONE);
    store_reason_sentence(lease, false, text, sizeof text);
    if (reconcile_apply(daemon, lease, event, now, "%s", text))
        log_error_of(lease->id, -1, "lease %lld: %s", (long long)lease->id, text);
}

static bool has_never_run(const struct lease_record *lease)
{
    return lease->phase == PHASE_STARTING && lease->since == INSTANT_NONE &&
           lease->accumulated == 0;
}

/* After a restart the lease's VMs may have run and be gone, which only the next polls show. */
static bool is_known(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (reconcile_vm_status(daemon, vms[i], world_vm(daemon->world, vms[i]->id)) ==
            STATUS_UNKNOWN)
            return false;
    return true;
}

void reconcile_watch_end(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    int64_t warning = daemon->live->end_warning;
    char when[64];

    if (!instant_is_set(lease->end))
        return;
    if (lease->end <= now && lease->phase == PHASE_STARTING && reconcile_not_begun(daemon, lease)) {
        reconcile_watch_promise(daemon, lease, now);
    } else if (lease->end <= now && has_never_run(lease)) {
        if (is_known(daemon, lease))
            miss(daemon, lease, EVENT_TIME_OVER, now);
    } else if (lease->end <= now) {
        reconcile_apply_by(daemon, lease, EVENT_TIME_OVER, REASON_TIME_OVER, now);
    } else if (warning > 0 && lease->duration > warning && !lease->warned &&
               lease->end - warning <= now && lease->phase == PHASE_RUNNING &&
               !store_is_preempted(lease)) {
        lease_time_text(lease->end, when, sizeof when);
        lease_note_warned(daemon->store, lease);
        lease_explain(daemon->store, lease,
                      &(struct reason){.id = REASON_ENDS_SOON, .n = {lease->end}}, NULL,
                      INSTANT_NONE);
        store_history(daemon->store, lease->id, now, "warned", "ends at %s", when);
    }
}

void reconcile_watch_deadline(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    char when[64];

    if (lease->warned || !store_stands_past_deadline(lease, now))
        return;
    lease_time_text(lease->deadline, when, sizeof when);
    lease_note_warned(daemon->store, lease);
    store_history(daemon->store, lease->id, now, "deadline-passed", "%s, while %s", when,
                  lease->reason_id == REASON_ON_HOLD ? "it was on hold"
                                                     : "a user or operator had stopped its VMs");
}

/* The VM that has not started, and one on its host that has not left. */
static void say_what_is_late(const struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_record *vm, char text[STORE_TEXT_MAX])
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);
    const struct vm_record *departing = reconcile_departing_vm_of_lease(daemon, lease);
    bool is_there = vm->host < 0 ||
                    (observed->history.host == vm->host && vm_state_traits[observed->state].holds);

    text[0] = '\0';
    details_add(text, STORE_TEXT_MAX,
                &(struct detail){is_there ? DETAIL_LATE_VM : DETAIL_LATE_VM_STARTS,
                                 {vm->id, vm->host},
                                 observed->state_name});
    if (departing)
        details_add(text, STORE_TEXT_MAX,
                    &(struct detail){DETAIL_DEPARTING,
                                     {departing->id, departing->host},
                                     world_vm(daemon->world, departing->id)->state_name});
}

/* why: ": ..." or "". */
static void note_not_started(struct daemon *daemon, const struct lease_record *lease,
                             const char *why, int64_t now)
{
    char late[TIME_TEXT_MAX];

    time_text_span(now - store_promised_start(lease), late, sizeof late);
    lease_note_late(daemon->store, lease);
    store_history(daemon->store, lease->id, now, "late", "not started %s after its start%s", late,
                  why);
    log_warning_of(lease->id, -1, "lease %lld is late: not started %s after its start%s",
                   (long long)lease->id, late, why);
}

/* ": ...", or "": it is not known. */
static void why_not_started(const struct daemon *daemon, const struct lease_record *lease,
                            char why[STORE_TEXT_MAX])
{
    int64_t promised = store_promised_start(lease);
    char text[STORE_TEXT_MAX], from[64], until[64];

    why[0] = '\0';
    lease_time_text(daemon->unread_from, from, sizeof from);
    lease_time_text(daemon->unread_until, until, sizeof until);
    if (lease->at_risk) {
        store_reason_sentence(lease, true, text, sizeof text);
        snprintf(why, STORE_TEXT_MAX, ": %.*s", STORE_TEXT_MAX - 3, text);
    } else if (daemon->started > promised) {
        lease_time_text(daemon->started, from, sizeof from);
        snprintf(why, STORE_TEXT_MAX, ": galernad was started at %s", from);
    } else if (daemon->unread_until >= promised &&
               daemon->unread_from <= promised + daemon->live->poll_interval) {
        snprintf(why, STORE_TEXT_MAX, ": OpenNebula did not answer from %s until %s", from, until);
    }
}

/* The obstacle is reported as long as the lease waits. */
static void note_late(struct daemon *daemon, const struct lease_record *lease,
                      const struct vm_record *vm, int64_t now)
{
    int64_t late = lease->late ? lease->reason_n[0] : now - store_promised_start(lease);
    char details[STORE_TEXT_MAX], text[STORE_TEXT_MAX], why[STORE_TEXT_MAX];

    say_what_is_late(daemon, lease, vm, details);
    lease_explain(
        daemon->store, lease,
        &(struct reason){.id = REASON_LATE, .n = {late, vm->id, vm->host}, .text = details}, NULL,
        INSTANT_NONE);
    if (lease->late)
        return;
    why_not_started(daemon, lease, why);
    if (!*why) {
        store_reason_sentence(lease, false, text, sizeof text);
        snprintf(why, sizeof why, ": %.*s", (int)sizeof why - 3, text);
    }
    note_not_started(daemon, lease, why, now);
}

/* A promised start is late if a VM was observed not running after it, if no command was sent yet
 * because its hosts are still occupied, or if the lease's time is over and the VM never ran. VMs
 * that run report their start themselves; these may never run. */
void reconcile_watch_start(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);
    int64_t promised = store_promised_start(lease), due = promised + daemon->live->poll_interval;
    bool sure;

    if (promised == INSTANT_NONE || now <= due || (lease->late && lease->reason_id != REASON_LATE))
        return;
    sure = (lease->end != INSTANT_NONE && lease->end <= now) || reconcile_not_begun(daemon, lease);
    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        if (vms[i]->gone || !observed || observed_running(observed))
            continue;
        if (lease->late || sure || now - (clock_monotonic() - observed->asked) / 1000 > due) {
            note_late(daemon, lease, vms[i], now);
            return;
        }
    }
}

/* Has the reservation's time passed before the lease ran, or can the deadline no longer be met?
 * A lease that is still in the plan is started even if it is a little late. */
static bool is_missed(const struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    if (lease->kind == LEASE_RESERVATION)
        return lease_is_over(lease, now);
    return lease->deadline != INSTANT_NONE &&
           (lease->deadline <= now ||
            (store_latest_start(lease) < now && !planner_knows(daemon->planner, lease->id)));
}

void reconcile_watch_promise(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    int64_t promised = store_promised_start(lease);
    char why[STORE_TEXT_MAX];

    if (is_missed(daemon, lease, now) && !is_known(daemon, lease))
        return;
    if (is_missed(daemon, lease, now))
        miss(daemon, lease, EVENT_MISSED, now);
    else if (promised != INSTANT_NONE && promised + daemon->live->poll_interval < now &&
             !lease->late) {
        why_not_started(daemon, lease, why);
        note_not_started(daemon, lease, why, now);
    }
}

static bool takes_vms(const struct daemon *daemon, int32_t id)
{
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    const struct host *host = hosts && id >= 0 ? host_pool_find(&hosts->pool, id) : NULL;

    return host && host->state == HOST_ON;
}

/* Does a reservation that is due wait for other VMs to leave its hosts? Replanning would only
 * preempt VMs on other hosts. An immediate lease also keeps its place, since in the queue it would
 * wait like any other lease. */
static bool waits_for_leavers(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);
    bool left = lease->kind == LEASE_IMMEDIATE;

    if ((lease->kind != LEASE_RESERVATION && !left) || lease->expected == INSTANT_NONE ||
        clock_now() - lease->expected > WAIT_FOR_DEPARTURES)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (vms[i]->gone)
            continue;
        if (!takes_vms(daemon, vms[i]->host))
            return false;
        left = left || reconcile_departing_vm(daemon, vms[i]->host);
    }
    return left;
}

void reconcile_before_replan(struct daemon *daemon)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++)
        if (leases[i]->phase == PHASE_STARTING && !reconcile_may_have_begun(daemon, leases[i]) &&
            !waits_for_leavers(daemon, leases[i]))
            reconcile_apply(daemon, leases[i], EVENT_REPLANNED, clock_now(), "%s", "");
}

/* Was the lease to be suspended, and has no command been sent for that? */
static bool stays_as_it_was(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    if (lease->phase != PHASE_STOPPING &&
        (lease->phase != PHASE_ENDING || lease->reason_id != REASON_CANCELLED_FOR))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        if (vms[i]->gone || vms[i]->command || vms[i]->last || vms[i]->in_vain ||
            vms[i]->suspended_by_us || !observed ||
            !(observed_running(observed) || observed_booting(observed)))
            return false;
    }
    return true;
}

void reconcile_withdraw(struct daemon *daemon, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        if (!stays_as_it_was(daemon, leases[i]))
            continue;
        if (store_is_preempted(leases[i]))
            lease_keeps_hosts(daemon->store, leases[i], now);
        reconcile_apply(daemon, leases[i], EVENT_REPLANNED, now, "%s", "");
    }
}

static void earlier(int64_t *next, int64_t candidate, int64_t now)
{
    if (candidate != INSTANT_NONE && candidate > now && candidate < *next)
        *next = candidate;
}

int64_t reconcile_lease_time(const struct daemon *daemon, const struct lease_record *lease,
                             int64_t now)
{
    int64_t next = INSTANT_NEVER;

    if (store_promised_start(lease) != INSTANT_NONE && !lease->late &&
        (lease->phase == PHASE_STARTING || lease->phase == PHASE_RESERVED))
        earlier(&next, store_promised_start(lease) + daemon->live->poll_interval + 1, now);
    if (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STARTING) {
        earlier(&next, lease->end, now);
        if (!lease->warned && instant_is_set(lease->end) &&
            lease->duration > daemon->live->end_warning)
            earlier(&next, lease->end - daemon->live->end_warning, now);
    } else if (lease->phase == PHASE_GATHERING) {
        earlier(&next, lease->group_until, now);
    } else if (lease->phase == PHASE_WAITING && lease->expected != INSTANT_NONE &&
               lease->expected != INSTANT_NEVER) {
        earlier(&next, lease->expected + 1, now); /* a message announces no start in the past */
    } else if (lease->phase == PHASE_RESERVED && lease->kind == LEASE_RESERVATION &&
               lease->duration != SPAN_UNLIMITED) {
        earlier(&next, lease->start + lease->duration, now);
    } else if (lease->phase == PHASE_RESERVED && lease->kind == LEASE_DEADLINE) {
        earlier(&next, store_latest_start(lease) + 1, now);
    }
    return next;
}

int64_t reconcile_next_time(const struct daemon *daemon, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);
    int64_t next = store_next_wake(daemon->store);

    for (size_t i = 0; i < n; i++) {
        int64_t due = reconcile_lease_time(daemon, leases[i], now);

        next = due < next ? due : next;
    }
    return next;
}
