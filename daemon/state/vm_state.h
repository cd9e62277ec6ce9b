/* vm_state.h: the owner of a VM's record: its goal, its host, its last command and the outcome.
 *
 * vm_set_goal() is the only function that changes a goal; lease_apply() sets the goals of all VMs
 * of a lease. Functions named vm_note_ change only fields that are not stored. Times are seconds
 * since 1970 unless noted otherwise. A record passed in must be in the store. Each function is
 * O(1).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/store.h"

/* --- goals and hosts -------------------------------------------------------------------------- */

/* Set the VM's goal. Failed attempts to run the VM count until it runs; a goal other than RUN or
 * NONE resets them. */
void vm_set_goal(struct store *store, const struct vm_record *vm, enum vm_goal goal);

/* The VM is on that host, or planned to be; its planned move is dropped. */
void vm_place(struct store *store, const struct vm_record *vm, int32_t host);
/* The VM starts on that host instead of the one where it failed, without a pause. */
void vm_relocate(struct store *store, const struct vm_record *vm, int32_t host);
void vm_take_datastore(struct store *store, const struct vm_record *vm, int32_t datastore);
/* No command is sent to the VM before `at`; INSTANT_NONE: no limit. */
void vm_retry_at(struct store *store, const struct vm_record *vm, int64_t at);
/* The VM is not placed on that host before `until`. Only the latest few hosts are kept. */
void vm_avoid_host(struct store *store, const struct vm_record *vm, int32_t host, int64_t until);
void vm_stop_avoiding(struct store *store, const struct vm_record *vm, int32_t host);

/* --- moves ------------------------------------------------------------------------------------ */

static inline bool vm_moves(const struct vm_record *vm)
{
    return vm->move != MOVE_NONE && (vm->goal == GOAL_RUN || vm->goal == GOAL_NONE);
}

/* The host that the VM is planned to run on. */
static inline int32_t vm_planned_host(const struct vm_record *vm)
{
    return vm_moves(vm) ? vm->move_to : vm->host;
}

/* Plan to migrate the VM, which runs on its host, to another one. */
void vm_plan_move(struct store *store, const struct vm_record *vm, int32_t to, enum move_kind kind);
/* The VM is already migrating to that host. */
void vm_moves_to(struct store *store, const struct vm_record *vm, int32_t to, bool cold);
/* The VM's move has ended, or was dropped. */
void vm_end_move(struct store *store, const struct vm_record *vm);

/* An operator wants the VM on another host, or no longer wants that. */
void vm_note_resched(struct store *store, const struct vm_record *vm, bool resched);
/* Rebalancing wants the VM on that host; -1: no longer. */
void vm_want_on(struct store *store, const struct vm_record *vm, int32_t host);
/* A commanded migration failed: no further one before `again`, and no live one. */
void vm_note_move_failed(struct store *store, const struct vm_record *vm, int64_t again);
/* The VM is on another host: the records of its required move are cleared. */
void vm_note_moved(struct store *store, const struct vm_record *vm);

/* --- commands --------------------------------------------------------------------------------- */

/* A command is about to be sent. */
void vm_command(struct store *store, const struct vm_record *vm, enum command command, int64_t at);
/* The command is not sent after all: nothing remains of it. */
void vm_command_withdrawn(struct store *store, const struct vm_record *vm);
/* The VM was observed after the answer to the command. The command stays the VM's last one. */
void vm_command_over(struct store *store, const struct vm_record *vm);
/* The VM's last command had its effect: another command, or none, is due. */
void vm_note_effect(struct store *store, const struct vm_record *vm);
/* The VM's last command had no effect: it is sent again at `again`. */
void vm_command_in_vain(struct store *store, const struct vm_record *vm, int64_t again);
void vm_note_sent(struct store *store, const struct vm_record *vm);
/* A command also removes the VM's lock; or the VM starts again, and its owner no longer needs to be
 * notified. */
void vm_set_unlocked(struct store *store, const struct vm_record *vm, bool unlocked);
/* The command was answered at `at` (monotonic milliseconds): observations requested earlier are
 * ignored. */
void vm_note_answered(struct store *store, const struct vm_record *vm, int64_t at);
/* OpenNebula accepted the command. `sequence`: the VM's last history record as observed. */
void vm_command_accepted(struct store *store, const struct vm_record *vm, int32_t sequence);
/* OpenNebula could not be reached: retried at `again`. */
void vm_command_unsent(struct store *store, const struct vm_record *vm, int64_t again);
/* The command was refused because the VM had changed state: retried at `again`. */
void vm_command_too_late(struct store *store, const struct vm_record *vm, int64_t again);
/* The command was refused: retried at `again`. Counts as an attempt of the VM, or separately if
 * `others_fault`. */
