/* What the runs of experiment `suspend` say. */
#include <math.h>
#include <stdio.h>

#include "experiments/blue.h"
#include "experiments/suspend.h"

struct extremes {
    double largest, smallest, sum[2];
    struct suspend_run where;
    struct estimate value;
    int n[2]; /* per file system */
};

static struct extremes look_through(const struct suspend_plan *plan, int workload)
{
    struct extremes extremes = {.largest = -1, .smallest = INFINITY};

    for (size_t i = 0; i < plan->n; i++) {
        const struct suspend_run *run = &plan->runs[i];
        struct estimate value;

        if (run->workload != workload || run->rates != RATES_TESTBED || run->seed != 0 ||
            run->most_nodes != 0)
            continue;
        value = suspend_mean_ratio(plan, *run);
        extremes.sum[run->global] += value.mean;
        extremes.n[run->global]++;
        extremes.smallest = fmin(extremes.smallest, value.mean);
        if (value.mean > extremes.largest) {
            extremes.largest = value.mean;
            extremes.where = *run;
            extremes.value = value;
        }
    }
    return extremes;
}

static void draw_workload(const struct suspend_plan *plan, struct findings *findings, int workload)
{
    char title[80], name[40];
    struct plot *plot;

    snprintf(title, sizeof title, "all-best-effort, %s", suspend_workloads[workload]);
    plot = plot_create(&(struct plot_labels){.title = title,
                                             .x = "Memory of a VM (MB)",
                                             .y = "Relative to instantaneous suspension",
                                             .names = "1024|2048|3076|4096"});
    for (int global = 0; global < 2; global++)
        for (int c = 0; c < SUSPEND_CORES; c++) {
            struct suspend_run run = {
                .workload = workload, .cores = suspend_cores[c], .global = global, .memory = 1024};

            if (!suspend_find(plan, &run))
                continue;
            snprintf(name, sizeof name, "%s, %d core%s", global ? "global" : "local",
                     suspend_cores[c], c ? "s" : "");
            plot_series(plot, name, global ? PLOT_DASHED : PLOT_LINE, c);
            for (int m = 0; m < SUSPEND_MEMORIES; m++) {
                struct estimate value;

                run.memory = suspend_memories[m];
                value = suspend_mean_ratio(plan, run);
                plot_add(plot, &(struct plot_point){m, value.mean, value.mean - value.half,
                                                    value.mean + value.half});
            }
        }
    plot_level(plot, workload == 3 ? 1.10 : 1.018, "the paper's largest");
    snprintf(name, sizeof name, "figure-4-%s",
             workload == 0 ? "none" : suspend_workloads[workload]);
    findings_plot(findings, name, plot);
}

static void write_runs(const struct suspend_plan *plan, struct findings *findings)
{
    findings_table(findings, "runs", "All runs",
                   "workload,cores per host,file system,memory (MB),rates,largest job,seed,"
                   "all-best-effort (s),relative,suspensions,reservations refused,utilisation",
                   0);
    for (size_t i = 0; i < plan->n; i++) {
        const struct suspend_run *run = &plan->runs[i];
        const struct accounting_summary *figures = &plan->replayed[i].figures;
        static const char *const rates[] = {"test bed", "at once", "a tenth"};

        findings_cell(findings, "%s", suspend_workloads[run->workload]);
        findings_cell(findings, "%d", run->cores);
        findings_cell(findings, "%s", run->global ? "global" : "local");
        findings_cell(findings, "%d", run->memory);
        findings_cell(findings, "%s", rates[run->rates]);
        findings_cell(findings, "%d", run->most_nodes ? run->most_nodes : BLUE_NODES);
        findings_cell(findings, "%d", run->seed);
        findings_cell(findings, "%.0f", (double)figures->best_effort_end);
        findings_cell(findings, "%.4f", suspend_ratio(plan, *run));
        findings_cell(findings, "%.0f", (double)figures->suspensions);
        findings_cell(findings, "%.0f", (double)figures->kinds[LEASE_RESERVATION].rejected);
        findings_cell(findings, "%.4f", figures->utilization);
    }
}

static void describe(const struct extremes *extremes, char *text, size_t size)
{
    const struct suspend_run *run = &extremes->where;

    snprintf(text, size, "%.3f \302\261 %.3f (%d cores, %s, %d MB)", extremes->value.mean,
             extremes->value.half, run->cores, run->global ? "global" : "local", run->memory);
}

/* The same configuration without the jobs that cannot run beside every reservation. */
static double without_wide(const struct suspend_plan *plan, const struct extremes *extremes)
{
    struct suspend_run run = extremes->where;

    run.global = true;
    run.memory = suspend_memories[SUSPEND_MEMORIES - 1];
    run.most_nodes = SUSPEND_WIDE;
    return suspend_find(plan, &run) ? suspend_mean_ratio(plan, run).mean : NAN;
}

