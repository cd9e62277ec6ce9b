/* Checks that every preemption has a cause and an effect, and that every shortened run has a
 * preemption: the planned intervals of each run lead from its start to its end without a gap. */
#include <errno.h>
#include <stdlib.h>
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

/* A move to the queue from a place: a new lease, and a lease that was just suspended, had no place
 * to give up. */
static bool returns_to_queue(const struct schedule_move *move)
{
    return (move->to == STATE_QUEUED && move->from != STATE_PENDING) ||
           (move->to == STATE_SUSPENDED_QUEUED && move->from != STATE_SUSPENDED_PENDING);
}

static bool leaves(const struct schedule_move *move, const struct schedule_preemption *preemption)
{
    enum schedule_state to = move->to;

    if (schedule_state_is_final(to))
        return !preemption->ended || to == STATE_CANCELLED || to == STATE_DONE;
    if (preemption->ended)
        return false;
    if (!preemption->suspended) /* stopped VMs leave at once */
        return returns_to_queue(move) && move->time == preemption->decided;
    if (to == STATE_SUSPENDED_PENDING)
        return move->from != STATE_SUSPENDING || move->time < preemption->time;
    return returns_to_queue(move) || (to == STATE_PENDING && move->from != STATE_NEW);
}

/* The first move after `after` with which the lease got a place at `time`, or NULL. */
static const struct schedule_move *placed_at(const struct checker *checker,
                                             const struct schedule_lease *lease, int64_t time,
                                             const struct schedule_move *after)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->time == time && (!after || moves[i] > after) &&
            (moves[i]->to == STATE_SCHEDULED || moves[i]->to == STATE_SUSPENDED_SCHEDULED))
            return moves[i];
    return NULL;
}

/* Had the victim ended before the lease that gets the room was placed, in the same second? */
static bool was_over(const struct checker *checker, const struct schedule_move *move,
                     const struct schedule_preemption *preemption)
{
    const struct schedule_lease *by = schedule_lease(checker->schedule, preemption->makes_for);
    const struct schedule_move *placed =
        by ? placed_at(checker, by, preemption->decided, NULL) : NULL;

    return move->to == STATE_DONE && move->time == preemption->decided && placed && move < placed;
}

/* Did the victim end, fail, or was it cancelled or requeued, between the decision and the time of
 * the preemption? */
static bool made_room(const struct checker *checker, const struct schedule_lease *lease,
                      const struct schedule_preemption *preemption)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->time >= preemption->decided && moves[i]->time <= preemption->time &&
            leaves(moves[i], preemption) && !was_over(checker, moves[i], preemption))
            return true;
    return false;
}

/* Does a run of the lease, or its transfer, migration or resumption, begin at `time`? */
static bool begins_at(const struct schedule *schedule, const struct schedule_lease *lease,
                      int64_t time)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].from == time &&
            lease->reservations[i].kind != SCHEDULE_SUSPEND &&
            lease->reservations[i].kind != SCHEDULE_SHUTDOWN)
            return true;
    return schedule_lost_run(schedule, lease->id, time);
}

/* Did the lease lose its place or end after the decision? */
static bool left_its_place(const struct checker *checker, const struct schedule_lease *lease,
                           int64_t decided)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->time >= decided && moves[i]->from != STATE_NEW &&
            (moves[i]->to == STATE_QUEUED || moves[i]->to == STATE_PENDING ||
             moves[i]->to == STATE_SUSPENDED_QUEUED || moves[i]->to == STATE_CANCELLED ||
             moves[i]->to == STATE_FAIL))
            return true;
    return false;
}

/* Other waiting leases may be brought forward without a change of state, except by Haizea. */
static bool keeps_its_time(const struct checker *checker, const struct schedule_lease *lease)
{
    return lease->kind == SCHEDULE_RESERVED || checker->result->haizea_1_0;
}

/* The interval booked for the lease when it was placed begins when there is room or, after a
 * transfer or resumption, later; a run that begins at once has no booking. If a lease is placed
 * several times in one second, only the last place is booked. Leases with a deadline may be booked
 * again without a change of state. */
