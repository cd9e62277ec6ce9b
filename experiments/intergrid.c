/* Resource provisioning based on lease preemption in InterGrid: local requests preempt leases of
 * the grid; sets of victims are chosen by overhead, by number, or by both.
 */
#include "experiments/intergrid.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/generated.h"
#include "util/memory.h"

enum { TEXT = 240, SETTINGS = 9, HOSTS = 32, REQUESTS = 3000 };

const char *const intergrid_policies[INTERGRID_POLICIES] = {"no-preemption", "mov", "mlip", "moml"};

const struct intergrid_sweep intergrid_sweeps[INTERGRID_SWEEPS] = {
    {"vms", "Average number of VMs", "Average number of VMs", 6, {3, 4, 5, 6, 7, 8}},
    {"best-effort",
     "Best-effort grid requests",
     "Best-effort grid requests (% of all)",
     6,
     {10, 20, 30, 40, 50, 60}},
    {"deadline",
     "Deadline-constrained grid requests",
     "Deadline-constrained requests (% of all)",
     6,
     {10, 20, 30, 40, 50, 60}},
    {"local", "Local requests", "Local requests (% of all)", 6, {10, 20, 30, 40, 50, 60}},
};

static const struct experiment_option options[] = {
    {"seeds", "10", "", 2, INTERGRID_SEEDS_MAX, "Workloads for each point"},
    {"lead", "3600", NULL, 0, 86400,
     "Seconds from a local request to the time it must be ready; suspending a lease in time needs "
     "some. 0: preempted leases lose what they have done"},
    {"slack", "3", NULL, 1, 100,
     "Deadline of migratable leases, in wall times after their request"},
    {"shutdown", "15", NULL, 0, 600,
     "Seconds to shut a lease down, the overhead of a cancelable one"},
    {"gap-factor", "0.5", NULL, 0.1, 10,
     "Multiplies the times between requests: more for a lower load. The paper does not print it; "
     "chosen after several values had been tried"},
    {"backfilling", "conservative", "conservative|aggressive", 0, 0,
     "Best-effort requests get the earliest slot at once, as in the paper, or wait in the queue; "
     "chosen after both had been tried"},
    {"exclusion", "global", "global|local", 0, 0,
     "VMs are saved one after the other on the whole "
     "site, or on each host"},
};

struct position {
    int sweep, point, policy, seed;
};

static struct position position_of(const struct intergrid_plan *plan, size_t i)
{
    struct position at;

    at.seed = (int)(i % (size_t)plan->seeds);
    i /= (size_t)plan->seeds;
    at.policy = (int)(i % INTERGRID_POLICIES);
    i /= INTERGRID_POLICIES;
    at.point = (int)(i % INTERGRID_POINTS);
    at.sweep = (int)(i / INTERGRID_POINTS);
    return at;
}

const struct replayed *intergrid_find(const struct intergrid_plan *plan, int sweep, int point,
                                      int policy, int seed)
{
    size_t i =
        ((size_t)sweep * INTERGRID_POINTS + (size_t)point) * INTERGRID_POLICIES + (size_t)policy;

    return &plan->replayed[i * (size_t)plan->seeds + (size_t)seed];
}

/* How many of the requests are of which type, as in the paper's Table 1. */
struct mix {
    double vms, best_effort, deadline, local;
};

static struct mix mix_of(const struct position *at)
{
    double value = intergrid_sweeps[at->sweep].points[at->point];
    double many = value / 100 * REQUESTS;
    struct mix mix = {4, 1000, 1000, 1000};

    switch (at->sweep) {
    case 0:
        mix.vms = value;
        break;
    case 1:
        mix.best_effort = many;
        mix.deadline = 2000 - many;
        break;
    case 2:
        mix.deadline = many;
        mix.best_effort = 2000 - many;
        break;
    default:
        mix.local = many;
        mix.best_effort = mix.deadline = (REQUESTS - many) / 2;
    }
    return mix;
}

struct run_context {
    const struct intergrid_plan *plan;
    struct position at;
};

