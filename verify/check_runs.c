/* Checks the runs of a lease: in the right order, with all VMs, each on the host of its memory. */
#include <errno.h>
#include <stdlib.h>

#include "verify/checker.h"

/* The position in a lease's runs. */
struct runs_walk {
    struct checker *checker;
    const struct schedule_lease *lease;
    int64_t *where; /* per VM: the host with its memory, or SCHEDULE_UNSET */
    const struct schedule_reservation *last_vm; /* the previous run; NULL: none */
    bool migrated;                              /* between the previous run and the next one */
    uint32_t *seen;                 /* per VM: the number of its places in an operation */
    struct schedule_holding *needs; /* of one reservation, by host and type */
    size_t n_needs;
};

static struct finding at(const struct runs_walk *walk, enum verify_check check,
                         const struct schedule_reservation *r)
{
    return (struct finding){check, walk->lease->id, SCHEDULE_UNSET, r->from};
}

static bool vm_exists(const struct schedule_lease *lease, const struct schedule_place *place)
{
    return place->vm >= 1 && (uint64_t)place->vm <= lease->n_vms;
}

static int compare_needs(const void *a, const void *b)
{
    const struct schedule_holding *left = a, *right = b;

    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    return (left->type > right->type) - (left->type < right->type);
}

/* The amounts that the VMs of a reservation request on each host. */
static void sum_needs(struct runs_walk *walk, const struct schedule_reservation *r)
{
    size_t n_types = walk->checker->schedule->n_types, n = 0, merged = 0;

    for (size_t i = 0; i < r->n_places && n < walk->lease->n_vms * n_types; i++) {
        if (!vm_exists(walk->lease, &r->places[i]))
            continue;
        for (size_t type = 0; type < n_types; type++)
            walk->needs[n++] = (struct schedule_holding){
                r->places[i].host, (uint32_t)type,
                walk->lease->vms[(size_t)(r->places[i].vm - 1) * n_types + type]};
    }
    if (n)
        qsort(walk->needs, n, sizeof *walk->needs, compare_needs);
    for (size_t i = 0; i < n; i++) {
        if (merged && compare_needs(&walk->needs[merged - 1], &walk->needs[i]) == 0)
            walk->needs[merged - 1].amount += walk->needs[i].amount;
        else
            walk->needs[merged++] = walk->needs[i];
    }
    walk->n_needs = merged;
}

/* VMs and shutdowns hold exactly the requested amounts, live migrations at least these amounts,
 * suspensions and resumptions at least the memory. */
static void check_held(struct runs_walk *walk, const struct schedule_reservation *r)
{
    const struct schedule *schedule = walk->checker->schedule;
    bool exact = r->kind == SCHEDULE_VM || r->kind == SCHEDULE_SHUTDOWN;
    size_t n_nonzero = 0;

    sum_needs(walk, r);
    for (size_t i = 0; i < walk->n_needs; i++) {
        const struct schedule_holding *need = &walk->needs[i];
        int64_t held = 0;
        struct finding finding = at(walk, CHECK_TOGETHER, r);

        n_nonzero += need->amount > 0;
        if (!exact && r->kind != SCHEDULE_MEMORY_MIGRATION && (int)need->type != schedule->memory)
            continue;
        for (size_t j = 0; j < r->n_holdings; j++)
            if (compare_needs(&r->holdings[j], need) == 0)
                held += r->holdings[j].amount;
        finding.host = need->host;
        if (exact ? held != need->amount : held < need->amount)
            checker_violation(walk->checker, &finding, "%s holds %lld %s, its VMs ask for %lld",
                              schedule_kind_names[r->kind], (long long)held,
                              schedule->types[need->type], (long long)need->amount);
    }
    if (exact && r->n_holdings > n_nonzero) {
        struct finding finding = at(walk, CHECK_TOGETHER, r);

        checker_violation(walk->checker, &finding, "%s holds resources that no VM asks for",
                          schedule_kind_names[r->kind]);
    }
}

/* Reservations [first, end) of one kind include every VM exactly once, or, for an abandoned
 * suspension, at most once. */
static void check_together(struct runs_walk *walk, enum schedule_kind kind, size_t first,
                           size_t end)
{
    const struct schedule_lease *lease = walk->lease;
    const struct schedule_reservation *any = NULL;
    bool abandoned = kind == SCHEDULE_SUSPEND && end == lease->n_reservations &&
                     checker_ended_suspending(walk->checker, lease);

    for (size_t vm = 0; vm < lease->n_vms; vm++)
        walk->seen[vm] = 0;
    for (size_t i = first; i < end; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind != kind)
            continue;
        any = r;
        for (size_t j = 0; j < r->n_places; j++)
            if (vm_exists(lease, &r->places[j]))
                walk->seen[r->places[j].vm - 1]++;
        if (kind != SCHEDULE_MEMORY_MIGRATION)
            check_held(walk, r);
    }
    if (!any)
        return;
    checker_examined(walk->checker, CHECK_TOGETHER);
    for (size_t vm = 0; vm < lease->n_vms; vm++) {
        struct finding finding = at(walk, CHECK_TOGETHER, any);

        if (walk->seen[vm] != 1 && !(abandoned && walk->seen[vm] == 0))
            checker_violation(walk->checker, &finding, "VM %zu is in %u of the %s reservations",
                              vm + 1, walk->seen[vm], schedule_kind_names[kind]);
    }
}

