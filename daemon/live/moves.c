/* Follows VMs that change hosts. */
#include "daemon/live/moves.h"

#include "daemon/base/log.h"
#include "daemon/base/pause.h"
#include "daemon/live/daemon.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

#define LOG_SUBSYSTEM LOG_OF_COMMANDS

enum { AVOID_AFTER_MOVE = 600 /* seconds without further attempts to move the VM to a host */ };

enum command move_command(const struct vm_record *vm, const struct vm_observation *observed)
{
    /* A VM in state UNKNOWN may still run: only its operator knows that it can boot elsewhere. */
    bool runs = observed->state == VM_RUNNING || (observed->state == VM_UNKNOWN && vm->resched);
    bool is_off = observed->state == VM_POWEROFF || observed->state == VM_SUSPENDED;

    if (!vm_moves(vm) || vm->move_sent || !(is_off || (runs && vm->goal == GOAL_RUN)) ||
        observed->history.host != vm->host || vm->host == vm->move_to)
        return COMMAND_NONE;
    if (!runs || vm->move == MOVE_COLD)
        return COMMAND_MIGRATE;
    return vm->move == MOVE_LIVE ? COMMAND_LIVE_MIGRATE : COMMAND_POWEROFF_MIGRATE;
}

int32_t move_other_host(const struct vm_record *vm, const struct vm_observation *observed)
{
    if (!vm || !vm_moves(vm) || !vm->move_sent)
        return -1;
    return observed->history.host == vm->move_to ? vm->host : vm->move_to;
}

void move_see_resched(struct daemon *daemon, const struct vm_record *vm,
                      const struct vm_observation *observed)
{
    bool moves = vm->resched && (vm_moves(vm) || vm->move_failures);

    /* oned removes the mark some time after it has written the new history record. */
    if (vm->resched_met && !observed->resched)
        vm_note_resched(daemon->store, vm, false);
    if ((vm->resched || vm->resched_met) == observed->resched || moves)
        return;
    vm_note_resched(daemon->store, vm, observed->resched);
    daemon_replan(daemon, "VM %d is %s to be rescheduled", vm->id, vm->resched ? "" : "not ");
}

/* The move is retried if the VM must leave its host, as a cold move if it was live; after
 * retry-limit failures an operator has to mark the VM again. */
static void abandon(struct daemon *daemon, const struct vm_record *vm, const char *why, int64_t now)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);
    bool leaves = lease && store_is_leaving(lease);

    store_history(daemon->store, vm->lease, now, "move-failed", "VM %d stays on host %d: %s",
                  vm->id, vm->host, why);
    log_warning_of(vm->lease, vm->id, "VM %d of lease %lld was not moved to host %d: %s", vm->id,
                   (long long)vm->lease, vm->move_to, why);
    if (!leaves || vm->wanted || vm->move != MOVE_LIVE)
        vm_avoid_host(daemon->store, vm, vm->move_to, now + AVOID_AFTER_MOVE);
    vm_note_move_failed(daemon->store, vm,
                        now + pause_doubled(daemon->live->retry_backoff, vm->move_failures + 1));
    if (vm->wanted) /* it stays; the next plan to rebalance avoids that host */
        vm_want_on(daemon->store, vm, -1);
    if (vm->move_failures >= daemon->live->retry_limit)
        vm_note_resched(daemon->store, vm, false);
    daemon_replan(daemon, "VM %d was not moved to host %d", vm->id, vm->move_to);
    vm_end_move(daemon->store, vm);
}

static void arrived(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);

    store_history(daemon->store, vm->lease, now, "moved", "VM %d %s host %d now", vm->id,
                  vm->goal == GOAL_RUN ? "runs on" : "is on", vm->move_to);
    vm_place(daemon->store, vm, vm->move_to);
    vm_end_move(daemon->store, vm);
    vm_note_moved(daemon->store, vm);
    if (lease && store_moves_away(lease))
        lease_forget_preemption(daemon->store, lease);
    if (lease && store_is_leaving(lease))
        daemon_replan(daemon, "VM %d has left its host", vm->id);
}

void move_adopt(struct daemon *daemon, const struct vm_record *vm,
                const struct vm_observation *observed, int64_t now)
{
    if (vm->goal != GOAL_RUN || vm_moves(vm) || !observed_migrates(observed) || vm->host < 0 ||
        observed->history.host < 0 || observed->history.host == vm->host)
        return;
    vm_moves_to(daemon->store, vm, observed->history.host, observed->state != VM_LIVE_MIGRATING);
    store_history(daemon->store, vm->lease, now, "moving",
                  "VM %d is on its way from host %d to host %d", vm->id, vm->host, vm->move_to);
    daemon_replan(daemon, "VM %d is on its way to host %d", vm->id, vm->move_to);
}

bool move_seen(struct daemon *daemon, const struct vm_record *vm,
               const struct vm_observation *observed, int64_t now)
{
    if (!vm_moves(vm))
        return false;
    if (observed->state == VM_LIVE_MIGRATING)
        return true; /* the VM runs, and occupies both hosts */
    if (observed->history.host == vm->move_to) {
        arrived(daemon, vm, now);
        return true;
    }
    if (observed->history.host == vm->host && vm->move_sent) {
        abandon(daemon, vm, "OpenNebula did not migrate it", now);
        return true;
    }
    if (observed->history.host != vm->host)
        vm_end_move(daemon->store, vm);
    return false;
}

void move_refused(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    if (vm->move != MOVE_NONE && vm->move_sent)
        abandon(daemon, vm, "OpenNebula refused to migrate it", now);
}
