/* The owner of a lease's state: events change the phase, functions change the other fields. */
#include "daemon/state/lease_state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "adapters/cloud/objects.h"
#include "daemon/base/log.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/change.h"
#include "util/instant.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

/* --- further changes of an event -------------------------------------------------------------- */

static void forget_reason(struct lease_record *lease)
{
    lease->reason_id = REASON_NONE;
    memset(lease->reason_n, 0, sizeof lease->reason_n);
    store_put_text(&lease->reason_word, "", 0);
    store_put_text(&lease->reason, "", 0);
    lease->retry = INSTANT_NONE;
}

/* The owner is warned of each end once. */
static void ends_at(struct lease_record *lease, int64_t end)
{
    lease->warned = lease->warned && end == lease->end;
    lease->end = end;
}

static void starts(struct store *store, struct lease_record *lease, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);

    lease->since = INSTANT_NONE;
    lease->expected = now;
    lease->preempted_at = INSTANT_NONE;
    if (lease->reason_id != REASON_TURN) /* the enactor gives turns, not the plan */
        forget_reason(lease);
    if (lease->kind == LEASE_RESERVATION && lease->duration != SPAN_UNLIMITED)
        ends_at(lease, lease_end_from(lease, now));
    for (size_t i = 0; i < n; i++)
        vm_take_datastore(store, vms[i], -1);
}

static void stop_running(const struct store *store, struct lease_record *lease)
{
    lease->accumulated = lease_ran_for(store, lease);
    lease->since = lease->unused_until = INSTANT_NONE;
    lease->unused_since = 0;
    if (lease->kind != LEASE_RESERVATION)
        ends_at(lease, INSTANT_NONE);
}

static bool lease_is_promised(const struct lease_record *lease)
{
    return lease->accepted && (lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE);
}

/* A promised start stays expected. What a deadline lease that ran expected was its resumption. */
static void waits_again(const struct store *store, struct lease_record *lease,
                        enum lease_event event)
{
    const struct lease_record *other = store_lease(store, lease->preempted_for);

    if (event == EVENT_START_FAILED || event == EVENT_PENDING_AGAIN || !other ||
        phase_is_final(other->phase))
        lease->preempted_at = INSTANT_NONE;
    if (!lease_is_promised(lease) ||
        (lease->kind == LEASE_DEADLINE && lease->phase == PHASE_RUNNING))
        lease->expected = INSTANT_NONE;
}

static void is_converted(struct lease_record *lease)
{
    lease->kind = LEASE_BEST_EFFORT;
    lease->earliest = lease->start;
    lease->start = lease->expected = INSTANT_NONE;
    lease->contract = false;
}

/* An immediate lease is late from its acceptance on. */
static void is_accepted(struct lease_record *lease, int64_t now)
{
    lease->accepted = true;
    if (lease->kind == LEASE_IMMEDIATE)
        lease->start = now;
}

static void is_over(struct lease_record *lease, int64_t now)
{
    lease->end = lease_is_over(lease, now) ? lease_end_from(lease, now) : now;
}

static void has_ended(struct lease_record *lease, int64_t now)
{
    lease->accumulated =
        store_has_run(lease, lease->end != INSTANT_NONE && lease->end < now ? lease->end : now);
    lease->since = INSTANT_NONE;
}

/* The lease is over: leases that were suspended for it wait for room. */
static void forget_victims(struct store *store, const struct lease_record *lease)
{
    size_t n = 0;
    const struct lease_record *const *leases = lease->has_victims ? store_leases(store, &n) : NULL;

    for (size_t i = 0; i < n; i++) {
        struct lease_record *victim;

        if (leases[i]->preempted_for != lease->id || !store_is_preempted(leases[i]) ||
            (leases[i]->phase != PHASE_WAITING && leases[i]->phase != PHASE_RESERVED))
            continue;
        victim = store_change_lease(store, leases[i]);
        victim->preempted_at = INSTANT_NONE;
        if (victim->reason_id == REASON_SUSPENDED_FOR || victim->reason_id == REASON_REQUEUED_FOR)
            forget_reason(victim);
    }
}

