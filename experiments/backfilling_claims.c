/* Results of the backfilling experiment: a table, pictures, claims. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/backfilling.h"
#include "experiments/statistics.h"

/* How far a mean bounded slowdown may be from the published one. */
#define AGREES_WITHIN 0.01
#define SHAPE_WITHIN  0.1

enum { NUMBER_TEXT = 120, SEEDS_MAX = 100 };

static const char *const policy_names[BACKFILLING_POLICIES] = {"FCFS", "EASY", "conservative"};

typedef double (*measure)(const struct accounting_summary *figures);

static double waiting(const struct accounting_summary *figures)
{
    return figures->service.waiting.mean;
}

static double bounded_slowdown(const struct accounting_summary *figures)
{
    return figures->service.bounded_slowdown.mean;
}

/* The utilization between the first submission and the last end. */
static double utilization(const struct accounting_summary *figures)
{
    return figures->makespan > 0
               ? 100 * figures->utilization * (double)figures->end_time / (double)figures->makespan
               : 0;
}

static const struct accounting_summary *figures_of(const struct backfilling_plan *plan,
                                                   size_t workload, int policy, int seed)
{
    size_t place = (workload * BACKFILLING_POLICIES + (size_t)policy) * (size_t)plan->seeds;

    return &plan->replayed[place + (size_t)seed].figures;
}

static struct mean_estimate mean_of(const struct backfilling_plan *plan, size_t workload,
                                    int policy, measure of)
{
    double values[SEEDS_MAX];

    for (int seed = 0; seed < plan->seeds; seed++)
        values[seed] = of(figures_of(plan, workload, policy, seed));
    return estimate_of(values, (size_t)plan->seeds);
}

static void tell_row(const struct backfilling_workload *workload, int policy, int seed,
                     const struct accounting_summary *figures, struct findings *findings)
{
    const struct service_summary *service = &figures->service;
    const struct distribution *const of[] = {&service->waiting, &service->turnaround,
                                             &service->slowdown, &service->bounded_slowdown};

    findings_cells(findings, "%s|%lld|%d|%s|%lld", workload->name, (long long)workload->processors,
                   seed + 1, policy_names[policy], (long long)service->waiting.count);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        findings_cells(findings, "%.2f|%.2f|%.2f|%.2f|%.2f", of[i]->mean, of[i]->median, of[i]->p95,
                       of[i]->p99, of[i]->max);
    }
    findings_cells(findings, "%.2f|%.3f", utilization(figures), service->fairness);
}

static void tell_runs(const struct backfilling_plan *plan, struct findings *findings)
{
    findings_table(findings, "runs", "All runs (times in seconds, utilization in %)",
                   "workload,processors,seed,policy,jobs,wait mean,wait median,wait p95,wait p99,"
                   "wait max,turnaround mean,turnaround median,turnaround p95,turnaround p99,"
                   "turnaround max,slowdown mean,slowdown median,slowdown p95,slowdown p99,"
                   "slowdown max,bounded slowdown mean,bounded slowdown median,bounded slowdown "
                   "p95,bounded slowdown p99,bounded slowdown max,utilization,fairness",
                   BACKFILLING_WORKLOADS * BACKFILLING_POLICIES);
    for (size_t w = 0; w < plan->n_workloads; w++)
        for (int policy = 0; policy < BACKFILLING_POLICIES; policy++)
            for (int seed = 0; seed < plan->seeds; seed++)
                tell_row(&plan->workloads[w], policy, seed, figures_of(plan, w, policy, seed),
                         findings);
}

/* Bars by workload, a color per policy; the caller owns the plot. FCFS would dwarf the others. */
static struct plot *bars(const struct backfilling_plan *plan, const char *title, const char *y,
                         measure of)
{
    char names[BACKFILLING_WORKLOADS * BACKFILLING_NAME] = "";
    struct plot *plot;

    for (size_t w = 0; w < plan->n_workloads; w++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", w ? "|" : "",
                 plan->workloads[w].name);
    plot = plot_create(&(struct plot_labels){
        .title = title, .x = "Workload", .y = y, .from_zero = true, .names = names});
    for (int policy = POLICY_EASY; policy < BACKFILLING_POLICIES; policy++) {
        plot_series(plot, policy_names[policy], PLOT_BARS, -1);
        for (size_t w = 0; w < plan->n_workloads; w++)
            plot_mean(plot, (double)w, mean_of(plan, w, policy, of));
    }
    return plot;
}

