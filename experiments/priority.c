/* Priority based scheduling for lease management in cloud computing: best-effort leases preempt
 * those of lower priority, priority being the number of nodes.
 */
#include "experiments/priority.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/workloads.h"
#include "util/memory.h"

enum { TEXT = 120 };

static const struct experiment_option options[] = {
    {"hosts", "12", "", 12, 21, "Hosts of the site, with one VM on each; not given in the paper"},
    {"rate", "32", NULL, 1, 10000, "MB/s of suspensions and resumptions; Haizea's default"},
    {"seeds", "10", "", 2, PRIORITY_SEEDS_MAX, "Generated workloads for each load"},
    {"jobs", "600", "", 50, 20000, "Best-effort leases of a generated workload"},
    {"migration", "yes", "no|yes|yes-notransfer", 0, 0,
     "In generated workloads: whether a suspended lease may resume on other hosts"},
};

/* The paper's sample, three times as wide: 1 + 4 + 2 nodes become 3 + 12 + 6, 21 as in its table.
 */
static struct trace *open_triplets(const struct priority_run *run, const struct site *site)
{
    static const struct {
        int64_t at, duration;
        uint32_t nodes;
    } sample[3] = {{0, 3600, 3}, {900, 1800, 12}, {3000, 1800, 6}};
    struct trace_list list;

    trace_list_init(&list);
    for (int i = 0; i < 3 * run->triplets; i++)
        generated_add(
            &list,
            &(struct lease_request){.kind = LEASE_BEST_EFFORT,
                                    .submit = i / 3 * 7200 + sample[i % 3].at,
                                    .duration = sample[i % 3].duration,
                                    .terms = run->restarts ? TERMS_RESTARTABLE : TERMS_SUSPENDABLE,
                                    .priority = (int32_t)sample[i % 3].nodes * PRIORITY_ONE},
            sample[i % 3].nodes, 1024);
    return trace_list_open(&list, site);
}

struct priority_job {
    const struct priority_plan *plan;
    const struct priority_run *run;
};

static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct priority_job *all = context;
    int jobs = experiment_is_quick(all->plan->bench)
                   ? 60
                   : (int)experiment_number(all->plan->bench, "jobs");
    char texts[2][TEXT];
    const char *streams[2] = {texts[0], texts[1]};

    if (all->run->triplets > 0)
        return open_triplets(all->run, site);
    snprintf(texts[0], TEXT,
             "typeless,jobs=%d,nodes=32,most-time=2d,priority=vms,gap-factor=%g,overestimate=2",
             jobs, priority_gap_factors[all->run->load]);
    snprintf(texts[1], TEXT,
             "typeless,jobs=%d,nodes=32,most-vms=8,most-time=1h,priority=33,gap-factor=%g,"
             "kind=immediate",
             jobs / 6, 6 * priority_gap_factors[all->run->load]);
    return generated_open(streams, 2, (uint64_t)all->run->seed + 1, site, err);
}

static int class_of(const void *context, const struct lease_request *request)
{
    int size = PRIORITY_SIZES - 1;

    (void)context;
    if (request->kind == LEASE_IMMEDIATE)
        return PRIORITY_IMMEDIATE;
    while (size > 0 && request->node_sets[0].count < priority_size_from[size])
        size--;
    return size;
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct priority_plan *plan = context;
    const struct priority_job all = {plan, &plan->runs[i]};
    struct replaying replaying = {.open = open_trace, .class_of = class_of, .context = &all};

    replaying_set(&replaying, "simulation.resources=%s CPU:100 Memory:1024",
                  all.run->triplets > 0 ? experiment_text(plan->bench, "hosts") : "32");
    replaying_set(&replaying, "scheduling.suspend-rate=%s", experiment_text(plan->bench, "rate"));
    replaying_set(&replaying, "scheduling.resume-rate=%s", experiment_text(plan->bench, "rate"));
    replaying_set(&replaying, "scheduling.policy-preemption=%s",
                  all.run->preempts ? "priority" : "no-preemption");
    /* Haizea's default for the table. */
    replaying_set(&replaying, "scheduling.migration=%s",
                  all.run->triplets > 0 ? "no" : experiment_text(plan->bench, "migration"));
    return replaying_perform(&replaying, result, err);
}

static void list_runs(struct priority_plan *plan)
{
    for (int row = 1; row <= PRIORITY_ROWS; row++)
        for (int preempts = 0; preempts < 2; preempts++)
            plan->runs[plan->n++] = (struct priority_run){.triplets = row, .preempts = preempts};
    for (int row = 1; row <= PRIORITY_ROWS; row++)
        plan->runs[plan->n++] =
            (struct priority_run){.triplets = row, .preempts = true, .restarts = true};
    for (int load = 0; load < PRIORITY_LOADS; load++)
        for (int seed = 0; seed < plan->seeds; seed++)
            for (int preempts = 0; preempts < 2; preempts++)
                plan->runs[plan->n++] =
                    (struct priority_run){.load = load, .seed = seed, .preempts = preempts};
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    struct priority_plan *plan = memory_new(1, sizeof *plan);
    struct experiment_work work = {.what = "priority",
                                   .result_size = sizeof *plan->replayed,
                                   .perform = perform,
                                   .context = plan,
                                   .until = 1};
    int result;

    plan->bench = bench;
    plan->seeds = experiment_is_quick(bench) ? 2 : (int)experiment_number(bench, "seeds");
    list_runs(plan);
    work.n = plan->n;
    plan->replayed = memory_new(plan->n, sizeof *plan->replayed);
    result = experiment_share_out(bench, &work, plan->replayed, err);
    if (result == 0) {
        priority_tell_table(plan, findings);
        priority_tell_generated(plan, findings);
    }
    free(plan->replayed);
    free(plan);
    return result;
}

const struct experiment experiment_priority = {
    .name = "priority",
    .title = "Best-effort leases that preempt by priority",
    .paper = "P. K. Patel, H. B. Jethva: Priority based scheduling for Lease management in cloud "
             "computing: its table and graph",
    .summary = "Do high-priority leases wait less when they may preempt low-priority ones?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