static void take_effect(struct store *store, struct lease_record *lease, enum lease_event event,
                        int64_t now)
{
    switch (event) {
    case EVENT_ACCEPTED:
    case EVENT_FOUND_RUNNING:
    case EVENT_FOUND_STOPPED:
    case EVENT_STARTED_BY_OTHERS:
        is_accepted(lease, now);
        break;
    case EVENT_ASKED_AGAIN:
        lease->accepted = lease->late = lease->warned = false;
        lease->end = INSTANT_NONE;
        break;
    case EVENT_GREW:
        lease->accepted = false;
        lease->expected = INSTANT_NONE;
        break;
    case EVENT_TAKEN_OVER:
        stop_running(store, lease);
        lease->accepted = false;
        lease->expected = lease->end = lease->preempted_at = INSTANT_NONE;
        forget_reason(lease);
        break;
    case EVENT_COMPLETE:
        lease->group_until = INSTANT_NEVER;
        /* fall through */
    case EVENT_RUNNING:
    case EVENT_RESUMED: /* one in a gap still is to be suspended at its end */
        if (!store_is_preempted(lease) || lease->reason_id != REASON_SUSPENDED_FOR)
            forget_reason(lease);
        break;
    case EVENT_CONVERTED:
        is_converted(lease);
        break;
    case EVENT_START:
    case EVENT_RESUME:
        starts(store, lease, now);
        break;
    case EVENT_PENDING_AGAIN:
    case EVENT_START_FAILED:
    case EVENT_SUSPENDED:
    case EVENT_STOPPED:
    case EVENT_RELEASED:
        waits_again(store, lease, event);
        break;
    case EVENT_PARKED:
    case EVENT_HOLD:
        stop_running(store, lease);
        lease->expected = INSTANT_NONE;
        break;
    case EVENT_MISSED:
        lease->late = true;
        break;
    case EVENT_TIME_OVER:
        is_over(lease, now);
        break;
    case EVENT_GIVES_WAY:
    case EVENT_CANCELLED:
        lease->end = now;
        break;
    case EVENT_ENDED:
        has_ended(lease, now);
        break;
    default:
        break;
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static void set_goals(struct store *store, const struct lease_record *lease, enum vm_goal goal)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone)
            vm_set_goal(store, vms[i], goal);
}

static int no_such_transition(const struct lease_record *lease, enum lease_event event)
{
    log_error_of(lease->id, -1,
                 "lease %lld: event %s cannot happen in phase %s: ignored; please report this bug",
                 (long long)lease->id, lease_event_name(event), phase_name(lease->phase));
    errno = EINVAL;
    return -1;
}

int lease_apply(struct store *store, const struct lease_record *lease, enum lease_event event,
                int64_t now, const char *format, ...)
{
    const struct lease_transition *row = lease_transition_of(lease->phase, event);
    struct lease_record *record;
    char text[STORE_TEXT_MAX];
    va_list args;

    if (!row)
        return no_such_transition(lease, event);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args); /* before the event changes the values */
    va_end(args);
    record = store_change_lease(store, lease);
    take_effect(store, record, event, now);
    record->phase = (enum lease_phase)row->to;
    if (row->to == PHASE_QUEUE)
        record->phase = lease_is_promised(record) ? PHASE_RESERVED : PHASE_WAITING;
    if (phase_is_final(record->phase) && !phase_is_final(row->from)) {
        record->end = now;
        record->expected = INSTANT_NONE;
        forget_victims(store, record);
    }
    if (row->goal != GOAL_KEPT)
        set_goals(store, record, (enum vm_goal)row->goal);
    if (event == EVENT_ACCEPTED && record->plain)
        store_tell(store, record->id, now, row->word); /* routine for a plain VM: no line */
    else if (row->word)
        store_history(store, record->id, now, row->word, "%s", text);
    return 0;
}

