/* Runs all checks of a schedule. */
#include "verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/checker.h"

static const struct {
    const char *name, *promise;
} checks[CHECKS] = {
    [CHECK_RECORD] = {"record", "the record is complete"},
    [CHECK_CAPACITY] = {"capacity", "no resource of a host is exceeded at any instant"},
    [CHECK_START] = {"start", "accepted reservations start when promised"},
    [CHECK_DEADLINE] = {"deadline", "deadline leases keep to their earliest start and deadline"},
    [CHECK_IMMEDIATE] = {"immediate", "immediate leases start at once"},
    [CHECK_SUBMISSION] = {"submission", "nothing happens for a lease before it is submitted"},
    [CHECK_DURATION] = {"duration", "finished leases had their full time"},
    [CHECK_SEQUENCE] = {"sequence", "operations of a lease come in the right order"},
    [CHECK_OVERLAP] = {"overlap", "operations of a lease do not overlap"},
    [CHECK_TOGETHER] = {"together", "all VMs of a lease run together, each with what it needs"},
    [CHECK_PLACE] = {"place", "VMs go on where they were suspended or migrated to"},
    [CHECK_HOSTS] = {"hosts", "all named hosts and VMs exist"},
    [CHECK_EXCLUSION] = {"exclusion", "suspensions that exclude each other never overlap"},
    [CHECK_LENGTH] = {"length", "suspensions, resumptions and shutdowns have their time"},
    [CHECK_TRANSFERS] = {"transfers", "images and memory are sent in the time that it takes"},
    [CHECK_STATES] = {"states", "state changes are allowed and match the operations"},
    [CHECK_FINAL] = {"final", "every lease ends"},
    [CHECK_PREEMPTION] = {"preemption", "preempted leases were preemptable and make room in time"},
    [CHECK_TERMS] = {"terms", "preempted leases get the time and the deadline of their terms"},
    [CHECK_CARRIED_OUT] = {"carried-out",
                           "operations recorded as done were done by the end of the run"},
    [CHECK_COUNTERS] = {"counters", "counters and their averages follow from the schedule"},
    [CHECK_RESULTS] = {"results", "waiting times, slowdowns and totals are right"},
    [CHECK_REPEATED] = {"repeated", "the run, repeated, gives the same record again"},
};

static const char *const oddities[ODDITIES] = {
    [ODDITY_SHUTDOWN_INSIDE] = "shutdown-inside-duration",
    [ODDITY_PREMATURE_END_LOST] = "premature-end-plus-one-day",
    [ODDITY_IMMEDIATE_FORGOTTEN] = "immediate-may-be-suspended",
    [ODDITY_MOVED_WITHIN_HOSTS] = "resumed-on-exchanged-hosts",
    [ODDITY_RESUMED_MIGRATING] = "resumed-while-migrating",
    [ODDITY_TERMS_IGNORED] = "terms-ignored",
    [ODDITY_ZERO_WINDOWS_MERGED] = "windows-of-no-time-merged",
    [ODDITY_MEMORY_TIMES_VMS] = "memory-times-vms",
    [ODDITY_PREPARED_TWICE] = "prepared-twice",
    [ODDITY_MIGRATED_IN_VAIN] = "migrated-in-vain",
    [ODDITY_NETWORK_EXCEEDED] = "network-exceeded",
    [ODDITY_DISK_EXCEEDED] = "disk-exceeded",
    [ODDITY_RIDES_ALONG] = "rides-along",
};

const char *verify_check_name(enum verify_check check)
{
    return checks[check].name;
}

const char *verify_check_promise(enum verify_check check)
{
    return checks[check].promise;
}

const char *verify_oddity_name(enum verify_oddity oddity)
{
    return oddities[oddity];
}

/* Sorts the state log by lease; moves of unknown leases are violations. */
static int index_moves(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    size_t *next;

    checker->moves = calloc(schedule->n_moves + 1, sizeof *checker->moves);
    checker->first_move = calloc(schedule->n_leases + 2, sizeof *checker->first_move);
    if (!checker->moves || !checker->first_move)
        return error_set(checker->err, ENOMEM, "out of memory");
    next = checker->first_move + 1; /* first counts, then ends of the ranges, shifted by one */
    for (size_t i = 0; i < schedule->n_moves; i++) {
        const struct schedule_lease *lease = schedule_lease(schedule, schedule->moves[i].lease);

        if (lease)
            next[lease - schedule->leases + 1]++;
        else
            checker_violation(checker,
                              &(struct finding){CHECK_STATES, schedule->moves[i].lease,
                                                SCHEDULE_UNSET, schedule->moves[i].time},
                              "the state log names a nonexistent lease");
    }
    for (size_t i = 1; i <= schedule->n_leases; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < schedule->n_moves; i++) {
        const struct schedule_lease *lease = schedule_lease(schedule, schedule->moves[i].lease);

        if (lease)
            checker->moves[next[lease - schedule->leases]++] = &schedule->moves[i];
    }
    return 0;
}

