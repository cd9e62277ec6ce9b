/* Recomputes the CPU in use over time from the operations carried out. */
#include <stdlib.h>
#include <string.h>

#include "verify/counter.h"

/* From `time` on, operations of the kind use `delta` more CPU. */
struct cpu_usage {
    int64_t time, delta;
    enum schedule_kind kind;
};

struct usages {
    struct cpu_usage *items;
    size_t n, allocated;
    bool failed;
};

static void add(struct usages *usages, enum schedule_kind kind, int64_t time, int64_t delta)
{
    if (usages->n == usages->allocated) {
        size_t allocated = usages->allocated ? usages->allocated * 2 : 1024;
        void *larger = reallocarray(usages->items, allocated, sizeof *usages->items);

        if (!larger) {
            usages->failed = true;
            return;
        }
        usages->items = larger;
        usages->allocated = allocated;
    }
    usages->items[usages->n++] = (struct cpu_usage){time, delta, kind};
}

static void use(struct usages *usages, enum schedule_kind kind, const int64_t span[2], int64_t cpu)
{
    if (span[0] >= span[1] || usages->failed)
        return;
    add(usages, kind, span[0], cpu);
    if (span[1] != SCHEDULE_NEVER)
        add(usages, kind, span[1], -cpu);
}

static int cpu_type(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_types; i++)
        if (strcmp(schedule->types[i], "CPU") == 0)
            return (int)i;
    return -1;
}

static int64_t held_on(const struct schedule_reservation *r, int type, int64_t host)
{
    int64_t cpu = 0;

    for (size_t i = 0; i < r->n_holdings; i++)
        if ((int)r->holdings[i].type == type && r->holdings[i].host == host)
            cpu += r->holdings[i].amount;
    return cpu;
}

/* Does a holding, or a place before the i-th, have its host? */
static bool is_counted(const struct schedule_reservation *r, size_t i)
{
    for (size_t k = 0; k < r->n_holdings; k++)
        if (r->holdings[k].host == r->places[i].host)
            return true;
    for (size_t k = 0; k < i; k++)
        if (r->places[k].host == r->places[i].host)
            return true;
    return false;
}

/* Suspensions and resumptions count the CPU that the run holds on the hosts involved, even if the
 * VMs have no memory to hold there. */
static int64_t cpu_of(const struct schedule_reservation *r, const struct schedule_reservation *vm,
                      int type)
{
    int64_t cpu = 0;

    if (r->kind == SCHEDULE_VM || r->kind == SCHEDULE_SHUTDOWN) {
        for (size_t i = 0; i < r->n_holdings; i++)
            if ((int)r->holdings[i].type == type)
                cpu += r->holdings[i].amount;
        return cpu;
    }
    for (size_t i = 0; i < r->n_holdings; i++)
        if (i == 0 || r->holdings[i].host != r->holdings[i - 1].host)
            cpu += held_on(vm, type, r->holdings[i].host);
    for (size_t i = 0; i < r->n_places; i++)
        if (!is_counted(r, i))
            cpu += held_on(vm, type, r->places[i].host);
    return cpu;
}

static bool uses_cpu(const struct schedule_reservation *r)
{
    return r->progress != PROGRESS_SCHEDULED &&
           (r->kind == SCHEDULE_VM || r->kind == SCHEDULE_SUSPEND || r->kind == SCHEDULE_RESUME ||
            r->kind == SCHEDULE_SHUTDOWN);
}

/* Adds the shutdown of a lease that was cancelled during it, which has no reservation. */
static void collect_shutdown(struct checker *checker, const struct schedule_lease *lease, int type,
                             struct usages *usages)
{
    size_t n = checker_n_moves(checker, lease);
    const struct schedule_move *last = n ? checker_moves(checker, lease)[n - 1] : NULL;
    const struct schedule_reservation *vm = NULL;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        if (lease->reservations[i].kind == SCHEDULE_VM)
            vm = &lease->reservations[i];
        else if (lease->reservations[i].kind == SCHEDULE_SHUTDOWN)
            vm = NULL;
    }
    if (vm && last && last->from == STATE_ACTIVE &&
        (last->to == STATE_CANCELLED || last->to == STATE_FAIL))
        use(usages, SCHEDULE_SHUTDOWN, (const int64_t[]){vm->until, last->time},
            cpu_of(vm, vm, type));
}

