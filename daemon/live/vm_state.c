/* The owner of a VM's record. */
#include "daemon/live/vm_state.h"

#include "daemon/store/change.h"
#include "util/instant.h"

/* --- goals and hosts -------------------------------------------------------------------------- */

void vm_set_goal(struct store *store, const struct vm_record *known, enum vm_goal goal)
{
    struct vm_record *vm;

    if (known->goal == goal)
        return;
    vm = store_change_vm(store, known);
    vm->goal = goal;
    vm->promise_told = false;
    vm_note_effect(store, vm);
    if (goal == GOAL_NONE || goal == GOAL_RUN)
        return;
    vm->attempts = 0;
    vm->next_try = INSTANT_NONE;
}

void vm_place(struct store *store, const struct vm_record *known, int32_t host)
{
    struct vm_record *vm;

    store_note_vm(store, known)->move = MOVE_NONE;
    if (known->host == host)
        return;
    vm = store_change_vm(store, known);
    vm->host = host;
    vm->datastore = -1;
}

void vm_relocate(struct store *store, const struct vm_record *known, int32_t host)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->host = host;
    vm->datastore = -1;
    vm->pause_until = vm->next_try = INSTANT_NONE;
}

void vm_take_datastore(struct store *store, const struct vm_record *known, int32_t datastore)
{
    if (known->datastore != datastore)
        store_change_vm(store, known)->datastore = datastore;
}

void vm_retry_at(struct store *store, const struct vm_record *vm, int64_t at)
{
    if (vm->next_try != at)
        store_change_vm(store, vm)->next_try = at;
}

void vm_stop_avoiding(struct store *store, const struct vm_record *known, int32_t host)
{
    for (size_t i = 0; i < sizeof known->avoid / sizeof *known->avoid; i++)
        if (known->avoid[i] == host)
            store_change_vm(store, known)->avoid[i] = -1;
}

void vm_avoid_host(struct store *store, const struct vm_record *known, int32_t host, int64_t until)
{
    struct vm_record *vm;
    size_t n = sizeof vm->avoid / sizeof *vm->avoid, place = 0;

    if (host < 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (known->avoid[i] == host || known->avoid[i] < 0) {
            place = i;
            break;
        }
        if (known->avoid_until[i] < known->avoid_until[place])
            place = i;
    }
    vm = store_change_vm(store, known);
    vm->avoid[place] = host;
    vm->avoid_until[place] = until;
}

/* --- moves ------------------------------------------------------------------------------------ */

void vm_plan_move(struct store *store, const struct vm_record *known, int32_t to,
                  enum move_kind kind)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->move_to = to;
    vm->move = kind;
    vm->move_sent = false;
    vm->attempts = 0;
    vm->next_try = INSTANT_NONE;
}

void vm_moves_to(struct store *store, const struct vm_record *known, int32_t to, bool cold)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->move_to = to;
    vm->move = cold ? MOVE_COLD : MOVE_LIVE;
    vm->move_sent = true;
}

void vm_end_move(struct store *store, const struct vm_record *known)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->move = MOVE_NONE;
    vm->move_sent = false;
}

void vm_note_resched(struct store *store, const struct vm_record *vm, bool resched)
{
    store_note_vm(store, vm)->resched = resched;
    store_note_vm(store, vm)->resched_met = false;
}

void vm_want_on(struct store *store, const struct vm_record *known, int32_t host)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->wanted = host >= 0;
    vm->wanted_on = host;
}

void vm_note_move_failed(struct store *store, const struct vm_record *known, int64_t again)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->live_failed |= vm->move == MOVE_LIVE;
    vm->move_failures++;
    vm->move_again = again;
}

void vm_note_moved(struct store *store, const struct vm_record *known)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->last = COMMAND_NONE;
    vm->resched_met = vm->resched;
    vm->resched = vm->live_failed = false;
    vm->move_failures = 0;
    vm->move_again = 0;
}

/* --- commands --------------------------------------------------------------------------------- */

void vm_command(struct store *store, const struct vm_record *known, enum command command,
                int64_t at)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->command = command;
    vm->in_flight = true; /* from now on: observations made meanwhile do not show its effect */
    vm->sent = at;
    vm->blocked = 0;
    if (command_kinds[command].effect == EFFECT_SUSPEND)
        vm->suspended_by_us = true;
    vm->move_sent = command_kinds[command].load == LOADS_NEXT_HOST;
}

