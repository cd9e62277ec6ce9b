/* Changes times, kind and terms of a lease, as far as its kind and phase allow. */
#include "daemon/state/lease_change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/state/lease_state.h"
#include "util/instant.h"
#include "util/time_text.h"

/* Is the lease on its hosts, rather than planned, suspended or parked? */
static bool is_on_hosts(const struct lease_record *lease)
{
    return !store_is_queued(lease) && lease->phase != PHASE_PARKED;
}

bool lease_has_begun(const struct lease_record *lease)
{
    return lease->accumulated > 0 || lease->since != INSTANT_NONE || is_on_hosts(lease);
}

static int cannot_change(const struct lease_record *lease, const char *because, const char *what,
                         struct error *err)
{
    return error_set(err, EALREADY, "lease %lld %s: its %s cannot be changed", (long long)lease->id,
                     because, what);
}

/* A lease that becomes a reservation without a given start is promised its expected start. */
static int change_kind(const struct lease_record *lease, const struct lease_change *change,
                       int64_t now, struct lease_record *changed, struct error *err)
{
    enum lease_kind kind = change->kind;

    if (!change->changes_kind || kind == lease->kind)
        return 0;
    if (lease_has_begun(lease))
        return cannot_change(lease, "has already started", "kind", err);
    if (lease->kind == LEASE_IMMEDIATE)
        return cannot_change(lease, "is immediate", "kind", err);
    if (kind == LEASE_IMMEDIATE)
        return error_set(err, EINVAL,
                         "kind: immediate leases cannot be changed to another kind, nor other "
                         "leases to immediate");
    changed->kind = kind;
    changed->start = changed->deadline = INSTANT_NONE;
    changed->relative = 0;
    if (kind == LEASE_RESERVATION) {
        changed->earliest = INSTANT_NONE;
        changed->start = lease->expected;
    }
    if (kind == LEASE_RESERVATION && change->start == INSTANT_NONE &&
        (lease->expected <= now || lease->expected == INSTANT_NEVER))
        return error_set(err, EINVAL, "start: missing; lease %lld has no expected start",
                         (long long)lease->id);
    if (kind == LEASE_DEADLINE && change->deadline == INSTANT_NONE)
        return error_set(err, EINVAL, "deadline: missing");
    return 0;
}

static int passed(const char *what, int64_t instant, int64_t now, struct error *err)
{
    char then[TIME_TEXT_MAX], present[TIME_TEXT_MAX];

    lease_time_text(instant, then, sizeof then);
    lease_time_text(now, present, sizeof present);
    return error_set(err, EINVAL, "%s: %s has passed (now: %s)", what, then, present);
}

static int change_start(const struct lease_record *lease, int64_t start, int64_t now,
                        struct lease_record *changed, struct error *err)
{
    if (lease_has_begun(lease))
        return cannot_change(lease, "has already started", "start", err);
    if (lease->kind == LEASE_IMMEDIATE)
        return cannot_change(lease, "is immediate", "start", err);
    if (start <= now)
        return passed("start", start, now, err);
    if (changed->kind == LEASE_RESERVATION) {
        changed->start = start;
        changed->relative &= ~(uint32_t)RELATIVE_START;
    } else {
        changed->earliest = start;
        changed->relative &= ~(uint32_t)RELATIVE_EARLIEST;
    }
    return 0;
}

static int change_duration(int64_t duration, struct lease_record *changed, struct error *err)
{
    if (duration < 1)
        return error_set(err, EINVAL, "duration: expected at least one second");
    changed->duration = duration;
    return 0;
}

static int change_deadline(int64_t deadline, struct lease_record *changed, struct error *err)
{
    if (changed->kind != LEASE_DEADLINE)
        return error_set(err, EALREADY, "lease %lld has no deadline to change",
                         (long long)changed->id);
    changed->deadline = deadline;
    changed->relative &= ~(uint32_t)RELATIVE_DEADLINE;
    return 0;
}

static int change_terms(const struct lease_change *change, struct lease_record *changed,
                        struct error *err)
{
    const unsigned preemption = 1U << TERM_ID_preemptible | 1U << TERM_ID_terms;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (change->given >> i & 1)
            term_copy(&lease_terms[i], &change->term_values, &changed->term_values);
    if (change->given & preemption && !terms_settle(&changed->term_values, change->given))
        return error_set(err, EINVAL, "terms: %s conflicts with preemptible",
                         lease_terms_name(changed->terms));
    return 0;
}

static bool is_same(const struct lease_record *one, const struct lease_record *other)
{
    bool same = one->kind == other->kind && one->duration == other->duration &&
                one->start == other->start && one->earliest == other->earliest &&
                one->deadline == other->deadline;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        same = same && term_is_same(&lease_terms[i], &one->term_values, &other->term_values);
    return same;
}

/* The end of the lease if it ran without interruption from now, or from its earliest start. */
static int64_t earliest_end(const struct lease_record *lease, int64_t now)
{
    int64_t from =
        lease->earliest != INSTANT_NONE && lease->earliest > now && !lease_has_begun(lease)
            ? lease->earliest
            : now;

    return lease_end_from(lease, from);
}

