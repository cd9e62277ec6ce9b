/* Checks that the state log agrees with the reservations: each operation has its state changes, and
 * each state change that requires an operation has one. */
#include <errno.h>
#include <stdlib.h>

#include "verify/checker.h"

#include "util/search.h"

/* A state change that an operation requires. */
struct timeline_trace {
    enum schedule_state to;
    int64_t time;
};

struct traces {
    struct timeline_trace *items;
    size_t n;
};

static void expect(struct traces *traces, enum schedule_state to, int64_t time)
{
    traces->items[traces->n++] = (struct timeline_trace){to, time};
}

/* Expects the state changes of the windows [first, end) of one kind: at the begin of the first and,
 * if all are done, at the end of the last; in Haizea's schedules, of the last in the list. */
static void expect_windows(const struct checker *checker, const struct schedule_lease *lease,
                           enum schedule_kind kind, const size_t range[2], struct traces *traces)
{
    int64_t from = SCHEDULE_NEVER, until = SCHEDULE_UNSET;
    bool begun = false, done = kind == SCHEDULE_RESUME || range[1] < lease->n_reservations ||
                               !checker_ended_suspending(checker, lease);

    for (size_t i = range[0]; i < range[1]; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind != kind)
            continue;
        done = done && r->progress == PROGRESS_DONE;
        begun = begun || r->progress != PROGRESS_SCHEDULED;
        from = r->from < from ? r->from : from;
        until = r->until > until || checker->result->haizea_1_0 ? r->until : until;
    }
    if (begun)
        expect(traces, kind == SCHEDULE_SUSPEND ? STATE_SUSPENDING : STATE_RESUMING, from);
    if (begun && done)
        expect(traces, kind == SCHEDULE_SUSPEND ? STATE_SUSPENDED_PENDING : STATE_RESUMED_READY,
               until);
}

static void expect_run(const struct checker *checker, const struct schedule_lease *lease,
                       const struct lease_run *run, struct traces *traces)
{
    const struct schedule_reservation *vm = &lease->reservations[run->vm];

    expect_windows(checker, lease, SCHEDULE_RESUME, (const size_t[]){run->first, run->vm}, traces);
    if (lease_run_moved(checker, lease, run) && vm[-1].progress != PROGRESS_SCHEDULED)
        expect(traces, STATE_MIGRATING, vm[-1].from);
    if (vm->progress != PROGRESS_SCHEDULED)
        expect(traces, STATE_ACTIVE, vm->from);
    expect_windows(checker, lease, SCHEDULE_SUSPEND, (const size_t[]){run->vm + 1, run->end},
                   traces);
}

static bool stands_for_operation(const struct schedule_move *move)
{
    switch (move->to) {
    case STATE_ACTIVE:
    case STATE_SUSPENDING:
    case STATE_RESUMING:
    case STATE_RESUMED_READY:
    case STATE_MIGRATING:
        return true;
    case STATE_SUSPENDED_PENDING:
        return move->from == STATE_SUSPENDING;
    default:
        return false;
    }
}

/* Is the operation absent from the reservations because it was abandoned or its run was lost? */
static bool was_withdrawn(const struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_move *const *moves, size_t n)
{
    const struct schedule_move *next = n > 1 ? moves[1] : NULL;
    const struct schedule_lost_run *lost;

    if (!next)
        return false;
    switch (moves[0]->to) {
    case STATE_ACTIVE:
        if (checker->schedule->settings.version == 0)
            return next->to == STATE_QUEUED;
        lost = schedule_lost_run(checker->schedule, lease->id, moves[0]->time);
        return lost && lost->until == next->time && next->to != STATE_DONE;
    case STATE_RESUMED_READY:
        if (next->to == STATE_ACTIVE)
            return was_withdrawn(checker, lease, &moves[1], n - 1);
        /* fall through */
    case STATE_SUSPENDING:
    case STATE_RESUMING:
    case STATE_MIGRATING:
        if (moves[0]->to == STATE_MIGRATING && next->to == STATE_DONE)
            return true; /* ended during the migration */
        if (moves[0]->to == STATE_MIGRATING && next->to == STATE_ACTIVE)
            return was_withdrawn(checker, lease, &moves[1], n - 1); /* lost after the migration */
        return next->to == STATE_CANCELLED || next->to == STATE_FAIL ||
               next->to == STATE_SUSPENDED_QUEUED || next->to == STATE_RESUMED_READY;
    default:
        return false;
    }
}

