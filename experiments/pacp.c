/* Preemption-aware admission control in a virtualized grid federation: how many external requests
 * should a cluster accept when local ones preempt them?
 */
#include "experiments/pacp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments/workloads.h"
#include "lwf/trace_combine.h"
#include "util/memory.h"

enum { TEXT = 280 };

static const double mips[PACP_CLUSTERS] = {2000, 3000, 2100};
static const char *const laws[PACP_LAWS] = {"fixed", "exponential"};

static const struct experiment_option options[] = {
    {"seeds", "5", "", 2, PACP_SEEDS_MAX, "Workloads for each load"},
    {"time", "600", NULL, 10, 86400,
     "Mean seconds of an external request on the first cluster, all of which it uses (moldable)"},
    {"local-load", "0.3", NULL, 0.01, 0.9, "Share of a cluster that local requests request"},
    {"local-time", "900", NULL, 10, 86400, "Mean seconds of a local request on the first cluster"},
    {"low", "0.5", NULL, 0, 1, "Share of external requests of low urgency"},
    {"low-deadline", "4", NULL, 1, 100, "Their deadline, in multiples of their run time"},
    {"high-deadline", "2", NULL, 1, 100, "Deadline of the others"},
    {"days", "2", NULL, 0.1, 30, "Days of requests; as in the paper"},
    {"rates", "given", "given|seen", 0, 0,
     "Rates and run times are given to the policies, as to the algorithm of the paper, or "
     "estimated from observations"},
};

struct pacp_run {
    const struct pacp_plan *plan;
    struct pacp_position at;
};

/* A faster cluster needs less time for the same, and gets more requests. */
static double speed_of(int cluster)
{
    return mips[cluster] * pacp_nodes[cluster] / (mips[0] * pacp_nodes[0]);
}

static double time_of(const struct pacp_run *all, const char *option)
{
    return experiment_number(all->plan->bench, option) / speed_of(all->at.cluster);
}

static double local_gap(const struct pacp_run *all)
{
    return time_of(all, "local-time") / experiment_number(all->plan->bench, "local-load");
}

static double external_gap(const struct pacp_run *all)
{
    return pacp_gaps[all->at.load] * time_of(all, "time");
}

static double span_of(const struct pacp_run *all)
{
    const struct experiment_bench *bench = all->plan->bench;

    return experiment_number(bench, "days") * (experiment_is_quick(bench) ? 0.05 : 1) * 86400;
}

/* Local requests take the whole cluster, one after the other as in the analysis. */
static struct trace *open_locals(const struct pacp_run *all, const struct site *site,
                                 struct error *err)
{
    char text[TEXT];
    const char *stream = text;

    snprintf(text, sizeof text, "poisson,span=%.0f,gap=%.6f,time=%.6f,vms=%d,class=local-immediate",
             span_of(all), local_gap(all), time_of(all, "local-time"), pacp_nodes[all->at.cluster]);
    return generated_queue(generated_open(&stream, 1, (uint64_t)all->at.seed + 1, site, err), site,
                           err);
}

/* External requests take it, too: they are moldable, and the cluster is one server. */
static struct trace *open_externals(const struct pacp_run *all, const struct site *site,
                                    struct error *err)
{
    double low = experiment_number(all->plan->bench, "low");
    const double shares[2] = {low, 1 - low};
    char texts[2][TEXT];
    const char *streams[2];
    size_t n = 0;

    for (int i = 0; i < 2; i++) {
        if (!(shares[i] > 0))
            continue;
        snprintf(texts[n], TEXT,
                 "poisson,span=%.0f,gap=%.6f,time=%.6f,time-law=%s,vms=%d,class=suspendable,"
                 "priority=%d",
                 span_of(all), external_gap(all) / shares[i], time_of(all, "time"),
                 laws[all->at.law], pacp_nodes[all->at.cluster], i + 1);
        streams[n] = texts[n];
        n++;
    }
    return generated_open(streams, n, (uint64_t)all->at.seed + 1 + PACP_SEEDS_MAX, site, err);
}