static void collect_lease(struct checker *checker, const struct schedule_lease *lease, int type,
                          struct usages *usages)
{
    struct lease_run run = {.end = 0};

    collect_shutdown(checker, lease, type, usages);
    while (lease_run_next(lease, run.end, &run))
        for (size_t i = run.first; i < run.end; i++) {
            const struct schedule_reservation *r = &lease->reservations[i];
            /* An operation that is active when the run of the scheduler stops does not end. */
            int64_t until = r->progress == PROGRESS_ACTIVE ? SCHEDULE_NEVER : r->until;

            if (uses_cpu(r))
                use(usages, r->kind, (const int64_t[]){r->from, until},
                    cpu_of(r, &lease->reservations[run.vm], type));
        }
}

static void collect_lost(const struct schedule *schedule, const struct schedule_lost_run *lost,
                         int type, struct usages *usages)
{
    const struct schedule_lease *lease = schedule_lease(schedule, lost->lease);
    int64_t cpu = 0;

    for (size_t vm = 0; lease && vm < lease->n_vms; vm++)
        cpu += lease->vms[vm * schedule->n_types + (size_t)type];
    use(usages, SCHEDULE_VM, (const int64_t[]){lost->from, lost->until}, cpu);
}

static int by_time(const void *a, const void *b)
{
    const struct cpu_usage *x = a, *y = b;

    return (x->time > y->time) - (x->time < y->time);
}

/* The share of the total. Each kind is divided by the total, then added in the order of the
 * scheduler, on which the last bit depends. */
static double share(const int64_t used[SCHEDULE_KINDS], double total)
{
    static const enum schedule_kind order[] = {SCHEDULE_VM, SCHEDULE_RESUME, SCHEDULE_SUSPEND,
                                               SCHEDULE_SHUTDOWN};
    double sum = 0;

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        sum += (double)used[order[i]] / total;
    return sum;
}

static void fill(struct usages *usages, int64_t end_time, double total, struct series *series)
{
    int64_t used[SCHEDULE_KINDS] = {0};

    if (usages->n)
        qsort(usages->items, usages->n, sizeof *usages->items, by_time);
    for (size_t i = 0; i < usages->n && usages->items[i].time <= end_time; i++) {
        used[usages->items[i].kind] += usages->items[i].delta;
        if (i + 1 == usages->n || usages->items[i + 1].time != usages->items[i].time)
            series_add(series, usages->items[i].time, SCHEDULE_UNSET, share(used, total));
    }
}

int series_of_cpu(struct checker *checker, struct series *series)
{
    const struct schedule *schedule = checker->schedule;
    struct usages usages = {0};
    int type = cpu_type(schedule);
    double total = 0;

    if (checker->abandoned || !schedule->preemptions_told) {
        checker_not_checked(checker, GAP_ABANDONED);
        return 0;
    }
    for (size_t i = 0; type >= 0 && i < schedule->n_hosts; i++)
        total += (double)schedule->hosts[i].capacity[type];
    for (size_t i = 0; total > 0 && i < schedule->n_leases; i++)
        collect_lease(checker, &schedule->leases[i], type, &usages);
    for (size_t i = 0; total > 0 && i < schedule->n_lost_runs; i++)
        collect_lost(schedule, &schedule->lost_runs[i], type, &usages);
    if (!usages.failed)
        fill(&usages, schedule->end_time, total, series);
    free(usages.items);
    return usages.failed ? -1 : 1;
}
