/* suspend.h: the runs of experiment `suspend`, and its two halves. */
#ifndef GALERNA_EXPERIMENTS_SUSPEND_H
#define GALERNA_EXPERIMENTS_SUSPEND_H

#include "experiments/experiment.h"
#include "experiments/replaying.h"
#include "experiments/statistics.h"

enum { SUSPEND_WORKLOADS = 4, SUSPEND_CORES = 4, SUSPEND_MEMORIES = 4, SUSPEND_SEEDS_MAX = 9 };
enum { SUSPEND_WIDE = 96 }; /* larger jobs do not fit beside a reservation of 48 nodes */

enum suspend_rates { RATES_TESTBED, RATES_AT_ONCE, RATES_TENTH };

/* One replay of 30 days. */
struct suspend_run {
    int workload; /* 0: no reservations, else T10, T20, T30 */
    int cores;    /* of a host */
    bool global;  /* file system */
    int memory;   /* MB of a VM */
    enum suspend_rates rates;
    int most_nodes; /* 0: all jobs */
    int seed;       /* 0: the trace as it is */
};

/* Names of workloads: "No ARs", "T10", ... */
extern const char *const suspend_workloads[SUSPEND_WORKLOADS];
extern const int suspend_cores[SUSPEND_CORES], suspend_memories[SUSPEND_MEMORIES];

/* All runs, and what came of them. */
struct suspend_plan {
    const struct experiment_bench *bench;
    struct suspend_run *runs;
    struct replayed *replayed;
    size_t n, allocated;
    int seeds;
};

/* NULL: there was no such run. */
const struct replayed *suspend_find(const struct suspend_plan *plan, const struct suspend_run *run);
/* When all best-effort leases had ended, over the same with instantaneous operations: of one run,
 * and of all seeds. */
double suspend_ratio(const struct suspend_plan *plan, struct suspend_run run);
struct estimate suspend_mean_ratio(const struct suspend_plan *plan, struct suspend_run run);

/* Tables, pictures and claims of the long runs. */
void suspend_tell(const struct suspend_plan *plan, struct findings *findings);

/* Experiment 1: predictions of 22 configurations. */
int suspend_predictions(const struct experiment_bench *bench, struct findings *findings,
                        struct error *err);

#endif
