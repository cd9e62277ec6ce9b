/* Every preemption has its effect, and every effect its preemption. */
#include <string.h>

#include "verify/checker.h"

static bool may_be_preempted(const struct schedule_lease *lease)
{
    if (lease->terms)
        return strcmp(lease->terms, "non-preemptable") != 0;
    return lease->preemptible;
}

static bool suspended_by(const struct schedule_lease *lease, int64_t time)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].kind == SCHEDULE_SUSPEND && lease->reservations[i].until == time)
            return true;
    return false;
}

/* The lease left what it was doing between the decision and the time: it ended, failed, was
 * cancelled or queued again. */
static bool made_room(const struct checker *checker, const struct schedule_lease *lease,
                      const struct schedule_preemption *preemption)
{
    size_t index = (size_t)(lease - checker->schedule->leases);
    const struct schedule_move *const *moves = checker_moves(checker, index);

    for (size_t i = 0; i < checker_n_moves(checker, index); i++) {
        enum schedule_state to = moves[i]->to;

        if (moves[i]->time >= preemption->decided && moves[i]->time <= preemption->time &&
            (schedule_state_is_final(to) || to == STATE_QUEUED || to == STATE_SUSPENDED_QUEUED ||
             to == STATE_SUSPENDED_PENDING || to == STATE_PENDING))
            return true;
    }
    return false;
}

void check_preemptions(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < schedule->n_preemptions; i++) {
        const struct schedule_preemption *preemption = &schedule->preemptions[i];
        const struct schedule_lease *lease = schedule_lease(schedule, preemption->lease);
        struct finding finding = {CHECK_PREEMPTION, preemption->lease, SCHEDULE_UNSET,
                                  preemption->decided};

        checker_examined(checker, CHECK_PREEMPTION);
        if (!lease) {
            checker_violation(checker, &finding, "a lease that does not exist is preempted");
            continue;
        }
        if (preemption->time < preemption->decided || preemption->decided < lease->submit)
            checker_violation(checker, &finding, "decided at %lld for %lld, submitted at %lld",
                              (long long)preemption->decided, (long long)preemption->time,
                              (long long)lease->submit);
        if (!may_be_preempted(lease))
            checker_odd(checker, ODDITY_TERMS_IGNORED, &finding, "it must not be preempted");
        if (preemption->time > schedule->end_time)
            continue;
        if (!(preemption->suspended && suspended_by(lease, preemption->time)) &&
            !made_room(checker, lease, preemption))
            checker_violation(checker, &finding, "%s by %lld was decided, and it did not make room",
                              preemption->suspended ? "suspension" : "requeueing",
                              (long long)preemption->time);
    }
}