int lease_apply_because(struct store *store, const struct lease_record *lease,
                        enum lease_event event, int64_t now)
{
    char text[STORE_TEXT_MAX];

    if (store_is_preempted(lease))
        snprintf(text, sizeof text, "for lease %lld", (long long)lease->preempted_for);
    else
        store_reason_sentence(lease, false, text, sizeof text);
    return lease_apply(store, lease, event, now, "%s", text);
}

static int refuse(struct store *store, const struct lease_record *lease, int64_t now)
{
    char text[STORE_TEXT_MAX];

    store_reason_sentence(lease, true, text, sizeof text);
    log_info_of(lease->id, -1, "lease %lld refused: %s", (long long)lease->id, text);
    return lease_apply(store, lease, EVENT_REFUSED, now, "%s", text);
}

int lease_refuse(struct store *store, const struct lease_record *lease, int64_t now,
                 const struct reason *reason, const struct vm_record *vm)
{
    if (!lease_can(lease, EVENT_REFUSED))
        return no_such_transition(lease, EVENT_REFUSED);
    lease_explain(store, lease, reason, vm, INSTANT_NONE);
    return refuse(store, lease, now);
}

/* --- outside of events ------------------------------------------------------------------------ */

void lease_restore(struct store *store, const struct lease_record *lease,
                   const struct lease_record *promised)
{
    struct lease_record *record = store_change_lease(store, lease);

    lease_take_terms(store, lease, promised);
    record->submit = promised->submit;
    record->late = promised->late;
    record->accepted = true;
    record->accumulated = lease_ran_for(store, lease);
}

bool lease_explain(struct store *store, const struct lease_record *lease,
                   const struct reason *reason, const struct vm_record *vm, int64_t retry)
{
    const char *word = reason->id == REASON_NONE ? "" : reason_word(reason);
    const char *text = reason->text ? reason->text : "";
    int64_t n[REASON_NUMBERS] = {reason->n[0], reason->n[1],     reason->n[2],
                                 reason->n[3], vm ? vm->cpu : 0, vm ? vm->memory : 0};
    bool same = lease->reason_id == reason->id && memcmp(lease->reason_n, n, sizeof n) == 0 &&
                strncmp(lease->reason_word, word, STORE_GROUP_MAX - 1) == 0 &&
                strncmp(lease->reason, text, STORE_TEXT_MAX - 1) == 0;
    struct lease_record *record;

    if (same && lease->retry == retry)
        return false;
    record = store_change_lease(store, lease);
    if (!same) {
        record->reason_id = reason->id;
        memcpy(record->reason_n, n, sizeof n);
        store_put_text(&record->reason_word, word, STORE_GROUP_MAX - 1);
        store_put_text(&record->reason, text, STORE_TEXT_MAX - 1);
    }
    record->retry = retry;
    return true;
}

void lease_ran_unseen(struct store *store, const struct lease_record *lease, int64_t since,
                      int64_t ran_for)
{
    struct lease_record *record = store_change_lease(store, lease);

    record->accumulated = ran_for;
    record->since = since;
}

void lease_runs_since(struct store *store, const struct lease_record *lease, int64_t since,
                      int64_t ran_for)
{
    lease_ran_unseen(store, lease, since, ran_for);
    store_change_lease(store, lease)->end = lease_end_from(lease, since);
}

void lease_stopped_running(struct store *store, const struct lease_record *lease)
{
    stop_running(store, store_change_lease(store, lease));
}

/* Run time after the lease's end does not count. */
void lease_ran_until(struct store *store, const struct lease_record *lease, int64_t ran_for,
                     int64_t until)
{
    struct lease_record *record = store_change_lease(store, lease);
    int64_t end = record->end;

    if (end == INSTANT_NONE && record->kind == LEASE_RESERVATION)
        end = lease_end_from(record, until);
    if (end != INSTANT_NONE && end < until)
        ran_for -= until - end;
    if (ran_for > record->duration)
        ran_for = record->duration;
    record->accumulated = ran_for > 0 ? ran_for : 0;
    record->since = INSTANT_NONE;
}

