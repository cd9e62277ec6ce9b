/* The owner of a VM's record. */
#include "daemon/state/vm_state.h"

#include <string.h>

#include "daemon/store/change.h"
#include "daemon/store/stays.h"
#include "util/instant.h"

/* --- goals and hosts -------------------------------------------------------------------------- */

/* A start that a new plan takes back, or repeats: an accepted command may still take effect. */
static bool is_of_the_same_start(enum vm_goal before, enum vm_goal goal)
{
    return (before == GOAL_RUN && goal == GOAL_NONE) || (before == GOAL_NONE && goal == GOAL_RUN);
}

void vm_set_goal(struct store *store, const struct vm_record *vm, enum vm_goal goal)
{
    bool starts = is_of_the_same_start(vm->goal, goal);
    struct vm_record *record;

    if (vm->goal == goal)
        return;
    record = store_change_vm(store, vm);
    record->goal = goal;
    record->promise_told = false;
    if (!starts)
        vm_note_effect(store, record);
    if (goal == GOAL_NONE || goal == GOAL_RUN)
        return;
    record->attempts = record->refusals = 0;
    record->next_try = INSTANT_NONE;
}

void vm_place(struct store *store, const struct vm_record *vm, int32_t host)
{
    struct vm_record *record;

    store_note_vm(store, vm)->move = MOVE_NONE;
    if (vm->host == host)
        return;
    record = store_change_vm(store, vm);
    record->host = host;
    record->datastore = -1;
}

void vm_relocate(struct store *store, const struct vm_record *vm, int32_t host)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->host = host;
    record->datastore = -1;
    record->pause_until = record->next_try = INSTANT_NONE;
}

void vm_take_datastore(struct store *store, const struct vm_record *vm, int32_t datastore)
{
    if (vm->datastore != datastore)
        store_change_vm(store, vm)->datastore = datastore;
}

void vm_retry_at(struct store *store, const struct vm_record *vm, int64_t at)
{
    if (vm->next_try != at)
        store_change_vm(store, vm)->next_try = at;
}

void vm_stop_avoiding(struct store *store, const struct vm_record *vm, int32_t host)
{
    for (size_t i = 0; vm->avoided && i < AVOIDED_MAX; i++)
        if (vm->avoided->host[i] == host)
            store_change_vm(store, vm)->avoided->host[i] = -1;
}

void vm_avoid_host(struct store *store, const struct vm_record *vm, int32_t host, int64_t until)
{
    struct avoided_hosts *avoided;
    size_t place = 0;

    if (host < 0)
        return;
    avoided = store_avoided(store_change_vm(store, vm));
    for (size_t i = 0; i < AVOIDED_MAX; i++) {
        if (avoided->host[i] == host || avoided->host[i] < 0) {
            place = i;
            break;
        }
        if (avoided->until[i] < avoided->until[place])
            place = i;
    }
    avoided->host[place] = host;
    avoided->until[place] = until;
}

/* --- moves ------------------------------------------------------------------------------------ */

void vm_plan_move(struct store *store, const struct vm_record *vm, int32_t to, enum move_kind kind)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->move_to = to;
    record->move = kind;
    record->move_sent = false;
    record->attempts = 0;
    record->next_try = INSTANT_NONE;
}

void vm_moves_to(struct store *store, const struct vm_record *vm, int32_t to, bool cold)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->move_to = to;
    record->move = cold ? MOVE_COLD : MOVE_LIVE;
    record->move_sent = true;
}

void vm_end_move(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->move = MOVE_NONE;
    record->move_sent = false;
}

void vm_note_resched(struct store *store, const struct vm_record *vm, bool resched)
{
    store_note_vm(store, vm)->resched = resched;
    store_note_vm(store, vm)->resched_met = false;
}

void vm_want_on(struct store *store, const struct vm_record *vm, int32_t host)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->wanted = host >= 0;
    record->wanted_on = host;
}

void vm_note_move_failed(struct store *store, const struct vm_record *vm, int64_t again)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->live_failed |= record->move == MOVE_LIVE;
    record->move_failures++;
    record->move_again = again;
}

void vm_note_moved(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->last = COMMAND_NONE;
    record->resched_met = record->resched;
    record->resched = record->live_failed = false;
    record->move_failures = 0;
    record->move_again = 0;
}

/* --- commands --------------------------------------------------------------------------------- */

void vm_command(struct store *store, const struct vm_record *vm, enum command command, int64_t at)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->command = command;
    record->in_flight = true; /* from now on: observations do not yet show its effect */
    record->sent = at;
    record->blocked = 0;
    if (command_kinds[command].effect == EFFECT_SUSPEND)
        record->suspended_by_us = true;
    record->move_sent = command_kinds[command].load == LOADS_NEXT_HOST;
}

