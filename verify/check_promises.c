/* Checks the promises to a lease: its start, deadline and full time, and that it ends. */
#include "verify/checker.h"

enum { DAY = 86400 };

/* Finds the start of the lease's first run; false: it has none. */
static bool first_run(const struct schedule_lease *lease, int64_t *from)
{
    struct lease_run run;

    if (!lease_run_next(lease, 0, &run))
        return false;
    *from = lease->reservations[run.vm].from;
    return true;
}

/* The time at which the lease's VMs first ran according to the state log, or SCHEDULE_UNSET. */
static int64_t first_active(const struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->to == STATE_ACTIVE)
            return moves[i]->time;
    return SCHEDULE_UNSET;
}

static void check_start(struct checker *checker, const struct schedule_lease *lease)
{
    int64_t from;
    int64_t active = first_active(checker, lease), promised = lease->start_requested;
    struct finding finding = {CHECK_START, lease->id, SCHEDULE_UNSET, promised};

    if (lease->state == STATE_REJECTED)
        return;
    checker_examined(checker, CHECK_START);
    if (active != SCHEDULE_UNSET) {
        if (active != promised)
            checker_violation(checker, &finding, "promised for %lld, its VMs started at %lld",
                              (long long)promised, (long long)active);
    } else if (checker->schedule->end_time > promised && lease->state != STATE_CANCELLED) {
        checker_violation(checker, &finding, "promised for %lld, its VMs never started (%s)",
                          (long long)promised, schedule_state_names[lease->state]);
    }
    if (first_run(lease, &from) && from != promised &&
        !checker_requeued(checker, lease, promised, from))
        checker_violation(checker, &finding,
                          "promised for %lld, its first VM reservation is at %lld",
                          (long long)promised, (long long)from);
}

static int64_t last_end(const struct schedule_lease *lease)
{
    int64_t end = SCHEDULE_UNSET;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].until > end)
            end = lease->reservations[i].until;
    return end;
}

static void check_deadline(struct checker *checker, const struct schedule_lease *lease)
{
    int64_t from;
    struct finding finding = {CHECK_DEADLINE, lease->id, SCHEDULE_UNSET, lease->deadline};
    bool accepted = lease->state != STATE_REJECTED && lease->state != STATE_CANCELLED;

    if (first_run(lease, &from) && lease->start_requested != SCHEDULE_UNSET &&
        from < lease->start_requested)
        checker_violation(checker, &finding, "not before %lld, its VMs started at %lld",
                          (long long)lease->start_requested, (long long)from);
    if (lease->deadline == SCHEDULE_UNSET || !accepted)
        return;
    checker_examined(checker, CHECK_DEADLINE);
    if (last_end(lease) > lease->deadline)
        checker_violation(checker, &finding, "deadline %lld, its last reservation ends at %lld",
                          (long long)lease->deadline, (long long)last_end(lease));
    else if (lease->state == STATE_DONE ? lease->end > lease->deadline
                                        : checker->schedule->end_time > lease->deadline)
        checker_violation(
            checker, &finding, "deadline %lld, and it is %s at %lld", (long long)lease->deadline,
            schedule_state_names[lease->state],
            (long long)(lease->end != SCHEDULE_UNSET ? lease->end : checker->schedule->end_time));
}

static bool was_planned_at(const struct checker *checker, const struct schedule_lease *lease,
                           int64_t time)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->to == STATE_SCHEDULED)
            return moves[i]->time == time;
    return false;
}

static bool went_back(const struct checker *checker, const struct schedule_lease *lease,
                      int64_t from, int64_t until)
{
    const struct schedule_move *const *moves = checker_moves(checker, lease);

    for (size_t i = 0; i < checker_n_moves(checker, lease); i++)
        if (moves[i]->to == STATE_QUEUED && moves[i]->from != STATE_PENDING &&
            moves[i]->time >= from && moves[i]->time <= until)
            return true;
    return false;
}

/* Did the lease, according to the record, give up its place for another lease, to start later? */
static bool was_displaced(const struct checker *checker, const struct schedule_lease *lease,
                          int64_t from)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < schedule->n_preemptions; i++) {
        const struct schedule_preemption *preemption = &schedule->preemptions[i];

        if (preemption->lease == lease->id && preemption->decided >= lease->submit &&
            preemption->decided <= from &&
            went_back(checker, lease, preemption->decided, preemption->time))
            return true;
    }
    return false;
}

/* The lease starts at once or, if it needs an image, as soon as the image has been transferred, as
 * planned at the submission. */
static void check_immediate(struct checker *checker, const struct schedule_lease *lease)
{
    int64_t there = checker->image_there[lease - checker->schedule->leases], from;
    int64_t taken = checker->taken[lease - checker->schedule->leases];
    struct finding finding = {CHECK_IMMEDIATE, lease->id, SCHEDULE_UNSET, SCHEDULE_UNSET};

    if (!first_run(lease, &from))
        return;
    finding.time = from;
    checker_examined(checker, CHECK_IMMEDIATE);
    if (!was_planned_at(checker, lease, taken))
        checker_violation(checker, &finding, "submitted at %lld, and not planned at once",
                          (long long)lease->submit);
    if (there == SCHEDULE_UNSET)
        there = taken;
    if (from > there && was_displaced(checker, lease, from))
        return;
    /* A lease may also wait for images of other leases in a cache, which are not in the record. */
    if (lease->image && checker->images_move ? from < there : from != there)
        checker_violation(checker, &finding,
                          "submitted at %lld, due at %lld, its VMs started at %lld",
                          (long long)lease->submit, (long long)there, (long long)from);
}

