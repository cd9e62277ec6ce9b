/* backfilling.h: the parts of the backfilling experiment: workloads, runs, claims. */
#pragma once

#include "experiments/experiment.h"
#include "experiments/replaying.h"

enum backfilling_policy { POLICY_FCFS, POLICY_EASY, POLICY_CONSERVATIVE, BACKFILLING_POLICIES };

enum { BACKFILLING_WORKLOADS = 8, BACKFILLING_NAME = 48 };

/* A log of the Parallel Workloads Archive, or a generated workload. */
struct backfilling_workload {
    char name[BACKFILLING_NAME]; /* on the page */
    char *path;                  /* of the log; NULL: generated */
    double published;            /* mean bounded slowdown under EASY; 0: none */
    double gap_factor;           /* of generated ones */
    int64_t processors;
};

struct backfilling_plan {
    const struct experiment_bench *bench;
    struct backfilling_workload workloads[BACKFILLING_WORKLOADS];
    size_t n_workloads;
    int seeds;                 /* runs of a generated workload; 1 for logs */
    struct replayed *replayed; /* by workload, policy, seed */
};

/* The logs in the folder, by their names in the archive; without a folder, generated workloads.
 * Errors: ENOENT (none is there, with the names), EINVAL (a compressed one), those of reading. */
int backfilling_find_workloads(struct backfilling_plan *plan, struct error *err);
void backfilling_forget_workloads(struct backfilling_plan *plan);

/* The requests of a workload. */
struct trace *backfilling_open(const struct backfilling_plan *plan,
                               const struct backfilling_workload *workload, int seed,
                               const struct site *site, struct error *err);

/* Tables, pictures and claims. */
void backfilling_tell(const struct backfilling_plan *plan, struct findings *findings);
