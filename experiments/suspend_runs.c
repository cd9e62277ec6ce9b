/* The runs of experiment `suspend`: their parameters, and how one compares to another. */
#include "experiments/suspend.h"

const char *const suspend_workloads[SUSPEND_WORKLOADS] = {"No ARs", "T10", "T20", "T30"};
const int suspend_cores[SUSPEND_CORES] = {1, 2, 4, 8};
const int suspend_memories[SUSPEND_MEMORIES] = {1024, 2048, 3076, 4096};
const struct suspend_variant suspend_variants[SUSPEND_VARIANTS] = {
    {NULL, NULL},
    {"migration", "yes"},
    {"migration", "no"},
    {"threshold", "0"},
    {"threshold", "1"},
    {"threshold", "2"},
    {"threshold", "5"},
    {"preemption", "ar-preempts-everything"},
    {"behaviour", "haizea-1.0"},
};

struct suspend_run suspend_base(struct suspend_run run)
{
    run.rates = RATES_AT_ONCE;
    run.global = false;
    run.memory = suspend_memories[0];
    return run;
}

struct suspend_run suspend_hard(int workload, int variant)
{
    return (struct suspend_run){.workload = workload,
                                .cores = suspend_cores[2],
                                .memory = suspend_memories[SUSPEND_MEMORIES - 1],
                                .global = true,
                                .variant = variant};
}

static bool same(const struct suspend_run *a, const struct suspend_run *b)
{
    return a->workload == b->workload && a->cores == b->cores && a->global == b->global &&
           a->memory == b->memory && a->rates == b->rates && a->seed == b->seed &&
           a->variant == b->variant;
}

const struct replayed *suspend_find(const struct suspend_plan *plan, const struct suspend_run *run)
{
    for (size_t i = 0; i < plan->n; i++)
        if (same(&plan->runs[i], run))
            return &plan->replayed[i];
    return NULL;
}

double suspend_ratio(const struct suspend_plan *plan, struct suspend_run run)
{
    const struct suspend_run base = suspend_base(run);

    return (double)suspend_find(plan, &run)->figures.best_effort_end /
           (double)suspend_find(plan, &base)->figures.best_effort_end;
}

struct mean_estimate suspend_mean_ratio(const struct suspend_plan *plan, struct suspend_run run)
{
    double values[SUSPEND_SEEDS_MAX];

    for (run.seed = 0; run.seed < plan->seeds; run.seed++)
        values[run.seed] = suspend_ratio(plan, run);
    return estimate_of(values, (size_t)plan->seeds);
}

struct mean_estimate suspend_base_days(const struct suspend_plan *plan, struct suspend_run run)
{
    double values[SUSPEND_SEEDS_MAX];

    run = suspend_base(run);
    for (run.seed = 0; run.seed < plan->seeds; run.seed++)
        values[run.seed] = (double)suspend_find(plan, &run)->figures.best_effort_end / 86400;
    return estimate_of(values, (size_t)plan->seeds);
}
