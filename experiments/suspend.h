/* suspend.h: the runs of experiment `suspend`, and its two halves. */
#pragma once

#include "experiments/experiment.h"
#include "experiments/replaying.h"
#include "experiments/statistics.h"

enum {
    SUSPEND_WORKLOADS = 4,
    SUSPEND_CORES = 4,
    SUSPEND_MEMORIES = 4,
    SUSPEND_SEEDS_MAX = 9,
    SUSPEND_VARIANTS = 9
};

enum suspend_rates { RATES_TESTBED, RATES_AT_ONCE, RATES_TENTH };

/* One replay of 30 days. */
struct suspend_run {
    int workload; /* 0: no reservations, else T10, T20, T30 */
    int cores;    /* of a host */
    bool global;  /* file system */
    int memory;   /* MB of a VM */
    enum suspend_rates rates;
    int seed;    /* 0: the trace as it is */
    int variant; /* 0: the options as they are; else one of them has another value */
};

/* One option with another value, whose effect on the hardest configurations is reported. */
struct suspend_variant {
    const char *option, *value;
};

extern const struct suspend_variant suspend_variants[SUSPEND_VARIANTS]; /* [0] is none */

/* Names of workloads: "No ARs", "T10", ... */
extern const char *const suspend_workloads[SUSPEND_WORKLOADS];
extern const int suspend_cores[SUSPEND_CORES], suspend_memories[SUSPEND_MEMORIES];

/* All runs and their results. */
struct suspend_plan {
    const struct experiment_bench *bench;
    struct suspend_run *runs;
    struct replayed *replayed;
    size_t n, allocated;
    int seeds;
};

/* NULL: there was no such run. */
const struct replayed *suspend_find(const struct suspend_plan *plan, const struct suspend_run *run);
/* The run with instantaneous operations to which another is compared. */
struct suspend_run suspend_base(struct suspend_run run);
/* When all best-effort leases had ended, over the same of suspend_base(): of one run, and of all
 * seeds. */
double suspend_ratio(const struct suspend_plan *plan, struct suspend_run run);
struct mean_estimate suspend_mean_ratio(const struct suspend_plan *plan, struct suspend_run run);

/* Tables, pictures and claims of the long runs. */
void suspend_tell(const struct suspend_plan *plan, struct findings *findings);

/* When all best-effort leases of suspend_base() had ended, in days; of all seeds. */
struct mean_estimate suspend_base_days(const struct suspend_plan *plan, struct suspend_run run);

/* The configuration for which variants are run, on a global file system. */
struct suspend_run suspend_hard(int workload, int variant);
/* A table of the effect of other option values. */
void suspend_tell_variants(const struct suspend_plan *plan, struct findings *findings);

/* Experiment 1: predictions of 22 configurations. */
int suspend_predictions(const struct experiment_bench *bench, struct findings *findings,
                        struct error *err);
