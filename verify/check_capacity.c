/* Checks that no resource of a host is ever exceeded: a sweep over the beginnings and ends of all
 * reservations, by host and resource. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/checker.h"

/* From `time` on, `delta` more of a resource of a host is held. */
struct capacity_change {
    uint32_t host; /* index in schedule.hosts; n_hosts = the image repository */
    uint32_t type;
    int64_t time;
    int64_t delta;
    int64_t lease;
    bool unchecked; /* by Haizea: for a transfer, a migration or a file of memory */
};

struct changes {
    struct capacity_change *items;
    size_t n, allocated;
};

static int add_change(struct changes *changes, const struct capacity_change *change)
{
    if (changes->n == changes->allocated) {
        size_t allocated = changes->allocated ? changes->allocated * 2 : 1024;
        struct capacity_change *items = reallocarray(changes->items, allocated, sizeof *items);

        if (!items)
            return -1;
        changes->items = items;
        changes->allocated = allocated;
    }
    changes->items[changes->n++] = *change;
    return 0;
}

/* Holds `what` during [from, until). */
static int hold(struct changes *changes, struct capacity_change what, int64_t from, int64_t until)
{
    if (from >= until || what.delta == 0)
        return 0;
    what.time = from;
    if (add_change(changes, &what) < 0)
        return -1;
    if (until == SCHEDULE_NEVER)
        return 0;
    what.time = until;
    what.delta = -what.delta;
    return add_change(changes, &what);
}

static bool find_host(const struct schedule *schedule, int64_t id, uint32_t *place)
{
    const struct schedule_host *host = schedule_host(schedule, id);

    if (host)
        *place = (uint32_t)(host - schedule->hosts);
    else if (id == SCHEDULE_REPOSITORY)
        *place = (uint32_t)schedule->n_hosts;
    else
        return false; /* reported by the check "hosts" */
    return true;
}

/* Haizea's windows hold (memory x VMs) on a host; the VMs need that memory only once. */
static int64_t overstated(struct checker *checker, const struct schedule_reservation *r,
                          int64_t host)
{
    int64_t count = 0;

    if (!checker->result->haizea_1_0 || (r->kind != SCHEDULE_SUSPEND && r->kind != SCHEDULE_RESUME))
        return 1;
    for (size_t i = 0; i < r->n_places; i++)
        count += r->places[i].host == host;
    if (count < 2)
        return 1;
    checker->result->tolerated[ODDITY_MEMORY_TIMES_VMS]++;
    return count;
}

static bool is_unchecked(const struct schedule *schedule, enum schedule_kind kind, uint32_t type)
{
    if (kind == SCHEDULE_SUSPEND || kind == SCHEDULE_RESUME)
        return strcmp(schedule->types[type], "Disk") == 0;
    return kind == SCHEDULE_TRANSFER || kind == SCHEDULE_MEMORY_MIGRATION ||
           kind == SCHEDULE_DISK_MIGRATION;
}

static int hold_reservation(struct checker *checker, const struct schedule_lease *lease,
                            const struct schedule_reservation *r, struct changes *changes)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < r->n_holdings; i++) {
        struct capacity_change change = {.type = r->holdings[i].type,
                                         .delta = r->holdings[i].amount,
                                         .lease = lease->id,
                                         .unchecked =
                                             is_unchecked(schedule, r->kind, r->holdings[i].type)};

        change.delta /= overstated(checker, r, r->holdings[i].host);
        if (find_host(schedule, r->holdings[i].host, &change.host) &&
            hold(changes, change, r->from, r->until) < 0)
            return -1;
    }
    return 0;
}

/* A change of a lease's memory on a host: the amount that its reservations hold, and the amount
 * actually present. */
struct memory_change {
    uint32_t host;
    int64_t time;
    int64_t held, there;
};

struct memory_changes {
    struct memory_change *items;
    size_t n;
};

static int compare_memory_changes(const void *a, const void *b)
{
    const struct memory_change *left = a, *right = b;

    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    return (left->time > right->time) - (left->time < right->time);
}

static void add_memory(struct memory_changes *memory, struct memory_change change, int64_t until)
{
    if (change.time >= until)
        return;
    memory->items[memory->n++] = change;
    change.time = until;
    change.held = -change.held;
    change.there = -change.there;
    memory->items[memory->n++] = change;
}

/* Adds one window. VMs are on their hosts from the end of the run until they are suspended, and
 * from their resumption until the next run. */
static void note_window(const struct schedule *schedule, const struct schedule_lease *lease,
                        const struct lease_run *run, const struct schedule_reservation *r,
                        struct memory_changes *memory)
{
    const struct schedule_reservation *vm = &lease->reservations[run->vm];
    bool suspend = r->kind == SCHEDULE_SUSPEND;
    struct memory_change change = {.time = r->from};

