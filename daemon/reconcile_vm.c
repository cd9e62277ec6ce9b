#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/daemon.h"
#include "daemon/estimates.h"
#include "daemon/log.h"
#include "daemon/moves.h"
#include "daemon/reconcile_inside.h"

enum standing reconcile_standing(const struct daemon *daemon, const struct book_vm *vm,
                                 const struct sight *sight)
{
    if (vm->gone)
        return STANDS_GONE;
    if (!sight || vm->in_flight || sight->asked <= vm->settled)
        return STANDS_UNKNOWN;
    if (!sight->present || sight->missing >= MISSING_MEANS_GONE)
        return STANDS_GONE;
    if (sight->state == VM_PENDING)
        return STANDS_PENDING;
    if (sight->state == VM_HOLD)
        return daemon->live->submit_on_hold && vm->goal != GOAL_HOLD && !vm->ran
                   ? STANDS_PENDING
                   : STANDS_THEIR_STOP;
    if (sight_running(sight))
        return STANDS_RUNNING;
    if (sight_failed(sight))
        return STANDS_FAILED;
    if (sight->state == VM_ACTIVE || sight->state == VM_INIT || sight->state == VM_CLONING)
        return STANDS_MOVING;
    if (vm->ours && (sight->state == VM_STOPPED || sight->state == VM_SUSPENDED))
        return STANDS_OUR_STOP;
    return STANDS_THEIR_STOP;
}

/* --- one VM ----------------------------------------------------------------------------------- */

static void record_closed(struct book_vm *vm)
{
    vm->skew_open = 0;
    vm->since_told = SINCE_NOT;
}

/* Somebody had the VM made anew: its lease gets its whole time again. */
static void count_nothing(struct daemon *daemon, struct book_vm *vm, int32_t sequence)
{
    if (vm->sequence == sequence && !vm->ran_for && !vm->skew)
        return;
    vm->sequence = sequence;
    vm->ran_for = vm->skew = 0;
    record_closed(vm);
    book_mark_vm(daemon->book, vm);
}

/* Running time comes from OpenNebula's own history: closed records count once. */
static void count_running_time(struct daemon *daemon, struct book_vm *vm, const struct sight *sight)
{
    const struct vm_history *history = &sight->history;

    if (history->sequence < 0 || !sight->has_times)
        return;
    if (history->action == VM_ACTION_RECREATE) {
        count_nothing(daemon, vm, history->sequence);
        return;
    }
    if (history->sequence > vm->sequence + 1 && sight->n_records <= history->sequence) {
        world_read_history(daemon->world, vm->id); /* records were missed */
        return;
    }
    if (sight->n_records > history->sequence && sight->n_records > 1) {
        int64_t closed = history->retime > 0 ? history->sequence : history->sequence - 1;

        if (closed > vm->sequence) {
            vm->sequence = (int32_t)closed;
            vm->ran_for = sight->ran_for - vm->skew;
            record_closed(vm);
            book_mark_vm(daemon->book, vm);
        }
        return;
    }
    if (history->sequence == vm->sequence + 1 && history->rstime > 0 && history->retime > 0) {
        vm->sequence = history->sequence;
        vm->ran_for += history->retime - history->rstime - vm->skew_open;
        record_closed(vm);
        book_mark_vm(daemon->book, vm);
    }
}

static void note_gone(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                      int64_t now)
{
    vm->gone = true;
    vm->goal = GOAL_NONE;
    book_mark_vm(daemon->book, vm);
    if (lease->phase != PHASE_ENDING && !(lease->phase == PHASE_REFUSED))
        book_history(daemon->book, lease->id, now, "vm-gone", "VM %d is no longer there", vm->id);
    daemon_wake(daemon);
}

static void note_move(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                      const struct sight *sight, int64_t now)
{
    if (sight->history.host < 0 || move_seen(daemon, vm, sight, now) ||
        sight->history.host == vm->host)
        return;
    if (vm->ran || vm->host >= 0)
        book_history(daemon->book, lease->id, now, "moved", "VM %d runs on host %d, not on %d",
                     vm->id, sight->history.host, vm->host);
    vm->host = sight->history.host;
    book_mark_vm(daemon->book, vm);
    daemon_replan(daemon, "VM %d is on host %d", vm->id, vm->host);
}

static void note_size(struct daemon *daemon, struct book_vm *vm, const struct sight *sight)
{
    if (sight->cpu == vm->cpu && sight->memory == vm->memory)
        return;
    vm->cpu = sight->cpu;
    vm->memory = sight->memory;
    book_mark_vm(daemon->book, vm);
    daemon_replan(daemon, "VM %d was resized", vm->id);
}

static void note_lock(struct daemon *daemon, struct book_vm *vm, const struct sight *sight)
{
    if (vm->locked && !sight->locked) {
        if (vm->goal == GOAL_NONE)
            daemon_replan(daemon, "VM %d was unlocked", vm->id);
        if (vm->next_try != INSTANT_NONE) {
            vm->next_try = INSTANT_NONE;
            book_mark_vm(daemon->book, vm);
        }
    }
    vm->locked = sight->locked;
}

static void note_running(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                         const struct sight *sight, int64_t now)
{
    note_move(daemon, lease, vm, sight, now);
    if (vm->ran && !vm->ours && vm->attempts == 0)
        return;
    if (vm->goal == GOAL_STOP || vm->goal == GOAL_END)
        return;
    if (troubles_clear(&daemon->troubles, sight->history.host))
        daemon_replan(daemon, "host %d works again", sight->history.host);
    vm->ran = true;
    vm->ours = false;
    vm->attempts = 0;
    vm->next_try = INSTANT_NONE;
    book_mark_vm(daemon->book, vm);
}

/* Operations that have ended tell how long such ones take. */
static void learn(struct daemon *daemon, const struct book_vm *vm, enum standing standing,
                  const struct sight *sight)
{
    if (standing == STANDS_OUR_STOP) {
        if (estimates_suspended(daemon->estimates, vm->id, sight->asked))
            log_debug("suspending a VM takes another time than was thought");
    } else if (standing == STANDS_RUNNING) {
        if (estimates_running(daemon->estimates, vm->id, sight->asked))
            log_debug("starting a VM takes another time than was thought");
    } else if (standing != STANDS_MOVING) {
        estimates_forget(daemon->estimates, vm->id);
    }
}

void reconcile_observe_vm(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                          int64_t now, struct standings *standings)
{
    const struct sight *sight = world_sight(daemon->world, vm->id);
    enum standing standing = reconcile_standing(daemon, vm, sight);
    int64_t since;

    standings->of[standing]++;
    if (standing != STANDS_GONE)
        standings->n++;
    if (standing == STANDS_UNKNOWN)
        return;
    learn(daemon, vm, standing, sight);
    if (standing == STANDS_GONE) {
        if (!vm->gone)
            note_gone(daemon, lease, vm, now);
        return;
    }
    if (vm->command[0]) {
        vm->command[0] = '\0'; /* what became of it can be seen now */
        book_mark_vm(daemon->book, vm);
    }
    note_size(daemon, vm, sight);
    move_adopt(daemon, vm, sight, now);
    note_lock(daemon, vm, sight);
    count_running_time(daemon, vm, sight);
    if (standing == STANDS_RUNNING) {
        note_running(daemon, lease, vm, sight, now);
        since = clocks_running_since(daemon, lease, vm, sight);
        if (since > standings->since)
            standings->since = since;
    }
}
