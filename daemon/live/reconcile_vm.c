/* Records the observation of a VM: its size, host, lock and run time. */
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/intake.h"
#include "daemon/live/moves.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/learned.h"
#include "daemon/state/lease_change.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

enum { RECORDS_COME = 60 * 1000 /* milliseconds */ };

static bool has_missed_records(const struct vm_record *vm, const struct vm_observation *observed)
{
    const struct vm_history *history = &observed->history;

    return observed->has_times && !history->recreated && history->sequence > vm->sequence + 1 &&
           observed->n_records <= history->sequence;
}

/* OpenNebula opens the record of a failed boot again when the boot is retried and succeeds. */
static bool may_be_opened_again(const struct vm_observation *observed)
{
    return observed->history.retime > 0 &&
           (observed_failed(observed) || observed_booting(observed));
}

/* The VMs of a group may start and stop one after the other, in the same order: the VM's open
 * record does not count before the others ran. */
static void leave_out_time_alone(struct daemon *daemon, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);
    int64_t alone;

    if (!lease || lease->since == INSTANT_NONE || vm->since_told <= 0)
        return;
    alone = (lease->since - lease->accumulated) - (vm->since - vm->ran_for);
    if (alone > 0)
        vm_skew(daemon->store, vm, alone);
}

/* oned counts the time of a boot that failed, and the time until its repetition succeeded: it sets
 * the start of the record with the first attempt. `until`: by oned's clock. */
static void leave_out_failed_boot(struct daemon *daemon, const struct vm_record *vm,
                                  const struct vm_history *history, int64_t until)
{
    if (vm->boot_failed == 0)
        return;
    if (vm->boot_failed == history->rstime && vm->since_told != history->rstime &&
        until > history->rstime)
        vm_skew(daemon->store, vm, until - history->rstime);
    vm_note_boot_failed(daemon->store, vm, 0);
}

/* Run time comes from OpenNebula's history: each closed record counts once. The record before a
 * migration is closed when the migration ends. If an operator recreates the VM, its lease gets its
 * full time again. */
static void count_running_time(struct daemon *daemon, const struct vm_record *vm,
                               const struct vm_observation *observed)
{
    const struct vm_history *history = &observed->history;
    int64_t closed = history->retime > 0 ? history->sequence : history->sequence - 1;

    if (history->sequence < 0 || !observed->has_times || observed_migrates(observed))
        return;
    if (history->recreated) {
        vm_count_nothing(daemon->store, vm, history->sequence);
        return;
    }
    if (may_be_opened_again(observed))
        return;
    if (has_missed_records(vm, observed)) {
        world_read_history(daemon->world, vm->id);
        return;
    }
    if (history->retime > 0)
        leave_out_failed_boot(daemon, vm, history, history->retime);
    if (history->sequence == vm->sequence + 1 && history->rstime > 0 && history->retime > 0) {
        leave_out_time_alone(daemon, vm);
        vm_add_ran(daemon->store, vm, history->sequence, history->retime - history->rstime);
    } else if (observed->n_records > history->sequence && observed->n_records > 1 &&
               closed > vm->sequence) {
        leave_out_time_alone(daemon, vm);
        vm_set_ran(daemon->store, vm, (int32_t)closed, observed->ran_for);
    }
}

/* Counts the records of a VM that is gone, which may have run and ended between two polls, or while
 * galernad was not running. */
static void count_last_record(struct daemon *daemon, const struct vm_record *vm,
                              const struct vm_observation *observed, struct vm_statuses *statuses)
{
    int64_t until = clocks_ours(daemon, observed->history.retime);

    statuses->resumed |= observed->history.sequence > vm->sequence + 1;
    count_running_time(daemon, vm, observed);
    if (!observed->has_times || vm->sequence != observed->history.sequence || until <= 0)
        return;
    if (!statuses->until || vm->ran_for < statuses->ran_for)
        statuses->ran_for = vm->ran_for;
    if (until > statuses->until)
        statuses->until = until;
}

/* The lease ends when all records have been read, or cannot be read. */
static bool waits_for_records(const struct vm_record *vm, const struct vm_observation *observed)
{
    return has_missed_records(vm, observed) && clock_monotonic() - observed->asked < RECORDS_COME;
}

static void note_lost(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    store_history(daemon->store, vm->lease, now, "vm-lost",
                  "OpenNebula has given the ID of VM %d to another VM", vm->id);
    log_warning_of(vm->lease, vm->id,
                   "OpenNebula has given the ID of VM %d of lease %lld to another VM: the VM "
                   "counts as terminated (the database was restored from an older copy, or "
                   "OpenNebula was installed again)",
                   vm->id, (long long)vm->lease);
}