static void note_transfer(struct checker *checker, const struct schedule_reservation *r)
{
    const struct schedule *schedule = checker->schedule;

    if (r->kind != SCHEDULE_TRANSFER)
        return;
    checker->images_move = true;
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_lease *lease = schedule_lease(schedule, r->places[i].lease);

        if (lease && r->until > checker->image_there[lease - schedule->leases])
            checker->image_there[lease - schedule->leases] = r->until;
    }
}

/* A transfer may bring an image to several leases. */
static int index_images(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    checker->image_there = calloc(schedule->n_leases + 1, sizeof *checker->image_there);
    if (!checker->image_there)
        return error_set(checker->err, ENOMEM, "out of memory");
    for (size_t i = 0; i < schedule->n_leases; i++)
        checker->image_there[i] = SCHEDULE_UNSET;
    for (size_t i = 0; i < schedule->n_leases; i++) {
        for (size_t j = 0; j < schedule->leases[i].n_reservations; j++)
            note_transfer(checker, &schedule->leases[i].reservations[j]);
    }
    return 0;
}

/* May a request that was submitted while an earlier one of the trace, submitted at `latest`, had
 * still to come be taken at that time? It comes together with the earlier one or, in Haizea's
 * schedules, when anything happens. */
static bool may_be_taken(const struct checker *checker, const struct schedule_lease *lease,
                         int64_t latest, int64_t time)
{
    const struct schedule *schedule = checker->schedule;
    size_t low = 0, high = schedule->n_moves;

    if (latest <= lease->submit || time > latest)
        return false;
    if (!checker->result->haizea_1_0)
        return time == latest;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (schedule->moves[middle].time < lease->submit)
            low = middle + 1;
        else
            high = middle;
    }
    return low < schedule->n_moves && schedule->moves[low].time == time;
}

/* Had a request with a lower number than the i-th lease still to come when Haizea's run ended? */
static bool was_cut_before(const struct checker *checker, size_t i)
{
    const struct schedule *schedule = checker->schedule;

    return checker->result->haizea_1_0 &&
           (schedule->interrupted || schedule->settings.stops_early) &&
           schedule->leases[i].id > (int64_t)i + 1;
}