void lease_note_late(struct store *store, const struct lease_record *lease)
{
    store_change_lease(store, lease)->late = true;
}

void lease_note_charged(struct store *store, const struct lease_record *lease, int64_t charged)
{
    store_change_lease(store, lease)->charged = charged;
}

void lease_note_warned(struct store *store, const struct lease_record *lease)
{
    store_change_lease(store, lease)->warned = true;
}

void lease_note_unused(struct store *store, const struct lease_record *lease, int64_t until)
{
    store_change_lease(store, lease)->unused_until = until;
}

void lease_note_change_refused(struct store *store, const struct lease_record *lease,
                               const char *why)
{
    store_put_text(&store_change_lease(store, lease)->change_refused, why, STORE_TEXT_MAX - 1);
}

bool lease_expect(struct store *store, const struct lease_record *lease, int64_t at, bool contract)
{
    struct lease_record *record;

    if (lease->expected == at && lease->contract == contract)
        return false;
    record = store_change_lease(store, lease);
    record->expected = at;
    record->contract = contract;
    return true;
}

bool lease_note_preemption(struct store *store, const struct lease_record *lease, int64_t other,
                           int64_t at)
{
    bool has_cause = lease->preempted_for == other &&
                     (store_is_preempted(lease) || lease->phase == PHASE_STARTING);
    struct lease_record *record;

    if (has_cause && lease->preempted_at == at)
        return false;
    record = store_change_lease(store, lease);
    record->preempted_for = other;
    record->preempted_at = at;
    if (store_lease(store, other))
        store_note_lease(store, store_lease(store, other))->has_victims = true;
    return !has_cause;
}

void lease_keeps_hosts(struct store *store, const struct lease_record *lease, int64_t now)
{
    struct lease_record *record = store_change_lease(store, lease);

    store_history(store, record->id, now, "kept", "not %s for lease %lld after all",
                  store_preemption_word(record), (long long)record->preempted_for);
    record->preempted_at = INSTANT_NONE;
    forget_reason(record);
}

void lease_forget_preemption(struct store *store, const struct lease_record *lease)
{
    store_change_lease(store, lease)->preempted_at = INSTANT_NONE;
}

void lease_gather(struct store *store, const struct lease_record *lease, uint32_t size,
                  int64_t until)
{
    struct lease_record *record = store_change_lease(store, lease);

    if (until != INSTANT_NONE)
        record->group_until = until;
    if (size > record->group_size)
        record->group_size = size;
}

void lease_take_terms(struct store *store, const struct lease_record *lease,
                      const struct lease_record *terms)
{
    struct lease_record *record = store_change_lease(store, lease);

    record->plain = terms->plain;
    record->kind = terms->kind;
    record->start = terms->start;
    record->earliest = terms->earliest;
    record->deadline = terms->deadline;
    record->relative = terms->relative;
    record->duration = terms->duration;
    record->term_values = terms->term_values;
    record->group_size = terms->group_size;
    store_put_text(&record->group, terms->group, STORE_GROUP_MAX - 1);
}

/* Leases that were to make room for the lease at its old start keep their hosts. */
static void release_victims(struct store *store, int64_t id, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);

    for (size_t i = 0; i < n; i++)
        if (leases[i]->preempted_for == id && leases[i]->preempted_at > now)
            lease_keeps_hosts(store, leases[i], now);
}

