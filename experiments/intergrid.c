/* Resource provisioning based on lease preemption in InterGrid: local requests preempt leases of
 * the grid; sets of victims are chosen by overhead, by number, or by both.
 */
#include "experiments/intergrid.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/workloads.h"
#include "util/memory.h"

enum { TEXT = 240, REQUESTS = 3000 };

/* Seconds for a VM of 1024 MB at 100 Mbit/s, as the paper prints them. */
enum { SUSPEND_SECONDS = 161, RESUME_SECONDS = 126, MOVE_SECONDS = 160 };

static const struct experiment_option options[] = {
    {"seeds", "20", "", 2, INTERGRID_SEEDS_MAX, "Workloads for each point"},
    {"gap-factor", "1", NULL, 0.1, 10,
     "Multiplies the interarrival times; 1: as published by Lublin and Feitelson, since the paper "
     "mentions no change"},
    {"lead", "0", NULL, 0, 86400,
     "Seconds from a request to its ready time; 0: local users need their VMs at once"},
    {"suspending", "afterwards", "afterwards|in-time", 0, 0,
     "When the overhead of a preemption is charged. Afterwards: the local request starts at once, "
     "and the preempted lease pays for its suspension and resumption when it resumes. In time: it "
     "is suspended before, and without a lead of hours it loses its work"},
    {"migratable", "fixed", "fixed|movable", 0, 0,
     "Fixed: starts when requested or is refused, and is only delayed by preemptions. Movable: may "
     "start later, and makes room without a decision of the policy"},
    {"slack", "3", NULL, 1, 100,
     "Deadline of migratable leases after their request, in multiples of their wall time"},
    {"shutdown", "15", NULL, 0, 600,
     "Seconds to shut down a lease: the overhead of cancelable leases"},
    {"tests", "1000", "", 1, 1e9,
     "Number of trials after which a policy takes the best set found so far; the policies of the "
     "paper know all sets"},
    {"backfilling", "conservative", "conservative|aggressive", 0, 0,
     "A best-effort request gets the first vacant time slot when it is made, or waits in a queue "
     "in which only the first request has a slot"},
    {"exclusion", "global", "global|local", 0, 0,
     "VMs are saved one after the other, on the whole site or on each host"},
    {"cancelled", "wall-time", "wall-time|run|none", 0, 0,
     "Contribution of a cancelled lease to the utilization: its wall time, as in equation 6, which "
     "is a sum over all leases; its run time; or nothing"},
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

/* How many of the requests are of which type, as in the paper's Table 1. */
struct mix {
    double vms, best_effort, deadline, local;
};

static struct mix mix_of(const struct position *at)
{
    double value = intergrid_sweeps[at->sweep].points[at->point];
    double many = value / 100 * REQUESTS;
    struct mix mix = {4, 1000, 1000, 1000};

    switch (intergrid_sweeps[at->sweep].parameter) {
    case PARAMETER_VMS:
        mix.vms = value;
        break;
    case PARAMETER_BEST_EFFORT:
        mix.best_effort = many;
        mix.deadline = 2000 - many;
        break;
    case PARAMETER_DEADLINE:
        mix.deadline = many;
        mix.best_effort = 2000 - many;
        break;
    case PARAMETER_LOCAL:
        mix.local = many;
        mix.best_effort = mix.deadline = (REQUESTS - many) / 2;
    }
    return mix;
}

struct intergrid_run {
    const struct intergrid_plan *plan;
    struct position at;
};

/* One stream, as the paper has it: the model makes the jobs, each of which is of one type. */
static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct intergrid_run *all = context;
    const struct experiment_bench *bench = all->plan->bench;
    struct mix mix = mix_of(&all->at);
    double share = experiment_is_quick(bench) ? 0.05 : 1;
    double gaps = experiment_number(bench, "gap-factor") / intergrid_sweeps[all->at.sweep].busier;
    char text[2 * TEXT];
    const char *stream = text;

    snprintf(text, sizeof text,
             "typeless,jobs=%.0f,nodes=%d,mean-vms=%g,gap-factor=%g,lead=%s,slack=%s,slack-of="
             "deadline,class=local:%g+"
             "cancelable:%g+suspendable:%g+migratable:%g+non-preemptable:%g",
             share * (mix.local + mix.best_effort + mix.deadline), INTERGRID_HOSTS, mix.vms, gaps,
             experiment_text(bench, "lead"), experiment_text(bench, "slack"), mix.local,
             mix.best_effort / 2, mix.best_effort / 2, mix.deadline / 2, mix.deadline / 2);
    return generated_open(&stream, 1, (uint64_t)all->at.seed + 1, site, err);
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
    const struct intergrid_run *all = context;
    double vms = request->node_sets[0].count;

    if (request->terms == TERMS_CANCELABLE)
        return vms * experiment_number(all->plan->bench, "shutdown");
    return vms * (SUSPEND_SECONDS + RESUME_SECONDS +
                  (request->terms == TERMS_MIGRATABLE ? MOVE_SECONDS : 0));
}

