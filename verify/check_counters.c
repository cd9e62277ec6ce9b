/* Recomputes the counters over time from the state log and the reservations, and compares all
 * entries with their running averages. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "verify/checker.h"
#include "verify/counter.h"

static bool differs(double told, double right)
{
    return !(fabs(told - right) <= 1e-9 * fmax(1.0, fabs(right)));
}

static bool same_average(double told, double right)
{
    return isnan(right) ? isnan(told) : !differs(told, right);
}

/* Reports the first wrong entry. */
static void compare(struct checker *checker, enum schedule_counter_id id,
                    const struct schedule_counter *told, const struct series *series)
{
    const char *name = schedule_counter_names[id];
    size_t n = told->n < series->n ? told->n : series->n;

    for (size_t i = 0; i < n; i++) {
        const struct schedule_entry *a = &told->entries[i], *b = &series->entries[i];
        struct finding finding = {CHECK_COUNTERS, b->lease, SCHEDULE_UNSET, b->time};

        checker_examined(checker, CHECK_COUNTERS);
        if (a->time != b->time || a->lease != b->lease)
            checker_violation(checker, &finding,
                              "%s: entry %zu belongs at %lld, the record has it at %lld%s", name, i,
                              (long long)b->time, (long long)a->time,
                              a->lease == b->lease ? "" : " and for another lease");
        else if (differs(a->value, b->value))
            checker_violation(checker, &finding, "%s: the record says %.15g, it was %.15g", name,
                              a->value, b->value);
        else if (!same_average(a->average, b->average))
            checker_violation(checker, &finding,
                              "%s: the record says %.15g on average until then, it was %.15g", name,
                              a->average, b->average);
        else
            continue;
        return;
    }
    if (told->n != series->n)
        checker_violation(
            checker,
            &(struct finding){CHECK_COUNTERS, SCHEDULE_UNSET, SCHEDULE_UNSET,
                              n < told->n ? told->entries[n].time : series->entries[n].time},
            "%s: %zu entries in the record, it changed %zu times", name, told->n, series->n);
}

/* Refused by admission, and therefore not counted as accepted. */
static bool was_refused(const struct schedule_lease *lease)
{
    return lease->state == STATE_REJECTED && lease->reason &&
           strcmp(lease->reason, "refused-by-policy") == 0;
}

/* Does the counter count the move? */
static bool counts(const struct schedule_lease *lease, const struct schedule_move *move,
                   enum schedule_counter_id id)
{
    bool asked = move->from == STATE_NEW, rejected = move->to == STATE_REJECTED;

    switch (id) {
    case FIGURE_ACCEPTED_AR:
        return asked && lease->kind == SCHEDULE_RESERVED && !was_refused(lease);
    case FIGURE_REJECTED_AR:
        return rejected && lease->kind == SCHEDULE_RESERVED;
    case FIGURE_ACCEPTED_IMMEDIATE:
        return asked && lease->kind == SCHEDULE_IMMEDIATE && !was_refused(lease);
    case FIGURE_REJECTED_IMMEDIATE:
        return rejected && lease->kind == SCHEDULE_IMMEDIATE;
    case FIGURE_COMPLETED:
        return move->to == STATE_DONE && lease->kind == SCHEDULE_BEST_EFFORT;
    default:
        return false;
    }
}

static void count_events(struct checker *checker, enum schedule_counter_id id,
                         struct series *series)
{
    const struct schedule *schedule = checker->schedule;
    double value = 0;

    for (size_t i = 0; i < schedule->n_moves; i++) {
        const struct schedule_move *move = &schedule->moves[i];
        const struct schedule_lease *lease = schedule_lease(schedule, move->lease);

        if (lease && counts(lease, move, id))
            series_add(series, move->time, move->lease, ++value);
    }
}

static int waits(enum schedule_state state)
{
    return state == STATE_QUEUED || state == STATE_SUSPENDED_QUEUED;
}

/* Counts the waiting leases at the end of each second that has an event. */
static void count_queue(struct checker *checker, struct series *series)
{
    const struct schedule *schedule = checker->schedule;
    int64_t waiting = 0;

    for (size_t i = 0; i < schedule->n_moves; i++) {
        const struct schedule_move *move = &schedule->moves[i];

        waiting += waits(move->to) - waits(move->from);
        if (i + 1 == schedule->n_moves || move[1].time != move->time)
            series_add(series, move->time, SCHEDULE_UNSET, (double)waiting);
    }
}

/* Without reasons, refusals by admission and by the scheduler cannot be distinguished. */
static bool cannot_tell_refusals(const struct schedule *schedule)
{
    for (size_t i = 0; schedule->settings.version == 0 && i < schedule->n_leases; i++)
        if (schedule->leases[i].state == STATE_REJECTED)
            return true;
    return false;
}

static int make(struct checker *checker, enum schedule_counter_id id, struct series *series)
{
    const struct schedule *schedule = checker->schedule;

    switch (id) {
    case FIGURE_ACCEPTED_AR:
    case FIGURE_ACCEPTED_IMMEDIATE:
        if (cannot_tell_refusals(schedule)) {
            checker_not_checked(checker, GAP_REFUSALS);
            return 0;
        }
        count_events(checker, id, series);
        return 1;
    case FIGURE_QUEUE:
        count_queue(checker, series);
        return 1;
    case FIGURE_CPU:
        return series_of_cpu(checker, series);
    case FIGURE_DISK:
        return series_of_disk(checker, series);
    default:
        count_events(checker, id, series);
        return 1;
    }
}

static int check_counter(struct checker *checker, enum schedule_counter_id id)
{
    const struct schedule *schedule = checker->schedule;
    struct schedule_counter counter = schedule->counters[id];
    struct series series;
    int made;

    series_init(&series, id == FIGURE_QUEUE || id == FIGURE_CPU);
    made = make(checker, id, &series);
    if (made > 0) {
        series_close(&series, schedule->end_time);
        /* Haizea adds in the order of memory addresses: the last bits are arbitrary. */
        if (!series.failed && id == FIGURE_CPU && schedule->settings.version == 0) {
            counter.n = series_forget_last_bits(counter.entries, counter.n);
            series.n = series_forget_last_bits(series.entries, series.n);
        }
        if (!series.failed)
            compare(checker, id, &counter, &series);
    }
    made = made < 0 || series.failed ? -1 : 0;
    series_finish(&series);
    return made < 0 ? error_set(checker->err, ENOMEM, "out of memory") : 0;
}

int check_counters(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    for (int id = 0; id < SCHEDULE_COUNTERS; id++) {
        if (!schedule->counters[id].told)
            checker_missing(checker, (enum verify_gap)(GAP_COUNTER + id));
        else if (check_counter(checker, (enum schedule_counter_id)id) < 0)
            return -1;
    }
    return 0;
}