static bool was_booked_for(const struct checker *checker, const struct schedule_lease *lease,
                           const struct schedule_move *placed, int64_t time)
{
    const struct schedule *schedule = checker->schedule;
    bool is_prepared = lease->image || placed->to == STATE_SUSPENDED_SCHEDULED;
    bool was_booked = false;

    if (lease->kind == SCHEDULE_DEADLINE || placed_at(checker, lease, placed->time, placed))
        return true;
    for (size_t i = 0; i < schedule->n_bookings; i++) {
        const struct schedule_plan *booking = &schedule->bookings[i];

        if (booking->lease != lease->id || booking->time != placed->time)
            continue;
        if (booking->from == time || (is_prepared && booking->from > time))
            return true;
        was_booked = true;
    }
    return !was_booked &&
           (is_prepared || time == placed->time || !begins_at(schedule, lease, placed->time));
}

/* Checks that the lease that gets the room was placed when the preemption was decided, and for the
 * time at which there is room. */
static void check_cause(struct checker *checker, const struct schedule_preemption *preemption)
{
    const struct schedule *schedule = checker->schedule;
    const struct schedule_lease *by = schedule_lease(schedule, preemption->makes_for);
    struct finding finding = {CHECK_PREEMPTION, preemption->lease, SCHEDULE_UNSET,
                              preemption->decided};
    const struct schedule_move *placed;

    if (preemption->makes_for == SCHEDULE_UNSET)
        return;
    if (!by || by->id == preemption->lease) {
        checker_violation(checker, &finding, "preempted for lease %lld, which is not another lease",
                          (long long)preemption->makes_for);
        return;
    }
    placed = placed_at(checker, by, preemption->decided, NULL);
    if (!placed)
        checker_violation(checker, &finding,
                          "preempted for lease %lld, which was not scheduled then",
                          (long long)by->id);
    else if (!was_booked_for(checker, by, placed, preemption->time))
        checker_violation(checker, &finding,
                          "makes room for lease %lld at %lld, which was planned for another time",
                          (long long)by->id, (long long)preemption->time);
    else if (keeps_its_time(checker, by) &&
             (preemption->time <= schedule->end_time || schedule->ending == RUN_COMPLETE) &&
             !begins_at(schedule, by, preemption->time) &&
             !left_its_place(checker, by, preemption->decided))
        checker_violation(
            checker, &finding,
            "makes room for lease %lld at %lld, but nothing of that lease begins then",
            (long long)by->id, (long long)preemption->time);
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
            checker_violation(checker, &finding, "a nonexistent lease is preempted");
            continue;
        }
        check_cause(checker, preemption);
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
            checker_violation(checker, &finding, "%s by %lld was decided, but it did not make room",
                              preemption->suspended ? "suspension" : "requeueing",
                              (long long)preemption->time);
    }
}

/* Leases ahead of it in the queue may take its planned place without a preemption. */
static bool may_be_displaced(const struct schedule *schedule, const struct schedule_lease *lease)
{
    if (schedule->settings.fair_share)
        return true;
    for (size_t i = 0; i < schedule->n_leases; i++)
        if (schedule->leases[i].priority > lease->priority)
            return true;
    return false;
}

/* A lease that loses its plan and returns to the queue made room. */
static void check_returns(struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    if (may_be_displaced(checker->schedule, lease))
        return;
    for (size_t i = 0; i < checker_n_moves(checker, lease); i++) {
        struct finding finding = {CHECK_PREEMPTION, lease->id, SCHEDULE_UNSET, moves[i]->time};

        if ((moves[i]->from != STATE_READY || moves[i]->to != STATE_QUEUED) &&
            (moves[i]->from != STATE_SUSPENDED_SCHEDULED || moves[i]->to != STATE_SUSPENDED_QUEUED))
            continue;
        checker_examined(checker, CHECK_PREEMPTION);
        if (!checker_preempted_at(checker->schedule, lease->id, moves[i]->time))
            checker_violation(checker, &finding, "%s to %s, and no preemption explains it",
                              schedule_state_names[moves[i]->from],
                              schedule_state_names[moves[i]->to]);
    }
}

static const struct schedule_reservation *run_from(const struct schedule_lease *lease, int64_t from,
                                                   bool *is_last)
{
    const struct schedule_reservation *found = NULL;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind != SCHEDULE_VM || r->progress == PROGRESS_SCHEDULED)
            continue;
        *is_last = r->from == from;
        if (r->from == from)
            found = r;
    }
    return found;
}