void vm_command_withdrawn(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record;

    if (!vm->command)
        return;
    record = store_change_vm(store, vm);
    if (command_kinds[vm->command].effect == EFFECT_SUSPEND && vm->in_vain == 0)
        record->suspended_by_us = false; /* no earlier one was sent either */
    record->command = COMMAND_NONE;
    record->in_flight = false;
}

void vm_command_over(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record;

    if (!vm->command && !vm->in_flight)
        return;
    record = store_change_vm(store, vm);
    record->last = record->command ? record->command : record->last;
    record->command = COMMAND_NONE;
    record->in_flight = false;
}

void vm_note_effect(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record;

    if (!vm->last && !vm->in_vain)
        return;
    record = store_note_vm(store, vm);
    record->last = COMMAND_NONE;
    record->in_vain = 0;
}

void vm_command_in_vain(struct store *store, const struct vm_record *vm, int64_t again)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->last = COMMAND_NONE;
    record->in_vain++;
    record->next_try = again;
}

void vm_note_sent(struct store *store, const struct vm_record *vm)
{
    store_note_vm(store, vm)->in_flight = true;
}

void vm_note_answered(struct store *store, const struct vm_record *vm, int64_t at)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->in_flight = false;
    record->settled = at;
}

void vm_command_accepted(struct store *store, const struct vm_record *vm, int32_t sequence)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->too_late = record->refusals = 0;
    if (record->command != COMMAND_RECREATE)
        return;
    record = store_change_vm(store, vm);
    record->ran = false;
    record->ran_for = record->skew = 0; /* the work is lost */
    if (sequence > record->sequence)
        record->sequence = sequence;
    if (record->goal == GOAL_AGAIN)
        vm_set_goal(store, record, GOAL_NONE);
}

void vm_command_unsent(struct store *store, const struct vm_record *vm, int64_t again)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->command = COMMAND_NONE;
    record->move_sent = false;
    record->next_try = again;
}

void vm_command_too_late(struct store *store, const struct vm_record *vm, int64_t again)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->command = record->last = COMMAND_NONE;
    record->too_late++;
    record->next_try = again;
}

void vm_command_refused(struct store *store, const struct vm_record *vm, bool others_fault,
                        int64_t again)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->command = record->last = COMMAND_NONE;
    if (others_fault)
        record->refusals++;
    else
        record->attempts++;
    record->next_try = again;
}

void vm_failed(struct store *store, const struct vm_record *vm, int32_t number, int64_t pause)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->failed_record = number;
    record->attempts++;
    record->next_try = record->ran ? pause : INSTANT_NONE;
    record->pause_until = pause;
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

void vm_seen_running(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->ran = true;
    record->suspended_by_us = false;
    record->attempts = 0;
    record->next_try = INSTANT_NONE;
}

void vm_seen_to_have_run(struct store *store, const struct vm_record *vm)
{
    store_change_vm(store, vm)->ran = true;
}

void vm_seen_on(struct store *store, const struct vm_record *vm, int32_t host)
{
    struct vm_record *record;

    if (vm->host == host)
        return;
    record = store_change_vm(store, vm);
    record->host = host;
}

void vm_seen_created(struct store *store, const struct vm_record *vm, int64_t created)
{
    if (!vm->created && created)
        store_change_vm(store, vm)->created = created;
}

void vm_seen_size(struct store *store, const struct vm_record *vm, int64_t cpu, int64_t memory)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->cpu = cpu;
    record->memory = memory;
}

void vm_set_unlocked(struct store *store, const struct vm_record *vm, bool unlocked)
{
    if (vm->unlocked != unlocked)
        store_change_vm(store, vm)->unlocked = unlocked;
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

void vm_set_ran(struct store *store, const struct vm_record *vm, int32_t sequence, int64_t seconds)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->ran_for = seconds - record->skew;
    close_record(record, sequence);
}

void vm_add_ran(struct store *store, const struct vm_record *vm, int32_t sequence, int64_t seconds)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->ran_for += seconds - record->skew_open;
    close_record(record, sequence);
}

void vm_count_nothing(struct store *store, const struct vm_record *vm, int32_t sequence)
{
    struct vm_record *record;

    if (vm->sequence == sequence && !vm->ran_for && !vm->skew)
        return;
    record = store_change_vm(store, vm);
    record->ran_for = record->skew = 0;
    close_record(record, sequence);
}

void vm_note_since(struct store *store, const struct vm_record *vm, int64_t since, int64_t told)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->since = since;
    record->since_told = told;
}

void vm_note_boot_failed(struct store *store, const struct vm_record *vm, int64_t told)
{
    if (vm->boot_failed != told)
        store_note_vm(store, vm)->boot_failed = told;
}