void vm_command_withdrawn(struct store *store, const struct vm_record *known)
{
    struct vm_record *vm;

    if (!known->command && !known->in_flight)
        return;
    vm = store_change_vm(store, known);
    vm->command = COMMAND_NONE;
    vm->in_flight = false;
}

void vm_command_over(struct store *store, const struct vm_record *known)
{
    if (known->command)
        store_note_vm(store, known)->last = known->command;
    vm_command_withdrawn(store, known);
}

void vm_note_effect(struct store *store, const struct vm_record *known)
{
    struct vm_record *vm;

    if (!known->last && !known->in_vain)
        return;
    vm = store_note_vm(store, known);
    vm->last = COMMAND_NONE;
    vm->in_vain = 0;
}

void vm_command_in_vain(struct store *store, const struct vm_record *known, int64_t again)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->last = COMMAND_NONE;
    vm->in_vain++;
    vm->next_try = again;
}

void vm_note_sent(struct store *store, const struct vm_record *vm)
{
    store_note_vm(store, vm)->in_flight = true;
}

void vm_note_answered(struct store *store, const struct vm_record *known, int64_t at)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->in_flight = false;
    vm->settled = at;
}

void vm_command_accepted(struct store *store, const struct vm_record *known, int32_t sequence)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->too_late = vm->refusals = 0;
    if (vm->command != COMMAND_RECREATE)
        return;
    vm = store_change_vm(store, known);
    vm->ran = false;
    vm->ran_for = 0; /* the work is lost */
    if (sequence > vm->sequence)
        vm->sequence = sequence;
    if (vm->goal == GOAL_AGAIN)
        vm_set_goal(store, vm, GOAL_NONE);
}

void vm_command_unsent(struct store *store, const struct vm_record *known, int64_t again)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->command = COMMAND_NONE;
    vm->move_sent = false;
    vm->next_try = again;
}

void vm_command_too_late(struct store *store, const struct vm_record *known, int64_t again)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->command = vm->last = COMMAND_NONE;
    vm->too_late++;
    vm->next_try = again;
}

void vm_command_refused(struct store *store, const struct vm_record *known, bool others_fault,
                        int64_t again)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->command = vm->last = COMMAND_NONE;
    if (others_fault)
        vm->refusals++;
    else
        vm->attempts++;
    vm->next_try = again;
}

void vm_failed(struct store *store, const struct vm_record *known, int32_t record, int64_t pause)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->failed_record = record;
    vm->attempts++;
    vm->next_try = vm->ran ? pause : INSTANT_NONE;
    vm->pause_until = pause;
}

void vm_note_blocked(struct store *store, const struct vm_record *vm, int64_t since)
{
    store_note_vm(store, vm)->blocked = since;
}

/* --- what was observed ------------------------------------------------------------------------ */

void vm_seen_gone(struct store *store, const struct vm_record *vm)
{
    store_change_vm(store, vm)->gone = true;
    vm_set_goal(store, vm, GOAL_NONE);
}

void vm_seen_running(struct store *store, const struct vm_record *known)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->ran = true;
    vm->suspended_by_us = false;
    vm->attempts = 0;
    vm->next_try = INSTANT_NONE;
}

void vm_seen_to_have_run(struct store *store, const struct vm_record *vm)
{
    store_change_vm(store, vm)->ran = true;
}

void vm_seen_on(struct store *store, const struct vm_record *known, int32_t host)
{
    struct vm_record *vm;

    if (known->host == host)
        return;
    vm = store_change_vm(store, known);
    vm->host = host;
}

void vm_seen_size(struct store *store, const struct vm_record *known, int64_t cpu, int64_t memory)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->cpu = cpu;
    vm->memory = memory;
}

void vm_set_unlocked(struct store *store, const struct vm_record *known, bool unlocked)
{
    if (known->unlocked != unlocked)
        store_change_vm(store, known)->unlocked = unlocked;
}

void vm_note_locked(struct store *store, const struct vm_record *vm, bool locked)
{
    store_note_vm(store, vm)->locked = locked;
}

void vm_note_stuck(struct store *store, const struct vm_record *vm, int64_t since)
{
    store_note_vm(store, vm)->stuck = since;
}

static void close_record(struct vm_record *vm, int32_t sequence)
{
    vm->sequence = sequence;
    vm->skew_open = 0;
    vm->since_told = SINCE_NOT;
}

void vm_set_ran(struct store *store, const struct vm_record *known, int32_t sequence,
                int64_t seconds)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->ran_for = seconds - vm->skew;
    close_record(vm, sequence);
}