static int check_end(const struct lease_record *changed, int64_t now, struct error *err)
{
    int64_t end = earliest_end(changed, now);
    char at[TIME_TEXT_MAX], deadline[TIME_TEXT_MAX];

    if (changed->duration == SPAN_UNLIMITED && changed->kind == LEASE_DEADLINE)
        return error_set(err, EINVAL, "duration: required for a deadline lease");
    if (end <= now)
        return error_set(err, ENOSPC,
                         "refused: lease %lld would end in the past; cancel it instead",
                         (long long)changed->id);
    if (changed->kind != LEASE_DEADLINE || end <= changed->deadline)
        return 0;
    lease_time_text(end, at, sizeof at);
    lease_time_text(changed->deadline, deadline, sizeof deadline);
    return error_set(err, ENOSPC,
                     "refused: lease %lld would end at %s at the earliest, after its deadline %s",
                     (long long)changed->id, at, deadline);
}

int lease_change_make(const struct lease_record *lease, const struct lease_change *change,
                      int64_t now, struct lease_record *changed, struct error *err)
{
    *changed = *lease;
    if (!lease_can(lease, EVENT_CHANGED))
        return error_set(err, EALREADY,
                         "lease %lld is %s: leases can be changed while they are waiting, "
                         "reserved, starting, running or parked",
                         (long long)lease->id, phase_name(lease->phase));
    if (!lease->accepted)
        return error_set(err, EAGAIN, "lease %lld has not been decided yet; try again in a moment",
                         (long long)lease->id);
    if (change_kind(lease, change, now, changed, err) < 0 ||
        (change->start != INSTANT_NONE &&
         change_start(lease, change->start, now, changed, err) < 0) ||
        (change->duration != SPAN_NONE && change_duration(change->duration, changed, err) < 0) ||
        (change->deadline != INSTANT_NONE && change_deadline(change->deadline, changed, err) < 0) ||
        change_terms(change, changed, err) < 0)
        return -1;
    if (is_same(lease, changed) && !change->cpu && !change->memory)
        return error_set(err, EALREADY, "nothing to change: lease %lld already has these terms",
                         (long long)lease->id);
    return check_end(changed, now, err);
}

int lease_release_make(const struct lease_record *lease, int64_t now, struct lease_record *released,
                       struct error *err)
{
    char start[TIME_TEXT_MAX];

    *released = *lease;
    if (lease_can(lease, EVENT_ASKED_AGAIN) && phase_is_final(lease->phase))
        return error_set(err, EALREADY,
                         "lease %lld is over (%s): to request it again, release its VMs (onevm "
                         "release)",
                         (long long)lease->id, phase_name(lease->phase));
    if (!lease_can(lease, EVENT_RELEASE))
        return error_set(err, EALREADY, "lease %lld is %s, not on hold", (long long)lease->id,
                         phase_name(lease->phase));
    released->phase = PHASE_WAITING;
    if (lease->kind != LEASE_RESERVATION || lease->start > now)
        return check_end(released, now, err);
    lease_time_text(lease->start, start, sizeof start);
    return error_set(err, ENOSPC,
                     "refused: the start of lease %lld, %s, has passed; change it "
                     "with --start, or cancel the lease",
                     (long long)lease->id, start);
}

/* --- text ------------------------------------------------------------------------------------- */

/* before: NULL if the lease had no such value. */
static void add_text(char *text, size_t size, const char *what, const char *after,
                     const char *before)
{
    size_t length = strlen(text);

    snprintf(text + length, size - length, "%s%s %s%s%s", length ? ", " : "", what, after,
             before ? " instead of " : "", before ? before : "");
}

/* Skips times that the lease loses with its former kind. */
static void add_time(char *text, size_t size, const char *what, int64_t after, int64_t before)
{
    char now[TIME_TEXT_MAX], then[TIME_TEXT_MAX];

    if (after == before || after == INSTANT_NONE)
        return;
    lease_time_text(after, now, sizeof now);
    if (before != INSTANT_NONE)
        lease_time_text(before, then, sizeof then);
    add_text(text, size, what, now, before == INSTANT_NONE ? NULL : then);
}

/* `terms` and `preemptible` imply each other: only `terms` is reported. */
static void add_term(char *text, size_t size, const struct lease_term *term,
                     const struct lease_record *after, const struct lease_record *before)
{
    char now[TERM_TEXT_MAX], then[TERM_TEXT_MAX];

    if (term == &lease_terms[TERM_ID_preemptible] ||
        term_is_same(term, &after->term_values, &before->term_values))
        return;
    add_text(text, size, term->name, term_write(term, &after->term_values, now),
             term_write(term, &before->term_values, then));
}

void lease_change_text(const struct lease_record *before, const struct lease_record *after,
                       int64_t now, char *text, size_t size)
{
    char longer[TIME_TEXT_MAX], shorter[TIME_TEXT_MAX], until[TIME_TEXT_MAX];
    bool has_end = is_on_hosts(after) || after->kind == LEASE_RESERVATION;
    int64_t end = lease_end_from(after, now);
    size_t length;

    text[0] = '\0';
    if (after->duration != before->duration) {
        time_text_exact(after->duration, longer, sizeof longer);
        time_text_exact(before->duration, shorter, sizeof shorter);
        add_text(text, size, "duration", longer, shorter);
    }
    if (after->kind != before->kind)
        add_text(text, size, "kind", lease_kind_words[after->kind], lease_kind_words[before->kind]);
    add_time(text, size, "start", after->start, before->start);
    add_time(text, size, "not before", after->earliest, before->earliest);
    add_time(text, size, "deadline", after->deadline, before->deadline);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        add_term(text, size, &lease_terms[i], after, before);
    length = strlen(text);
    if (!has_end || end == INSTANT_NEVER)
        return;
    lease_time_text(end, until, sizeof until);
    snprintf(text + length, size - length, "; ends at %s", until);
}
