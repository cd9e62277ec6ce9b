/* Resource leasing and the art of suspending virtual machines: 30 days of the Blue Horizon machine
 * with reservations, on hosts of 1 to 8 cores, with VMs of 1 to 4 GB, on two file systems.
 */
#include "experiments/suspend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments/blue.h"
#include "experiments/statistics.h"
#include "util/memory.h"

const char *const suspend_workloads[SUSPEND_WORKLOADS] = {"No ARs", "T10", "T20", "T30"};
const int suspend_cores[SUSPEND_CORES] = {1, 2, 4, 8};
const int suspend_memories[SUSPEND_MEMORIES] = {1024, 2048, 3076, 4096};

enum { TEXT = 80, SETTINGS = 9, QUICK_SPAN = 2 * 86400, SHIFT = 60 };

static const struct experiment_option options[] = {
    {"backfilling", "aggressive", "aggressive|conservative|intermediate|off", 0, 0,
     "Scheduling of the queue; the paper does not tell"},
    {"behaviour", "haizea-1.0", "default|haizea-1.0", 0, 0,
     "Galerna's own scheduling, or that of Haizea 1.0, the version after the paper's; the reasons "
     "of figure-4-t10 to t30 say what others gave"},
    {"threshold", "0", NULL, 0, 100,
     "A lease is not started where it would run for less than so many times its suspension and "
     "resumption; Haizea 1.0 has 1, the paper does not speak of it"},
    {"seeds", "3", "", 1, SUSPEND_SEEDS_MAX,
     "Runs of each configuration: the first with the trace as it is, the others with each job up "
     "to a minute later. A delay of seconds can change the end by per cents, so one run says "
     "little"},
    {"enactment", "1", NULL, 0, 60,
     "Experiment 1: seconds per command; the paper says 1 to 2. The long runs have 0"},
    {"shutdown", "15", NULL, 0, 600, "Experiment 1: seconds; the paper's. The long runs have 0"},
};

static void add(struct suspend_plan *plan, struct suspend_run run)
{
    for (int seed = 0; seed < plan->seeds; seed++) {
        plan->runs = memory_grow(plan->runs, &plan->allocated, plan->n + 1, sizeof *plan->runs);
        run.seed = seed;
        plan->runs[plan->n++] = run;
    }
}

static void list_runs(struct suspend_plan *plan)
{
    int cores = experiment_is_quick(plan->bench) ? 1 : SUSPEND_CORES;

    for (int w = 0; w < SUSPEND_WORKLOADS; w++)
        for (int c = 0; c < cores; c++) {
            struct suspend_run run = {
                .workload = w, .cores = suspend_cores[c], .memory = 1024, .rates = RATES_AT_ONCE};

            add(plan, run);
            if (c == 0) {
                run.rates = RATES_TENTH;
                run.global = true;
                add(plan, run);
            }
            run.rates = RATES_TESTBED;
            for (int global = 0; global < 2; global++)
                for (int m = 0; m < SUSPEND_MEMORIES; m++) {
                    run.global = global;
                    run.memory = suspend_memories[m];
                    add(plan, run);
                }
            run.most_nodes = SUSPEND_WIDE;
            if (w == 1 || w == 2)
                add(plan, run);
            run.rates = RATES_AT_ONCE;
            run.global = false;
            run.memory = 1024;
            if (w == 1 || w == 2)
                add(plan, run);
        }
}

