/* Diagrams and tables of experiment `intergrid`. */
#include <stdio.h>

#include "experiments/intergrid.h"

struct diagram {
    const char *name, *y;
    intergrid_measure of;
    bool without; /* a curve without preemption, too */
    bool percent;
};

static void draw_curve(const struct intergrid_plan *plan, struct plot *plot, int sweep, int policy,
                       intergrid_measure of)
{
    for (int point = 0; point < intergrid_points(plan, sweep); point++)
        plot_mean(plot, intergrid_sweeps[sweep].points[point],
                  intergrid_at(plan, sweep, point, policy, of));
}

static void draw(const struct intergrid_plan *plan, struct findings *findings,
                 const struct diagram *diagram, int sweep)
{
    static const char *const names[INTERGRID_POLICIES] = {"no preemption", "MOV", "MLIP", "MOML"};
    char file[80];
    struct plot *plot = plot_create(&(struct plot_labels){.title = intergrid_sweeps[sweep].title,
                                                          .x = intergrid_sweeps[sweep].axis,
                                                          .y = diagram->y,
                                                          .from_zero = true,
                                                          .percent = diagram->percent});

    for (int policy = diagram->without ? POLICY_NONE : POLICY_MOV; policy < INTERGRID_POLICIES;
         policy++) {
        plot_series(plot, names[policy], policy == POLICY_NONE ? PLOT_DASHED : PLOT_LINE,
                    policy == POLICY_NONE ? 6 : policy - 1);
        draw_curve(plan, plot, sweep, policy, diagram->of);
    }
    snprintf(file, sizeof file, "%s-%s", diagram->name, intergrid_sweeps[sweep].name);
    findings_plot(findings, file, plot);
}

static void draw_all(const struct intergrid_plan *plan, struct findings *findings)
{
    static const struct diagram diagrams[] = {
        {"figure-3", "Utilization (%)", intergrid_utilization, true, true},
        {"figure-4", "Preemptions", intergrid_preemptions, false, false},
        {"table-2", "Local requests refused (%)", intergrid_local_refused, true, true},
        {"overhead", "Overhead (VM-hours)", intergrid_overhead, false, false},
    };
    static const struct diagram busy = {"figure-4", "Preemptions", intergrid_preemptions, false,
                                        false};

    for (size_t i = 0; i < sizeof diagrams / sizeof *diagrams; i++)
        for (int sweep = 0; sweep < INTERGRID_SWEEPS; sweep++)
            draw(plan, findings, &diagrams[i], sweep);
    for (int sweep = INTERGRID_SWEEPS; sweep < INTERGRID_ALL; sweep++)
        draw(plan, findings, &busy, sweep);
}

static void write_run(const struct intergrid_plan *plan, struct findings *findings,
                      const struct replayed *run)
{
    const struct replayed_class *grid = &run->classes[1];

    findings_cells(findings, "%.2f|%.2f|%.0f", intergrid_local_refused(plan, run),
                   intergrid_grid_refused(plan, run), intergrid_preemptions(plan, run));
    for (int how = 0; how < 3; how++)
        findings_cells(findings, "%.0f", (double)run->figures.preemptions[how]);
    findings_cells(findings, "%.2f|%.3f|%.3f|%.0f|%.0f", intergrid_overhead(plan, run),
                   intergrid_utilization(plan, run),
                   100 * (run->classes[0].vm_seconds + grid->vm_seconds + grid->cut_vm_seconds) /
                       (INTERGRID_HOSTS * (double)run->figures.end_time),
                   intergrid_choices(plan, run), (double)run->chosen.of[0].vms);
}

static void write_runs(const struct intergrid_plan *plan, struct findings *findings)
{
    findings_table(findings, "runs", "All runs",
                   "sweep,value,policy,seed,local refused (%),grid refused (%),preemptions,"
                   "suspended,requeued,cancelled,overhead (VM h),utilization (%),"
                   "site used (%),local requests that preempt,VMs preempted",
                   0);
    for (int sweep = 0; sweep < INTERGRID_ALL; sweep++)
        for (int point = 0; point < intergrid_points(plan, sweep); point++)
            for (int policy = 0; policy < INTERGRID_POLICIES; policy++)
                for (int seed = 0; seed < plan->seeds; seed++) {
                    findings_cells(findings, "%s|%g|%s|%d", intergrid_sweeps[sweep].name,
                                   intergrid_sweeps[sweep].points[point],
                                   intergrid_policies[policy], seed + 1);
                    write_run(plan, findings, intergrid_find(plan, sweep, point, policy, seed));
                }
}

/* Means of the runs with MOML and without preemption, for the page. */
static void write_points(const struct intergrid_plan *plan, struct findings *findings)
{
    static const intergrid_measure without[] = {intergrid_local_refused, intergrid_grid_refused,
                                                intergrid_utilization};
    static const intergrid_measure with[] = {intergrid_local_refused, intergrid_grid_refused,
                                             intergrid_utilization,   intergrid_choices,
                                             intergrid_preemptions,   intergrid_overhead};

    findings_table(findings, "points", "Means over the seeds",
                   "sweep,value,without: local refused (%),grid refused (%),utilization (%),"
                   "MOML: local refused (%),grid refused (%),utilization (%),"
                   "local requests that preempt,preemptions,overhead (VM h)",
                   INTERGRID_ALL * INTERGRID_POINTS);
    for (int sweep = 0; sweep < INTERGRID_ALL; sweep++)
        for (int point = 0; point < intergrid_points(plan, sweep); point++) {
            findings_cells(findings, "%s|%g", intergrid_sweeps[sweep].name,
                           intergrid_sweeps[sweep].points[point]);
            for (size_t i = 0; i < sizeof without / sizeof *without; i++)
                findings_cells(findings, "%.1f",
                               intergrid_at(plan, sweep, point, POLICY_NONE, without[i]).mean);
            for (size_t i = 0; i < sizeof with / sizeof *with; i++)
                findings_cells(findings, "%.1f",
                               intergrid_at(plan, sweep, point, POLICY_MOML, with[i]).mean);
        }
}

void intergrid_pictures(const struct intergrid_plan *plan, struct findings *findings)
{
    draw_all(plan, findings);
    write_points(plan, findings);
    write_runs(plan, findings);
}