/* If leases do not migrate, Haizea overlooks that a VM resumes on another host of its lease. */
static bool may_trade_hosts(const struct runs_walk *walk, int64_t host)
{
    const struct schedule_settings *settings = &walk->checker->schedule->settings;

    if (settings->version > 0 && settings->migrates)
        return false;
    for (size_t i = 0; walk->last_vm && i < walk->last_vm->n_places; i++)
        if (walk->last_vm->places[i].host == host)
            return true;
    return false;
}

/* Checks that every VM of r is on the host of its memory. */
static void check_place(struct runs_walk *walk, const struct schedule_reservation *r)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_place *place = &r->places[i];
        struct finding finding = {CHECK_PLACE, walk->lease->id, place->host, r->from};
        int64_t where;

        if (!vm_exists(walk->lease, place))
            continue;
        checker_examined(walk->checker, CHECK_PLACE);
        where = walk->where[place->vm - 1];
        if (where == place->host || where == SCHEDULE_UNSET)
            continue;
        if (r->kind == SCHEDULE_RESUME && !walk->migrated && may_trade_hosts(walk, place->host))
            checker_odd(walk->checker, ODDITY_MOVED_WITHIN_HOSTS, &finding,
                        "VM %lld resumes on another host than %lld where it is, and no migration",
                        (long long)place->vm, (long long)where);
        else
            checker_violation(walk->checker, &finding, "%s of VM %lld, but it is on host %lld",
                              schedule_kind_names[r->kind], (long long)place->vm, (long long)where);
    }
}

static void wrong_order(struct runs_walk *walk, const struct schedule_reservation *r,
                        const char *what)
{
    struct finding finding = at(walk, CHECK_SEQUENCE, r);

    checker_violation(walk->checker, &finding, "%s %s", schedule_kind_names[r->kind], what);
}

static void move_vms(struct runs_walk *walk, const struct schedule_reservation *r)
{
    walk->migrated = true;
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_place *place = &r->places[i];
        struct finding finding = {CHECK_PLACE, walk->lease->id, place->from, r->from};

        if (!vm_exists(walk->lease, place))
            continue;
        checker_examined(walk->checker, CHECK_PLACE);
        if (walk->where[place->vm - 1] != place->from)
            checker_violation(walk->checker, &finding,
                              "VM %lld is moved from here, but it is on host %lld",
                              (long long)place->vm, (long long)walk->where[place->vm - 1]);
        if (place->from == place->host && !walk->checker->result->haizea_1_0)
            checker_violation(walk->checker, &finding, "VM %lld is moved to where it is",
                              (long long)place->vm);
        walk->where[place->vm - 1] = place->host;
    }
}

static void settle_vms(struct runs_walk *walk, const struct schedule_reservation *r)
{
    for (size_t i = 0; i < r->n_places; i++)
        if (vm_exists(walk->lease, &r->places[i]))
            walk->where[r->places[i].vm - 1] = r->places[i].host;
}

/* Checks the operations before a run: preparation before the first, resumption before later ones.
 */
static void check_before(struct runs_walk *walk, const struct lease_run *run,
                         const struct lease_run *previous, bool restarted)
{
    const struct schedule_lease *lease = walk->lease;
    const struct schedule_reservation *vm = &lease->reservations[run->vm];
    const struct schedule_settings *settings = &walk->checker->schedule->settings;
    bool moved = previous && lease_run_moved(walk->checker, lease, run);
    int64_t resumed = SCHEDULE_UNSET;

    walk->migrated = false;
    for (size_t i = run->first; i < run->vm; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind == SCHEDULE_TRANSFER) {
            if (r->until > vm->from && !checker_prepared_again(walk->checker, lease) &&
                !checker_prepares_restart(walk->checker, lease, r))
                wrong_order(walk, r, "ends after the VMs have started");
            continue;
        }
        if (r->kind == SCHEDULE_SUSPEND || r->kind == SCHEDULE_SHUTDOWN || !previous)
            wrong_order(walk, r, "before the VMs have run");
        if (r->kind == SCHEDULE_MEMORY_MIGRATION)
            move_vms(walk, r);
        if (r->kind == SCHEDULE_MEMORY_MIGRATION && moved)
            check_held(walk, r);
        else if (r->kind == SCHEDULE_MEMORY_MIGRATION && settings->version > 0 &&
                 !settings->migrates) /* migration of a suspended lease */
            wrong_order(walk, r, "where leases do not migrate");
        if (r->kind != SCHEDULE_RESUME)
            continue;
        check_place(walk, r);
        settle_vms(walk, r);
        if (r->until > resumed)
            resumed = r->until;
    }
    if (previous && !restarted && !moved && resumed == SCHEDULE_UNSET)
        wrong_order(walk, vm, "without a resumption before it");
    if (resumed != SCHEDULE_UNSET && resumed != vm->from)
        wrong_order(walk, vm, "does not start when the last resumption ends");
    check_together(walk, SCHEDULE_RESUME, run->first, run->vm);
    if (walk->migrated && walk->checker->result->haizea_1_0) /* Haizea moves all VMs or none */
        check_together(walk, SCHEDULE_MEMORY_MIGRATION, run->first, run->vm);
}