/* One stream for the sizes and times of all requests; local ones are told apart by their lead. */
static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct run_context *all = context;
    const struct experiment_bench *bench = all->plan->bench;
    struct mix mix = mix_of(&all->at);
    double share = experiment_is_quick(bench) ? 0.05 : 1;
    char common[TEXT], texts[2][2 * TEXT];
    const char *streams[2] = {texts[0], texts[1]};

    snprintf(common, TEXT, "nodes=%d,mean-vms=%g", HOSTS, mix.vms);
    snprintf(texts[0], sizeof texts[0], "typeless,jobs=%.0f,%s,gap-factor=%.9g,class=local,lead=%s",
             share * mix.local, common,
             experiment_number(bench, "gap-factor") * REQUESTS / mix.local,
             experiment_text(bench, "lead"));
    snprintf(texts[1], sizeof texts[1],
             "typeless,jobs=%.0f,%s,gap-factor=%.9g,slack=%s,class=cancelable:%g+suspendable:%g+"
             "migratable:%g+non-preemptable:%g",
             share * (mix.best_effort + mix.deadline), common,
             experiment_number(bench, "gap-factor") * REQUESTS / (mix.best_effort + mix.deadline),
             experiment_text(bench, "slack"), mix.best_effort + 1e-6, mix.best_effort + 1e-6,
             mix.deadline + 1e-6, mix.deadline + 1e-6);
    return generated_open(streams, 2, (uint64_t)all->at.seed + 1, site, err);
}

/* 0: local, 1: grid. */
static int class_of(const void *context, const struct lease_request *request)
{
    (void)context;
    return request->origin == ORIGIN_EXTERNAL;
}

/* The paper's h: VM-seconds by terms, at 1024 MB and 100 Mbit/s. */
static double overhead_of(const void *context, const struct lease_request *request)
{
    const struct run_context *all = context;
    double vms = request->node_sets[0].count;

    if (request->terms == TERMS_CANCELABLE)
        return vms * experiment_number(all->plan->bench, "shutdown");
    return vms * (161 + 126 + (request->terms == TERMS_MIGRATABLE ? 160 : 0));
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct intergrid_plan *plan = context;
    const struct run_context all = {plan, position_of(plan, i)};
    char texts[SETTINGS][TEXT];
    const char *set[SETTINGS];
    const struct replaying replaying = {.set = set,
                                        .n_set = SETTINGS,
                                        .overhead_of = overhead_of,
                                        .open = open_trace,
                                        .class_of = class_of,
                                        .context = &all};

    if (all.at.point >= intergrid_sweeps[all.at.sweep].n_points || all.at.point >= plan->points)
        return 0;
    snprintf(texts[0], TEXT, "simulation.resources=%d CPU:100 Memory:1024", HOSTS);
    snprintf(texts[1], TEXT, "scheduling.suspend-rate=6.367");
    snprintf(texts[2], TEXT, "scheduling.resume-rate=8.127");
    snprintf(texts[3], TEXT, "scheduling.suspendresume-exclusion=%s",
             experiment_text(plan->bench, "exclusion"));
    snprintf(texts[4], TEXT, "scheduling.shutdown-time=%s",
             experiment_text(plan->bench, "shutdown"));
    snprintf(texts[5], TEXT, "scheduling.policy-preemption=%s", intergrid_policies[all.at.policy]);
    snprintf(texts[6], TEXT, "scheduling.migration=yes");
    /* 1024 MB in 160 s, as measured by Zhao and Figueiredo. */
    snprintf(texts[7], TEXT, "simulation.imagetransfer-bandwidth=51");
    snprintf(texts[8], TEXT, "scheduling.backfilling=%s",
             experiment_text(plan->bench, "backfilling"));
    for (int k = 0; k < SETTINGS; k++)
        set[k] = texts[k];
    return replaying_perform(&replaying, result, err);
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    struct intergrid_plan plan = {
        .bench = bench,
        .seeds = experiment_is_quick(bench) ? 2 : (int)experiment_number(bench, "seeds"),
        .points = experiment_is_quick(bench) ? 2 : INTERGRID_POINTS,
    };
    struct experiment_work work = {.what = "local and grid requests",
                                   .result_size = sizeof *plan.replayed,
                                   .perform = perform,
                                   .context = &plan,
                                   .until = 1};
    int result;

    plan.n = (size_t)INTERGRID_SWEEPS * INTERGRID_POINTS * INTERGRID_POLICIES * (size_t)plan.seeds;
    work.n = plan.n;
    plan.replayed = memory_new(plan.n, sizeof *plan.replayed);
    result = experiment_share_out(bench, &work, plan.replayed, err);
    if (result == 0)
        intergrid_tell(&plan, findings);
    free(plan.replayed);
    return result;
}

const struct experiment experiment_intergrid = {
    .name = "intergrid",
    .title = "Local requests that preempt leases of the grid",
    .paper =
        "M. Amini Salehi, B. Javadi, R. Buyya: Resource Provisioning based on Lease Preemption "
        "in InterGrid, ACSC 2011: Table 2, Figures 3 and 4",
    .summary = "How many more local requests are served when they may preempt grid leases, what "
               "does it cost the grid, and which leases should go?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