    for (size_t i = 0; i < r->n_holdings; i++)
        if ((int)r->holdings[i].type == schedule->memory &&
            find_host(schedule, r->holdings[i].host, &change.host)) {
            change.held = r->holdings[i].amount;
            add_memory(memory, change, r->until);
        }
    change.held = 0;
    change.time = suspend ? vm->until : r->from;
    for (size_t i = 0; i < r->n_places; i++) {
        int64_t number = r->places[i].vm;

        if (number < 1 || (uint64_t)number > lease->n_vms ||
            !find_host(schedule, r->places[i].host, &change.host))
            continue;
        change.there =
            lease->vms[(size_t)(number - 1) * schedule->n_types + (size_t)schedule->memory];
        add_memory(memory, change, suspend ? r->until : vm->from);
    }
}

/* Accounts for memory on the host beyond what the reservations hold. */
static int hold_excess(const struct schedule *schedule, const struct schedule_lease *lease,
                       struct memory_changes *memory, struct changes *changes)
{
    int64_t held = 0, there = 0;

    qsort(memory->items, memory->n, sizeof *memory->items, compare_memory_changes);
    for (size_t i = 0; i + 1 < memory->n; i++) {
        const struct memory_change *item = &memory->items[i];
        struct capacity_change change = {
            .host = item->host, .type = (uint32_t)schedule->memory, .lease = lease->id};

        held += item->held;
        there += item->there;
        change.delta = there - held;
        if (item[1].host == item->host && change.delta > 0 &&
            hold(changes, change, item->time, item[1].time) < 0)
            return -1;
    }
    return 0;
}

static int hold_waiting(const struct schedule *schedule, const struct schedule_lease *lease,
                        const struct lease_run *run, struct changes *changes)
{
    struct memory_changes memory = {.n = 0};
    size_t room = 0;
    int result;

    for (size_t i = run->first; i < run->end; i++)
        room += 2 * (lease->reservations[i].n_holdings + lease->reservations[i].n_places);
    memory.items = calloc(room + 1, sizeof *memory.items);
    if (!memory.items)
        return -1;
    for (size_t i = run->first; i < run->end; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->kind == SCHEDULE_SUSPEND || r->kind == SCHEDULE_RESUME)
            note_window(schedule, lease, run, r, &memory);
    }
    result = hold_excess(schedule, lease, &memory, changes);
    free(memory.items);
    return result;
}

/* The VMs of a lost run were on hosts that exist, at most one for each VM. */
static void check_lost_hosts(struct checker *checker, const struct schedule_lost_run *lost)
{
    const struct schedule_lease *lease = schedule_lease(checker->schedule, lost->lease);
    struct finding finding = {CHECK_HOSTS, lost->lease, SCHEDULE_UNSET, lost->from};

    checker_examined(checker, CHECK_HOSTS);
    if (!lease || lost->n_hosts == 0 || lost->n_hosts > lease->n_vms)
        checker_violation(checker, &finding, "hosts of a lost run: %zu, VMs of its lease: %zu",
                          lost->n_hosts, lease ? lease->n_vms : 0);
    for (size_t i = 0; i < lost->n_hosts; i++) {
        finding.host = lost->hosts[i];
        if (!schedule_host(checker->schedule, lost->hosts[i]))
            checker_violation(checker, &finding, "a lost run names a host that does not exist");
        if (i > 0 && lost->hosts[i] == lost->hosts[i - 1])
            checker_violation(checker, &finding, "a lost run names a host twice");
    }
}

/* A lost run held at least the amounts of the smallest VM of the lease on each of its hosts. */
static int hold_lost_run(const struct schedule *schedule, const struct schedule_lost_run *lost,
                         struct changes *changes)
{
    const struct schedule_lease *lease = schedule_lease(schedule, lost->lease);

    for (size_t type = 0; lease && type < schedule->n_types; type++) {
        int64_t least = lease->n_vms ? INT64_MAX : 0;

        for (size_t vm = 0; vm < lease->n_vms; vm++)
            if (lease->vms[vm * schedule->n_types + type] < least)
                least = lease->vms[vm * schedule->n_types + type];
        for (size_t i = 0; i < lost->n_hosts; i++) {
            struct capacity_change change = {
                .type = (uint32_t)type, .delta = least, .lease = lost->lease};

            if (find_host(schedule, lost->hosts[i], &change.host) &&
                hold(changes, change, lost->from, lost->until) < 0)
                return -1;
        }
    }
    return 0;
}