static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct pacp_run *all = context;
    struct trace *externals = open_externals(all, site, err), *locals;

    if (!externals)
        return NULL;
    locals = open_locals(all, site, err);
    if (!locals) {
        trace_destroy(externals);
        return NULL;
    }
    return trace_merge(externals, locals, err);
}

static int class_of(const void *context, const struct lease_request *request)
{
    (void)context;
    if (request->origin == ORIGIN_LOCAL)
        return CLASS_LOCAL;
    return request->priority == PRIORITY_ONE ? CLASS_LOW : CLASS_HIGH;
}

static int64_t due(const void *context, const struct lease_request *request)
{
    const struct pacp_run *all = context;
    const char *option = request->priority == PRIORITY_ONE ? "low-deadline" : "high-deadline";

    if (request->origin == ORIGIN_LOCAL)
        return INSTANT_NEVER;
    return request->submit +
           (int64_t)ceil(experiment_number(all->plan->bench, option) * (double)request->duration);
}

/* The algorithm's inputs. */
static void give_rates(const struct pacp_run *all, struct replaying *replaying)
{
    const char *policy = pacp_policies[all->at.policy];

    replaying_set(replaying, "policy %s.external-gap=%.6f", policy, external_gap(all));
    replaying_set(replaying, "policy %s.external-time=%.6f", policy, time_of(all, "time"));
    replaying_set(replaying, "policy %s.local-gap=%.6f", policy, local_gap(all));
    replaying_set(replaying, "policy %s.local-time=%.6f", policy, time_of(all, "local-time"));
    replaying_set(replaying, "policy %s.local-variation=1", policy);
}

static void give_urgency(const struct pacp_run *all, struct replaying *replaying)
{
    static const char *const names[] = {"low", "low-deadline", "high-deadline"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        replaying_set(replaying, "policy pacp.%s=%s", names[i],
                      experiment_text(all->plan->bench, names[i]));
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct pacp_plan *plan = context;
    const struct pacp_run all = {plan, pacp_position(plan, i)};
    const int policy = all.at.policy;
    struct replaying replaying = {
        .open = open_trace, .class_of = class_of, .due = due, .context = &all};

    replaying_set(&replaying, "simulation.resources=%d CPU:100 Memory:1024",
                  pacp_nodes[all.at.cluster]);
    replaying_set(&replaying, "scheduling.backfilling=conservative");
    replaying_set(&replaying, "scheduling.override-suspend-time=0");
    replaying_set(&replaying, "scheduling.override-resume-time=0");
    replaying_set(&replaying, "scheduling.policy-preemption=mov");
    replaying_set(&replaying, "scheduling.policy-admission=%s", pacp_policies[policy]);
    if ((policy == PACP || policy == RACP) && experiment_chosen(plan->bench, "rates", "given"))
        give_rates(&all, &replaying);
    if (policy == PACP)
        give_urgency(&all, &replaying);
    return replaying_perform(&replaying, result, err);
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    struct pacp_plan plan = {
        .bench = bench,
        .seeds = experiment_is_quick(bench) ? 2 : (int)experiment_number(bench, "seeds"),
        .loads = experiment_is_quick(bench) ? 2 : PACP_LOADS,
    };
    struct experiment_work work = {.what = "admission of external requests",
                                   .result_size = sizeof *plan.replayed,
                                   .perform = perform,
                                   .context = &plan,
                                   .until = 1};
    int result;

    plan.n =
        (size_t)PACP_LAWS * (size_t)plan.loads * PACP_CLUSTERS * PACP_POLICIES * (size_t)plan.seeds;
    work.n = plan.n;
    plan.replayed = memory_new(plan.n, sizeof *plan.replayed);
    result = experiment_share_out(bench, &work, plan.replayed, err);
    if (result == 0)
        pacp_tell(&plan, findings);
    free(plan.replayed);
    return result;
}

const struct experiment experiment_pacp = {
    .name = "pacp",
    .title = "How many external requests a cluster should accept",
    .paper = "M. Amini Salehi, B. Javadi, R. Buyya: Preemption-aware Admission Control in a "
             "Virtualized Grid Federation, AINA 2012: deadline violation rate and completed "
             "requests",
    .summary = "Which admission policy violates the fewest deadlines when local requests preempt "
               "external ones?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