/* Requests of a trace that is not sorted are taken after their submission. */
static int index_requests(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    int64_t latest = 0;

    checker->taken = calloc(schedule->n_leases + 1, sizeof *checker->taken);
    if (!checker->taken)
        return error_set(checker->err, ENOMEM, "out of memory");
    for (size_t i = 0; i < schedule->n_leases; i++) {
        const struct schedule_lease *lease = &schedule->leases[i];
        int64_t first = checker_n_moves(checker, &schedule->leases[i])
                            ? checker_moves(checker, &schedule->leases[i])[0]->time
                            : lease->submit;

        if (was_cut_before(checker, i))
            latest = SCHEDULE_NEVER;
        checker->taken[i] = may_be_taken(checker, lease, latest, first) ? first : lease->submit;
        if (lease->submit > latest)
            latest = lease->submit;
    }
    return 0;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void add_events_of(struct checker *checker, const struct schedule_lease *lease)
{
    checker->events[checker->n_events++] = lease->submit;
    if (lease->ready != SCHEDULE_UNSET)
        checker->events[checker->n_events++] = lease->ready;
    for (size_t i = 0; i < lease->n_reservations; i++) {
        checker->events[checker->n_events++] = lease->reservations[i].from;
        checker->events[checker->n_events++] = lease->reservations[i].until;
    }
}

/* Collects submissions, beginnings and ends of operations, and ends of leases. Withdrawn operations
 * are not among the reservations: the state log has their beginnings. */
static int index_events(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    size_t n = 2 * schedule->n_leases + 2 * schedule->n_lost_runs + schedule->n_moves + 1;

    for (size_t i = 0; i < schedule->n_leases; i++)
        n += 2 * schedule->leases[i].n_reservations;
    checker->events = calloc(n, sizeof *checker->events);
    if (!checker->events)
        return error_set(checker->err, ENOMEM, "out of memory");
    for (size_t i = 0; i < schedule->n_leases; i++)
        add_events_of(checker, &schedule->leases[i]);
    for (size_t i = 0; i < schedule->n_lost_runs; i++) {
        checker->events[checker->n_events++] = schedule->lost_runs[i].from;
        checker->events[checker->n_events++] = schedule->lost_runs[i].until;
    }
    for (size_t i = 0; i < schedule->n_moves; i++)
        if (schedule_state_is_final(schedule->moves[i].to) ||
            schedule->moves[i].to == STATE_SUSPENDING || schedule->moves[i].to == STATE_RESUMING ||
            schedule->moves[i].to == STATE_PREPARING)
            checker->events[checker->n_events++] = schedule->moves[i].time;
    qsort(checker->events, checker->n_events, sizeof *checker->events, compare_times);
    return 0;
}

/* Is it the end of a lost run's resumption, which is withdrawn with the run? */
static bool resumed_in_vain(const struct schedule *schedule, const struct schedule_move *move)
{
    return move->from == STATE_RESUMED_READY && move->to == STATE_ACTIVE &&
           schedule_lost_run(schedule, move->lease, move->time);
}

static void find_abandoned(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < schedule->n_moves; i++) {
        enum schedule_state from = schedule->moves[i].from, to = schedule->moves[i].to;

        if ((from == STATE_SUSPENDING && to != STATE_SUSPENDED_PENDING) ||
            (from == STATE_RESUMING && to != STATE_RESUMED_READY) ||
            resumed_in_vain(schedule, &schedule->moves[i]) ||
            (from == STATE_ACTIVE && to == STATE_QUEUED && schedule->settings.version == 0))
            checker->abandoned = true;
    }
}

static void note_gaps(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    checker_not_checked(checker, GAP_TRACE);
    checker_not_checked(checker, GAP_CHOICES);
    if (schedule->settings.version == 0)
        checker_missing(checker, GAP_GALERNA);
    else if (schedule->settings.version < 3)
        checker_missing(checker, GAP_CAUSES);
    if (!schedule->preemptions_told)
        checker_missing(checker, GAP_PREEMPTIONS);
}

static int check_all(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;

    note_gaps(checker);
    find_abandoned(checker);
    if (index_moves(checker) < 0 || index_requests(checker) < 0 || index_images(checker) < 0 ||
        index_events(checker) < 0 || check_capacity(checker) < 0)
        return -1;
    for (size_t i = 0; i < schedule->n_leases; i++) {
        const struct schedule_lease *lease = &schedule->leases[i];

        if (check_runs(checker, lease) < 0 || check_windows(checker, lease) < 0)
            return -1;
        check_operations(checker, lease);
        check_transfers(checker, lease);
        check_promises(checker, lease);
        check_duration(checker, lease);
        check_states(checker, lease);
        check_carried_out(checker, lease);
        check_figures(checker, lease);
        if (check_timeline(checker, lease) < 0)
            return -1;
    }
    check_end(checker);
    check_preemptions(checker);
    if (check_plans(checker) < 0)
        return -1;
    check_terms(checker);
    check_results(checker);
    return check_counters(checker);
}

int verify_schedule(const struct schedule *schedule, const struct verify_options *options,
                    struct verification *verification, struct error *err)
{
    struct checker checker = {
        .schedule = schedule, .options = options, .result = verification, .err = err};
    int result;

    memset(verification, 0, sizeof *verification);
    verification->haizea_1_0 =
        options->compatibility == VERIFY_HAIZEA_1_0 ||
        (options->compatibility == VERIFY_AS_RECORDED && schedule->settings.haizea_1_0);
    verification->violations = calloc(VERIFY_KEPT_MAX, sizeof *verification->violations);
    if (!verification->violations)
        return error_set(err, ENOMEM, "out of memory");
    result = check_all(&checker);
    free(checker.moves);
    free(checker.first_move);
    free(checker.image_there);
    free(checker.taken);
    free(checker.events);
    if (result < 0)
        verification_finish(verification);
    return result;
}

void verification_finish(struct verification *verification)
{
    free(verification->violations);
    verification->violations = NULL;
}