/* What other settings gave before the default was chosen: the largest of 32 configurations. */
static const char chosen[] =
    "The paper used Haizea and names no threshold, hence the default behaviour=haizea-1.0 and "
    "threshold=0; it was chosen after other settings had been tried on all 30 days, one run of "
    "each configuration and no second seed, with earlier builds.";

static const char *about_small(double smallest)
{
    return smallest < 0.97 ? ": there the runs with instantaneous operations end later, which the "
                             "paper does not show and we have not explained"
                           : "";
}

static const char *const tried[SUSPEND_WORKLOADS] = {
    "",
    "Largest with our own behaviour=default and threshold=1: 1.076 and 1.092 (two builds; 1.118 in "
    "a variant since removed); threshold=10: 1.036; 0.25 and 0.01: 1.117 and 1.169 (8 runs each); "
    "backfilling=off: 1.202; haizea-1.0 with threshold=1: 1.008. Jobs above 96 nodes explain "
    "little of the default's: without them (global, 4096 MB, one seed) 1.076 became 1.024 with 1 "
    "core and 1.042 became 1.027 with 4, but 1.025 became 1.091 with 2 and 1.030 became 1.086 "
    "with 8.",
    "Largest with our own behaviour=default and threshold=1: 1.036 and 1.060 (two builds; 1.087 in "
    "a variant since removed); threshold=10: 1.010; 0.25 and 0.01: 1.080 and 1.077 (8 runs each); "
    "backfilling=off: 1.226; haizea-1.0 with threshold=1: 1.016. Jobs above 96 nodes explain part "
    "of the default's: without them (global, 4096 MB, one seed) 1.009, 1.054, 1.020 and 1.052 "
    "with 1, 2, 4 and 8 cores became 1.002, 1.006, 0.991 and 1.020.",
    "Largest with our own behaviour=default and threshold=1: 1.103 and 1.142 (two builds; 1.130 in "
    "a variant since removed); threshold=10: 1.052; backfilling=off: 1.138; haizea-1.0 with "
    "threshold=1: 1.055."};

static void claim_small(const struct suspend_plan *plan, struct findings *findings, int workload)
{
    struct extremes extremes = look_through(plan, workload);
    double local = extremes.sum[0] / extremes.n[0], global = extremes.sum[1] / extremes.n[1];
    char id[40], text[120], ours[120], reason[1600];
    enum verdict verdict = extremes.largest <= 1.02 && extremes.smallest >= 0.97 ? VERDICT_AGREES
                           : extremes.largest <= 1.10 ? VERDICT_SAME_SHAPE
                                                      : VERDICT_DIFFERS;

    snprintf(id, sizeof id, "figure-4-%s", workload == 1 ? "t10" : "t20");
    snprintf(text, sizeof text, "With %s all-best-effort is at most 1.018 in all 32 runs",
             suspend_workloads[workload]);
    describe(&extremes, ours, sizeof ours);
    snprintf(reason, sizeof reason,
             "Mean of all local runs %.3f, of all global ones %.3f. Without the jobs of more than "
             "%d nodes, which do not fit beside a reservation of 48 and are suspended for it, one "
             "VM after the other, the largest (%d cores, global, 4096 MB) is %.3f. The "
             "smallest of all is %.3f%s. %s %s",
             local, global, SUSPEND_WIDE, extremes.where.cores, without_wide(plan, &extremes),
             extremes.smallest, about_small(extremes.smallest), chosen, tried[workload]);
    findings_claim(findings,
                   &(struct claim){id, text, "\342\211\244 1.018", ours, verdict, reason});
}

static void claim_large(const struct suspend_plan *plan, struct findings *findings)
{
    struct extremes extremes = look_through(plan, 3);
    double local = extremes.sum[0] / extremes.n[0], global = extremes.sum[1] / extremes.n[1];
    char ours[120], reason[1000];

    describe(&extremes, ours, sizeof ours);
    snprintf(reason, sizeof reason, "The smallest of all is %.3f%s. %s %s", extremes.smallest,
             about_small(extremes.smallest), chosen, tried[3]);
    findings_claim(findings,
                   &(struct claim){"figure-4-t30", "With T30 all-best-effort is up to 1.10",
                                   "1.10 (global)", ours,
                                   fabs(extremes.largest - 1.10) <= 0.03 ? VERDICT_AGREES
                                   : extremes.largest > 1.02             ? VERDICT_SAME_SHAPE
                                                                         : VERDICT_DIFFERS,
                                   reason});
    snprintf(ours, sizeof ours, "mean %.3f global, %.3f local", global, local);
    findings_claim(findings,
                   &(struct claim){"figure-4-t30-global",
                                   "With T30 a global file system costs more than a local one",
                                   "global above local", ours,
                                   global > local ? VERDICT_AGREES : VERDICT_DIFFERS, ""});
}

