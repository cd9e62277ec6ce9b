/* Checks the time booked for a run before it begins: the run is booked when its lease is scheduled,
 * and afterwards only a preemption shortens the booking. */

#include "verify/checker.h"

/* Leases with a deadline may be rescheduled, earlier or later, without a change of state. */
static bool is_moved_silently(const struct schedule_lease *lease)
{
    return lease->kind == SCHEDULE_DEADLINE;
}

/* Was the lease preempted at the time of the plan, to make room not before the plan's end? */
static bool is_preempted(const struct checker *checker, const struct schedule_plan *plan)
{
    const struct schedule_preemption *preemption =
        checker_preempted_at(checker->schedule, plan->lease, plan->time);

    return preemption && preemption->time >= plan->until;
}

static void follow(struct checker *checker, const struct schedule_plan *before,
                   const struct schedule_plan *after)
{
    struct finding finding = {CHECK_PREEMPTION, after->lease, SCHEDULE_UNSET, after->time};

    if (after->from != before->from || after->until > before->until)
        checker_violation(checker, &finding, "booked from %lld until %lld, then from %lld",
                          (long long)before->from, (long long)before->until,
                          (long long)after->from);
    else if (after->until < before->until && !is_preempted(checker, after))
        checker_violation(checker, &finding,
                          "was to run until %lld, then until %lld, and no preemption explains it",
                          (long long)before->until, (long long)after->until);
}

static void check_booking(struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_plan *booking, const struct schedule_plan *before)
{
    struct finding finding = {CHECK_PREEMPTION, booking->lease, SCHEDULE_UNSET, booking->time};
    int64_t scheduled = checker_planned_at(checker, lease, booking->time);

    checker_examined(checker, CHECK_PREEMPTION);
    if (before && checker_planned_at(checker, lease, before->time) == scheduled)
        follow(checker, before, booking);
    else if (booking->time != scheduled)
        checker_violation(checker, &finding, "booked, but it was scheduled at %lld",
                          (long long)scheduled);
    checker_check_length(checker, lease, booking);
    if (booking->from < booking->time)
        checker_violation(checker, &finding, "booked for the past, from %lld",
                          (long long)booking->from);
    if (booking->time != scheduled &&
        !checker_preempted_at(checker->schedule, lease->id, booking->time))
        checker_violation(checker, &finding, "booked again, but neither scheduled nor preempted");
}

/* A run begins as last booked, or in the second in which it was scheduled. */
static void check_begin(struct checker *checker, const struct schedule_lease *lease,
                        const struct schedule_plan *run, const struct schedule_plan *booking)
{
    struct finding finding = {CHECK_PREEMPTION, lease->id, SCHEDULE_UNSET, run->from};
    int64_t scheduled = checker_planned_at(checker, lease, run->from);

    if (checker_moved(checker, lease,
                      &(struct state_change){STATE_MIGRATING, STATE_ACTIVE, run->from, run->from}))
        return;
    if (booking && checker_planned_at(checker, lease, booking->time) == scheduled) {
        if (!is_moved_silently(lease))
            follow(checker, booking, run);
    } else if (scheduled != run->from) {
        checker_violation(checker, &finding, "scheduled at %lld and begun, but not booked",
                          (long long)scheduled);
    }
}

/* A booking for later, made when the run begins, is for the next run: the lease is preempted in the
 * second in which it starts. */
static bool precedes(const struct schedule_plan *booking, const struct schedule_plan *run)
{
    return booking->time < run->from || (booking->time == run->from && booking->from <= run->from);
}

/* The bookings and plans of one lease, each in the order of time. */
void check_bookings(struct checker *checker, const struct schedule_lease *lease,
                    const struct plans *bookings, const struct plans *plans)
{
    size_t next = 0;

    for (size_t i = 0; i < bookings->n && !is_moved_silently(lease); i++)
        check_booking(checker, lease, bookings->items[i], i ? bookings->items[i - 1] : NULL);
    for (size_t i = 0; i < plans->n; i++) {
        if (i > 0 && plans->items[i]->from == plans->items[i - 1]->from)
            continue;
        while (next < bookings->n && precedes(bookings->items[next], plans->items[i]))
            next++;
        check_begin(checker, lease, plans->items[i], next ? bookings->items[next - 1] : NULL);
    }
}