static void tell_published(const struct backfilling_plan *plan, size_t w, struct findings *findings)
{
    const struct backfilling_workload *workload = &plan->workloads[w];
    double ours = mean_of(plan, w, POLICY_EASY, bounded_slowdown).mean;
    double away = fabs(ours / workload->published - 1);
    char id[2 * BACKFILLING_NAME], text[NUMBER_TEXT], paper[NUMBER_TEXT], reason[NUMBER_TEXT];

    snprintf(id, sizeof id, "easy-%s", workload->name);
    snprintf(text, sizeof text, "EASY on %s: mean bounded slowdown", workload->name);
    snprintf(paper, sizeof paper, "%.2f", workload->published);
    snprintf(reason, sizeof reason, "%.2f %% away; agrees: within %g %%, same shape: within %g %%",
             100 * away, 100 * AGREES_WITHIN, 100 * SHAPE_WITHIN);
    findings_claim(findings,
                   &(struct finding_claim){id, text, paper,
                                           verdict_if(away <= AGREES_WITHIN, away <= SHAPE_WITHIN),
                                           reason},
                   "%.2f", ours);
}

/* A relation between two policies, on each workload. */
struct relation {
    const char *id, *text, *paper;
    int policy;
    measure of;
    int sign; /* -1: the policy has less than FCFS; 1: at least as much */
};

static void tell_relation(const struct backfilling_plan *plan, const struct relation *relation,
                          struct findings *findings)
{
    char ours[BACKFILLING_WORKLOADS * NUMBER_TEXT] = "";
    size_t holds = 0;

    for (size_t w = 0; w < plan->n_workloads; w++) {
        double policy = mean_of(plan, w, relation->policy, relation->of).mean;
        double fcfs = mean_of(plan, w, POLICY_FCFS, relation->of).mean;

        holds += relation->sign < 0 ? policy < fcfs : policy >= fcfs;
        snprintf(ours + strlen(ours), sizeof ours - strlen(ours), "%s%s: %.2f, FCFS %.2f",
                 w ? "; " : "", plan->workloads[w].name, policy, fcfs);
    }
    findings_claim(findings,
                   &(struct finding_claim){relation->id, relation->text, relation->paper,
                                           verdict_if(holds == plan->n_workloads, holds > 0), ""},
                   "%s", ours);
}

static void tell_relations(const struct backfilling_plan *plan, struct findings *findings)
{
    static const struct relation relations[] = {
        {"easy-shortens-waits", "EASY: mean wait (s)", "shorter than under FCFS", POLICY_EASY,
         waiting, -1},
        {"easy-lowers-slowdown", "EASY: mean bounded slowdown", "lower than under FCFS",
         POLICY_EASY, bounded_slowdown, -1},
        {"conservative-lowers-slowdown", "Conservative backfilling: mean bounded slowdown",
         "lower than under FCFS", POLICY_CONSERVATIVE, bounded_slowdown, -1},
        {"easy-keeps-utilization", "EASY: utilization from first submission to last end (%)",
         "at least that of FCFS", POLICY_EASY, utilization, 1},
    };

    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        tell_relation(plan, &relations[i], findings);
}

static void tell_how(const struct backfilling_plan *plan, struct findings *findings)
{
    findings_remark(findings,
                    "No job is suspended or preempted, and each processor runs one job at a time. "
                    "The machine is %s.",
                    experiment_chosen(plan->bench, "hosts", "one")
                        ? "one host with all processors, as textbook schedulers count free "
                          "processors"
                        : "one host per processor");
    if (experiment_logs(plan->bench))
        findings_remark(findings,
                        "Jobs of a log without a requested time, a run time or processors are "
                        "omitted, and so are jobs that request or were allocated more processors "
                        "than the machine has (MaxProcs); a job ends at its requested time at the "
                        "latest. The published figures use logs that are filtered in this way.");
    else
        findings_remark(
            findings,
            "No logs were given (--logs DIR): the workloads are generated, and have no published "
            "figures. A factor multiplies the interarrival times of the model.");
    findings_remark(findings,
                    "Bounded slowdown: turnaround over run time, where a run time below 10 s "
                    "counts as 10 s, and at least 1. Fairness: Jain's index of the users' mean "
                    "bounded slowdowns.");
}

void backfilling_tell(const struct backfilling_plan *plan, struct findings *findings)
{
    tell_how(plan, findings);
    for (size_t w = 0; w < plan->n_workloads; w++)
        if (plan->workloads[w].published > 0)
            tell_published(plan, w, findings);
    tell_relations(plan, findings);
    findings_plot(findings, "bounded-slowdown",
                  bars(plan, "Bounded slowdown under backfilling", "Mean bounded slowdown",
                       bounded_slowdown));
    findings_plot(findings, "wait", bars(plan, "Wait under backfilling", "Mean wait (s)", waiting));
    tell_runs(plan, findings);
}