static void claim_none(const struct suspend_plan *plan, struct findings *findings)
{
    struct extremes extremes = look_through(plan, 0);
    char ours[120];

    describe(&extremes, ours, sizeof ours);
    findings_claim(
        findings, &(struct claim){
                      "figure-4-none", "Without reservations the times of suspension do not matter",
                      "about 1", ours, extremes.largest <= 1.02 ? VERDICT_AGREES : VERDICT_DIFFERS,
                      "Leases are suspended without reservations, too: a small one "
                      "may run in a gap before a larger one."});
}

/* Table 1: one core, 1024 MB, global; the network at 1000 and at 100 Mbit/s. */
static void claim_table(const struct suspend_plan *plan, struct findings *findings)
{
    static const double paper[SUSPEND_WORKLOADS][2] = {
        {0.99, 1.00}, {0.99, 1.00}, {1.00, 1.05}, {1.04, 1.16}};
    double difference[SUSPEND_WORKLOADS];
    bool ascends = true;
    enum verdict verdict;
    static const char unexplained[] =
        "Not explained; figure-4-t10 to figure-4-t30 name the settings that were tried.";
    char ours[160], id[40], text[120], theirs[40];

    findings_table(findings, "table-1", "Table 1: the bandwidth of the network",
                   "workload,1000 Mbps (paper),1000 Mbps (ours),+-,100 Mbps (paper),"
                   "100 Mbps (ours),+-,difference (ours)",
                   SUSPEND_WORKLOADS);
    for (int w = 0; w < SUSPEND_WORKLOADS; w++) {
        struct suspend_run run = {.workload = w, .cores = 1, .global = true, .memory = 1024};
        struct estimate fast = suspend_mean_ratio(plan, run), slow;

        run.rates = RATES_TENTH;
        slow = suspend_mean_ratio(plan, run);
        difference[w] = slow.mean / fast.mean - 1;
        findings_cell(findings, "%s", suspend_workloads[w]);
        findings_cell(findings, "%.2f", paper[w][0]);
        findings_cell(findings, "%.3f", fast.mean);
        findings_cell(findings, "%.3f", fast.half);
        findings_cell(findings, "%.2f", paper[w][1]);
        findings_cell(findings, "%.3f", slow.mean);
        findings_cell(findings, "%.3f", slow.half);
        findings_cell(findings, "%+.1f %%", 100 * difference[w]);
        snprintf(id, sizeof id, "table-1-%d", w);
        snprintf(text, sizeof text, "Table 1, %s, 1000 and 100 Mbit/s", suspend_workloads[w]);
        snprintf(theirs, sizeof theirs, "%.2f, %.2f", paper[w][0], paper[w][1]);
        snprintf(ours, sizeof ours, "%.3f \302\261 %.3f, %.3f \302\261 %.3f", fast.mean, fast.half,
                 slow.mean, slow.half);
        verdict = fabs(fast.mean - paper[w][0]) <= 0.02 && fabs(slow.mean - paper[w][1]) <= 0.02
                      ? VERDICT_AGREES
                  : slow.mean - fast.mean > -0.01 ? VERDICT_SAME_SHAPE
                                                  : VERDICT_DIFFERS;
        findings_claim(findings, &(struct claim){id, text, theirs, ours, verdict,
                                                 verdict == VERDICT_AGREES ? "" : unexplained});
        ascends = ascends && (w == 0 || difference[w] >= difference[w - 1] - 0.005);
    }
    snprintf(ours, sizeof ours, "%+.1f, %+.1f, %+.1f, %+.1f %%", 100 * difference[0],
             100 * difference[1], 100 * difference[2], 100 * difference[3]);
    verdict = ascends                         ? VERDICT_AGREES
              : difference[3] > difference[0] ? VERDICT_SAME_SHAPE
                                              : VERDICT_DIFFERS;
    findings_claim(findings,
                   &(struct claim){"table-1-order",
                                   "The slower network costs the more, the more reservations "
                                   "there are (No ARs, T10, T20, T30)",
                                   "+0.1, +0.7, +5.1, +11.1 %", ours, verdict,
                                   verdict == VERDICT_AGREES ? "" : unexplained});
}

void suspend_tell(const struct suspend_plan *plan, struct findings *findings)
{
    claim_none(plan, findings);
    claim_small(plan, findings, 1);
    claim_small(plan, findings, 2);
    claim_large(plan, findings);
    claim_table(plan, findings);
    for (int workload = 0; workload < SUSPEND_WORKLOADS; workload++)
        draw_workload(plan, findings, workload);
    write_runs(plan, findings);
    findings_remark(findings, "Times are relative to the same workload, number of cores and seed "
                              "with suspensions and resumptions that take no time, on a local file "
                              "system. The end of the last lease depends on chance: which lease "
                              "happens to be the last, and where it found room. Intervals are of "
                              "95 %% (Student's t).");
}
