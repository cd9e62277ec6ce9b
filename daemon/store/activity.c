/* Describes the activity of a lease in a sentence for its owner, in SCHED_MESSAGE and galernad's
 * answers. */
#include <stdarg.h>
#include <stdio.h>

#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/printable.h"
#include "util/time_text.h"

struct sentence {
    const struct lease_record *lease;
    int64_t now;
    bool without_start;
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void add(struct sentence *sentence, const char *format,
                                                      ...)
{
    size_t room = sentence->size - sentence->length;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(sentence->text + sentence->length, room, format, args);
    va_end(args);
    sentence->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static bool is_to_come(const struct sentence *sentence, int64_t instant)
{
    return instant_is_set(instant) && instant >= sentence->now;
}

/* Times in the past are not announced. */
static bool announces(const struct sentence *sentence, int64_t start)
{
    return !sentence->without_start && is_to_come(sentence, start);
}

static void add_time(struct sentence *sentence, const char *before, int64_t instant,
                     const char *after)
{
    char when[64];

    lease_time_text(instant, when, sizeof when);
    add(sentence, "%s%s%s", before, when, after);
}

static void add_reason(struct sentence *sentence, const char *before, bool body)
{
    char reason[STORE_SENTENCE_MAX];

    store_reason_text(sentence->lease, body, sentence->now, reason, sizeof reason);
    if (reason[0])
        add(sentence, "%s%s", before, reason);
}

/* The reason adds nothing to the displayed start or end. */
static bool is_plan(const struct lease_record *lease)
{
    return !lease->reason_word[0] || lease->reason_id == REASON_PLANNED ||
           lease->reason_id == REASON_ENDS_SOON;
}

bool store_is_preempted(const struct lease_record *lease)
{
    return lease->preempted_at > 0;
}

bool store_moves_away(const struct lease_record *lease)
{
    return store_is_preempted(lease) && lease->kind == LEASE_BEST_EFFORT &&
           lease->duration == SPAN_UNLIMITED && lease->terms == TERMS_NON_PREEMPTABLE;
}

bool store_is_leaving(const struct lease_record *lease)
{
    return (lease->phase == PHASE_RUNNING || lease->phase == PHASE_PARKED) &&
           (lease->reason_id == REASON_LEAVES || lease->reason_id == REASON_CANNOT_LEAVE ||
            lease->reason_id == REASON_NO_OTHER_HOST);
}

int64_t store_suspended_at(const struct lease_record *lease)
{
    return lease->phase == PHASE_RUNNING && lease->reason_id == REASON_CANNOT_LEAVE &&
                   lease->reason_n[3] > 0
               ? lease->reason_n[3]
               : INSTANT_NONE;
}

static bool keeps_work(const struct lease_record *lease)
{
    return !store_moves_away(lease) && lease->terms != TERMS_RESTARTABLE &&
           lease->reason_id != REASON_CANCELLED_FOR && lease->reason_id != REASON_REQUEUED_FOR &&
           (!store_is_queued(lease) || lease->accumulated > 0);
}

const char *store_preemption_word(const struct lease_record *lease)
{
    return store_moves_away(lease)                    ? "moved"
           : lease->reason_id == REASON_CANCELLED_FOR ? "ended"
           : keeps_work(lease)                        ? "suspended"
                                                      : "stopped";
}

int64_t store_leaves_at(const struct lease_record *lease)
{
    return lease->reason_id == REASON_SUSPENDED_FOR ? lease->reason_n[1] : lease->preempted_at;
}

static void add_left(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    char left[TIME_TEXT_MAX];

    if (lease->duration == SPAN_UNLIMITED || lease->accumulated == 0)
        return;
    time_text_span(lease->accumulated < lease->duration ? lease->duration - lease->accumulated : 0,
                   left, sizeof left);
    add(sentence, ", %s left to run", left);
}

/* The lease left its hosts for another lease. Until the next plan, its reason is
 * still that it is to leave them. */
static void say_preempted(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    bool planned = is_plan(lease) || lease->reason_id == REASON_SUSPENDED_FOR ||
                   lease->reason_id == REASON_REQUEUED_FOR;

    add(sentence, "%s for lease %lld", keeps_work(lease) ? "Suspended" : "Stopped",
        (long long)lease->preempted_for);
    if (announces(sentence, lease->expected))
        add_time(sentence, " until ", lease->expected, lease->contract ? "" : " (estimate)");
    add_left(sentence);
    if (!announces(sentence, lease->expected) && !planned)
        add_reason(
            sentence,
            reason_lead(lease->reason_id) == LEAD_WAITS ? ", waiting " : ". At present: ", true);
}

/* For a planned place: the lease or cause that occupies one of its hosts. */
static void say_what_for(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    const int64_t *n = lease->reason_n;

    if (lease->earliest > sentence->now && lease->expected <= lease->earliest)
        add(sentence, " for its earliest start");
    else if (lease->reason_id != REASON_PLANNED || n[3] == 0)
        add(sentence, " for room");
    else if (n[1] >= 0)
        add(sentence, " for room on host %lld (taken by lease %lld)", (long long)n[2],
            (long long)n[1]);
    else if (*lease->reason)
        add(sentence, " for room on host %lld (booked for '%s')", (long long)n[2], lease->reason);
    else
        add(sentence, " for room on host %lld (drained)", (long long)n[2]);
}

/* The lease may start from a known time on, but has no place then. */
static bool waits_longer(const struct lease_record *lease)
{
    return lease->reason_id == REASON_NOT_READY && instant_is_set(lease->expected) &&
           lease->expected > lease->reason_n[0];
}

static void say_waiting(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;

    if (store_is_preempted(lease)) {
        say_preempted(sentence);
    } else {
        add(sentence,
            lease->kind == LEASE_IMMEDIATE && lease->late ? "Late: the lease waits" : "Waiting");
        if (!is_plan(lease))
            add_reason(sentence, reason_lead(lease->reason_id) == LEAD_WAITS ? " " : ": ", true);
        else if (is_to_come(sentence, lease->expected))
            say_what_for(sentence);
        if (waits_longer(lease))
            add(sentence, ", then for room");
        add_left(sentence);
        if (announces(sentence, lease->expected))
            add_time(sentence,
                     lease->accumulated ? ". Expected to resume at " : ". Expected to start at ",
                     lease->expected, " (estimate)");
    }
    if (lease->expected == INSTANT_NEVER)
        add(sentence,
            ". %seases or drains without a planned end hold the hosts it may use, or get them "
            "first",
            sentence->without_start ? "L" : "Start time unknown: l");
    else if (lease->is_far && !is_to_come(sentence, lease->expected))
        add(sentence, ". Too far back in the queue to estimate its start");
}

/* A reservation's start is known even if it cannot be planned at present. */
static void say_reserved(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    int64_t start = instant_is_set(lease->start) ? lease->start : lease->expected;

    if (lease->late) {
        add_time(sentence, "Late: the reservation for ", start, " has not started");
    } else {
        add_time(sentence,
                 is_to_come(sentence, start) ? "Reserved: starts at "
                                             : "Reserved: should have started at ",
                 start, " (contract)");
    }
    if (!is_plan(lease))
        add_reason(sentence, lease->late ? ": " : ". At present: ", true);
}

static void say_deadline(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;

    if (store_is_preempted(lease) && lease->accumulated > 0) {
        say_preempted(sentence);
        add(sentence, ". Ends by its deadline");
    } else {
        add(sentence, "Accepted: ends by its deadline");
    }
    if (instant_is_set(lease->deadline))
        add_time(sentence, " ", lease->deadline, "");
    if (!store_is_preempted(lease) && is_to_come(sentence, lease->expected))
        add_time(sentence, "; planned to start at ", lease->expected, "");
    if (!is_plan(lease) && !is_to_come(sentence, lease->expected))
        add_reason(sentence, ". At present: ", true);
}

/* Continues the sentence: the lease is about to leave its hosts for another one. */
static void say_preemption(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;

    add(sentence, ", to be %s for lease %lld", store_preemption_word(lease),
        (long long)lease->preempted_for);
    add_time(sentence, " at ", store_leaves_at(lease), "");
}

static void say_starting(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    const char *what = lease->kind == LEASE_IMMEDIATE ? "lease" : "reservation";

    if (is_plan(lease) && lease->late) {
        add(sentence, "Late: the %s is only now starting", what);
    } else if (lease->reason_id == REASON_LATE) {
        add(sentence, "Late: the %s",
            lease->kind == LEASE_IMMEDIATE ? "lease that was to start at" : "reservation for");
        add_time(sentence, " ", store_promised_start(lease), " has not started");
    } else {
        add(sentence, lease->accumulated ? "Resuming" : "Starting");
    }
    if (store_is_preempted(lease))
        say_preemption(sentence);
    else if (!is_plan(lease))
        add_reason(sentence, ": ", false);
}

static void say_unused(struct sentence *sentence)
{
    add(sentence, ". Its VMs are unused: it ends ");
    if (is_to_come(sentence, sentence->lease->unused_until))
        add_time(sentence, "at ", sentence->lease->unused_until, "");
    else
        add(sentence, "soon");
    add(sentence, " unless they are used");
}

/* The reservation gets the rest of its time, and does not count as late. */
static void say_requested_late(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    char span[TIME_TEXT_MAX];

    if (lease->kind != LEASE_RESERVATION || lease->accumulated > 0 || lease->submit <= lease->start)
        return;
    time_text_span(lease->submit - lease->start, span, sizeof span);
    add(sentence, ". Requested %s after its start", span);
}

static void say_running(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;
    const char *what;
    char late[TIME_TEXT_MAX];

    if (lease->reason_id == REASON_UNKNOWN) {
        add_reason(sentence, "Possibly not running: ", true);
    } else if (store_suspended_at(lease) != INSTANT_NONE) {
        add_reason(sentence, "Running; ", true);
    } else if (store_is_preempted(lease)) {
        add(sentence, "Running");
        say_preemption(sentence);
    } else {
        add(sentence, "Running");
        if (instant_is_set(lease->end))
            add_time(sentence, " until ", lease->end, "");
        if (store_is_leaving(lease))
            add_reason(sentence, "; ", true);
    }
    if (lease->reason_id == REASON_RULE_BROKEN)
        add_reason(sentence, ". ", true);
    if (instant_is_set(lease->unused_until))
        say_unused(sentence);
    say_requested_late(sentence);
    if (!lease->late || !instant_is_set(lease->start))
        return;
    what = lease->kind == LEASE_IMMEDIATE ? "lease" : "reservation";
    if (lease->accumulated) { /* `since` is the time after a move or suspension */
        add(sentence, ". Late: the %s started after its time", what);
    } else if (lease->since != INSTANT_NONE && lease->since > store_promised_start(lease)) {
        time_text_span(lease->since - store_promised_start(lease), late, sizeof late);
        add(sentence, ". Late: the %s started %s after its time", what, late);
    } else { /* OpenNebula counts booting as running */
        add(sentence, ". Late: the VMs of the %s were still booting at its start", what);
    }
}

static void say_stopping(struct sentence *sentence)
{
    const struct lease_record *lease = sentence->lease;

    if (store_is_preempted(lease))
        add(sentence, "Being %s for lease %lld", store_preemption_word(lease),
            (long long)lease->preempted_for);
    else
        add(sentence, "Being suspended");
}

void store_wait(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    struct sentence sentence = {
        .lease = lease, .now = now, .without_start = true, .text = text, .size = size};

    text[0] = '\0';
    say_waiting(&sentence);
}

static const char *const over[PHASES] = {
    [PHASE_PARKED] = "Stopped",  [PHASE_ENDING] = "Ending", [PHASE_ENDED] = "Ended",
    [PHASE_REFUSED] = "Refused", [PHASE_FAILED] = "Failed", [PHASE_MISSED] = "Missed",
};

void store_activity(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    struct sentence sentence = {.lease = lease, .now = now, .text = text, .size = size};

    text[0] = '\0';
    switch (lease->phase) {
    case PHASE_GATHERING:
        add(&sentence, "Waiting");
        add_reason(&sentence, " ", true);
        break;
    case PHASE_WAITING:
        say_waiting(&sentence);
        break;
    case PHASE_RESERVED:
        (lease->kind == LEASE_DEADLINE ? say_deadline : say_reserved)(&sentence);
        break;
    case PHASE_STARTING:
        say_starting(&sentence);
        break;
    case PHASE_RUNNING:
        say_running(&sentence);
        break;
    case PHASE_STOPPING:
        say_stopping(&sentence);
        break;
    default:
        add(&sentence, "%s",
            lease->reason_id == REASON_ON_HOLD ? "On hold until it is released"
                                               : over[lease->phase]);
        if (lease->phase == PHASE_PARKED && store_is_leaving(lease))
            add_reason(&sentence, " by a user or operator; ", true);
        else if (lease->reason_id != REASON_ON_HOLD)
            add_reason(&sentence, ": ", true);
        if (store_stands_past_deadline(lease, now))
            add_time(&sentence, ". Its deadline ", lease->deadline, " has passed");
    }
    if (lease->rank_ignored && lease->phase <= PHASE_RUNNING)
        add(&sentence, ". " STORE_RANK_IGNORED);
    mark_cut(text, size);
}
