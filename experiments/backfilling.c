/* First come, first served, EASY and conservative backfilling, side by side. */
#include "experiments/backfilling.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/memory.h"

static const char *const settings[BACKFILLING_POLICIES] = {"off", "aggressive", "conservative"};

static const struct experiment_option options[] = {
    {"hosts", "one", "one|processors", 0, 0,
     "The machine: one host with all processors, as in textbooks, or a host for each processor"},
    {"seeds", "5", "", 1, 100, "Generated workloads for each load; logs are replayed once"},
    {"jobs", "3000", "", 100, 100000, "Jobs of a generated workload"},
    {"overestimate", "3", NULL, 1, 100, "Ratio of requested to real run time of generated jobs"},
};

struct backfilling_run {
    const struct backfilling_plan *plan;
    const struct backfilling_workload *workload;
    int policy, seed;
};

static struct backfilling_run run_of(const struct backfilling_plan *plan, size_t i)
{
    size_t seeds = (size_t)plan->seeds;

    return (struct backfilling_run){
        .plan = plan,
        .workload = &plan->workloads[i / seeds / BACKFILLING_POLICIES],
        .policy = (int)(i / seeds % BACKFILLING_POLICIES),
        .seed = (int)(i % seeds),
    };
}

static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct backfilling_run *of = context;

    return backfilling_open(of->plan, of->workload, of->seed, site, err);
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct backfilling_plan *plan = context;
    const struct backfilling_run of = run_of(plan, i);
    int64_t processors = of.workload->processors;
    bool one = experiment_chosen(plan->bench, "hosts", "one");
    struct replaying replaying = {.open = open_trace, .context = &of};

    replaying_set(&replaying, "simulation.resources=%" PRId64 " CPU:%" PRId64 " Memory:%" PRId64,
                  one ? 1 : processors, one ? 100 * processors : 100, one ? processors : 1);
    replaying_set(&replaying, "scheduling.backfilling=%s", settings[of.policy]);
    replaying_set(&replaying, "scheduling.suspension=none");
    replaying_set(&replaying, "scheduling.policy-preemption=no-preemption");
    return replaying_perform(&replaying, result, err);
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    struct backfilling_plan plan = {.bench = bench};
    struct experiment_work work = {.what = "backfilling",
                                   .result_size = sizeof *plan.replayed,
                                   .perform = perform,
                                   .context = &plan,
                                   .until = 1};
    int result = backfilling_find_workloads(&plan, err);

    if (result == 0) {
        work.n = plan.n_workloads * BACKFILLING_POLICIES * (size_t)plan.seeds;
        plan.replayed = memory_new(work.n, sizeof *plan.replayed);
        result = experiment_share_out(bench, &work, plan.replayed, err);
    }
    if (result == 0)
        backfilling_tell(&plan, findings);
    free(plan.replayed);
    backfilling_forget_workloads(&plan);
    return result;
}

const struct experiment experiment_backfilling = {
    .name = "backfilling",
    .title = "Backfilling: FCFS, EASY and conservative",
    .paper =
        "D. A. Lifka: The ANL/IBM SP scheduling system (1995); A. W. Mu'alem, D. G. Feitelson: "
        "Utilization, predictability, workloads, and user runtime estimates in scheduling the "
        "IBM SP2 with backfilling (2001); E. Gaussier, D. Glesser, V. Reis, D. Trystram: "
        "Improving backfilling by using machine learning to predict running times (2015), the "
        "mean bounded slowdowns of EASY on five logs",
    .summary = "Do logs of the Parallel Workloads Archive give the published slowdowns, and how do "
               "the policies compare?",
    .reads_logs = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