/* Was the run lost because the lease ended or made room? */
static bool was_lost(const struct schedule *schedule, const struct schedule_lease *lease,
                     const struct schedule_plan *plan)
{
    for (size_t i = 0; i < schedule->n_lost_runs; i++) {
        const struct schedule_lost_run *lost = &schedule->lost_runs[i];

        if (lost->lease == plan->lease && lost->from == plan->from && plan->until >= lost->until &&
            (checker_preempted_at(schedule, plan->lease, lost->until) ||
             lease->state == STATE_CANCELLED || lease->state == STATE_FAIL))
            return true;
    }
    return false;
}

static void check_lost(struct checker *checker, const struct schedule_lease *lease,
                       const struct schedule_plan *plan)
{
    if (!was_lost(checker->schedule, lease, plan))
        checker_violation(
            checker, &(struct finding){CHECK_PREEMPTION, lease->id, SCHEDULE_UNSET, plan->time},
            "planned from %lld until %lld, but the run or its preemption is missing",
            (long long)plan->from, (long long)plan->until);
}

/* Compares the last plan of a run with its outcome: only the end of the lease may cut the run
 * short. */
static void check_outcome(struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_plan *plan)
{
    struct finding finding = {CHECK_PREEMPTION, lease->id, SCHEDULE_UNSET, plan->time};
    bool is_last = false;
    const struct schedule_reservation *r = run_from(lease, plan->from, &is_last);
    bool cut;

    if (!r) {
        check_lost(checker, lease, plan);
        return;
    }
    cut = r->until < plan->until && is_last && schedule_state_is_final(lease->state) &&
          (lease->state != STATE_DONE ||
           (lease->reason && strcmp(lease->reason, "ended-early") == 0));
    if (r->until != plan->until && !cut)
        checker_violation(checker, &finding,
                          "planned until %lld, but ran until %lld, and nothing explains it",
                          (long long)plan->until, (long long)r->until);
}

static bool shares_host(const struct schedule_reservation *a, const struct schedule_reservation *b)
{
    for (size_t i = 0; i < a->n_places; i++)
        for (size_t k = 0; k < b->n_places; k++)
            if (a->places[i].host == b->places[k].host)
                return true;
    return false;
}

/* Does another lease, submitted before the run was planned, start or resume VMs on one of the run's
 * hosts in [first, last]? */
static bool room_was_needed(const struct checker *checker, const struct schedule_lease *of,
                            const struct schedule_reservation *vm, int64_t first, int64_t last)
{
    const struct schedule *schedule = checker->schedule;
    int64_t known = checker_planned_at(checker, of, vm->from);

    for (size_t i = 0; i < schedule->n_leases; i++) {
        const struct schedule_lease *lease = &schedule->leases[i];

        for (size_t k = 0; lease != of && lease->submit <= known && k < lease->n_reservations;
             k++) {
            const struct schedule_reservation *r = &lease->reservations[k];

            if ((r->kind == SCHEDULE_VM || r->kind == SCHEDULE_RESUME) && r->from >= first &&
                r->from <= last && shares_host(vm, r))
                return true;
        }
    }
    return false;
}

/* Was the run planned to end before its lease? Haizea's shutdown is part of the lease's time. */
static bool is_short(const struct checker *checker, const struct schedule_lease *lease,
                     const struct schedule_plan *plan)
{
    const struct schedule_settings *settings = &checker->schedule->settings;
    int64_t left = checker_time_left(lease, plan);

    if (plan->until == SCHEDULE_NEVER || left == SCHEDULE_UNSET)
        return plan->until != SCHEDULE_NEVER;
    if (checker->result->haizea_1_0 && settings->shutdown_time != SCHEDULE_UNSET)
        left -= settings->shutdown_time + settings->enactment_overhead * (int64_t)lease->n_vms;
    return plan->until - plan->from < left;
}

static int64_t suspended_at(const struct schedule_lease *lease,
                            const struct schedule_reservation *vm)
{
    const struct schedule_reservation *end = lease->reservations + lease->n_reservations;
    int64_t time = SCHEDULE_UNSET;

    for (const struct schedule_reservation *r = vm + 1; r < end && r->kind == SCHEDULE_SUSPEND; r++)
        time = r->until > time ? r->until : time;
    return time;
}

