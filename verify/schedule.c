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

const char *const schedule_kind_names[SCHEDULE_KINDS] = {SCHEDULE_KIND_ROWS(WORDS_WORD)};

const char *const schedule_lease_kind_names[SCHEDULE_LEASE_KINDS] = {
    SCHEDULE_LEASE_KIND_ROWS(WORDS_WORD)};

const char *const schedule_counter_names[SCHEDULE_COUNTERS] = {SCHEDULE_COUNTER_ROWS(WORDS_WORD)};

const char *const schedule_total_names[SCHEDULE_TOTALS] = {
    [FIGURE_ACCEPTED_AR] = "Total accepted AR",
    [FIGURE_REJECTED_AR] = "Total rejected AR",
    [FIGURE_ACCEPTED_IMMEDIATE] = "Total accepted Immediate",
    [FIGURE_REJECTED_IMMEDIATE] = "Total rejected Immediate",
    [FIGURE_COMPLETED] = "Total best-effort completed",
};

const char *const schedule_state_names[STATES] = {SCHEDULE_STATE_ROWS(WORDS_WORD)};

bool schedule_state_is_final(enum schedule_state state)
{
    return state == STATE_DONE || state == STATE_REJECTED || state == STATE_CANCELLED ||
           state == STATE_FAIL;
}
