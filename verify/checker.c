/* Shared by all checks: reports findings and looks up facts about leases. */
#include "verify/checker.h"

#include <stdarg.h>
#include <stdio.h>

const char *verify_gap_name(enum verify_gap gap)
{
    static const char *const gaps[GAP_COUNTER] = {
        [GAP_TRACE] = "whether requests and hosts are those of the trace and the configuration",
        [GAP_GALERNA] = "settings, terms and reasons (the record does not contain them)",
        [GAP_CAUSES] = "why leases were suspended (records of versions 1 and 2 do not say all)",
        [GAP_REFUSALS] = "accepted reservations (the record does not say who refused a lease)",
        [GAP_ABANDONED] =
            "CPU and disk usage (an operation was abandoned, and the record does not contain it)",
        [GAP_DISK] = "disk usage (the record does not list all images and memory files on disks)",
        [GAP_SUSPENSIONS] =
            "why a lease was suspended as planned (nothing in the record needed room)",
        [GAP_CHOICES] = "whether another schedule would have followed the settings more closely",
        [GAP_REPEATED] = "whether the run gives the same record again",
        [GAP_PREEMPTIONS] = "preemptions (the record does not contain them)",
        [GAP_RESULTS] = "waiting times and slowdowns (the record does not contain them)",
        [GAP_TOTALS] = "totals (the record does not contain all of them)",
    };

    return gap < GAP_COUNTER ? gaps[gap] : schedule_counter_names[(gap - GAP_COUNTER)];
}

/* --- findings --------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 3, 0)))
add_violation(struct checker *checker, const struct finding *finding, const char *format,
              va_list args)
{
    struct verification *result = checker->result;
    struct violation *violation;

    result->n_violations++;
    result->violated[finding->check]++;
    if (result->n_kept == VERIFY_KEPT_MAX)
        return;
    violation = &result->violations[result->n_kept++];
    violation->check = finding->check;
    violation->lease = finding->lease;
    violation->host = finding->host;
    violation->time = finding->time;
    vsnprintf(violation->text, sizeof violation->text, format, args);
}

void checker_violation(struct checker *checker, const struct finding *finding, const char *format,
                       ...)
{
    va_list args;

    va_start(args, format);
    add_violation(checker, finding, format, args);
    va_end(args);
}

void checker_odd(struct checker *checker, enum verify_oddity oddity, const struct finding *finding,
                 const char *format, ...)
{
    va_list args;

    if (checker->result->haizea_1_0) {
        checker->result->tolerated[oddity]++;
        return;
    }
    va_start(args, format);
    add_violation(checker, finding, format, args);
    va_end(args);
}

void checker_missing(struct checker *checker, enum verify_gap gap)
{
    checker_not_checked(checker, gap);
    checker_examined(checker, CHECK_RECORD);
    if (!checker->options->partial)
        checker_violation(
            checker,
            &(struct finding){CHECK_RECORD, SCHEDULE_UNSET, SCHEDULE_UNSET, SCHEDULE_UNSET},
            "not checked, because the record is not complete (--partial accepts that): %s",
            verify_gap_name(gap));
}

/* --- facts about leases ----------------------------------------------------------------------- */

bool checker_moved(const struct checker *checker, const struct schedule_lease *lease,
                   const struct state_change *change)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->to == change->to &&
            (change->from == STATES || moves[i]->from == change->from) &&
            moves[i]->time >= change->since && moves[i]->time <= change->until)
            return true;
    return false;
}

bool checker_requeued(const struct checker *checker, const struct schedule_lease *lease,
                      int64_t from, int64_t until)
{
    return checker_moved(checker, lease,
                         &(struct state_change){STATE_ACTIVE, STATE_QUEUED, from, until});
}

bool checker_prepared_again(const struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if ((moves[i]->to == STATE_PENDING && moves[i]->from != STATE_NEW) ||
            (moves[i]->to == STATE_QUEUED && moves[i]->from != STATE_PENDING))
            return true;
    return false;
}

