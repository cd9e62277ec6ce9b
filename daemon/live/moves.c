#include "daemon/live/moves.h"

#include "daemon/daemon.h"
#include "daemon/live/vm_state.h"
#include "daemon/log.h"

enum { AVOID_AFTER_MOVE = 600 /* seconds: a host that a VM could not be moved to */ };

enum command move_command(const struct vm_record *vm, const struct vm_observation *observed)
{
    if (!vm_moves(vm) || vm->move_sent || observed->state != VM_RUNNING ||
        observed->history.host != vm->host || vm->host == vm->move_to)
        return COMMAND_NONE;
    return vm->move == MOVE_LIVE ? COMMAND_LIVE_MIGRATE : COMMAND_MIGRATE;
}

int32_t move_other_host(const struct vm_record *vm, const struct vm_observation *observed)
{
    if (!vm || !vm_moves(vm) || !vm->move_sent)
        return -1;
    return observed->history.host == vm->move_to ? vm->host : vm->move_to;
}

static void give_up(struct daemon *daemon, const struct vm_record *vm, const char *why, int64_t now)
{
    store_history(daemon->store, vm->lease, now, "move-failed", "VM %d stays on host %d: %s",
                  vm->id, vm->host, why);
    log_warning("VM %d of lease %lld was not moved to host %d: %s", vm->id, (long long)vm->lease,
                vm->move_to, why);
    vm_avoid_host(daemon->store, vm, vm->move_to, now + AVOID_AFTER_MOVE);
    daemon_replan(daemon, "VM %d was not moved to host %d", vm->id, vm->move_to);
    vm_end_move(daemon->store, vm);
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
        return true; /* the VM runs, and holds room on both hosts */
    if (observed->history.host == vm->move_to) {
        store_history(daemon->store, vm->lease, now, "moved",
                      "VM %d runs on host %d now, as planned", vm->id, vm->move_to);
        vm_place(daemon->store, vm, vm->move_to);
        vm_end_move(daemon->store, vm);
        return true;
    }
    if (observed->history.host == vm->host && vm->move_sent) {
        give_up(daemon, vm, "OpenNebula did not migrate it", now);
        return true;
    }
    if (observed->history.host != vm->host)
        vm_end_move(daemon->store, vm);
    return false;
}

void move_refused(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    if (vm->move != MOVE_NONE && vm->move_sent)
        give_up(daemon, vm, "OpenNebula refused to migrate it", now);
}