int lease_take_change(struct store *store, const struct lease_record *lease,
                      const struct lease_record *changed, int64_t now, const char *text)
{
    bool moves = changed->kind != lease->kind || changed->start != lease->start ||
                 changed->earliest != lease->earliest;
    struct lease_record *record;

    if (!lease_can(lease, EVENT_CHANGED))
        return no_such_transition(lease, EVENT_CHANGED);
    record = store_change_lease(store, lease);
    record->kind = changed->kind; /* first: the phase depends on it */
    record->term_values = changed->term_values;
    if (lease_apply(store, lease, EVENT_CHANGED, now, "%s", text) < 0)
        return -1;
    record->start = changed->start;
    record->earliest = changed->earliest;
    record->warned = record->warned && record->deadline == changed->deadline;
    record->deadline = changed->deadline;
    record->extended = lease_extended_by(record, changed->duration);
    record->changes++;
    record->duration = changed->duration;
    record->relative = changed->relative;
    record->unused_until = INSTANT_NONE;
    record->unused_since = 0;
    store_put_text(&record->change_refused, "", 0);
    if (record->since != INSTANT_NONE || record->phase == PHASE_STARTING)
        ends_at(record, lease_end_from(record, now));
    if (!moves || record->phase == PHASE_PARKED)
        return 0;
    record->expected = record->kind == LEASE_RESERVATION ? record->start : INSTANT_NONE;
    record->contract = record->kind == LEASE_RESERVATION;
    release_victims(store, record->id, now);
    return 0;
}

void lease_belongs_to(struct store *store, const struct lease_record *lease, const struct vm *vm)
{
    struct lease_record *record = store_change_lease(store, lease);

    record->uid = vm->uid;
    record->gid = vm->gid;
    store_put_text(&record->user, vm->user ? vm->user : "", STORE_NAME_MAX - 1);
    store_put_text(&record->user_group, vm->group ? vm->group : "", STORE_NAME_MAX - 1);
    if (!*record->name)
        store_put_text(&record->name, vm->name ? vm->name : "", STORE_NAME_MAX - 1);
}

void lease_submitted(struct store *store, const struct lease_record *lease, int64_t at)
{
    store_change_lease(store, lease)->submit = at;
}

void lease_move_times(struct store *store, const struct lease_record *lease, int64_t by)
{
    struct lease_record *record = store_change_lease(store, lease);
    bool start = (record->relative & RELATIVE_START) != 0 || record->kind == LEASE_IMMEDIATE ||
                 (record->kind == LEASE_DEADLINE && (record->relative & RELATIVE_DEADLINE) != 0);

    instant_move(&record->submit, by);
    instant_move(&record->since, by);
    instant_move(&record->expected, by);
    instant_move(&record->group_until, by);
    instant_move(&record->preempted_at, by);
    instant_move(&record->retry, by);
    instant_move(&record->unused_until, by);
    if (start)
        instant_move(&record->start, by);
    if (record->relative & RELATIVE_EARLIEST)
        instant_move(&record->earliest, by);
    if (record->relative & RELATIVE_DEADLINE)
        instant_move(&record->deadline, by);
    if (start || record->kind != LEASE_RESERVATION)
        instant_move(&record->end, by);
}

/* --- notes that are not stored ---------------------------------------------------------------- */

void lease_note_outlook(struct store *store, const struct lease_record *lease, int64_t outlook)
{
    store_note_lease(store, lease)->outlook = outlook;
}

void lease_note_at_risk(struct store *store, const struct lease_record *lease, bool at_risk)
{
    store_note_lease(store, lease)->at_risk = at_risk;
}

void lease_note_delayed(struct store *store, const struct lease_record *lease, int64_t other)
{
    store_change_lease(store, lease)->delayed_by = other;
}

void lease_note_unused_since(struct store *store, const struct lease_record *lease, int64_t since)
{
    store_note_lease(store, lease)->unused_since = since;
}

void lease_note_far(struct store *store, const struct lease_record *lease, bool is_far)
{
    if (lease->is_far != is_far)
        store_note_lease(store, lease)->is_far = is_far;
}

void lease_note_rank_ignored(struct store *store, const struct lease_record *lease)
{
    store_note_lease(store, lease)->rank_ignored = true;
}

void lease_note_recorded(struct store *store, const struct lease_record *lease, int recorded)
{
    store_note_lease(store, lease)->recorded = recorded;
}