/* The settings common to all policies. */
static void describe_site(const struct experiment_bench *bench, struct replaying *replaying)
{
    replaying_set(replaying, "simulation.resources=%d CPU:100 Memory:1024", INTERGRID_HOSTS);
    replaying_set(replaying, "scheduling.suspendresume-exclusion=%s",
                  experiment_text(bench, "exclusion"));
    replaying_set(replaying, "scheduling.shutdown-time=%s", experiment_text(bench, "shutdown"));
    replaying_set(replaying, "scheduling.backfilling=%s", experiment_text(bench, "backfilling"));
    replaying_set(replaying, "scheduling.whole-stretches=yes");
    replaying_set(replaying, "scheduling.fixed-deadlines=%s",
                  experiment_chosen(bench, "migratable", "fixed") ? "yes" : "no");
    replaying_set(replaying, "scheduling.migration=yes");
    /* 1024 MB in MOVE_SECONDS, as measured by Zhao and Figueiredo. */
    replaying_set(replaying, "simulation.imagetransfer-bandwidth=51");
    for (int policy = POLICY_MOV; policy <= POLICY_MOML; policy++)
        replaying_set(replaying, "policy %s.tests=%s", intergrid_policies[policy],
                      experiment_text(bench, "tests"));
    if (experiment_chosen(bench, "suspending", "afterwards")) {
        replaying_set(replaying, "scheduling.override-suspend-time=0");
        replaying_set(replaying, "scheduling.override-resume-time=%d",
                      SUSPEND_SECONDS + RESUME_SECONDS);
    } else {
        replaying_set(replaying, "scheduling.override-suspend-time=%d", SUSPEND_SECONDS);
        replaying_set(replaying, "scheduling.override-resume-time=%d", RESUME_SECONDS);
    }
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    static const char *const rivals[] = {"mov", "mlip"};
    const struct intergrid_plan *plan = context;
    const struct intergrid_run all = {plan, position_of(plan, i)};
    struct replaying replaying = {.overhead_of = overhead_of,
                                  .open = open_trace,
                                  .class_of = class_of,
                                  .rivals = rivals,
                                  .n_rivals = all.at.policy == POLICY_MOML ? 2 : 0,
                                  .context = &all};

    if (all.at.point >= intergrid_sweeps[all.at.sweep].n_points || all.at.point >= plan->points)
        return 0;
    describe_site(plan->bench, &replaying);
    replaying_set(&replaying, "scheduling.policy-preemption=%s", intergrid_policies[all.at.policy]);
    return replaying_perform(&replaying, result, err);
}

static void tell(const struct intergrid_plan *plan, struct findings *findings)
{
    intergrid_claims(plan, findings);
    intergrid_pictures(plan, findings);
    findings_remark(
        findings,
        "Half of the best-effort requests are cancelable and half suspendable; half of the "
        "deadline-constrained requests are migratable and half non-preemptable. The 3000 requests "
        "of a workload are one stream of Lublin and Feitelson's typeless model on 32 nodes; only "
        "the sizes follow the average number of VMs. As there is one site, migratable leases move "
        "within it. The sweep over deadline-constrained requests has 1000 local ones: with the "
        "published 330, the total would not be 3000.");
    findings_remark(
        findings,
        "A lease that loses a future reservation counts as preempted, with its full overhead: the "
        "paper makes no distinction. Equation 6 adds up the wall times of all leases; the nodes of "
        "a cancelled lease are then used by others, so the sum may exceed 100 %% on a full site. "
        "The column `site used` of runs.csv contains the real usage.");
    findings_remark(findings,
                    "The defaults follow the text of the paper and the model as published. The "
                    "load was not fitted: gap-factor 0.5, 0.25 and 0.1 were tried as well, and the "
                    "sweeps with four times the requests (vms-busy, deadline-busy) were added to "
                    "show the effect of the load. Intervals are 95 %% confidence intervals over "
                    "the seeds; in Table 2 over the points of a sweep, as in the paper.");
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

    plan.n = (size_t)INTERGRID_ALL * INTERGRID_POINTS * INTERGRID_POLICIES * (size_t)plan.seeds;
    work.n = plan.n;
    plan.replayed = memory_new(plan.n, sizeof *plan.replayed);
    result = experiment_share_out(bench, &work, plan.replayed, err);
    if (result == 0)
        tell(&plan, findings);
    free(plan.replayed);
    return result;
}

const struct experiment experiment_intergrid = {
    .name = "intergrid",
    .title = "Local requests that preempt leases of the grid",
    .paper =
        "M. Amini Salehi, B. Javadi, R. Buyya: Resource Provisioning based on Lease Preemption "
        "in InterGrid, ACSC 2011: Table 2, Figures 3 and 4",
    .summary = "How many more local requests are served if they may preempt grid leases, what is "
               "the cost for the grid, and which leases should be preempted?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