static bool anything_planned(const struct schedule_lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].progress != PROGRESS_DONE)
            return true;
    return false;
}

static void check_final(struct checker *checker, const struct schedule_lease *lease)
{
    struct finding finding = {CHECK_FINAL, lease->id, SCHEDULE_UNSET, checker->schedule->end_time};

    checker_examined(checker, CHECK_FINAL);
    if (schedule_state_is_final(lease->state)) {
        if (checker->schedule->settings.version > 0 && lease->state != STATE_DONE && !lease->reason)
            checker_violation(checker, &finding, "%s without a reason",
                              schedule_state_names[lease->state]);
        return;
    }
    if (lease->state == STATE_SUSPENDED_PENDING && !anything_planned(lease)) {
        if (lease->kind == SCHEDULE_IMMEDIATE)
            checker_odd(checker, ODDITY_IMMEDIATE_FORGOTTEN, &finding,
                        "suspended, and nothing is planned for it");
        else
            checker_violation(checker, &finding, "suspended, and nothing is planned for it");
    } else if (checker->options->complete) {
        checker_violation(checker, &finding, "still %s at the end of the run",
                          schedule_state_names[lease->state]);
    }
}

void check_promises(struct checker *checker, const struct schedule_lease *lease)
{
    if (lease->kind == SCHEDULE_RESERVED && lease->start_requested != SCHEDULE_UNSET)
        check_start(checker, lease);
    if (lease->kind == SCHEDULE_IMMEDIATE)
        check_immediate(checker, lease);
    else if (lease->kind == SCHEDULE_DEADLINE)
        check_deadline(checker, lease);
    check_final(checker, lease);
}

/* Did a run start after the VMs had run for exactly their actual run time? Haizea 1.0 then finds
 * the end a day late. */
static bool end_fell_on_a_start(const struct schedule_lease *lease)
{
    int64_t before = 0;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind != SCHEDULE_VM)
            continue;
        if (before == lease->duration_known)
            return true;
        before += r->until - r->from;
    }
    return false;
}

static bool is_unlimited(const struct schedule_lease *lease)
{
    return lease->duration_requested == SCHEDULE_UNSET;
}

/* A reservation's shutdown is always part of its duration. Of another lease's shutdown, only as
 * much is part of the duration as exceeds the gap in which the lease runs. */
static bool shutdown_inside(const struct schedule_lease *lease, int64_t ran, int64_t shutdown)
{
    if (lease->kind == SCHEDULE_RESERVED)
        return ran + shutdown == lease->duration_requested;
    return ran + shutdown >= lease->duration_requested;
}

static void check_time_of_done(struct checker *checker, const struct schedule_lease *lease,
                               int64_t ran, int64_t shutdown)
{
    struct finding finding = {CHECK_DURATION, lease->id, SCHEDULE_UNSET, lease->end};
    bool known = lease->duration_known != SCHEDULE_UNSET;
    bool early =
        known && (is_unlimited(lease) || lease->duration_known < lease->duration_requested);
    int64_t due = early ? lease->duration_known : lease->duration_requested;

    if (early && due == 0)
        due = 1; /* VMs run for at least a second */
    if (ran == due || (is_unlimited(lease) && !early))
        return;
    if (!is_unlimited(lease) && ran < due && shutdown_inside(lease, ran, shutdown))
        checker_odd(checker, ODDITY_SHUTDOWN_INSIDE, &finding,
                    "ran %lld s of %lld s: the shutdown took %lld s of its time", (long long)ran,
                    (long long)due, (long long)shutdown);
    else if (early && end_fell_on_a_start(lease) &&
             (ran == lease->duration_requested || ran == lease->duration_known + DAY ||
              shutdown_inside(lease, ran, shutdown)))
        checker_odd(checker, ODDITY_PREMATURE_END_LOST, &finding,
                    "ran %lld s, but its VMs ended by themselves after %lld s", (long long)ran,
                    (long long)due);
    else
        checker_violation(checker, &finding, "ran %lld s, due %lld s (asked for %lld)",
                          (long long)ran, (long long)due, (long long)lease->duration_requested);
}

void check_duration(struct checker *checker, const struct schedule_lease *lease)
{
    struct finding finding = {CHECK_DURATION, lease->id, SCHEDULE_UNSET, lease->end};
    int64_t ran = 0, shutdown = 0;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->until == SCHEDULE_NEVER)
            return;
        if (r->kind == SCHEDULE_VM)
            ran += r->until - r->from;
        else if (r->kind == SCHEDULE_SHUTDOWN)
            shutdown += r->until - r->from;
    }
    checker_examined(checker, CHECK_DURATION);
    if (lease->state != STATE_DONE) {
        if (!is_unlimited(lease) && ran > lease->duration_requested)
            checker_violation(checker, &finding, "%lld s reserved, asked for %lld s",
                              (long long)ran, (long long)lease->duration_requested);
        return;
    }
    check_time_of_done(checker, lease, ran, shutdown);
    if (lease->duration_accumulated != ran || lease->duration_actual != ran)
        checker_violation(checker, &finding, "ran %lld s, accounted %lld s (actual %lld s)",
                          (long long)ran, (long long)lease->duration_accumulated,
                          (long long)lease->duration_actual);
}