bool checker_ended_suspending(const struct checker *checker, const struct schedule_lease *lease)
{
    size_t n = checker_n_moves(checker, lease);

    return n && checker_moves(checker, lease)[n - 1]->from == STATE_SUSPENDING &&
           schedule_state_is_final(lease->state);
}

bool checker_prepares_restart(const struct checker *checker, const struct schedule_lease *lease,
                              const struct schedule_reservation *transfer)
{
    return checker_requeued(checker, lease, lease->submit, transfer->from);
}

bool checker_may_outlast(const struct checker *checker, const struct schedule_reservation *r)
{
    return checker->result->haizea_1_0 &&
           (r->kind == SCHEDULE_MEMORY_MIGRATION || r->kind == SCHEDULE_DISK_MIGRATION);
}

bool lease_run_next(const struct schedule_lease *lease, size_t first, struct lease_run *run)
{
    size_t i = first;

    while (i < lease->n_reservations && lease->reservations[i].kind != SCHEDULE_VM)
        i++;
    if (i == lease->n_reservations)
        return false;
    run->first = first;
    run->vm = i++;
    while (i < lease->n_reservations && (lease->reservations[i].kind == SCHEDULE_SUSPEND ||
                                         lease->reservations[i].kind == SCHEDULE_SHUTDOWN))
        i++;
    run->end = i;
    return true;
}

bool lease_run_moved(const struct checker *checker, const struct schedule_lease *lease,
                     const struct lease_run *run)
{
    const struct schedule_reservation *vm = &lease->reservations[run->vm];

    if (checker->result->haizea_1_0 || run->first == 0 || run->first == run->vm ||
        vm[-1].kind != SCHEDULE_MEMORY_MIGRATION || vm[-1].until != vm->from)
        return false;
    return lease->reservations[run->first - 1].kind == SCHEDULE_VM &&
           lease->reservations[run->first - 1].until == vm->from;
}

const struct schedule_preemption *checker_preempted_at(const struct schedule *schedule,
                                                       int64_t lease, int64_t time)
{
    for (size_t i = 0; i < schedule->n_preemptions; i++)
        if (schedule->preemptions[i].lease == lease && schedule->preemptions[i].decided == time)
            return &schedule->preemptions[i];
    return NULL;
}

int64_t checker_planned_at(const struct checker *checker, const struct schedule_lease *lease,
                           int64_t from)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);
    size_t low = 0, high = checker_n_moves(checker, lease);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (moves[middle]->time <= from)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0)
        if (moves[low]->to == STATE_SCHEDULED || moves[low]->to == STATE_SUSPENDED_SCHEDULED)
            return moves[low]->time;
    return from;
}

int64_t checker_time_left(const struct schedule_lease *lease, const struct schedule_plan *plan)
{
    int64_t left = lease->duration_requested;
    int64_t now = plan->time < plan->from ? plan->time : plan->from;

    for (size_t i = 0; left != SCHEDULE_UNSET && i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind == SCHEDULE_VM && r->from < now && r->until != SCHEDULE_NEVER)
            left -= r->until - r->from;
    }
    return left;
}

void checker_check_length(struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_plan *plan)
{
    struct finding finding = {CHECK_PREEMPTION, lease->id, SCHEDULE_UNSET, plan->time};
    int64_t left = checker_time_left(lease, plan);

    if (plan->until < plan->from)
        checker_violation(checker, &finding, "planned from %lld until %lld", (long long)plan->from,
                          (long long)plan->until);
    if (left == SCHEDULE_UNSET)
        return;
    if (plan->until == SCHEDULE_NEVER || plan->until - plan->from > left)
        checker_violation(checker, &finding,
                          "planned to run from %lld for longer than the %lld s left of its time",
                          (long long)plan->from, (long long)left);
}
