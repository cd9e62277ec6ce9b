/* Checks operations alone and against the others of their lease: hosts exist, no operation precedes
 * the submission, and operations do not overlap. */
#include "verify/checker.h"

static bool is_host(const struct schedule *schedule, const struct schedule_reservation *r,
                    int64_t host)
{
    return schedule_host(schedule, host) ||
           (host == SCHEDULE_REPOSITORY && r->kind == SCHEDULE_TRANSFER);
}

static void check_hosts(struct checker *checker, const struct schedule_lease *lease,
                        const struct schedule_reservation *r)
{
    const struct schedule *schedule = checker->schedule;

    checker_examined(checker, CHECK_HOSTS);
    for (size_t i = 0; i < r->n_holdings; i++)
        if (!is_host(schedule, r, r->holdings[i].host))
            checker_violation(
                checker, &(struct finding){CHECK_HOSTS, lease->id, r->holdings[i].host, r->from},
                "%s holds resources of a host that does not exist", schedule_kind_names[r->kind]);
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_place *place = &r->places[i];
        const struct schedule_lease *owner =
            r->kind == SCHEDULE_TRANSFER ? schedule_lease(schedule, place->lease) : lease;

        if (!schedule_host(schedule, place->host) || !schedule_host(schedule, place->from))
            checker_violation(checker,
                              &(struct finding){CHECK_HOSTS, lease->id, place->host, r->from},
                              "%s of VM %lld names a host that does not exist (%lld, %lld)",
                              schedule_kind_names[r->kind], (long long)place->vm,
                              (long long)place->from, (long long)place->host);
        if (!owner || place->vm < 1 || (uint64_t)place->vm > owner->n_vms)
            checker_violation(checker,
                              &(struct finding){CHECK_HOSTS, lease->id, place->host, r->from},
                              "%s names VM %lld, which does not exist",
                              schedule_kind_names[r->kind], (long long)place->vm);
    }
}

/* Operations of these kinds may run in parallel with others of their kind. */
static bool may_be_parallel(enum schedule_kind kind)
{
    return kind == SCHEDULE_SUSPEND || kind == SCHEDULE_RESUME || kind == SCHEDULE_TRANSFER;
}

static bool is_migration(enum schedule_kind kind)
{
    return kind == SCHEDULE_MEMORY_MIGRATION || kind == SCHEDULE_DISK_MIGRATION;
}

/* Is r for another run than the migrations before it, which end at `until`? Haizea resumes leases
 * during their migration, and may suspend and migrate them again before it ends. */
static bool is_of_next_run(const struct schedule_lease *lease, const struct schedule_reservation *r,
                           int64_t until)
{
    size_t i = (size_t)(r - lease->reservations);

    while (i-- > 0 && lease->reservations[i].kind != SCHEDULE_VM)
        if (is_migration(lease->reservations[i].kind) && lease->reservations[i].until == until)
            return false;
    return true;
}

/* Reports that r begins before an operation of that kind ends at `until`. */
static void overlaps(struct checker *checker, const struct schedule_lease *lease,
                     const struct schedule_reservation *r, enum schedule_kind kind, int64_t until)
{
    struct finding finding = {CHECK_OVERLAP, lease->id, SCHEDULE_UNSET, r->from};

    if (kind == r->kind && may_be_parallel(kind))
        return;
    /* During a live migration, the VMs run until their memory has been transferred. */
    if (!checker->result->haizea_1_0 && kind == SCHEDULE_VM &&
        r->kind == SCHEDULE_MEMORY_MIGRATION && r->until == until)
        return;
    if (kind == SCHEDULE_TRANSFER && checker_prepared_again(checker, lease))
        checker_odd(checker, ODDITY_PREPARED_TWICE, &finding,
                    "%s begins before an old FILE_TRANSFER has ended at %lld",
                    schedule_kind_names[r->kind], (long long)until);
    else if (is_migration(kind) && (!is_migration(r->kind) || is_of_next_run(lease, r, until)))
        checker_odd(checker, ODDITY_RESUMED_MIGRATING, &finding,
                    "%s begins before %s has ended at %lld", schedule_kind_names[r->kind],
                    schedule_kind_names[kind], (long long)until);
    else
        checker_violation(checker, &finding, "%s begins before %s has ended at %lld",
                          schedule_kind_names[r->kind], schedule_kind_names[kind],
                          (long long)until);
}

/* The VMs wait for their images again, and no other operation includes them meanwhile. */
static void check_restart(struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_reservation *transfer)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind != SCHEDULE_TRANSFER && r->from < transfer->until && r->until > transfer->from)
            overlaps(checker, lease, r, SCHEDULE_TRANSFER, transfer->until);
    }
}

/* In the lease's order, each operation begins after the end of all earlier ones. */
static void check_overlap(struct checker *checker, const struct schedule_lease *lease)
{
    int64_t until[SCHEDULE_KINDS];

    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        until[kind] = INT64_MIN;
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        checker_examined(checker, CHECK_OVERLAP);
        if (r->kind == SCHEDULE_TRANSFER && checker_prepares_restart(checker, lease, r)) {
            check_restart(checker, lease, r);
            continue;
        }
        for (int kind = 0; kind < SCHEDULE_KINDS && r->from < r->until; kind++)
            if (until[kind] > r->from)
                overlaps(checker, lease, r, (enum schedule_kind)kind, until[kind]);
        if (r->from < r->until && r->until > until[r->kind])
            until[r->kind] = r->until;
    }
}

static void check_shutdown(struct checker *checker, const struct schedule_lease *lease,
                           const struct schedule_reservation *r)
{
    const struct schedule_settings *settings = &checker->schedule->settings;
    int64_t length = r->until - r->from, due;

    if (r->kind != SCHEDULE_SHUTDOWN || r->progress != PROGRESS_DONE ||
        settings->enactment_overhead == SCHEDULE_UNSET || settings->shutdown_time == SCHEDULE_UNSET)
        return;
    checker_examined(checker, CHECK_LENGTH);
    due = settings->shutdown_time + settings->enactment_overhead * (int64_t)lease->n_vms;
    if (length != due)
        checker_violation(checker,
                          &(struct finding){CHECK_LENGTH, lease->id, SCHEDULE_UNSET, r->from},
                          "SHUTDOWN of %lld s, it takes %lld", (long long)length, (long long)due);
}

void check_operations(struct checker *checker, const struct schedule_lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];
        bool riding = lease->riding && lease->riding[i];

        check_hosts(checker, lease, r);
        check_shutdown(checker, lease, r);
        checker_examined(checker, CHECK_SUBMISSION);
        if (r->from < lease->submit && !riding)
            checker_violation(
                checker, &(struct finding){CHECK_SUBMISSION, lease->id, SCHEDULE_UNSET, r->from},
                "%s begins before the lease is submitted at %lld", schedule_kind_names[r->kind],
                (long long)lease->submit);
    }
    check_overlap(checker, lease);
}