static void put_stays(struct store *store, const struct vm_record *vm, const struct stay *stays,
                      size_t n)
{
    char text[STORE_STAYS_MAX];

    stays_write(stays, n, text);
    if (strcmp(text, vm->stays) != 0)
        store_put_text(&store_change_vm(store, vm)->stays, text, STORE_STAYS_MAX - 1);
}

void vm_seen_staying(struct store *store, const struct vm_record *vm, int32_t host, int64_t from)
{
    struct stay stays[STAYS_MAX];
    size_t n = stays_read(vm->stays, stays);

    put_stays(store, vm, stays, stays_begin(stays, n, host, from));
}

void vm_seen_leaving(struct store *store, const struct vm_record *vm, int64_t until)
{
    struct stay stays[STAYS_MAX], *open;
    size_t n = stays_read(vm->stays, stays);

    open = stays_open(stays, n);
    if (open)
        open->until = instant_later(open->from, until);
    put_stays(store, vm, stays, n);
}

static void move_stays(struct store *store, const struct vm_record *vm, int64_t by)
{
    struct stay stays[STAYS_MAX];
    size_t n = stays_read(vm->stays, stays);

    for (size_t i = 0; i < n; i++) {
        stays[i].from += by;
        instant_move(&stays[i].until, by);
    }
    put_stays(store, vm, stays, n);
}

/* --- clocks ----------------------------------------------------------------------------------- */

void vm_skew(struct store *store, const struct vm_record *vm, int64_t by)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->skew += by;
    record->skew_open += by;
}

void vm_move_times(struct store *store, const struct vm_record *vm, int64_t by)
{
    struct vm_record *record = store_change_vm(store, vm);

    instant_move(&record->sent, by);
    instant_move(&record->next_try, by);
    instant_move(&record->pause_until, by);
    instant_move(&record->message_at, by);
    instant_move(&record->since, by);
    move_stays(store, record, by);
    for (size_t i = 0; record->avoided && i < AVOIDED_MAX; i++)
        instant_move(&record->avoided->until[i], by);
}

/* --- SCHED_MESSAGE ---------------------------------------------------------------------------- */

void vm_note_message_sent(struct store *store, const struct vm_record *vm,
                          const struct lease_record *lease, int64_t at)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->message_in_flight = true;
    record->message_at = at;
    record->message_expected = lease->expected;
    record->message_reason = lease->reason_id;
}

void vm_note_message_answered(struct store *store, const struct vm_record *vm, int64_t at)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->message_in_flight = false;
    record->message_settled = at;
}

void vm_note_message_written(struct store *store, const struct vm_record *vm, bool written)
{
    struct vm_record *record = store_note_vm(store, vm);

    record->message_failed = !written;
    record->message_is_own = record->message_is_own || written;
}

void vm_has_message(struct store *store, const struct vm_record *vm, const char *text,
                    enum message_kind kind)
{
    struct vm_record *record = store_change_vm(store, vm);

    store_put_text(&record->message, text, STORE_TEXT_MAX - 1);
    record->message_kind = kind;
    record->message_is_own = false;
}

/* --- GALERNA_PROMISE -------------------------------------------------------------------------- */

/* Writing the same content again is a repair: the next write follows a change of the content. */
void vm_has_promise(struct store *store, const struct vm_record *vm, int64_t number, int64_t digest)
{
    struct vm_record *record = store_change_vm(store, vm);
    bool same = record->promise_digest == digest && record->promise_state != PROMISE_INTACT;

    record->promise_state = same ? PROMISE_REPAIRED : PROMISE_INTACT;
    record->promise_number = number;
    record->promise_digest = digest;
    record->promise_told = true;
}

void vm_sends_promise(struct store *store, const struct vm_record *vm, int64_t stamp)
{
    store_change_vm(store, vm)->promise_sent = stamp;
}

void vm_note_promise_refused(struct store *store, const struct vm_record *vm, int64_t number)
{
    store_note_vm(store, vm)->promise_refused = number;
}

void vm_note_promise(struct store *store, const struct vm_record *vm, enum promise_state state)
{
    store_note_vm(store, vm)->promise_state = state;
}

void vm_restore(struct store *store, const struct vm_record *vm, bool suspended, int32_t sequence,
                int64_t ran_for)
{
    struct vm_record *record = store_change_vm(store, vm);

    record->suspended_by_us = suspended;
    record->ran = record->ran || suspended;
    record->sequence = sequence;
    record->ran_for = ran_for;
}

void vm_has_asked(struct store *store, const struct vm_record *vm, const char *asked)
{
    struct vm_record *record = store_change_vm(store, vm);

    store_put_text(&record->asked, asked, STORE_ASKED_MAX - 1);
}
