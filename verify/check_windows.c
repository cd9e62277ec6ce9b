/* Checks the windows of suspensions and resumptions: exclusive windows do not overlap, and each
 * window has the right length. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "verify/checker.h"

/* The memory of one VM is written to, or read from, the disk of a host. */
struct booked_operation {
    int64_t host;
    int64_t from, until;
    int64_t vm;
    int64_t least; /* seconds needed */
};

struct booked_operations {
    struct booked_operation *items;
    size_t n;
};

/* Seconds to write or read the memory of one VM. */
static int64_t time_for(const struct schedule *schedule, const struct schedule_lease *lease,
                        enum schedule_kind kind, int64_t vm)
{
    const struct schedule_settings *settings = &schedule->settings;
    bool suspend = kind == SCHEDULE_SUSPEND;
    int64_t fixed = suspend ? settings->override_suspend : settings->override_resume;
    double rate = suspend ? settings->suspend_rate : settings->resume_rate;
    int64_t memory;

    if (fixed != SCHEDULE_UNSET)
        return fixed;
    if (!(rate > 0) || schedule->memory < 0 || vm < 1 || (uint64_t)vm > lease->n_vms)
        return 0;
    memory = lease->vms[(size_t)(vm - 1) * schedule->n_types + (size_t)schedule->memory];
    return (int64_t)fmin(ceil((double)memory / rate), 1e12);
}