void vm_add_ran(struct store *store, const struct vm_record *known, int32_t sequence,
                int64_t seconds)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->ran_for += seconds - vm->skew_open;
    close_record(vm, sequence);
}

void vm_count_nothing(struct store *store, const struct vm_record *known, int32_t sequence)
{
    struct vm_record *vm;

    if (known->sequence == sequence && !known->ran_for && !known->skew)
        return;
    vm = store_change_vm(store, known);
    vm->ran_for = vm->skew = 0;
    close_record(vm, sequence);
}

void vm_note_since(struct store *store, const struct vm_record *known, int64_t since, int64_t told)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->since = since;
    vm->since_told = told;
}

/* --- clocks ----------------------------------------------------------------------------------- */

void vm_skew(struct store *store, const struct vm_record *known, int64_t by)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->skew += by;
    vm->skew_open += by;
}

void vm_move_times(struct store *store, const struct vm_record *known, int64_t by)
{
    struct vm_record *vm = store_change_vm(store, known);

    instant_move(&vm->sent, by);
    instant_move(&vm->next_try, by);
    instant_move(&vm->pause_until, by);
    instant_move(&vm->message_at, by);
    instant_move(&vm->since, by);
    for (size_t i = 0; i < sizeof vm->avoid_until / sizeof *vm->avoid_until; i++)
        instant_move(&vm->avoid_until[i], by);
}

/* --- SCHED_MESSAGE ---------------------------------------------------------------------------- */

void vm_note_message_sent(struct store *store, const struct vm_record *known,
                          const struct lease_record *lease, int64_t at)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->message_in_flight = true;
    vm->message_at = at;
    vm->message_expected = lease->expected;
    vm->message_reason = lease->reason_id;
}

void vm_note_message_answered(struct store *store, const struct vm_record *known, int64_t at)
{
    struct vm_record *vm = store_note_vm(store, known);

    vm->message_in_flight = false;
    vm->message_settled = at;
}

void vm_note_message_written(struct store *store, const struct vm_record *vm, bool written)
{
    store_note_vm(store, vm)->message_failed = !written;
}

void vm_has_message(struct store *store, const struct vm_record *known, const char *text)
{
    struct vm_record *vm = store_change_vm(store, known);

    store_put_text(&vm->message, text, STORE_TEXT_MAX - 1);
}

/* --- GALERNA_PROMISE -------------------------------------------------------------------------- */

/* Writing the same content once more was a repair: the next one follows a change of the content. */
void vm_has_promise(struct store *store, const struct vm_record *known, int64_t number,
                    int64_t digest)
{
    struct vm_record *vm = store_change_vm(store, known);
    bool same = vm->promise_digest == digest && vm->promise_state != PROMISE_INTACT;

    vm->promise_state = same ? PROMISE_REPAIRED : PROMISE_INTACT;
    vm->promise_number = number;
    vm->promise_digest = digest;
    vm->promise_told = true;
}

void vm_sends_promise(struct store *store, const struct vm_record *vm, int64_t stamp)
{
    store_change_vm(store, vm)->promise_sent = stamp;
}

void vm_note_promise_refused(struct store *store, const struct vm_record *vm, int64_t number)
{
    store_note_vm(store, vm)->promise_refused = number;
}

void vm_note_promise_unanswered(struct store *store, const struct vm_record *vm)
{
    store_note_vm(store, vm)->promise_state = PROMISE_UNANSWERED;
}

void vm_note_promise_read(struct store *store, const struct vm_record *vm)
{
    store_note_vm(store, vm)->promise_state = PROMISE_INTACT;
}

void vm_note_promise_damaged(struct store *store, const struct vm_record *vm)
{
    store_note_vm(store, vm)->promise_state = PROMISE_DAMAGED;
}

void vm_note_promise_of_others(struct store *store, const struct vm_record *vm)
{
    store_note_vm(store, vm)->promise_state = PROMISE_OF_OTHERS;
}

void vm_restore(struct store *store, const struct vm_record *known, bool suspended,
                int32_t sequence, int64_t ran_for)
{
    struct vm_record *vm = store_change_vm(store, known);

    vm->suspended_by_us = suspended;
    vm->ran = vm->ran || suspended;
    vm->sequence = sequence;
    vm->ran_for = ran_for;
}

void vm_has_asked(struct store *store, const struct vm_record *known, const char *asked)
{
    struct vm_record *vm = store_change_vm(store, known);

    store_put_text(&vm->asked, asked, STORE_ASKED_MAX - 1);
}
