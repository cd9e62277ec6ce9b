/* Checks the guarantees of the terms of leases that make room for others (Amini Salehi et al.,
 * section on lease types): cancelable leases may be ended; all others get their full run time
 * later, and by their deadline if they have one. Haizea 1.0 has no terms. */
#include <string.h>

#include "verify/checker.h"

#include "util/words.h"

/* Did the lease end for another reason than its preemption? */
static bool ended_by_others(const struct schedule_lease *lease)
{
    static const char *const reasons[] = {"cancelled", "failed", "ended-early"};

    return lease->reason && WORDS_HAVE(reasons, lease->reason);
}

/* The deadline of a best-effort or immediate lease is not a promise: the lease may be ended because
 * of it. */
static bool missed_its_own_wish(const struct schedule_lease *lease)
{
    return (lease->kind == SCHEDULE_BEST_EFFORT || lease->kind == SCHEDULE_IMMEDIATE) &&
           lease->reason && strcmp(lease->reason, "deadline-missed") == 0;
}

/* Checks that the lease gets the rest of its time, after any wait. */
static void check_wall_time(struct checker *checker, const struct schedule_lease *lease,
                            const struct finding *finding)
{
    bool open = !schedule_state_is_final(lease->state) && !checker->options->complete;

    if (lease->state == STATE_DONE || open || ended_by_others(lease) || missed_its_own_wish(lease))
        return;
    checker_violation(checker, finding, "%s, it made room and never got its time: it is %s",
                      lease->terms, schedule_state_names[lease->state]);
}

static void check_deadline(struct checker *checker, const struct schedule_lease *lease,
                           const struct finding *finding)
{
    bool final = schedule_state_is_final(lease->state);
    int64_t until = final ? lease->end : checker->schedule->end_time;

    if (lease->kind != SCHEDULE_DEADLINE || lease->deadline == SCHEDULE_UNSET ||
        (lease->state != STATE_DONE && ended_by_others(lease)))
        return;
    if (final && lease->state != STATE_DONE)
        checker_violation(checker, finding, "promised by %lld, it made room and is %s",
                          (long long)lease->deadline, schedule_state_names[lease->state]);
    else if (until > lease->deadline)
        checker_violation(checker, finding, "promised by %lld, it made room and is %s at %lld",
                          (long long)lease->deadline, schedule_state_names[lease->state],
                          (long long)until);
}

void check_terms(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    if (checker->result->haizea_1_0)
        return;
    for (size_t i = 0; i < schedule->n_preemptions; i++) {
        const struct schedule_preemption *preemption = &schedule->preemptions[i];
        const struct schedule_lease *lease = schedule_lease(schedule, preemption->lease);
        struct finding finding = {CHECK_TERMS, preemption->lease, SCHEDULE_UNSET, preemption->time};

        if (!lease || !lease->terms)
            continue;
        checker_examined(checker, CHECK_TERMS);
        if (strcmp(lease->terms, "cancelable") == 0)
            continue;
        if (preemption->ended)
            checker_violation(checker, &finding, "%s, and ended to make room", lease->terms);
        check_wall_time(checker, lease, &finding);
        check_deadline(checker, lease, &finding);
    }
}
