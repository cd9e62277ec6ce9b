/* Resource leasing and the art of suspending virtual machines: 30 days of the Blue Horizon machine
 * with reservations, on hosts of 1 to 8 cores, with VMs of 1 to 4 GB, on two file systems.
 */
#include "experiments/suspend.h"

#include <stdlib.h>
#include <string.h>

#include "experiments/workloads.h"
#include "util/memory.h"

enum { QUICK_SPAN = 86400, SHIFT = 60 };

static const struct experiment_option options[] = {
    {"migration", "yes-notransfer", "yes-notransfer|yes|no", 0, 0,
     "Where a suspended lease may resume: on any hosts without a transfer of its memory, on any "
     "hosts after a transfer, or only on the hosts where it was suspended. The paper mentions the "
     "suspend/resume/migrate capability, and its model of the resumption time has no transfer"},
    {"backfilling", "aggressive", "aggressive|conservative|intermediate|off", 0, 0,
     "Scheduling of the queue; not given in the paper"},
    {"behaviour", "default", "default|haizea-1.0", 0, 0,
     "Galerna's own scheduling, or that of Haizea 1.0, the version after the paper, which "
     "overestimates the suspension time of a lease with n VMs by a factor of n"},
    {"threshold", "3", NULL, 0, 100,
     "A lease is not started if it would run for less than this multiple of its suspension and "
     "resumption time. 1 is the default of Haizea and Galerna; the paper does not give it. 3 was "
     "chosen for its result: with 1 and 2, the hardest runs of T20 end later than in the paper. "
     "Nothing else is fitted, so the other numbers test this choice"},
    {"preemption", "no-preemption", "no-preemption|ar-preempts-everything", 0, 0,
     "If a reservation conflicts with the planned place of a waiting best-effort lease: the "
     "reservation is refused, or the lease is moved. In both cases running leases are suspended "
     "for reservations. Not given in the paper; leases of nearly the whole site, whose suspension "
     "takes hours, do not start before the last reservation if they are always moved"},
    {"seeds", "5", "", 1, SUSPEND_SEEDS_MAX,
     "Runs of each configuration: the first with the original trace, the others with each job "
     "delayed by up to a minute. A delay of seconds can change the end by a percent, so a single "
     "run means little"},
    {"enactment", "1", NULL, 0, 60,
     "Experiment 1: seconds per command; 1 to 2 in the paper. The long runs use 0"},
    {"shutdown", "15", NULL, 0, 600, "Experiment 1: seconds, as in the paper. The long runs use 0"},
};

static void add_one(struct suspend_plan *plan, struct suspend_run run)
{
    MEMORY_GROW(plan->runs, plan->allocated, plan->n + 1);
    plan->runs[plan->n++] = run;
}

static void add(struct suspend_plan *plan, struct suspend_run run)
{
    for (run.seed = 0; run.seed < plan->seeds; run.seed++)
        add_one(plan, run);
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
        }
    if (experiment_is_quick(plan->bench))
        return;
    for (int variant = 1; variant < SUSPEND_VARIANTS; variant++)
        for (int w = 1; w < SUSPEND_WORKLOADS; w++) {
            struct suspend_run run = suspend_hard(w, variant);

            add_one(plan, suspend_base(run));
            for (int global = 0; global < 2; global++) {
                run.global = global;
                add_one(plan, run);
            }
        }
}

struct opening {
    const struct suspend_run *run;
    int64_t span;
};

static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct opening *opening = context;
    const struct suspend_run *run = opening->run;

    (void)site;
    return blue_open(&(struct blue){.reservations = 10 * run->workload,
                                    .memory = run->memory,
                                    .span = opening->span,
                                    .seed = (uint64_t)run->seed,
                                    .shift = SHIFT},
                     err);
}

/* The option's value, in the run's variant. */
static const char *value_of(const struct suspend_plan *plan, const struct suspend_run *run,
                            const char *option)
{
    const struct suspend_variant *variant = &suspend_variants[run->variant];

    return variant->option && strcmp(variant->option, option) == 0
               ? variant->value
               : experiment_text(plan->bench, option);
}

/* Adds the failed run to the error. */
static int tell_run(const struct suspend_run *run, struct error *err)
{
    const struct suspend_variant *variant = &suspend_variants[run->variant];

    return error_prefix(err, "%s, seed %d, %d cores a host, %d MB, %s file system, %s%s%s",
                        suspend_workloads[run->workload], run->seed, run->cores, run->memory,
                        run->global ? "global" : "local",
                        run->rates == RATES_AT_ONCE ? "at once" : "rates",
                        variant->option ? ", " : "", variant->option ? variant->option : "");
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    static const double suspend_rates[2] = {61.86, 63.67}, resume_rates[2] = {66.27, 81.27};
    const struct suspend_plan *plan = context;
    const struct suspend_run *run = &plan->runs[i];
    const struct opening opening = {run, experiment_is_quick(plan->bench) ? QUICK_SPAN : 0};
    double divisor = run->rates == RATES_TENTH ? 10 : 1;
    struct replaying replaying = {.open = open_trace, .context = &opening};

    replaying_set(&replaying, "simulation.resources=%d CPU:%d Memory:%d", BLUE_NODES / run->cores,
                  100 * run->cores, run->memory * run->cores);
    replaying_set(&replaying, "scheduling.suspend-rate=%.4f", suspend_rates[run->global] / divisor);
    replaying_set(&replaying, "scheduling.resume-rate=%.4f", resume_rates[run->global] / divisor);
    replaying_set(&replaying, "scheduling.suspendresume-exclusion=%s",
                  run->global ? "global" : "local");
    replaying_set(&replaying, "scheduling.migration=%s", value_of(plan, run, "migration"));
    replaying_set(&replaying, "scheduling.backfilling=%s", value_of(plan, run, "backfilling"));
    replaying_set(&replaying, "scheduling.scheduling-threshold-factor=%s",
                  value_of(plan, run, "threshold"));
    replaying_set(&replaying, "scheduling.policy-preemption=%s", value_of(plan, run, "preemption"));
    replaying_set(&replaying, "galerna.compatibility=%s", value_of(plan, run, "behaviour"));
    if (run->rates == RATES_AT_ONCE) {
        replaying_set(&replaying, "scheduling.override-suspend-time=0");
        replaying_set(&replaying, "scheduling.override-resume-time=0");
    }
    return replaying_perform(&replaying, result, err) < 0 ? tell_run(run, err) : 0;
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
    .summary = "How much later do all best-effort leases finish because suspending and resuming "
               "them for reservations takes time?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
