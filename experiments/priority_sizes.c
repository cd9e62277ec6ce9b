/* Waits with and without priority, by the size of leases. */
#include <stdio.h>

#include "experiments/priority.h"
#include "experiments/statistics.h"
#include "util/append.h"

static const char *const size_names[PRIORITY_SIZES] = {"1", "2-3", "4-7", "8-15", "16 and more"};

static struct mean_estimate wait_of_size(const struct priority_plan *plan, int load, int preempts,
                                         int size)
{
    double values[PRIORITY_SEEDS_MAX];

    for (int seed = 0; seed < plan->seeds; seed++)
        values[seed] =
            priority_mean_wait(priority_seed(plan, load, seed, preempts), size, size + 1);
    return estimate_of(values, (size_t)plan->seeds);
}

static double share_of_size(const struct priority_plan *plan, int load, int size)
{
    double of_size = 0, all = 0;

    for (int seed = 0; seed < plan->seeds; seed++)
        for (int other = 0; other < PRIORITY_SIZES; other++) {
            double n = (double)priority_seed(plan, load, seed, 0)->classes[other].requested;

            all += n;
            of_size += other == size ? n : 0;
        }
    return all > 0 ? 100 * of_size / all : 0;
}

static double preempted_of_size(const struct priority_plan *plan, int load, int size)
{
    double n = 0;

    for (int seed = 0; seed < plan->seeds; seed++)
        n += (double)priority_seed(plan, load, seed, 1)->classes[size].preemptions;
    return n / plan->seeds;
}

static void draw_sizes(const struct priority_plan *plan, struct findings *findings, int load)
{
    static const char *const names[2] = {"without priority", "with priority"};
    static const char *const files[PRIORITY_LOADS] = {"sizes-light", "sizes-modelled",
                                                      "sizes-heavy"};
    char title[80];
    struct plot *plot;

    snprintf(title, sizeof title, "Best-effort leases by size, load: %s",
             priority_load_names[load]);
    plot = plot_create(&(struct plot_labels){.title = title,
                                             .x = "Nodes of the lease (equal to its priority)",
                                             .y = "Mean wait (s)",
                                             .from_zero = true,
                                             .names = "1|2-3|4-7|8-15|16 and more"});
    for (int p = 0; p < 2; p++) {
        plot_series(plot, names[p], PLOT_BARS, -1);
        for (int size = 0; size < PRIORITY_SIZES; size++)
            plot_mean(plot, size, wait_of_size(plan, load, p, size));
    }
    findings_plot(findings, files[load], plot);
}

/* The sizes of leases that wait less, and that wait more. */
void priority_tell_sizes(const struct priority_plan *plan, struct findings *findings)
{
    findings_table(findings, "sizes", "Mean wait by size",
                   "load,nodes,share of leases (%),wait without priority (s),+-,with (s),+-,"
                   "preemptions of each workload",
                   PRIORITY_LOADS * PRIORITY_SIZES);
    for (int load = 0; load < PRIORITY_LOADS; load++)
        for (int size = 0; size < PRIORITY_SIZES; size++) {
            findings_cells(findings, "%s|%s|%.1f", priority_load_names[load], size_names[size],
                           share_of_size(plan, load, size));
            for (int p = 0; p < 2; p++) {
                const struct mean_estimate wait = wait_of_size(plan, load, p, size);

                findings_cells(findings, "%.0f|%.0f", wait.mean, wait.half);
            }
            findings_cells(findings, "%.1f", preempted_of_size(plan, load, size));
        }
    for (int load = 0; load < PRIORITY_LOADS; load++)
        draw_sizes(plan, findings, load);
    findings_remark(
        findings, "The wait ends when the lease first runs. %s",
        experiment_chosen(plan->bench, "migration", "no")
            ? ""
            : "Suspended leases may resume on other hosts. With Haizea's default (option "
              "migration=no), they resume on their own hosts: small leases, which are preempted "
              "often, then wait for occupied hosts while others are free, and leases with 4 to 7 "
              "nodes wait longer than without priority.");
}

/* The sizes that wait longer with priority, by load: some have to. */
void priority_name_longer(const struct priority_plan *plan, char *text, size_t size)
{
    size_t n = append_text(text, size, 0, "Longer mean wait: ");

    for (int load = 0; load < PRIORITY_LOADS; load++) {
        int longer = 0;

        n = append_text(text, size, n, "%s%s load", load == 0 ? "at " : "; at ",
                        priority_load_names[load]);
        for (int i = 0; i < PRIORITY_SIZES; i++)
            if (wait_of_size(plan, load, 1, i).mean > wait_of_size(plan, load, 0, i).mean)
                n = append_text(text, size, n, "%s%s", longer++ ? ", " : " leases of ",
                                size_names[i]);
        n = append_text(text, size, n, longer ? " nodes" : " none");
    }
    append_text(text, size, n, ".");
}
