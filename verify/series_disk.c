/* Recomputes the MB on the fullest disk over time from the suspensions. */
#include <stdlib.h>

#include "verify/counter.h"

/* From `time` on, the disk of a host has `delta` MB more in use. */
struct disk_usage {
    int64_t time, delta;
    size_t host; /* index in schedule.hosts */
};

/* A file with the saved memory of a VM. Haizea does not delete old files. */
struct memory_file {
    int64_t vm, host;
};

struct disk_walk {
    struct checker *checker;
    const struct schedule_lease *lease;
    struct disk_usage *usages;
    size_t n, allocated;
    struct memory_file *files;
    size_t n_files, files_allocated;
    bool failed;
};

static void add(struct disk_walk *walk, int64_t time, int64_t host_id, int64_t delta)
{
    const struct schedule *schedule = walk->checker->schedule;
    const struct schedule_host *host = schedule_host(schedule, host_id);

    if (!host || walk->failed || delta == 0)
        return;
    if (walk->n == walk->allocated) {
        size_t allocated = walk->allocated ? walk->allocated * 2 : 1024;
        void *larger = reallocarray(walk->usages, allocated, sizeof *walk->usages);

        if (!larger) {
            walk->failed = true;
            return;
        }
        walk->usages = larger;
        walk->allocated = allocated;
    }
    walk->usages[walk->n++] = (struct disk_usage){time, delta, (size_t)(host - schedule->hosts)};
}

static int64_t memory_of(const struct disk_walk *walk, int64_t vm)
{
    const struct schedule *schedule = walk->checker->schedule;

    if (schedule->memory < 0 || vm < 1 || (uint64_t)vm > walk->lease->n_vms)
        return 0;
    return walk->lease->vms[(size_t)(vm - 1) * schedule->n_types + (size_t)schedule->memory];
}

static void file_add(struct disk_walk *walk, int64_t time, int64_t vm, int64_t host)
{
    if (walk->n_files == walk->files_allocated) {
        size_t allocated = walk->files_allocated ? walk->files_allocated * 2 : 16;
        void *larger = reallocarray(walk->files, allocated, sizeof *walk->files);

        if (!larger) {
            walk->failed = true;
            return;
        }
        walk->files = larger;
        walk->files_allocated = allocated;
    }
    walk->files[walk->n_files++] = (struct memory_file){vm, host};
    add(walk, time, host, memory_of(walk, vm));
}

/* Haizea searches only one host for the file. */
static void file_remove(struct disk_walk *walk, int64_t time, int64_t vm, int64_t host)
{
    for (size_t i = 0; i < walk->n_files; i++) {
        if (walk->files[i].vm != vm ||
            (walk->checker->result->haizea_1_0 && walk->files[i].host != host))
            continue;
        add(walk, time, walk->files[i].host, -memory_of(walk, vm));
        walk->files[i] = walk->files[--walk->n_files];
        return;
    }
}

/* The time of the lease's end, or SCHEDULE_NEVER. */
static int64_t over_at(const struct disk_walk *walk)
{
    size_t n = checker_n_moves(walk->checker, walk->lease);

    if (!schedule_state_is_final(walk->lease->state) || n == 0)
        return SCHEDULE_NEVER;
    return checker_moves(walk->checker, walk->lease)[n - 1]->time;
}

/* A file is deleted when the resumption of its VM begins, and at the latest when the first
 * resumption of the lease ends. */
static void walk_resumptions(struct disk_walk *walk, const struct lease_run *run)
{
    const struct schedule_reservation *reservations = walk->lease->reservations;
    const struct schedule_reservation *vm = &reservations[run->vm];
    int64_t first = SCHEDULE_NEVER;

    for (size_t i = run->first; i < run->vm; i++)
        if (reservations[i].kind == SCHEDULE_RESUME && reservations[i].until < first &&
            reservations[i].progress == PROGRESS_DONE)
            first = reservations[i].until;
    for (size_t i = run->first; i < run->vm; i++) {
        const struct schedule_reservation *r = &reservations[i];

        for (size_t k = 0; k < r->n_places && r->kind == SCHEDULE_RESUME &&
                           r->progress != PROGRESS_SCHEDULED && r->from <= first;
             k++)
            file_remove(walk, r->from, r->places[k].vm, r->places[k].host);
    }
    for (size_t k = 0; first != SCHEDULE_NEVER && k < vm->n_places; k++)
        file_remove(walk, first, vm->places[k].vm, vm->places[k].host);
}