static int collect_lease(struct checker *checker, const struct schedule_lease *lease,
                         struct changes *changes)
{
    const struct schedule *schedule = checker->schedule;
    bool is_final = schedule_state_is_final(lease->state);
    struct lease_run run = {.end = 0};

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if ((r->progress == PROGRESS_SCHEDULED && is_final) || (lease->riding && lease->riding[i]))
            continue;
        if (hold_reservation(checker, lease, r, changes) < 0)
            return -1;
    }
    if (checker->result->haizea_1_0 || schedule->memory < 0)
        return 0;
    while (lease_run_next(lease, run.end, &run))
        if (hold_waiting(schedule, lease, &run, changes) < 0)
            return -1;
    return 0;
}

static int collect(struct checker *checker, struct changes *changes)
{
    const struct schedule *schedule = checker->schedule;

    for (size_t i = 0; i < schedule->n_leases; i++)
        if (collect_lease(checker, &schedule->leases[i], changes) < 0)
            return -1;
    for (size_t i = 0; i < schedule->n_lost_runs; i++) {
        check_lost_hosts(checker, &schedule->lost_runs[i]);
        if (hold_lost_run(schedule, &schedule->lost_runs[i], changes) < 0)
            return -1;
    }
    return 0;
}

static int compare_changes(const void *a, const void *b)
{
    const struct capacity_change *left = a, *right = b;

    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    if (left->type != right->type)
        return left->type < right->type ? -1 : 1;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return (left->delta > right->delta) - (left->delta < right->delta);
}

static bool same_resource(const struct capacity_change *a, const struct capacity_change *b)
{
    return a->host == b->host && a->type == b->type;
}

/* The repository's bandwidth is not recorded; the repository sends one image at a time, at full
 * bandwidth. */
static int64_t repository_capacity(const struct capacity_change *changes, size_t n)
{
    int64_t most = 0;

    for (size_t i = 0; i < n; i++)
        if (changes[i].delta > most)
            most = changes[i].delta;
    return most;
}

static int64_t id_of(const struct schedule *schedule, uint32_t host)
{
    return host < schedule->n_hosts ? schedule->hosts[host].id : SCHEDULE_REPOSITORY;
}

/* The held amount of one resource of one host. */
struct held {
    int64_t capacity;
    int64_t all, others; /* others: what Haizea checks */
};

/* Haizea sends images and memory whatever the network of the hosts holds, and saves memory whatever
 * their disks hold; VMs get what is left. */
static bool is_haizeas_excess(const struct checker *checker, const struct capacity_change *change,
                              const struct held *held)
{
    return checker->result->haizea_1_0 && change->host < checker->schedule->n_hosts &&
           held->others <= held->capacity;
}

static void report_excess(struct checker *checker, const struct capacity_change *change,
                          const struct held *held, int64_t until)
{
    const struct schedule *schedule = checker->schedule;
    struct finding finding = {CHECK_CAPACITY, change->lease, id_of(schedule, change->host),
                              change->time};

    if (is_haizeas_excess(checker, change, held))
        checker->result->tolerated[strcmp(schedule->types[change->type], "Disk") == 0
                                       ? ODDITY_DISK_EXCEEDED
                                       : ODDITY_NETWORK_EXCEEDED]++;
    else
        checker_violation(checker, &finding, "%s: %lld held, capacity %lld, until %lld",
                          schedule->types[change->type], (long long)held->all,
                          (long long)held->capacity, (long long)until);
}

/* Checks one resource of one host over time. */
static void sweep(struct checker *checker, const struct capacity_change *changes, size_t n)
{
    const struct schedule *schedule = checker->schedule;
    bool is_host = changes->host < schedule->n_hosts;
    struct held held = {.capacity = is_host ? schedule->hosts[changes->host].capacity[changes->type]
                                            : repository_capacity(changes, n)};
    int64_t reported = held.capacity, reported_others = held.capacity;

    for (size_t i = 0; i < n; i++) {
        held.all += changes[i].delta;
        held.others += changes[i].unchecked ? 0 : changes[i].delta;
        if (i + 1 < n && changes[i + 1].time == changes[i].time)
            continue;
        checker_examined(checker, CHECK_CAPACITY);
        if ((held.all > held.capacity && reported <= held.capacity) ||
            (held.others > held.capacity && reported_others <= held.capacity))
            report_excess(checker, &changes[i], &held,
                          i + 1 < n ? changes[i + 1].time : SCHEDULE_NEVER);
        reported = held.all;
        reported_others = held.others;
    }
}

int check_capacity(struct checker *checker)
{
    struct changes changes = {.n = 0};
    size_t first = 0;

    if (collect(checker, &changes) < 0) {
        free(changes.items);
        return error_set(checker->err, ENOMEM, "out of memory");
    }
    if (changes.n)
        qsort(changes.items, changes.n, sizeof *changes.items, compare_changes);
    for (size_t i = 1; i <= changes.n; i++) {
        if (i < changes.n && same_resource(&changes.items[first], &changes.items[i]))
            continue;
        sweep(checker, &changes.items[first], i - first);
        first = i;
    }
    free(changes.items);
    return 0;
}
