/* Checks the figures of each lease, and the end of the run. */
#include <string.h>

#include "verify/checker.h"

static void expect_figure(struct checker *checker, const struct schedule_lease *lease,
                          const char *name, const int64_t told_and_right[2])
{
    int64_t told = told_and_right[0], right = told_and_right[1];
    struct finding finding = {CHECK_RESULTS, lease->id, SCHEDULE_UNSET, SCHEDULE_UNSET};

    checker_examined(checker, CHECK_RESULTS);
    if (told == right)
        return;
    if (right == SCHEDULE_UNSET)
        checker_violation(checker, &finding, "%s is %lld, but the lease is %s: expected null", name,
                          (long long)told, schedule_state_names[lease->state]);
    else if (told == SCHEDULE_UNSET)
        checker_violation(checker, &finding, "%s is null, expected %lld", name, (long long)right);
    else
        checker_violation(checker, &finding, "%s is %lld, expected %lld", name, (long long)told,
                          (long long)right);
}

static void check_times(struct checker *checker, const struct schedule_lease *lease)
{
    size_t index = (size_t)(lease - checker->schedule->leases);
    const struct schedule_move *const *moves = checker_moves(checker, lease);
    size_t n = checker_n_moves(checker, lease);
    int64_t start = SCHEDULE_UNSET;

    for (size_t i = 0; i < n; i++)
        if (moves[i]->from == STATE_READY && moves[i]->to == STATE_ACTIVE)
            start = moves[i]->time;
    expect_figure(checker, lease, "start_actual", (const int64_t[]){lease->start_actual, start});
    if (n > 0)
        expect_figure(checker, lease, "submit",
                      (const int64_t[]){lease->submit, moves[0]->time == checker->taken[index]
                                                           ? lease->submit
                                                           : moves[0]->time});
    else
        checker_violation(checker,
                          &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, lease->submit},
                          "the state log does not mention the lease");
    expect_figure(checker, lease, "end",
                  (const int64_t[]){lease->end, n && lease->state == STATE_DONE ? moves[n - 1]->time
                                                                                : SCHEDULE_UNSET});
}

static void check_durations(struct checker *checker, const struct schedule_lease *lease)
{
    bool done = lease->state == STATE_DONE;
    int64_t ran = 0;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].kind == SCHEDULE_VM &&
            lease->reservations[i].progress == PROGRESS_DONE &&
            lease->reservations[i].until != SCHEDULE_NEVER)
            ran += lease->reservations[i].until - lease->reservations[i].from;
    expect_figure(checker, lease, "duration_accumulated",
                  (const int64_t[]){lease->duration_accumulated, ran});
    expect_figure(checker, lease, "duration_actual",
                  (const int64_t[]){lease->duration_actual, done ? ran : SCHEDULE_UNSET});
}

static void check_reason(struct checker *checker, const struct schedule_lease *lease)
{
    static const char *const refusals[] = {"refused-by-policy",
                                           "too-big",
                                           "no-room-at-start",
                                           "start-passed",
                                           "image-too-late",
                                           "deadline-unreachable",
                                           "no-room-at-once",
                                           "no-host-allowed",
                                           "no-device",
                                           "no-topology",
                                           "device-in-use",
                                           "topology-in-use",
                                           "no-room-with-device",
                                           "no-room-with-topology",
                                           "kept-apart",
                                           "kept-together",
                                           "no-room-for-all",
                                           "shorter-than-shutdown",
                                           "others-would-be-late",
                                           "text"};
    static const char *const endings[] = {"cancelled", "cancelled-for", "deadline-missed", "text",
                                          "too-big" /* in Haizea's mode */};
    const char *const *allowed = NULL;
    size_t n = 0;

    if (!lease->reason || checker->schedule->settings.version < 2)
        return;
    if (lease->state == STATE_REJECTED)
        allowed = refusals, n = sizeof refusals / sizeof *refusals;
    if (lease->state == STATE_CANCELLED)
        allowed = endings, n = sizeof endings / sizeof *endings - !checker->result->haizea_1_0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(lease->reason, allowed[i]) == 0)
            return;
    if (n || (lease->state == STATE_FAIL) != (strcmp(lease->reason, "failed") == 0))
        checker_violation(
            checker, &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, SCHEDULE_UNSET},
            "is %s with the reason %s, which does not lead to that",
            schedule_state_names[lease->state], lease->reason);
}

