/* vm_state.h: the owner of a VM's record: its goal, where it is to be, what was commanded, what
 * became of it.
 *
 * vm_set_goal() is the only function that changes a goal; lease_apply() gives all VMs of a lease
 * theirs. Functions named vm_note_ change only what is not stored. Times are seconds since 1970
 * unless said otherwise. A record that is passed in must be in the store. Each is O(1).
 */
#ifndef GALERNA_DAEMON_VM_STATE_H
#define GALERNA_DAEMON_VM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/store.h"

/* --- what is to be done ----------------------------------------------------------------------- */

/* What has to be done with it. Failed attempts at running it count until it runs; a new goal of
 * another kind begins with none. */
void vm_set_goal(struct store *store, const struct vm_record *known, enum vm_goal goal);

/* It is to be, or planned to be, on that host; a planned move is forgotten. */
void vm_place(struct store *store, const struct vm_record *known, int32_t host);
/* It starts on that host instead of the one where it failed, at once. */
void vm_relocate(struct store *store, const struct vm_record *known, int32_t host);
void vm_take_datastore(struct store *store, const struct vm_record *known, int32_t datastore);
/* It is not commanded before then; INSTANT_NONE: at any time. */
void vm_retry_at(struct store *store, const struct vm_record *vm, int64_t at);
/* It is not placed on that host before then. The oldest of a few is forgotten. */
void vm_avoid_host(struct store *store, const struct vm_record *known, int32_t host, int64_t until);
void vm_stop_avoiding(struct store *store, const struct vm_record *known, int32_t host);

/* --- moves ------------------------------------------------------------------------------------ */

/* It runs on its host and is to go on on another. */
void vm_plan_move(struct store *store, const struct vm_record *known, int32_t to, bool cold);
/* It is on its way to another host already. */
void vm_moves_to(struct store *store, const struct vm_record *known, int32_t to, bool cold);
/* Its move is over, or forgotten. */
void vm_end_move(struct store *store, const struct vm_record *known);

/* --- commands --------------------------------------------------------------------------------- */

/* A command is about to be sent. */
void vm_command(struct store *store, const struct vm_record *known, enum command command,
                int64_t at);
/* It is not sent after all, or nothing more is expected of it. */
void vm_command_over(struct store *store, const struct vm_record *known);
void vm_note_sent(struct store *store, const struct vm_record *vm);
/* Its answer came, at `at` (monotonic milliseconds): what was asked before says nothing. */
void vm_note_answered(struct store *store, const struct vm_record *known, int64_t at);
/* OpenNebula accepted it. `sequence`: of its last history record as seen. */
void vm_command_accepted(struct store *store, const struct vm_record *known, int32_t sequence);
/* OpenNebula could not be reached: again at `again`. */
void vm_command_unsent(struct store *store, const struct vm_record *known, int64_t again);
/* It was refused because the VM was in another state: again at `again`. */
void vm_command_too_late(struct store *store, const struct vm_record *known, int64_t again);
/* It was refused and counts, as an attempt of the VM's or (`others_fault`) apart: again at `again`.
 */
void vm_command_refused(struct store *store, const struct vm_record *known, bool others_fault,
                        int64_t again);
/* It failed in that history record: commanded again not before `again` if it ran, placed again not
 * before `pause`. */
void vm_failed(struct store *store, const struct vm_record *known, int32_t record, int64_t pause);
/* It waits for room on its host since then, monotonic milliseconds. */
void vm_note_blocked(struct store *store, const struct vm_record *vm, int64_t since);

/* --- what is seen ----------------------------------------------------------------------------- */

void vm_seen_gone(struct store *store, const struct vm_record *vm);
void vm_seen_running(struct store *store, const struct vm_record *known);
/* The same of one that is being ended: its goal's attempts stay. */
void vm_seen_to_have_run(struct store *store, const struct vm_record *vm);
void vm_seen_on(struct store *store, const struct vm_record *known, int32_t host);
void vm_seen_size(struct store *store, const struct vm_record *known, int64_t cpu, int64_t memory);
void vm_note_locked(struct store *store, const struct vm_record *vm, bool locked);

/* Its history up to that record is closed: it ran so many seconds in all by oned's account, or in
 * that record alone (vm_add_ran()). */
void vm_set_ran(struct store *store, const struct vm_record *known, int32_t sequence,
                int64_t seconds);
void vm_add_ran(struct store *store, const struct vm_record *known, int32_t sequence,
                int64_t seconds);
/* An operator recreated it: what ran before that record does not count. */
void vm_count_nothing(struct store *store, const struct vm_record *known, int32_t sequence);
/* Its open record began then, by our clock and as oned tells. */
void vm_note_since(struct store *store, const struct vm_record *known, int64_t since, int64_t told);

/* --- clocks ----------------------------------------------------------------------------------- */

/* oned's clock was set by so many seconds while its record was open. */
void vm_skew(struct store *store, const struct vm_record *known, int64_t by);
/* Our clock was set by so many seconds. */
void vm_move_times(struct store *store, const struct vm_record *known, int64_t by);

/* --- its message ------------------------------------------------------------------------------ */

/* A message is sent at `at`; it tells the lease's reason and expected start. */
void vm_note_message_sent(struct store *store, const struct vm_record *known,
                          const struct lease_record *lease, int64_t at);
/* The answer came, at `at` (monotonic milliseconds). */
void vm_note_message_answered(struct store *store, const struct vm_record *known, int64_t at);
/* What stands in OpenNebula. */
void vm_has_message(struct store *store, const struct vm_record *known, const char *text);

#endif
