/* Each operation for itself and beside the others of its lease: hosts exist, nothing before the
 * submission, no overlap, exclusion, length. */
#include <math.h>
#include <stdlib.h>

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
            checker_violation(checker,
                              &(struct finding){ CHECK_HOSTS, lease->id, r->holdings[i].host,
                                                 r->from },
                              "%s holds resources of a host that does not exist",
                              schedule_kind_name(r->kind));
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_place *place = &r->places[i];
        const struct schedule_lease *owner =
            r->kind == SCHEDULE_TRANSFER ? schedule_lease(schedule, place->lease) : lease;

        if (!schedule_host(schedule, place->host) || !schedule_host(schedule, place->from))
            checker_violation(checker,
                              &(struct finding){ CHECK_HOSTS, lease->id, place->host, r->from },
                              "%s of VM %lld names a host that does not exist (%lld, %lld)",
                              schedule_kind_name(r->kind), (long long)place->vm,
                              (long long)place->from, (long long)place->host);
        if (!owner || place->vm < 1 || (uint64_t)place->vm > owner->n_vms)
            checker_violation(checker,
                              &(struct finding){ CHECK_HOSTS, lease->id, place->host, r->from },
                              "%s names VM %lld, which does not exist",
                              schedule_kind_name(r->kind), (long long)place->vm);
    }
}

/* Operations of one kind may run beside each other where windows are parallel. */
static bool may_be_parallel(enum schedule_kind kind)
{
    return kind == SCHEDULE_SUSPEND || kind == SCHEDULE_RESUME || kind == SCHEDULE_TRANSFER;
}

/* r begins before an operation of that kind is over, at `until`. */
static void overlaps(struct checker *checker, const struct schedule_lease *lease,
                     const struct schedule_reservation *r, enum schedule_kind kind, int64_t until)
{
    struct finding finding = { CHECK_OVERLAP, lease->id, SCHEDULE_UNSET, r->from };
    bool migration = kind == SCHEDULE_MEMORY_MIGRATION || kind == SCHEDULE_DISK_MIGRATION;

    if (kind == r->kind && may_be_parallel(kind))
        return;
    if (migration && (r->kind == SCHEDULE_RESUME || r->kind == SCHEDULE_VM))
        checker_odd(checker, ODDITY_RESUMED_MIGRATING, &finding,
                    "%s begins before %s has ended at %lld", schedule_kind_name(r->kind),
                    schedule_kind_name(kind), (long long)until);
    else
        checker_violation(checker, &finding, "%s begins before %s has ended at %lld",
                          schedule_kind_name(r->kind), schedule_kind_name(kind),
                          (long long)until);
}

/* In the lease's order each operation begins when those before it are over. */
static void check_overlap(struct checker *checker, const struct schedule_lease *lease)
{
    int64_t until[SCHEDULE_KINDS];

    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        until[kind] = INT64_MIN;
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        checker_examined(checker, CHECK_OVERLAP);
        for (int kind = 0; kind < SCHEDULE_KINDS && r->from < r->until; kind++)
            if (until[kind] > r->from)
                overlaps(checker, lease, r, (enum schedule_kind)kind, until[kind]);
        if (r->from < r->until && r->until > until[r->kind])
            until[r->kind] = r->until;
    }
}

/* Do two windows of one suspension (or resumption) touch the same host or, with global exclusion,
 * anything? */
static bool exclude_each_other(const struct schedule_reservation *a,
                               const struct schedule_reservation *b, bool global, int64_t *host)
{
    *host = SCHEDULE_UNSET;
    if (global)
        return true;
    for (size_t i = 0; i < a->n_places; i++)
        for (size_t j = 0; j < b->n_places; j++)
            if (a->places[i].host == b->places[j].host) {
                *host = a->places[i].host;
                return true;
            }
    return false;
}

/* Several VMs in one window run at once. */
static void check_window(struct checker *checker, const struct schedule_lease *lease,
                         const struct schedule_reservation *r, bool global)
{
    for (size_t i = 1; i < r->n_places; i++)
        for (size_t j = 0; j < i; j++)
            if (global || r->places[i].host == r->places[j].host) {
                checker_violation(checker,
                                  &(struct finding){ CHECK_EXCLUSION, lease->id,
                                                     r->places[i].host, r->from },
                                  "%s of VMs %lld and %lld at the same time",
                                  schedule_kind_name(r->kind), (long long)r->places[j].vm,
                                  (long long)r->places[i].vm);
                return;
            }
}