static void note_gone(struct daemon *daemon, const struct lease_record *lease,
                      const struct vm_record *vm, const struct vm_observation *observed,
                      int64_t now)
{
    bool another = reconcile_is_another(vm, observed);
    int64_t until = another ? 0 : observed->history.retime;
    size_t n;

    vm_seen_gone(daemon->store, vm);
    store_vms_of(daemon->store, lease->id, &n);
    if (lease->phase == PHASE_RUNNING && n > 1) /* the lease runs on without it */
        vm_seen_leaving(daemon->store, vm, until > 0 ? clocks_ours(daemon, until) : now);
    if (another)
        note_lost(daemon, vm, now);
    else if (observed->lost)
        store_history(daemon->store, lease->id, now, "vm-lost",
                      "OpenNebula no longer knows VM %d, and has no record of its end", vm->id);
    else if (lease->phase != PHASE_ENDING && lease->phase != PHASE_REFUSED &&
             lease->phase != PHASE_MISSED)
        store_history(daemon->store, lease->id, now, "vm-gone", "VM %d is no longer there", vm->id);
    daemon_wake(daemon);
}

static void note_move(struct daemon *daemon, const struct lease_record *lease,
                      const struct vm_record *vm, const struct vm_observation *observed,
                      int64_t now)
{
    if (observed->history.host < 0 || move_seen(daemon, vm, observed, now) ||
        observed->history.host == vm->host)
        return;
    if (vm->ran || vm->host >= 0)
        store_history(daemon->store, lease->id, now, "moved", "VM %d %s host %d, not on %d", vm->id,
                      observed_running(observed) ? "runs on" : "is on", observed->history.host,
                      vm->host);
    vm_seen_on(daemon->store, vm, observed->history.host);
    vm_note_moved(daemon->store, vm);
    daemon_replan(daemon, "VM %d is on host %d", vm->id, vm->host);
}

/* The lease's promise no longer covers its size: the additional room is decided after the promises
 * to other leases. Its owner's rights may not cover the new size either. */
static void ask_for_more(struct daemon *daemon, const struct lease_record *lease,
                         const struct vm_record *vm, int64_t now)
{
    if (lease_can(lease, EVENT_GREW))
        lease_apply(daemon->store, lease, EVENT_GREW, now, "VM %d by a user or operator", vm->id);
    intake_check_size(daemon, lease, now);
}

static void note_size(struct daemon *daemon, const struct lease_record *lease,
                      const struct vm_record *vm, const struct vm_observation *observed,
                      int64_t now)
{
    bool grew = observed->cpu > vm->cpu || observed->memory > vm->memory;

    if (observed->cpu == vm->cpu && observed->memory == vm->memory)
        return;
    vm_seen_size(daemon->store, vm, observed->cpu, observed->memory);
    if (grew && !lease_has_begun(lease))
        ask_for_more(daemon, lease, vm, now);
    daemon_replan(daemon, "VM %d was resized", vm->id);
}

static void note_lock(struct daemon *daemon, const struct vm_record *vm,
                      const struct vm_observation *observed)
{
    if (vm->locked && !observed->locked) {
        if (vm->goal == GOAL_NONE)
            daemon_replan(daemon, "VM %d was unlocked", vm->id);
        vm_retry_at(daemon->store, vm, INSTANT_NONE);
    }
    if (vm->locked != observed->locked)
        vm_note_locked(daemon->store, vm, observed->locked);
}

static void note_running(struct daemon *daemon, const struct lease_record *lease,
                         const struct vm_record *vm, const struct vm_observation *observed,
                         int64_t now)
{
    note_move(daemon, lease, vm, observed, now);
    if (vm->ran && !vm->suspended_by_us && vm->attempts == 0)
        return;
    if (vm->goal == GOAL_STOP || vm->goal == GOAL_END)
        return;
    if (quarantine_clear(&daemon->quarantine, observed->history.host))
        daemon_replan(daemon, "host %d works again", observed->history.host);
    vm_seen_running(daemon->store, vm);
}

/* Finished operations improve the estimates. */
static void learn(struct daemon *daemon, const struct vm_record *vm, enum vm_status status,
                  const struct vm_observation *observed)
{
    if (status == STATUS_PREEMPTED) {
        if (learned_suspended(daemon->learned, vm->id, observed->asked))
            log_debug("the estimate of a suspension changed");
    } else if (status == STATUS_RUNNING) {
        if (learned_running(daemon->learned, vm->id, observed->asked))
            log_debug("the estimate of a start changed");
    } else if (status != STATUS_IN_TRANSITION) {
        learned_forget(daemon->learned, vm->id);
    }
}