/* A run with a suspension planned from its start: its gap in the schedule ended, or it had been
 * preempted before it began. If the run was stopped earlier, the end of the gap is unknown. */
static void check_gap(struct checker *checker, const struct schedule_lease *lease,
                      const struct schedule_plan *plan)
{
    const struct schedule *schedule = checker->schedule;
    bool is_last = false;
    const struct schedule_reservation *vm = run_from(lease, plan->from, &is_last);
    int64_t time = vm && vm->until == plan->until ? suspended_at(lease, vm) : SCHEDULE_UNSET;
    bool stopped = vm && vm->until < plan->until && is_short(checker, lease, plan);

    if (stopped)
        time = plan->until;
    if (time == SCHEDULE_UNSET)
        return;
    for (size_t i = 0; i < schedule->n_preemptions; i++)
        if (schedule->preemptions[i].lease == lease->id &&
            schedule->preemptions[i].decided <= plan->from && schedule->preemptions[i].time >= time)
            return;
    if (!room_was_needed(checker, lease, vm, time, stopped ? SCHEDULE_NEVER : time))
        checker_not_checked(checker, GAP_SUSPENSIONS);
}

/* Do the VMs move to other hosts, running or suspended? */
static bool goes_on_elsewhere(struct checker *checker, const struct schedule_plan *plan)
{
    const struct schedule_lease *lease = schedule_lease(checker->schedule, plan->lease);

    /* A live migration has no reservation if the lease ends during it. */
    if (lease &&
        checker_moved(checker, lease,
                      &(struct state_change){STATES, STATE_MIGRATING, plan->time, plan->time}))
        return true;
    if (checker->schedule->settings.look_interval == 0) /* only saved memory moves */
        return false;
    for (size_t i = 0; lease && i < lease->n_reservations; i++)
        if ((lease->reservations[i].kind == SCHEDULE_MEMORY_MIGRATION ||
             lease->reservations[i].kind == SCHEDULE_DISK_MIGRATION) &&
            lease->reservations[i].from >= plan->time)
            return true;
    if (!lease || !lease->reason || strcmp(lease->reason, "moved") != 0)
        return false;
    checker_not_checked(checker, GAP_SUSPENSIONS);
    return true;
}

/* A run's plan changes only to make room. */
static void check_change(struct checker *checker, const struct schedule_plan *before,
                         const struct schedule_plan *after)
{
    const struct schedule_preemption *preemption =
        checker_preempted_at(checker->schedule, after->lease, after->time);
    struct finding finding = {CHECK_PREEMPTION, after->lease, SCHEDULE_UNSET, after->time};

    if (after->time < before->time || after->time > before->until)
        checker_violation(checker, &finding, "planned again before or after its time");
    if (after->until == before->until && !preemption)
        checker_violation(checker, &finding, "planned again as it was");
    if (after->until < before->until && !goes_on_elsewhere(checker, after) &&
        (!preemption || preemption->time < after->until))
        checker_violation(checker, &finding,
                          "was to run until %lld, then until %lld, and no preemption explains it",
                          (long long)before->until, (long long)after->until);
}

/* Does the i-th plan begin a run? One may be lost, and the next one begin, in the same second; a
 * shorter plan is that of a preemption. */
static bool begins_run(const struct checker *checker, const struct schedule_plan **plans, size_t i)
{
    const struct schedule_lost_run *lost;

    if (i == 0 || plans[i - 1]->from != plans[i]->from)
        return true;
    lost = schedule_lost_run(checker->schedule, plans[i]->lease, plans[i]->from);
    return lost && lost->until == lost->from && plans[i]->time == plans[i]->from &&
           plans[i]->until >= plans[i - 1]->until;
}