/* Windows of one suspension or resumption are neighbours in the lease's list. */
static void check_exclusion(struct checker *checker, const struct schedule_lease *lease)
{
    bool global = checker->schedule->settings.exclusion_global;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if ((r->kind != SCHEDULE_SUSPEND && r->kind != SCHEDULE_RESUME) || r->from == r->until)
            continue;
        checker_examined(checker, CHECK_EXCLUSION);
        check_window(checker, lease, r, global);
        for (size_t j = i; j > 0 && lease->reservations[j - 1].kind == r->kind; j--) {
            const struct schedule_reservation *other = &lease->reservations[j - 1];
            int64_t host;

            if (other->from < r->until && r->from < other->until &&
                other->from < other->until && exclude_each_other(r, other, global, &host))
                checker_violation(checker,
                                  &(struct finding){ CHECK_EXCLUSION, lease->id, host, r->from },
                                  "%s overlaps another one from %lld to %lld",
                                  schedule_kind_name(r->kind), (long long)other->from,
                                  (long long)other->until);
        }
    }
}

/* Seconds to write or read the memory of the largest VM of a window. */
static int64_t operation_time(const struct schedule *schedule, const struct schedule_lease *lease,
                              const struct schedule_reservation *r)
{
    const struct schedule_settings *settings = &schedule->settings;
    bool suspend = r->kind == SCHEDULE_SUSPEND;
    int64_t override = suspend ? settings->override_suspend : settings->override_resume;
    double rate = suspend ? settings->suspend_rate : settings->resume_rate;
    int64_t most = 0;

    if (override != SCHEDULE_UNSET)
        return override;
    if (!(rate > 0) || schedule->memory < 0)
        return 0;
    for (size_t i = 0; i < r->n_places; i++) {
        int64_t vm = r->places[i].vm;
        int64_t memory = vm < 1 || (uint64_t)vm > lease->n_vms
                             ? 0
                             : lease->vms[(size_t)(vm - 1) * schedule->n_types +
                                          (size_t)schedule->memory];

        if (memory > most)
            most = memory;
    }
    return (int64_t)fmin(ceil((double)most / rate), 1e15);
}

static void check_length(struct checker *checker, const struct schedule_lease *lease,
                         const struct schedule_reservation *r)
{
    const struct schedule_settings *settings = &checker->schedule->settings;
    int64_t overhead = settings->enactment_overhead, length = r->until - r->from, least;
    struct finding finding = { CHECK_LENGTH, lease->id, SCHEDULE_UNSET, r->from };

    if (overhead == SCHEDULE_UNSET || r->until == SCHEDULE_NEVER)
        return;
    if (r->kind == SCHEDULE_SHUTDOWN && settings->shutdown_time != SCHEDULE_UNSET) {
        checker_examined(checker, CHECK_LENGTH);
        least = settings->shutdown_time + overhead * (int64_t)lease->n_vms;
        if (length != least && r->progress == PROGRESS_DONE)
            checker_violation(checker, &finding, "SHUTDOWN of %lld s, it takes %lld",
                              (long long)length, (long long)least);
    } else if (r->kind == SCHEDULE_SUSPEND || r->kind == SCHEDULE_RESUME) {
        checker_examined(checker, CHECK_LENGTH);
        least = operation_time(checker->schedule, lease, r) + overhead;
        if (length < least)
            checker_violation(checker, &finding, "%s of %lld s, it takes %lld",
                              schedule_kind_name(r->kind), (long long)length, (long long)least);
    }
}

void check_operations(struct checker *checker, const struct schedule_lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];
        bool riding = lease->riding && lease->riding[i];

        check_hosts(checker, lease, r);
        check_length(checker, lease, r);
        checker_examined(checker, CHECK_SUBMISSION);
        if (r->from < lease->submit && !riding)
            checker_violation(checker,
                              &(struct finding){ CHECK_SUBMISSION, lease->id, SCHEDULE_UNSET,
                                                 r->from },
                              "%s begins before the lease is submitted at %lld",
                              schedule_kind_name(r->kind), (long long)lease->submit);
    }
    check_overlap(checker, lease);
    check_exclusion(checker, lease);
}
