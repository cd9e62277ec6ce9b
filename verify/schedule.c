/* Reads a schedule from a record. */
#include "verify/schedule.h"

#include <string.h>

#include "util/search.h"
#include "verify/arena.h"

void schedule_finish(struct schedule *schedule)
{
    schedule_arena_destroy(schedule->arena);
    memset(schedule, 0, sizeof *schedule);
}

/* Items begin with their id. */
static const void *find(const void *items, size_t n, size_t size, int64_t id)
{
    const char *item =
        (const char *)items + search_place(&id, items, n, size, search_by_number) * size;

    return item < (const char *)items + n * size && *(const int64_t *)item == id ? item : NULL;
}

const struct schedule_host *schedule_host(const struct schedule *schedule, int64_t id)
{
    return find(schedule->hosts, schedule->n_hosts, sizeof *schedule->hosts, id);
}

const struct schedule_lease *schedule_lease(const struct schedule *schedule, int64_t id)
{
    return find(schedule->leases, schedule->n_leases, sizeof *schedule->leases, id);
}

const struct schedule_lost_run *schedule_lost_run(const struct schedule *schedule, int64_t lease,
                                                  int64_t from)
{
    for (size_t i = 0; i < schedule->n_lost_runs; i++)
        if (schedule->lost_runs[i].lease == lease && schedule->lost_runs[i].from == from)
            return &schedule->lost_runs[i];
    return NULL;
}

const char *const schedule_kind_names[SCHEDULE_KINDS] = {
    [SCHEDULE_VM] = "VM",
    [SCHEDULE_SUSPEND] = "SUSPEND",
    [SCHEDULE_RESUME] = "RESUME",
    [SCHEDULE_SHUTDOWN] = "SHUTDOWN",
    [SCHEDULE_MEMORY_MIGRATION] = "MEM_MIGRATION",
    [SCHEDULE_DISK_MIGRATION] = "DISK_MIGRATION",
    [SCHEDULE_TRANSFER] = "FILE_TRANSFER",
};

const char *const schedule_lease_kind_names[SCHEDULE_LEASE_KINDS] = {
    [SCHEDULE_BEST_EFFORT] = "Best-effort",
    [SCHEDULE_RESERVED] = "AR",
    [SCHEDULE_IMMEDIATE] = "Immediate",
    [SCHEDULE_DEADLINE] = "Deadline",
};

const char *const schedule_counter_names[SCHEDULE_COUNTERS] = {
    [FIGURE_ACCEPTED_AR] = "Accepted AR",
    [FIGURE_REJECTED_AR] = "Rejected AR",
    [FIGURE_ACCEPTED_IMMEDIATE] = "Accepted Immediate",
    [FIGURE_REJECTED_IMMEDIATE] = "Rejected Immediate",
    [FIGURE_COMPLETED] = "Best-effort completed",
    [FIGURE_QUEUE] = "Queue size",
    [FIGURE_CPU] = "CPU utilization",
    [FIGURE_DISK] = "Disk usage",
};

const char *const schedule_total_names[SCHEDULE_TOTALS] = {
    [FIGURE_ACCEPTED_AR] = "Total accepted AR",
    [FIGURE_REJECTED_AR] = "Total rejected AR",
    [FIGURE_ACCEPTED_IMMEDIATE] = "Total accepted Immediate",
    [FIGURE_REJECTED_IMMEDIATE] = "Total rejected Immediate",
    [FIGURE_COMPLETED] = "Total best-effort completed",
};

const char *const schedule_state_names[STATES] = {
    [STATE_NEW] = "New",
    [STATE_PENDING] = "Pending",
    [STATE_REJECTED] = "Rejected",
    [STATE_SCHEDULED] = "Scheduled",
    [STATE_QUEUED] = "Queued",
    [STATE_CANCELLED] = "Cancelled",
    [STATE_PREPARING] = "Preparing",
    [STATE_READY] = "Ready",
    [STATE_ACTIVE] = "Active",
    [STATE_SUSPENDING] = "Suspending",
    [STATE_SUSPENDED_PENDING] = "Suspended-Pending",
    [STATE_SUSPENDED_QUEUED] = "Suspended-Queued",
    [STATE_SUSPENDED_SCHEDULED] = "Suspended-Scheduled",
    [STATE_MIGRATING] = "Migrating",
    [STATE_RESUMING] = "Resuming",
    [STATE_RESUMED_READY] = "Resumed-Ready",
    [STATE_DONE] = "Done",
    [STATE_FAIL] = "Fail",
};

bool schedule_state_is_final(enum schedule_state state)
{
    return state == STATE_DONE || state == STATE_REJECTED || state == STATE_CANCELLED ||
           state == STATE_FAIL;
}
