/* Checks that the state of each reservation is consistent with the end of the run and with the
 * state of its lease, and that only transfers belong to another lease. */

#include "verify/checker.h"

static const char *progress_name(enum schedule_progress progress)
{
    static const char *const names[PROGRESSES] = {"Scheduled", "Active", "Done"};

    return names[progress];
}

/* Compares the progress of a reservation with the end of the run. */
static void check_clock(struct checker *checker, const struct schedule_lease *lease,
                        const struct schedule_reservation *r)
{
    int64_t now = checker->schedule->end_time;
    struct finding finding = {CHECK_CARRIED_OUT, lease->id, SCHEDULE_UNSET, r->from};
    bool fits = true;

    if (r->progress == PROGRESS_DONE)
        fits = r->until <= now || checker_may_outlast(checker, r);
    else if (r->progress == PROGRESS_ACTIVE)
        fits = r->from <= now && r->until >= now;
    else
        fits = r->from >= now;
    if (!fits)
        checker_violation(checker, &finding,
                          "%s from %lld until %lld is %s, but the run ended at %lld",
                          schedule_kind_names[r->kind], (long long)r->from, (long long)r->until,
                          progress_name(r->progress), (long long)now);
}

/* Haizea does not update transfers and migrations of leases that have ended. */
static bool may_be_unfinished(const struct checker *checker, const struct schedule_lease *lease,
                              const struct schedule_reservation *r)
{
    if (!checker->result->haizea_1_0)
        return false;
    return r->kind == SCHEDULE_TRANSFER || lease->state == STATE_CANCELLED;
}

static bool same_places(const struct schedule_reservation *a, const struct schedule_reservation *b)
{
    if (a->n_places != b->n_places)
        return false;
    for (size_t i = 0; i < a->n_places; i++)
        if (a->places[i].lease != b->places[i].lease || a->places[i].vm != b->places[i].vm ||
            a->places[i].host != b->places[i].host)
            return false;
    return true;
}

static bool same_holdings(const struct schedule_reservation *a,
                          const struct schedule_reservation *b)
{
    if (a->n_holdings != b->n_holdings)
        return false;
    for (size_t i = 0; i < a->n_holdings; i++)
        if (a->holdings[i].host != b->holdings[i].host ||
            a->holdings[i].type != b->holdings[i].type ||
            a->holdings[i].amount != b->holdings[i].amount)
            return false;
    return true;
}

/* Does a lease that the transfer serves list it as its own? */
static bool has_owner(const struct schedule *schedule, const struct schedule_lease *rider,
                      const struct schedule_reservation *r)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_lease *owner = schedule_lease(schedule, r->places[i].lease);

        for (size_t k = 0; owner && owner != rider && k < owner->n_reservations; k++) {
            const struct schedule_reservation *s = &owner->reservations[k];

            if (s->kind == SCHEDULE_TRANSFER && s->from == r->from && s->until == r->until &&
                !(owner->riding && owner->riding[k]) && same_places(r, s) && same_holdings(r, s))
                return true;
        }
    }
    return false;
}

static bool serves(const struct schedule_reservation *r, int64_t lease)
{
    for (size_t i = 0; i < r->n_places; i++)
        if (r->places[i].lease == lease)
            return true;
    return false;
}

static void check_riding(struct checker *checker, const struct schedule_lease *lease,
                         const struct schedule_reservation *r)
{
    struct finding finding = {CHECK_CARRIED_OUT, lease->id, SCHEDULE_UNSET, r->from};

    if (r->kind != SCHEDULE_TRANSFER)
        checker_violation(checker, &finding,
                          "%s is listed as another lease's (\"riding\"), which only transfers "
                          "can be",
                          schedule_kind_names[r->kind]);
    else if (!serves(r, lease->id) || !has_owner(checker->schedule, lease, r))
        checker_violation(checker, &finding,
                          "FILE_TRANSFER is listed as another lease's (\"riding\"), but no other "
                          "lease has it");
}

void check_carried_out(struct checker *checker, const struct schedule_lease *lease)
{
    bool over = schedule_state_is_final(lease->state);

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];
        struct finding finding = {CHECK_CARRIED_OUT, lease->id, SCHEDULE_UNSET, r->from};

        checker_examined(checker, CHECK_CARRIED_OUT);
        if (lease->riding && lease->riding[i])
            check_riding(checker, lease, r);
        if (over && r->progress != PROGRESS_DONE && !may_be_unfinished(checker, lease, r))
            checker_violation(checker, &finding, "the lease is %s, but its %s is %s",
                              schedule_state_names[lease->state], schedule_kind_names[r->kind],
                              progress_name(r->progress));
        check_clock(checker, lease, r);
    }
}