/* Since when the VM has been running, by our clock; 0: unknown. Noted if it is new. */
static int64_t running_since(struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_record *vm, const struct vm_observation *observed,
                             int64_t now)
{
    const struct vm_history *history = &observed->history;
    int64_t told = vm->since_told, since;

    if (vm->boot_failed && observed->has_times && history->rstime > 0) {
        since = vm->boot_failed == history->rstime ? now : 0;
        leave_out_failed_boot(daemon, vm, history, now + daemon->clocks.ahead);
        if (since && vm->since_told != history->rstime)
            vm_note_since(daemon->store, vm, since, history->rstime);
    }
    since = clocks_running_since(daemon, lease, vm, observed);
    if (since != 0 && vm->since_told != told)
        vm_seen_staying(daemon->store, vm, history->host, since);
    return since;
}

/* Without the records before its move, its whole time would seem to be left. If its end has come,
 * it may have been stopped meanwhile, and must not be ended before they are read. */
static bool runs_on(const struct lease_record *lease, const struct vm_record *vm,
                    const struct vm_observation *observed, int64_t now)
{
    return lease->phase == PHASE_RUNNING && lease->end > now && has_missed_records(vm, observed);
}

static void count_start(const struct vm_record *vm, int64_t since, struct vm_statuses *statuses)
{
    int64_t later = (since - vm->ran_for) - (statuses->since - statuses->ran_before);

    statuses->has_untimed = statuses->has_untimed || since == 0;
    if (statuses->since && (later < 0 || (later == 0 && since >= statuses->since)))
        return;
    statuses->since = since;
    statuses->ran_before = vm->ran_for;
}

/* A VM that OpenNebula has, in whatever state. */
static void note_present(struct daemon *daemon, const struct lease_record *lease,
                         const struct vm_record *vm, const struct vm_observation *observed,
                         int64_t now)
{
    vm_command_over(daemon->store, vm); /* the command's effect can now be observed */
    vm_seen_created(daemon->store, vm, observed->created);
    note_size(daemon, lease, vm, observed, now);
    move_adopt(daemon, vm, observed, now);
    move_see_resched(daemon, vm, observed);
    note_lock(daemon, vm, observed);
    if (observed->state == VM_BOOT_FAILED && observed->has_times)
        vm_note_boot_failed(daemon->store, vm, observed->history.rstime);
    count_running_time(daemon, vm, observed);
}

void reconcile_observe_vm(struct daemon *daemon, const struct lease_record *lease,
                          const struct vm_record *vm, int64_t now, struct vm_statuses *statuses)
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);
    enum vm_status status = reconcile_vm_status(daemon, vm, observed);
    int32_t counted = vm->sequence;

    if (status == STATUS_GONE && !vm->gone && reconcile_is_another(vm, observed)) {
        statuses->of[STATUS_GONE]++;
        statuses->lost = true;
        note_gone(daemon, lease, vm, observed, now);
        return;
    }
    if (status == STATUS_GONE && !vm->gone && waits_for_records(vm, observed)) {
        world_read_history(daemon->world, vm->id);
        status = STATUS_UNKNOWN;
    }
    statuses->of[status]++;
    if (status != STATUS_GONE)
        statuses->n++;
    if (status == STATUS_STOPPED_BY_USER && vm->ran) {
        statuses->off++;
        if (lease->phase == PHASE_RUNNING && observed->since > planner_built(daemon->planner))
            daemon_replan(daemon, "VM %d was stopped by its user", vm->id);
    }
    if (status == STATUS_UNKNOWN)
        return;
    learn(daemon, vm, status, observed);
    if (status == STATUS_GONE) {
        if (!vm->gone) {
            count_last_record(daemon, vm, observed, statuses);
            statuses->lost |= observed->lost;
            note_gone(daemon, lease, vm, observed, now);
        }
        return;
    }
    note_present(daemon, lease, vm, observed, now);
    if (status == STATUS_RUNNING) {
        note_running(daemon, lease, vm, observed, now);
        count_start(
            vm,
            runs_on(lease, vm, observed, now) ? 0 : running_since(daemon, lease, vm, observed, now),
            statuses);
        return;
    }
    if (vm->sequence != counted && observed->history.retime > 0)
        vm_seen_leaving(daemon->store, vm, clocks_ours(daemon, observed->history.retime));
    if (status == STATUS_STOPPED_BY_USER && !observed_in_transition(observed))
        note_move(daemon, lease, vm, observed, now);
}
