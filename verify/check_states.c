/* Checks the state log: allowed moves, in order, at the times of the operations. */
#include "verify/checker.h"

#define TO(state) (1u << STATE_##state)

/* State changes of Haizea 1.0 (and of 1.1, for rescheduled deadline leases). */
static const uint32_t allowed[STATES] = {
    [STATE_NEW] = TO(PENDING),
    [STATE_PENDING] = TO(SCHEDULED) | TO(QUEUED) | TO(CANCELLED) | TO(REJECTED),
    [STATE_SCHEDULED] =
        TO(PREPARING) | TO(QUEUED) | TO(PENDING) | TO(READY) | TO(CANCELLED) | TO(FAIL),
    [STATE_QUEUED] = TO(SCHEDULED) | TO(CANCELLED),
    [STATE_PREPARING] = TO(READY) | TO(PENDING) | TO(CANCELLED) | TO(FAIL),
    [STATE_READY] = TO(ACTIVE) | TO(QUEUED) | TO(PENDING) | TO(CANCELLED) | TO(FAIL),
    [STATE_ACTIVE] = TO(SUSPENDING) | TO(QUEUED) | TO(DONE) | TO(CANCELLED) | TO(FAIL),
    [STATE_SUSPENDING] = TO(SUSPENDED_PENDING) | TO(CANCELLED) | TO(FAIL),
    [STATE_SUSPENDED_PENDING] =
        TO(SUSPENDED_QUEUED) | TO(SUSPENDED_SCHEDULED) | TO(CANCELLED) | TO(FAIL),
    [STATE_SUSPENDED_QUEUED] = TO(SUSPENDED_SCHEDULED) | TO(CANCELLED) | TO(FAIL),
    [STATE_SUSPENDED_SCHEDULED] = TO(SUSPENDED_QUEUED) | TO(SUSPENDED_PENDING) | TO(MIGRATING) |
                                  TO(RESUMING) | TO(CANCELLED) | TO(FAIL),
    [STATE_MIGRATING] = TO(SUSPENDED_SCHEDULED) | TO(CANCELLED) | TO(FAIL),
    [STATE_RESUMING] = TO(RESUMED_READY) | TO(CANCELLED) | TO(FAIL),
    [STATE_RESUMED_READY] = TO(ACTIVE) | TO(CANCELLED) | TO(FAIL),
};

/* Further state changes of the default mode, in situations in which Haizea would crash. */
static const uint32_t allowed_by_default[STATES] = {
    [STATE_QUEUED] = TO(REJECTED) | TO(FAIL),  [STATE_ACTIVE] = TO(MIGRATING),
    [STATE_MIGRATING] = TO(ACTIVE) | TO(DONE), [STATE_PREPARING] = TO(QUEUED),
    [STATE_RESUMING] = TO(SUSPENDED_QUEUED),   [STATE_RESUMED_READY] = TO(SUSPENDED_QUEUED),
};

static bool is_allowed(const struct checker *checker, enum schedule_state from,
                       enum schedule_state to)
{
    uint32_t moves = allowed[from];

    if (!checker->result->haizea_1_0)
        moves |= allowed_by_default[from];
    return moves >> to & 1;
}

static void need_move(struct checker *checker, const struct schedule_lease *lease,
                      enum schedule_state to, int64_t time)
{
    checker_examined(checker, CHECK_STATES);
    if (!checker_moved(checker, lease, &(struct state_change){STATES, to, time, time}))
        checker_violation(checker, &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, time},
                          "an operation requires %s from here on, the state log does not have it",
                          schedule_state_names[to]);
}

/* The log must have the state changes of each run, with its suspension and resumption. */
static void check_run_moves(struct checker *checker, const struct schedule_lease *lease,
                            const struct lease_run *run)
{
    const struct schedule_reservation *vm = &lease->reservations[run->vm];
    int64_t first = SCHEDULE_NEVER, last = SCHEDULE_UNSET;
    bool suspended = false;

    if (vm->progress != PROGRESS_SCHEDULED)
        need_move(checker, lease, STATE_ACTIVE, vm->from);
    for (size_t i = run->vm + 1; i < run->end; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind != SCHEDULE_SUSPEND)
            continue;
        suspended = r->progress == PROGRESS_DONE;
        if (r->from < first)
            first = r->from;
        if (r->until > last || checker->result->haizea_1_0)
            last = r->until; /* Haizea: of the last one in the list */
    }
    if (suspended)
        need_move(checker, lease, STATE_SUSPENDING, first);
    if (suspended &&
        !(run->end == lease->n_reservations && checker_ended_suspending(checker, lease)))
        need_move(checker, lease, STATE_SUSPENDED_PENDING, last);
}

static void check_chain(struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);
    size_t n = checker_n_moves(checker, lease);
    enum schedule_state state = STATE_NEW;
    int64_t time = lease->submit, start = SCHEDULE_UNSET;

    for (size_t i = 0; i < n; i++) {
        struct finding finding = {CHECK_STATES, lease->id, SCHEDULE_UNSET, moves[i]->time};

        checker_examined(checker, CHECK_STATES);
        if (moves[i]->from != state)
            checker_violation(checker, &finding, "leaves %s, but it was %s",
                              schedule_state_names[moves[i]->from], schedule_state_names[state]);
        if (moves[i]->from == STATE_READY && moves[i]->to == STATE_PREPARING)
            checker_odd(checker, ODDITY_PREPARED_TWICE, &finding, "Ready to Preparing");
        else if (!is_allowed(checker, moves[i]->from, moves[i]->to))
            checker_violation(checker, &finding, "%s to %s is not allowed",
                              schedule_state_names[moves[i]->from],
                              schedule_state_names[moves[i]->to]);
        if (moves[i]->time < time)
            checker_violation(checker, &finding, "before the time %lld of the %s", (long long)time,
                              i ? "move before it" : "submission");
        if (moves[i]->from == STATE_READY && moves[i]->to == STATE_ACTIVE)
            start = moves[i]->time;
        state = moves[i]->to;
        time = moves[i]->time;
    }
    if (state != lease->state)
        checker_violation(checker, &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, time},
                          "is %s, but the state log ends with %s",
                          schedule_state_names[lease->state], schedule_state_names[state]);
    if (lease->start_actual != start && start != SCHEDULE_UNSET)
        checker_violation(checker,
                          &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, start},
                          "started at %lld by its own account, at %lld by the state log",
                          (long long)lease->start_actual, (long long)start);
}

void check_states(struct checker *checker, const struct schedule_lease *lease)
{
    struct lease_run run = {.end = 0};
    int64_t end = SCHEDULE_UNSET;

    check_chain(checker, lease);
    while (lease_run_next(lease, run.end, &run))
        check_run_moves(checker, lease, &run);
    if (lease->state != STATE_DONE)
        return;
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].until > end &&
            !checker_may_outlast(checker, &lease->reservations[i]))
            end = lease->reservations[i].until;
    need_move(checker, lease, STATE_DONE, lease->end);
    if (end != lease->end)
        checker_violation(checker,
                          &(struct finding){CHECK_STATES, lease->id, SCHEDULE_UNSET, lease->end},
                          "done at %lld, but its last reservation ends at %lld",
                          (long long)lease->end, (long long)end);
}