static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct suspend_run *run = context;

    (void)site;
    return blue_open(&(struct blue){.reservations = 10 * run->workload,
                                    .memory = run->memory,
                                    .span = run->most_nodes < 0 ? QUICK_SPAN : 0,
                                    .most_nodes = run->most_nodes > 0 ? run->most_nodes : 0,
                                    .seed = (uint64_t)run->seed,
                                    .shift = SHIFT},
                     err);
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    static const double suspend_rates[2] = {61.86, 63.67}, resume_rates[2] = {66.27, 81.27};
    const struct suspend_plan *plan = context;
    struct suspend_run run = plan->runs[i];
    double divisor = run.rates == RATES_TENTH ? 10 : 1;
    char texts[SETTINGS][TEXT];
    const char *set[SETTINGS];
    size_t n = 0;
    struct replaying replaying = {.set = set, .open = open_trace, .context = &run};

    if (experiment_is_quick(plan->bench))
        run.most_nodes = -1;
    snprintf(texts[n++], TEXT, "simulation.resources=%d CPU:%d Memory:%d", BLUE_NODES / run.cores,
             100 * run.cores, run.memory * run.cores);
    snprintf(texts[n++], TEXT, "scheduling.suspend-rate=%.4f", suspend_rates[run.global] / divisor);
    snprintf(texts[n++], TEXT, "scheduling.resume-rate=%.4f", resume_rates[run.global] / divisor);
    snprintf(texts[n++], TEXT, "scheduling.suspendresume-exclusion=%s",
             run.global ? "global" : "local");
    snprintf(texts[n++], TEXT, "scheduling.backfilling=%s",
             experiment_text(plan->bench, "backfilling"));
    snprintf(texts[n++], TEXT, "scheduling.scheduling-threshold-factor=%s",
             experiment_text(plan->bench, "threshold"));
    snprintf(texts[n++], TEXT, "galerna.compatibility=%s",
             experiment_text(plan->bench, "behaviour"));
    if (run.rates == RATES_AT_ONCE) {
        snprintf(texts[n++], TEXT, "scheduling.override-suspend-time=0");
        snprintf(texts[n++], TEXT, "scheduling.override-resume-time=0");
    }
    for (size_t k = 0; k < n; k++)
        set[k] = texts[k];
    replaying.n_set = n;
    return replaying_perform(&replaying, result, err);
}

static bool same(const struct suspend_run *a, const struct suspend_run *b)
{
    return a->workload == b->workload && a->cores == b->cores && a->global == b->global &&
           a->memory == b->memory && a->rates == b->rates && a->most_nodes == b->most_nodes &&
           a->seed == b->seed;
}

const struct replayed *suspend_find(const struct suspend_plan *plan, const struct suspend_run *run)
{
    for (size_t i = 0; i < plan->n; i++)
        if (same(&plan->runs[i], run))
            return &plan->replayed[i];
    return NULL;
}

/* When all best-effort leases had ended, over the same with instantaneous operations. */
double suspend_ratio(const struct suspend_plan *plan, struct suspend_run run)
{
    const struct replayed *replayed = suspend_find(plan, &run), *base;

    run.rates = RATES_AT_ONCE;
    run.global = false;
    run.memory = 1024;
    base = suspend_find(plan, &run);
    return (double)replayed->figures.best_effort_end / (double)base->figures.best_effort_end;
}

struct estimate suspend_mean_ratio(const struct suspend_plan *plan, struct suspend_run run)
{
    double values[SUSPEND_SEEDS_MAX];

    for (run.seed = 0; run.seed < plan->seeds; run.seed++)
        values[run.seed] = suspend_ratio(plan, run);
    return estimate_of(values, (size_t)plan->seeds);
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    struct suspend_plan plan = {
        .bench = bench,
        .seeds = experiment_is_quick(bench) ? 1 : (int)experiment_number(bench, "seeds")};
    struct experiment_work work = {.what = "30 days of leases",
                                   .result_size = sizeof *plan.replayed,
                                   .perform = perform,
                                   .context = &plan,
                                   .from = 0.02,
                                   .until = 1};
    int result = suspend_predictions(bench, findings, err);

    if (result < 0)
        return -1;
    list_runs(&plan);
    plan.replayed = memory_new(plan.n, sizeof *plan.replayed);
    work.n = plan.n;
    result = experiment_share_out(bench, &work, plan.replayed, err);
    if (result == 0)
        suspend_tell(&plan, findings);
    free(plan.runs);
    free(plan.replayed);
    return result;
}

const struct experiment experiment_suspend = {
    .name = "suspend",
    .title = "Suspending virtual machines to make room for reservations",
    .paper = "B. Sotomayor, R. S. Montero, I. M. Llorente, I. Foster: Resource Leasing and the Art "
             "of Suspending Virtual Machines, HPCC 2009: Figure 4, Table 1, and the predictions "
             "behind Figure 2",
    .summary = "Does it take much longer until all best-effort leases are done when suspending and "
               "resuming them for reservations takes its time?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