static void match(struct checker *checker, const struct schedule_lease *lease,
                  const struct traces *traces)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);
    size_t n = checker_n_moves(checker, lease), next = 0;

    for (size_t i = 0; i < n; i++) {
        struct finding finding = {CHECK_STATES, lease->id, SCHEDULE_UNSET, moves[i]->time};
        bool lost;

        if (!stands_for_operation(moves[i]))
            continue;
        checker_examined(checker, CHECK_STATES);
        lost = was_withdrawn(checker, lease, &moves[i], n - i);
        if (next < traces->n && traces->items[next].to == moves[i]->to &&
            traces->items[next].time == moves[i]->time && !(lost && moves[i]->to == STATE_ACTIVE))
            next++;
        else if (!lost)
            checker_violation(checker, &finding,
                              "the state log says %s from here on, but no reservation does",
                              schedule_state_names[moves[i]->to]);
    }
    if (next < traces->n)
        checker_violation(
            checker,
            &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, traces->items[next].time},
            "a reservation says %s from here on, but the state log does not",
            schedule_state_names[traces->items[next].to]);
}

static bool is_event(const struct checker *checker, int64_t time)
{
    size_t place = search_place(&time, checker->events, checker->n_events, sizeof *checker->events,
                                search_by_number);

    return place < checker->n_events && checker->events[place] == time;
}

/* Is it the time of a search for better hosts, a whole number of intervals after an event? Searches
 * begin when a lease may move, and begin anew whenever room is freed. */
static bool is_look(const struct checker *checker, int64_t time)
{
    int64_t interval = checker->schedule->settings.look_interval;

    for (size_t i = 0; interval > 0 && i < checker->n_events && checker->events[i] < time; i++)
        if ((time - checker->events[i]) % interval == 0)
            return true;
    return false;
}

/* Is moves[0] the end of a plan to resume the lease, before its resumption or with a run that was
 * lost? */
static bool ends_a_plan_in_vain(const struct checker *checker, const struct schedule_lease *lease,
                                const struct schedule_move *const *moves, size_t n)
{
    if (moves[0]->from != STATE_SUSPENDED_SCHEDULED)
        return false;
    return moves[0]->to != STATE_RESUMING ||
           (n > 1 && was_withdrawn(checker, lease, &moves[1], n - 1));
}

/* Was the resumption of a suspended lease planned by that time in vain? Haizea continues the
 * migrations of a plan that is withdrawn; like those of a lost run, they are not recorded. */
static bool was_planned_in_vain(const struct checker *checker, int64_t time)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < schedule->n_leases; i++) {
        const struct schedule_move *const *moves = checker_moves(checker, &schedule->leases[i]);
        size_t n = checker_n_moves(checker, &schedule->leases[i]);

        for (size_t k = 1; k < n; k++)
            if (ends_a_plan_in_vain(checker, &schedule->leases[i], &moves[k], n - k) &&
                moves[k - 1]->time <= time)
                return true;
    }
    return false;
}

static void nothing_happened(struct checker *checker, const struct finding *finding,
                             const struct schedule_move *move)
{
    const char *from = schedule_state_names[move->from], *to = schedule_state_names[move->to];

    if (checker->schedule->settings.moves_files && was_planned_in_vain(checker, move->time))
        checker_odd(checker, ODDITY_MIGRATED_IN_VAIN, finding,
                    "%s to %s, but no operation starts or ends then", from, to);
    else
        checker_violation(checker, finding, "%s to %s, but no operation starts or ends then", from,
                          to);
}

/* Does a transfer for any lease begin or end at that time? Leases may wait for transfers of others.
 */
static bool is_transfer(const struct schedule *schedule, int64_t time, bool end)
{
    for (size_t i = 0; i < schedule->n_leases; i++)
        for (size_t k = 0; k < schedule->leases[i].n_reservations; k++) {
            const struct schedule_reservation *r = &schedule->leases[i].reservations[k];

            if (r->kind == SCHEDULE_TRANSFER && (end ? r->until : r->from) == time)
                return true;
        }
    return false;
}

