/* priority.h: the runs of experiment `priority`. */
#pragma once

#include "experiments/experiment.h"
#include "experiments/replaying.h"

enum { PRIORITY_ROWS = 7, PRIORITY_LOADS = 3, PRIORITY_SEEDS_MAX = 30 };

/* Best-effort leases by size, then immediate ones. */
enum { PRIORITY_SIZES = 5, PRIORITY_IMMEDIATE = PRIORITY_SIZES };

extern const uint32_t priority_size_from[PRIORITY_SIZES];
extern const double priority_gap_factors[PRIORITY_LOADS];

struct priority_run {
    int triplets; /* 0: a generated workload */
    int load, seed;
    bool preempts;
    bool restarts; /* preempted leases restart; false: they are suspended */
};

struct priority_plan {
    const struct experiment_bench *bench;
    struct priority_run runs[3 * PRIORITY_ROWS + 2 * PRIORITY_LOADS * PRIORITY_SEEDS_MAX];
    size_t n;
    int seeds;
    struct replayed *replayed;
};

/* A row of the paper's table: 0, 1, ...; without and with priority. */
const struct replayed *priority_row(const struct priority_plan *plan, int row, int preempts);

/* With priority, when preempted leases lose their work. */
const struct replayed *priority_restarted(const struct priority_plan *plan, int row);

/* A generated workload. */
const struct replayed *priority_seed(const struct priority_plan *plan, int load, int seed,
                                     int preempts);

/* Tables, pictures and claims: of the paper's table, and of generated workloads, where
 * priority_tell_sizes() lists which sizes wait less and which more. */
void priority_tell_table(const struct priority_plan *plan, struct findings *findings);
void priority_tell_generated(const struct priority_plan *plan, struct findings *findings);
void priority_tell_sizes(const struct priority_plan *plan, struct findings *findings);

/* The sizes that wait longer with priority, by load, as a sentence. */
void priority_name_longer(const struct priority_plan *plan, char *text, size_t size);

extern const char *const priority_load_names[PRIORITY_LOADS];

/* The mean wait of leases of some sizes, [from, until), in seconds. */
double priority_mean_wait(const struct replayed *replayed, int from, int until);