static void walk_files(struct disk_walk *walk)
{
    const struct schedule_lease *lease = walk->lease;
    struct lease_run run = {.end = 0};

    walk->n_files = 0;
    while (lease_run_next(lease, run.end, &run)) {
        walk_resumptions(walk, &run);
        for (size_t i = run.vm; i < run.end; i++) {
            const struct schedule_reservation *r = &lease->reservations[i];

            for (size_t k = 0; k < r->n_places && r->kind == SCHEDULE_SUSPEND &&
                               r->progress != PROGRESS_SCHEDULED;
                 k++)
                file_add(walk, r->from, r->places[k].vm, r->places[k].host);
        }
    }
}

static void drop_files(struct disk_walk *walk)
{
    int64_t over = over_at(walk);

    if (walk->checker->result->haizea_1_0 || over == SCHEDULE_NEVER)
        return;
    for (size_t i = 0; i < walk->n_files; i++)
        add(walk, over, walk->files[i].host, -memory_of(walk, walk->files[i].vm));
}

static int by_time(const void *a, const void *b)
{
    const struct disk_usage *x = a, *y = b;

    return (x->time > y->time) - (x->time < y->time);
}

/* Keeps a tree of maxima over the hosts to find the usage of the fullest disk after each change in
 * O(log hosts). */
static int fill(struct disk_walk *walk, struct series *series)
{
    const struct schedule *schedule = walk->checker->schedule;
    size_t width = 1;
    int64_t *tree;

    while (width < schedule->n_hosts)
        width *= 2;
    tree = calloc(2 * width, sizeof *tree);
    if (!tree)
        return -1;
    if (walk->n)
        qsort(walk->usages, walk->n, sizeof *walk->usages, by_time);
    for (size_t i = 0; i < walk->n && walk->usages[i].time <= schedule->end_time; i++) {
        size_t node = width + walk->usages[i].host;

        tree[node] += walk->usages[i].delta;
        for (node /= 2; node; node /= 2)
            tree[node] = tree[2 * node] > tree[2 * node + 1] ? tree[2 * node] : tree[2 * node + 1];
        if (i + 1 == walk->n || walk->usages[i + 1].time != walk->usages[i].time)
            series_add(series, walk->usages[i].time, SCHEDULE_UNSET,
                       (double)(tree[1] > 0 ? tree[1] : 0));
    }
    free(tree);
    return 1;
}

/* Do disks contain more than the record has? Records lack the images in caches, and migrations of
 * memory that were replanned after they had been carried out. */
static bool has_more_on_disks(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_leases; i++) {
        const struct schedule_lease *lease = &schedule->leases[i];

        if (lease->image)
            return true;
        for (size_t k = 0; k < lease->n_reservations; k++)
            if (lease->reservations[k].kind == SCHEDULE_MEMORY_MIGRATION)
                return true;
    }
    for (size_t i = 0; schedule->settings.migrates && i < schedule->n_moves; i++)
        if (schedule->moves[i].from == STATE_SUSPENDED_SCHEDULED &&
            schedule->moves[i].to != STATE_RESUMING)
            return true;
    return false;
}

int series_of_disk(struct checker *checker, struct series *series)
{
    const struct schedule *schedule = checker->schedule;
    struct disk_walk walk = {.checker = checker};
    int result = -1;

    if (checker->abandoned || has_more_on_disks(schedule)) {
        checker_not_checked(checker, checker->abandoned ? GAP_ABANDONED : GAP_DISK);
        return 0;
    }
    for (size_t i = 0; i < schedule->n_leases; i++) {
        walk.lease = &schedule->leases[i];
        walk_files(&walk);
        drop_files(&walk);
    }
    if (!walk.failed)
        result = fill(&walk, series);
    free(walk.files);
    free(walk.usages);
    return result;
}