static int by_host(const void *a, const void *b)
{
    const struct booked_operation *left = a, *right = b;

    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

static int by_time(const void *a, const void *b)
{
    const struct booked_operation *left = a, *right = b;

    return (left->from > right->from) - (left->from < right->from);
}

/* Without memory or with override times of 0, the windows of VMs of a host coincide, and Haizea
 * merges them before it adds the overheads. */
static bool merged_for_no_time(const struct schedule *schedule, const struct schedule_lease *lease,
                               enum schedule_kind kind, const struct booked_operation pair[2])
{
    return !schedule->settings.exclusion_global && pair[0].from == pair[1].from &&
           pair[0].until == pair[1].until && time_for(schedule, lease, kind, pair[0].vm) == 0 &&
           time_for(schedule, lease, kind, pair[1].vm) == 0;
}

/* Checks that no operation begins before the end of all earlier ones; items are in order of start.
 */
static void check_no_overlap(struct checker *checker, const struct schedule_lease *lease,
                             enum schedule_kind kind, const struct booked_operation *items,
                             size_t n)
{
    const struct booked_operation *last = NULL;

    for (size_t i = 0; i < n; i++) {
        struct finding finding = {CHECK_EXCLUSION, lease->id, items[i].host, items[i].from};

        if (items[i].from == items[i].until)
            continue;
        checker_examined(checker, CHECK_EXCLUSION);
        if (last && items[i].from < last->until &&
            merged_for_no_time(checker->schedule, lease, kind,
                               (const struct booked_operation[]){*last, items[i]}))
            checker_odd(checker, ODDITY_ZERO_WINDOWS_MERGED, &finding,
                        "%s of VMs %lld and %lld in one window", schedule_kind_names[kind],
                        (long long)last->vm, (long long)items[i].vm);
        else if (last && items[i].from < last->until)
            checker_violation(checker, &finding,
                              "%s of VM %lld overlaps that of VM %lld, which lasts until %lld",
                              schedule_kind_names[kind], (long long)items[i].vm,
                              (long long)last->vm, (long long)last->until);
        if (!last || items[i].until > last->until)
            last = &items[i];
    }
}

/* The total seconds of a host's windows; VMs that share a window are neighbors in the list. */
static int64_t time_of_windows(const struct booked_operation *items, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if (i == 0 || items[i].from != items[i - 1].from || items[i].until != items[i - 1].until)
            sum += items[i].until - items[i].from;
    return sum;
}

/* Checks the sum of the enactment overheads on a host. By default, the host waits for the commands
 * to all VMs of the lease; with global exclusion, only for the commands to its own VMs. Haizea adds
 * the overheads of all coinciding windows, whose number may vary. */
static bool overheads_are_right(const struct checker *checker, const struct schedule_lease *lease,
                                size_t n_here, int64_t overheads)
{
    const struct schedule_settings *settings = &checker->schedule->settings;
    int64_t one = settings->enactment_overhead;
    int64_t least = one * (int64_t)n_here, most = one * (int64_t)lease->n_vms;

    if (settings->haizea_1_0)
        return overheads >= least && overheads <= most;
    return overheads == (settings->exclusion_global ? least : most);
}

/* Checks the operations on one host, in order of start. */
static void check_host(struct checker *checker, const struct schedule_lease *lease,
                       enum schedule_kind kind, const struct booked_operation *items, size_t n)
{
    int64_t due = 0, there = time_of_windows(items, n);
    struct finding finding = {CHECK_LENGTH, lease->id, items[0].host, items[0].from};

    check_no_overlap(checker, lease, kind, items, n);
    if (checker->schedule->settings.enactment_overhead == SCHEDULE_UNSET)
        return;
    for (size_t i = 0; i < n; i++) {
        checker_examined(checker, CHECK_LENGTH);
        if (items[i].until - items[i].from < items[i].least)
            checker_violation(checker, &finding, "%s of VM %lld in %lld s, it takes %lld",
                              schedule_kind_names[kind], (long long)items[i].vm,
                              (long long)(items[i].until - items[i].from),
                              (long long)items[i].least);
        due += items[i].least;
    }
    if (!overheads_are_right(checker, lease, n, there - due))
        checker_violation(
            checker, &finding, "%s of %zu VM%s in %lld s, it takes %lld and the enactment overhead",
            schedule_kind_names[kind], n, n == 1 ? "" : "s", (long long)there, (long long)due);
}

static void check_group(struct checker *checker, const struct schedule_lease *lease,
                        enum schedule_kind kind, struct booked_operations *operations)
{
    struct booked_operation *items = operations->items;
    size_t first = 0;

    if (operations->n == 0)
        return;
    qsort(items, operations->n, sizeof *items, by_host);
    for (size_t i = 1; i <= operations->n; i++) {
        if (i < operations->n && items[i].host == items[first].host)
            continue;
        check_host(checker, lease, kind, &items[first], i - first);
        first = i;
    }
    if (checker->schedule->settings.exclusion_global) {
        qsort(items, operations->n, sizeof *items, by_time);
        check_no_overlap(checker, lease, kind, items, operations->n);
    }
}

/* Collects windows with VMs; other windows only hold memory of waiting VMs. */
static void collect(const struct checker *checker, const struct schedule_lease *lease,
                    const struct schedule_reservation *r, struct booked_operations *operations)
{
    for (size_t i = 0; i < r->n_places; i++)
        operations->items[operations->n++] = (struct booked_operation){
            .host = r->places[i].host,
            .from = r->from,
            .until = r->until,
            .vm = r->places[i].vm,
            .least = time_for(checker->schedule, lease, r->kind, r->places[i].vm),
        };
}

/* The windows of a suspension or resumption are neighbors in the lease's list. */
int check_windows(struct checker *checker, const struct schedule_lease *lease)
{
    struct booked_operations operations = {.n = 0};
    size_t room = 0;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].kind == SCHEDULE_SUSPEND ||
            lease->reservations[i].kind == SCHEDULE_RESUME)
            room += lease->reservations[i].n_places;
    if (room == 0)
        return 0;
    if ((int64_t)lease->n_vms > checker->schedule->settings.vms_suspended)
        checker_violation(
            checker, &(struct finding){CHECK_SEQUENCE, lease->id, SCHEDULE_UNSET, lease->submit},
            "is suspended, which the setting suspension forbids for %zu VM%s", lease->n_vms,
            lease->n_vms == 1 ? "" : "s");
    operations.items = calloc(room, sizeof *operations.items);
    if (!operations.items)
        return error_set(checker->err, ENOMEM, "out of memory");
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];
        bool last = i + 1 == lease->n_reservations || r[1].kind != r->kind;

        if (r->kind != SCHEDULE_SUSPEND && r->kind != SCHEDULE_RESUME)
            continue;
        collect(checker, lease, r, &operations);
        if (!last)
            continue;
        check_group(checker, lease, r->kind, &operations);
        operations.n = 0;
    }
    free(operations.items);
    return 0;
}