/* Checks that the request is consistent and fits the kind of the lease. */
static void check_request(struct checker *checker, const struct schedule_lease *lease)
{
    struct finding finding = {CHECK_RESULTS, lease->id, SCHEDULE_UNSET, lease->submit};
    struct lease_run run;

    if (checker->schedule->settings.version < 2 || !lease->terms)
        return;
    if (checker->schedule->settings.haizea_1_0 &&
        (strcmp(lease->terms, "non-preemptable") == 0) == lease->preemptible)
        checker_violation(checker, &finding, "%s, but preemptible is %s", lease->terms,
                          lease->preemptible ? "true" : "false");
    if (lease->kind == SCHEDULE_RESERVED && lease->deadline != SCHEDULE_UNSET)
        checker_violation(checker, &finding, "an advance reservation has a deadline, %lld",
                          (long long)lease->deadline);
    if (lease->kind == SCHEDULE_DEADLINE && lease->deadline == SCHEDULE_UNSET)
        checker_violation(checker, &finding, "a deadline lease has no deadline");
    if (lease->kind == SCHEDULE_BEST_EFFORT && lease->deadline != SCHEDULE_UNSET &&
        lease->state == STATE_DONE && lease->end > lease->deadline)
        checker_violation(checker, &finding, "is done at %lld, but was to be given up at %lld",
                          (long long)lease->end, (long long)lease->deadline);
    if (lease->kind == SCHEDULE_IMMEDIATE && lease->ready != SCHEDULE_UNSET)
        checker_violation(checker, &finding, "an immediate lease has an earliest start, %lld",
                          (long long)lease->ready);
    if (lease->kind == SCHEDULE_BEST_EFFORT && lease->ready != SCHEDULE_UNSET &&
        lease_run_next(lease, 0, &run) && lease->reservations[run.vm].from < lease->ready)
        checker_violation(checker, &finding, "not before %lld, but its VMs started at %lld",
                          (long long)lease->ready, (long long)lease->reservations[run.vm].from);
}

/* A lease that ran for its full time ends with a shutdown; a lease that ended early has none. */
static void check_shutdown(struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_reservation *last =
        lease->n_reservations ? &lease->reservations[lease->n_reservations - 1] : NULL;
    bool had_its_time = last && last->kind == SCHEDULE_SHUTDOWN;
    bool early = lease->reason && strcmp(lease->reason, "ended-early") == 0;
    struct finding finding = {CHECK_SEQUENCE, lease->id, SCHEDULE_UNSET, lease->end};

    if (checker->schedule->settings.version < 2)
        return;
    if (early && (lease->state != STATE_DONE || had_its_time))
        checker_violation(checker, &finding, "ended early, but is %s%s",
                          schedule_state_names[lease->state],
                          had_its_time ? " after a shutdown" : "");
    else if (!early && lease->state == STATE_DONE && last && !had_its_time)
        checker_violation(checker, &finding, "is done after a %s, without a shutdown",
                          schedule_kind_names[last->kind]);
}

void check_figures(struct checker *checker, const struct schedule_lease *lease)
{
    check_request(checker, lease);
    check_shutdown(checker, lease);
    check_times(checker, lease);
    check_durations(checker, lease);
    check_reason(checker, lease);
}

/* The last event known from the record. */
static int64_t last_event(const struct schedule *schedule)
{
    int64_t last = 0;

    for (size_t i = 0; i < schedule->n_moves; i++)
        if (schedule->moves[i].time > last)
            last = schedule->moves[i].time;
    return last;
}

/* In a stuck run, no planned operation would make room. */
static bool anything_planned(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_leases; i++)
        for (size_t k = 0; k < schedule->leases[i].n_reservations; k++)
            if (schedule->leases[i].reservations[k].progress != PROGRESS_DONE)
                return true;
    return false;
}

/* The end of the last migration that outlives its lease; `last` if that is later. */
static int64_t last_migration(const struct checker *checker, int64_t last)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < schedule->n_leases; i++)
        for (size_t k = 0; k < schedule->leases[i].n_reservations; k++) {
            const struct schedule_reservation *r = &schedule->leases[i].reservations[k];

            if (checker_may_outlast(checker, r) && r->until > last)
                last = r->until;
        }
    return last;
}

void check_end(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    struct finding finding = {CHECK_FINAL, SCHEDULE_UNSET, SCHEDULE_UNSET, schedule->end_time};
    size_t open = 0;
    int64_t last = last_event(schedule);

    for (size_t i = 0; i < schedule->n_leases; i++)
        open += !schedule_state_is_final(schedule->leases[i].state);
    if (schedule->ending != RUN_NOT_TOLD && (schedule->ending == RUN_COMPLETE) != (open == 0) &&
        schedule->ending != RUN_INTERRUPTED)
        checker_violation(checker, &finding,
                          "%zu leases have not ended, which contradicts the end of the run", open);
    if (schedule->ending == RUN_STUCK && anything_planned(schedule))
        checker_violation(checker, &finding,
                          "the run is recorded as stuck, but operations are planned");
    if (last > schedule->end_time)
        checker_violation(checker, &finding, "the state log goes on until %lld", (long long)last);
    last = last_migration(checker, last);
    if (schedule->ending == RUN_COMPLETE && last != schedule->end_time &&
        !schedule->settings.stops_early)
        checker_violation(checker, &finding, "the last lease was over at %lld", (long long)last);
    for (size_t i = 1; i < schedule->n_moves; i++)
        if (schedule->moves[i].time < schedule->moves[i - 1].time) {
            finding.time = schedule->moves[i].time;
            checker_violation(checker, &finding, "the state log goes back in time");
        }
}