void vm_command_refused(struct store *store, const struct vm_record *vm, bool others_fault,
                        int64_t again);
/* The VM failed in that history record: it is not placed again before `pause`, nor, if it ran
 * before, sent commands. */
void vm_failed(struct store *store, const struct vm_record *vm, int32_t number, int64_t pause);
/* The VM has been waiting for room on its host since `since`, monotonic milliseconds. */
void vm_note_blocked(struct store *store, const struct vm_record *vm, int64_t since);

/* --- what was observed ------------------------------------------------------------------------ */

void vm_seen_gone(struct store *store, const struct vm_record *vm);
void vm_seen_running(struct store *store, const struct vm_record *vm);
/* As vm_seen_running(), for a VM that is being ended: keeps the attempts counted for its goal. */
void vm_seen_to_have_run(struct store *store, const struct vm_record *vm);
void vm_seen_on(struct store *store, const struct vm_record *vm, int32_t host);
/* For records of older versions of Galerna, which have no time. */
void vm_seen_created(struct store *store, const struct vm_record *vm, int64_t created);
void vm_seen_size(struct store *store, const struct vm_record *vm, int64_t cpu, int64_t memory);
void vm_note_locked(struct store *store, const struct vm_record *vm, bool locked);
/* The VM has been in an overdue operation since `since`; 0: it is not. */
void vm_note_stuck(struct store *store, const struct vm_record *vm, int64_t since);

/* The VM's history up to that record is closed. The VM ran for that many seconds, in total by
 * oned's account, or in that record alone (vm_add_ran()). */
void vm_set_ran(struct store *store, const struct vm_record *vm, int32_t sequence, int64_t seconds);
void vm_add_ran(struct store *store, const struct vm_record *vm, int32_t sequence, int64_t seconds);
/* An operator recreated the VM: its run time before that record does not count. */
void vm_count_nothing(struct store *store, const struct vm_record *vm, int32_t sequence);
/* The VM's open record began at `since` by our clock, and at `told` by oned's. */
void vm_note_since(struct store *store, const struct vm_record *vm, int64_t since, int64_t told);
/* The boot of the open record, which began at `told` by oned's clock, failed; 0: it runs, or is
 * over. */
void vm_note_boot_failed(struct store *store, const struct vm_record *vm, int64_t told);
/* The VM ran on that host from `from` on, and no longer runs. */
void vm_seen_staying(struct store *store, const struct vm_record *vm, int32_t host, int64_t from);
void vm_seen_leaving(struct store *store, const struct vm_record *vm, int64_t until);

/* --- clocks ----------------------------------------------------------------------------------- */

/* That many seconds of the VM's open record do not count: oned's clock was set by them, or other
 * VMs of the lease did not run. */
void vm_skew(struct store *store, const struct vm_record *vm, int64_t by);
/* Our clock was set by `by` seconds. */
void vm_move_times(struct store *store, const struct vm_record *vm, int64_t by);

/* --- SCHED_MESSAGE ---------------------------------------------------------------------------- */

/* A message is sent at `at`, with the lease's reason and expected start. */
void vm_note_message_sent(struct store *store, const struct vm_record *vm,
                          const struct lease_record *lease, int64_t at);
/* The message was answered at `at` (monotonic milliseconds). */
void vm_note_message_answered(struct store *store, const struct vm_record *vm, int64_t at);
void vm_note_message_written(struct store *store, const struct vm_record *vm, bool written);
/* The message shown in OpenNebula. */
void vm_has_message(struct store *store, const struct vm_record *vm, const char *text,
                    enum message_kind kind);

/* --- GALERNA and GALERNA_PROMISE -------------------------------------------------------------- */

/* The request in the VM's attribute has been handled. */
void vm_has_asked(struct store *store, const struct vm_record *vm, const char *asked);
/* The VM's promise in OpenNebula has that number and digest (0: it has ended). */
void vm_has_promise(struct store *store, const struct vm_record *vm, int64_t number,
                    int64_t digest);
/* The promise with that promise_stamp() is about to be written. */
void vm_sends_promise(struct store *store, const struct vm_record *vm, int64_t stamp);
/* OpenNebula refused to write the promise with that number. */
void vm_note_promise_refused(struct store *store, const struct vm_record *vm, int64_t number);
/* What is known of the last promise: got no answer, was read since, or OpenNebula shows another
 * one, or one of a newer galernad. */
void vm_note_promise(struct store *store, const struct vm_record *vm, enum promise_state state);
/* Restore from the VM's promise whether the VM was suspended to make room, and how long it ran up
 * to that history record. */
void vm_restore(struct store *store, const struct vm_record *vm, bool suspended, int32_t sequence,
                int64_t ran_for);