/* The preparation of a lease begins with a transfer and ends with one. */
static void check_preparation(struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i + 1 < checker_n_moves(checker, lease); i++) {
        int64_t from = moves[i]->time, until = moves[i + 1]->time;
        struct finding finding = {CHECK_STATES, lease->id, SCHEDULE_UNSET, from};

        if (moves[i]->to == STATE_PREPARING && moves[i + 1]->to == STATE_READY &&
            (!is_transfer(checker->schedule, from, false) ||
             !is_transfer(checker->schedule, until, true)))
            checker_violation(
                checker, &finding,
                "prepared from %lld until %lld by the state log, which no transfer was",
                (long long)from, (long long)until);
    }
}

/* Was the lease that the transfer was for cancelled? Then the transfer is that of a rider. */
static bool was_taken_over(const struct schedule *schedule, const struct schedule_reservation *r)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_lease *owner = schedule_lease(schedule, r->places[i].lease);

        if (owner && (owner->state == STATE_CANCELLED || owner->state == STATE_FAIL))
            return true;
    }
    return false;
}

/* Did a transfer of another lease bring the image of this lease by that time? */
static bool rode_along(const struct schedule *schedule, const struct schedule_lease *lease,
                       int64_t time)
{
    for (size_t i = 0; i < schedule->n_leases; i++)
        for (size_t k = 0; k < schedule->leases[i].n_reservations; k++) {
            const struct schedule_reservation *r = &schedule->leases[i].reservations[k];

            if (r->kind != SCHEDULE_TRANSFER || r->until > time ||
                (&schedule->leases[i] == lease && !was_taken_over(schedule, r)))
                continue;
            for (size_t place = 0; place < r->n_places; place++)
                if (r->places[place].lease == lease->id)
                    return true;
        }
    return false;
}

/* Reports a lease that stayed in a state before the move. In Haizea's schedules, leases that ride
 * on transfers stay Scheduled. */
static void stayed(struct checker *checker, const struct schedule_lease *lease,
                   const struct schedule_move *before, const struct schedule_move *move)
{
    struct finding finding = {CHECK_STATES, lease->id, SCHEDULE_UNSET, move->time};
    const char *state = schedule_state_names[move->from];
    static const char cannot[] = "stayed %s from %lld until now, which it cannot";

    if (move->from == STATE_SCHEDULED && rode_along(checker->schedule, lease, move->time))
        checker_odd(checker, ODDITY_RIDES_ALONG, &finding, cannot, state, (long long)before->time);
    else
        checker_violation(checker, &finding, cannot, state, (long long)before->time);
}

/* Decisions coincide with events, and consecutive decisions do not wait. */
static void check_decisions(struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++) {
        struct finding finding = {CHECK_STATES, lease->id, SCHEDULE_UNSET, moves[i]->time};

        if (!is_event(checker, moves[i]->time) && !is_look(checker, moves[i]->time))
            nothing_happened(checker, &finding, moves[i]);
        if (i == 0 || moves[i]->time == moves[i - 1]->time)
            continue;
        if ((moves[i]->from == STATE_SCHEDULED && moves[i]->to == STATE_READY) ||
            (i == 1 && moves[i]->from == STATE_PENDING && moves[i]->to != STATE_CANCELLED &&
             moves[i]->time != lease->ready && checker->schedule->settings.version > 1))
            stayed(checker, lease, moves[i - 1], moves[i]);
    }
}

int check_timeline(struct checker *checker, const struct schedule_lease *lease)
{
    struct traces traces = {.n = 0};
    struct lease_run run = {.end = 0};

    traces.items = calloc(6 * lease->n_reservations + 1, sizeof *traces.items);
    if (!traces.items)
        return error_set(checker->err, ENOMEM, "out of memory");
    while (lease_run_next(lease, run.end, &run))
        expect_run(checker, lease, &run, &traces);
    match(checker, lease, &traces);
    check_decisions(checker, lease);
    check_preparation(checker, lease);
    free(traces.items);
    return 0;
}
