/* Checks waiting times, slowdowns and totals. */
#include <math.h>

#include "verify/checker.h"

static bool differs(double told, double right)
{
    if (isnan(told) || isnan(right))
        return isnan(told) != isnan(right);
    return fabs(told - right) > 1e-9 * fmax(1.0, fabs(right));
}

static bool has_result(const struct schedule_lease *lease)
{
    return lease->kind == SCHEDULE_BEST_EFFORT && lease->state == STATE_DONE;
}

static void check_result(struct checker *checker, const struct schedule_lease_result *result)
{
    const struct schedule_lease *lease = schedule_lease(checker->schedule, result->lease);
    struct finding finding = {CHECK_RESULTS, result->lease, SCHEDULE_UNSET, SCHEDULE_UNSET};
    double waiting = NAN, slowdown = NAN;

    checker_examined(checker, CHECK_RESULTS);
    if (!lease || !has_result(lease)) {
        checker_violation(checker, &finding,
                          "has a waiting time and a slowdown, but is not a best-effort lease that "
                          "is done");
        return;
    }
    if (lease->start_actual != SCHEDULE_UNSET)
        waiting = (double)lease->start_actual - (double)lease->submit;
    if (lease->end != SCHEDULE_UNSET && lease->duration_original != SCHEDULE_UNSET)
        slowdown = ((double)lease->end - (double)lease->submit) /
                   fmax(10.0, (double)lease->duration_original);
    if (differs(result->waiting, waiting))
        checker_violation(checker, &finding, "the record says it waited %.10g s, it waited %.10g s",
                          result->waiting, waiting);
    if (differs(result->slowdown, slowdown))
        checker_violation(checker, &finding, "the record says its slowdown was %.10g, it was %.10g",
                          result->slowdown, slowdown);
}

/* Every lease that is done has results. */
static void check_all_results(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    size_t expected = 0;

    /* Haizea 1.1, whose records lack preemptions, measures other leases and by other rules. */
    if (!schedule->results_told || !schedule->preemptions_told) {
        checker_missing(checker, GAP_RESULTS);
        return;
    }
    for (size_t i = 0; i < schedule->n_results; i++)
        check_result(checker, &schedule->results[i]);
    for (size_t i = 0; i < schedule->n_leases; i++)
        expected += has_result(&schedule->leases[i]);
    /* The probe was off. */
    if (schedule->n_results == 0 && !schedule->counters[FIGURE_COMPLETED].told) {
        checker_missing(checker, GAP_RESULTS);
        return;
    }
    if (schedule->n_results != expected)
        checker_violation(
            checker,
            &(struct finding){CHECK_RESULTS, SCHEDULE_UNSET, SCHEDULE_UNSET, SCHEDULE_UNSET},
            "%zu best-effort leases are done, %zu have a waiting time", expected,
            schedule->n_results);
}

static void check_total(struct checker *checker, enum schedule_counter_id id)
{
    const struct schedule_totals *totals = &checker->schedule->totals;
    const struct schedule_counter *counter = &checker->schedule->counters[id];

    if (!totals->told[id] || !counter->told) {
        checker_missing(checker, GAP_TOTALS);
        return;
    }
    checker_examined(checker, CHECK_RESULTS);
    if (differs((double)totals->value[id], counter->entries[counter->n - 1].value))
        checker_violation(
            checker,
            &(struct finding){CHECK_RESULTS, SCHEDULE_UNSET, SCHEDULE_UNSET, SCHEDULE_UNSET},
            "%s: %lld, but the counter ends with %.10g", schedule_total_names[id],
            (long long)totals->value[id], counter->entries[counter->n - 1].value);
}

void check_results(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    const struct schedule_counter *completed = &schedule->counters[FIGURE_COMPLETED];

    check_all_results(checker);
    for (int id = 0; id < SCHEDULE_TOTALS; id++)
        check_total(checker, (enum schedule_counter_id)id);
    if (!schedule->totals.last_told || !completed->told) {
        checker_missing(checker, GAP_TOTALS);
        return;
    }
    checker_examined(checker, CHECK_RESULTS);
    if (completed->entries[completed->n - 1].time != schedule->totals.last)
        checker_violation(
            checker,
            &(struct finding){CHECK_RESULTS, SCHEDULE_UNSET, SCHEDULE_UNSET, schedule->totals.last},
            "all-best-effort: %lld, but the counter of completed leases ends at %lld",
            (long long)schedule->totals.last, (long long)completed->entries[completed->n - 1].time);
}