static void check_plans_of(struct checker *checker, const struct schedule_lease *lease,
                           const struct schedule_plan **plans, size_t n)
{
    size_t begun = 0, groups = 0;

    for (size_t i = 0; i < n; i++) {
        bool first = begins_run(checker, plans, i);
        struct finding finding = {CHECK_PREEMPTION, plans[i]->lease, SCHEDULE_UNSET,
                                  plans[i]->time};

        checker_examined(checker, CHECK_PREEMPTION);
        groups += first;
        checker_check_length(checker, lease, plans[i]);
        if (first && plans[i]->time != plans[i]->from)
            checker_violation(checker, &finding, "first planned at %lld, started at %lld",
                              (long long)plans[i]->time, (long long)plans[i]->from);
        if (!first)
            check_change(checker, plans[i - 1], plans[i]);
        else
            check_gap(checker, lease, plans[i]);
        if (i + 1 == n || plans[i + 1]->from != plans[i]->from)
            check_outcome(checker, lease, plans[i]);
        else if (begins_run(checker, plans, i + 1))
            check_lost(checker, lease, plans[i]);
    }
    for (size_t i = 0; i < lease->n_reservations; i++)
        begun += lease->reservations[i].kind == SCHEDULE_VM &&
                 lease->reservations[i].progress != PROGRESS_SCHEDULED;
    for (size_t i = 0; i < checker->schedule->n_lost_runs; i++)
        begun += checker->schedule->lost_runs[i].lease == lease->id;
    if (begun != groups)
        checker_violation(
            checker, &(struct finding){CHECK_PREEMPTION, lease->id, SCHEDULE_UNSET, SCHEDULE_UNSET},
            "%zu runs began, %zu were planned", begun, groups);
}

static int by_lease(const void *a, const void *b)
{
    const struct schedule_plan *x = *(const struct schedule_plan *const *)a;
    const struct schedule_plan *y = *(const struct schedule_plan *const *)b;

    if (x->lease != y->lease)
        return x->lease < y->lease ? -1 : 1;
    return (x > y) - (x < y);
}

/* Checks that the list is in the order of time, and that its leases exist. */
static void check_list(struct checker *checker, const struct schedule_plan *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct finding finding = {CHECK_PREEMPTION, list[i].lease, SCHEDULE_UNSET, list[i].time};

        if (i > 0 && list[i].time < list[i - 1].time)
            checker_violation(checker, &finding, "the list of planned intervals goes back in time");
        if (!schedule_lease(checker->schedule, list[i].lease))
            checker_violation(checker, &finding, "a nonexistent lease was planned");
    }
}

/* Sorted by lease, and for each lease in the order of the list; NULL: out of memory. */
static const struct schedule_plan **sort_by_lease(const struct schedule_plan *list, size_t n)
{
    const struct schedule_plan **sorted = calloc(n + 1, sizeof *sorted);

    for (size_t i = 0; sorted && i < n; i++)
        sorted[i] = &list[i];
    if (sorted && n)
        qsort(sorted, n, sizeof *sorted, by_lease);
    return sorted;
}

/* The lease's part of a sorted list, from *next on. */
static struct plans plans_of(int64_t lease, const struct schedule_plan **sorted, size_t n,
                             size_t *next)
{
    struct plans plans = {.n = 0};

    while (*next < n && sorted[*next]->lease < lease)
        ++*next;
    plans.items = sorted + *next;
    while (*next < n && sorted[*next]->lease == lease) {
        ++*next;
        plans.n++;
    }
    return plans;
}

int check_plans(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    const struct schedule_plan **runs, **booked;
    size_t next_run = 0, next_booked = 0;
    int result = 0;

    if (schedule->settings.version < 2)
        return 0;
    check_list(checker, schedule->plans, schedule->n_plans);
    check_list(checker, schedule->bookings, schedule->n_bookings);
    runs = sort_by_lease(schedule->plans, schedule->n_plans);
    booked = sort_by_lease(schedule->bookings, schedule->n_bookings);
    if (!runs || !booked)
        result = error_set(checker->err, ENOMEM, "out of memory");
    for (size_t i = 0; result == 0 && i < schedule->n_leases; i++) {
        const struct schedule_lease *lease = &schedule->leases[i];
        struct plans plans = plans_of(lease->id, runs, schedule->n_plans, &next_run);
        struct plans bookings = plans_of(lease->id, booked, schedule->n_bookings, &next_booked);

        check_returns(checker, lease);
        check_plans_of(checker, lease, plans.items, plans.n);
        if (schedule->settings.version > 2)
            check_bookings(checker, lease, &bookings, &plans);
    }
    free(runs);
    free(booked);
    return result;
}