/* Checks the operations after a run, which begin at its end: suspensions or one shutdown, or none
 * if the VMs continue on other hosts. */
static void check_after(struct runs_walk *walk, const struct lease_run *run, bool last, bool moves)
{
    const struct schedule_lease *lease = walk->lease;
    const struct schedule_reservation *vm = &lease->reservations[run->vm];
    int64_t first = SCHEDULE_NEVER;
    size_t suspensions = 0, shutdowns = 0;

    for (size_t i = run->vm + 1; i < run->end; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        suspensions += r->kind == SCHEDULE_SUSPEND;
        shutdowns += r->kind == SCHEDULE_SHUTDOWN;
        check_place(walk, r);
        if (r->from < first)
            first = r->from;
    }
    if (shutdowns > 1 || (shutdowns && suspensions))
        wrong_order(walk, vm, "has more than one end (suspensions and shutdowns)");
    if (run->end > run->vm + 1 && first != vm->until)
        wrong_order(walk, vm, "does not end when its suspension or shutdown starts");
    if (!last && !moves && !suspensions &&
        !schedule_lost_run(walk->checker->schedule, lease->id, vm->until))
        wrong_order(walk, vm, "is followed by another run without being suspended");
    if (last && suspensions && lease->state == STATE_DONE)
        wrong_order(walk, vm, "is suspended and never resumed, but the lease is done");
    check_together(walk, SCHEDULE_SUSPEND, run->vm + 1, run->end);
    check_together(walk, SCHEDULE_SHUTDOWN, run->vm + 1, run->end);
}

static void walk_runs(struct runs_walk *walk)
{
    const struct schedule_lease *lease = walk->lease;
    struct lease_run run = {.end = 0}, previous, next;
    bool more = lease_run_next(lease, 0, &run), has_previous = false;

    if (!more && lease->state == STATE_DONE) {
        struct finding finding = {CHECK_SEQUENCE, lease->id, SCHEDULE_UNSET, lease->end};

        checker_violation(walk->checker, &finding, "the lease is done but its VMs never ran");
    }
    for (size_t i = 0; !more && i < lease->n_reservations; i++)
        if (lease->reservations[i].kind != SCHEDULE_TRANSFER)
            wrong_order(walk, &lease->reservations[i], "of a lease whose VMs never run");
    while (more) {
        const struct schedule_reservation *vm = &lease->reservations[run.vm];
        bool restarted =
            has_previous && checker_requeued(walk->checker, lease,
                                             lease->reservations[previous.vm].until, vm->from);

        checker_examined(walk->checker, CHECK_SEQUENCE);
        check_before(walk, &run, has_previous ? &previous : NULL, restarted);
        check_together(walk, SCHEDULE_VM, run.vm, run.vm + 1);
        if (has_previous && !restarted)
            check_place(walk, vm);
        settle_vms(walk, vm);
        walk->last_vm = vm;
        more = lease_run_next(lease, run.end, &next);
        check_after(walk, &run, !more, more && lease_run_moved(walk->checker, lease, &next));
        previous = run;
        has_previous = true;
        if (more)
            run = next;
    }
    if (lease->state == STATE_DONE && has_previous && run.end < lease->n_reservations)
        wrong_order(walk, &lease->reservations[run.end],
                    "after the last run of a lease that is done");
}

int check_runs(struct checker *checker, const struct schedule_lease *lease)
{
    size_t n_types = checker->schedule->n_types;
    struct runs_walk walk = {.checker = checker, .lease = lease};
    int result = 0;

    if (lease->n_reservations == 0 && lease->state != STATE_DONE)
        return 0;
    walk.where = calloc(lease->n_vms + 1, sizeof *walk.where);
    walk.seen = calloc(lease->n_vms + 1, sizeof *walk.seen);
    walk.needs = calloc(lease->n_vms * n_types + 1, sizeof *walk.needs);
    if (walk.where && walk.seen && walk.needs) {
        for (size_t vm = 0; vm < lease->n_vms; vm++)
            walk.where[vm] = SCHEDULE_UNSET;
        walk_runs(&walk);
    } else {
        result = error_set(checker->err, ENOMEM, "out of memory");
    }
    free(walk.where);
    free(walk.seen);
    free(walk.needs);
    return result;
}
