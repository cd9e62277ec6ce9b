/* Claims on priority from generated workloads. */
#include <stdio.h>

#include "experiments/priority.h"
#include "experiments/statistics.h"

enum { FAVOURED_FROM = 8 }; /* nodes */

static int favored_size(void)
{
    int size = 0;

    while (priority_size_from[size] < FAVOURED_FROM)
        size++;
    return size;
}

static struct mean_estimate over_seeds(const struct priority_plan *plan, int load, int preempts,
                                       double (*value)(const struct replayed *))
{
    double values[PRIORITY_SEEDS_MAX];

    for (int seed = 0; seed < plan->seeds; seed++)
        values[seed] = value(priority_seed(plan, load, seed, preempts));
    return estimate_of(values, (size_t)plan->seeds);
}

static double wait_of_large(const struct replayed *replayed)
{
    return priority_mean_wait(replayed, favored_size(), PRIORITY_SIZES);
}

static double wait_of_small(const struct replayed *replayed)
{
    return priority_mean_wait(replayed, 0, favored_size());
}

static double refused_immediate(const struct replayed *replayed)
{
    const struct replayed_class *c = &replayed->classes[PRIORITY_IMMEDIATE];

    return 100 * (double)c->refused / (double)(c->requested > 0 ? c->requested : 1);
}

struct priority_measure {
    const char *name, *title, *y;
    double (*value)(const struct replayed *);
    bool percent;
};

static const struct priority_measure measures[3] = {
    {"wait-large", "Leases with 8 or more nodes", "Mean wait (s)", wait_of_large, false},
    {"wait-small", "Smaller leases", "Mean wait (s)", wait_of_small, false},
    {"immediate", "Immediate leases of high priority", "Refused (%)", refused_immediate, true},
};

static void draw_measure(const struct priority_plan *plan, struct findings *findings,
                         const struct priority_measure *measure)
{
    static const char *const names[2] = {"without priority", "with priority"};
    struct plot *plot = plot_create(&(struct plot_labels){.title = measure->title,
                                                          .x = "Load of the site",
                                                          .y = measure->y,
                                                          .from_zero = true,
                                                          .percent = measure->percent,
                                                          .names = "light|modelled|heavy"});

    for (int p = 0; p < 2; p++) {
        plot_series(plot, names[p], PLOT_BARS, -1);
        for (int load = 0; load < PRIORITY_LOADS; load++)
            plot_mean(plot, load, over_seeds(plan, load, p, measure->value));
    }
    findings_plot(findings, measure->name, plot);
}

/* Workloads in which priority makes a difference. */
struct comparison {
    int worse, better; /* for large leases, which have it */
    int saved;         /* no more immediate leases are refused */
    bool in_mean;      /* better, or the same, in the mean of each load */
};

static void write_generated(const struct priority_plan *plan, struct comparison *found,
                            struct findings *findings)
{
    findings_table(findings, "generated", "Generated workloads, 32 hosts",
                   "load,seed,priority,utilization,mean wait of large (s),mean wait of small (s),"
                   "immediate refused (%),preemptions",
                   0);
    for (int load = 0; load < PRIORITY_LOADS; load++) {
        for (int seed = 0; seed < plan->seeds; seed++) {
            for (int p = 0; p < 2; p++) {
                const struct replayed *r = priority_seed(plan, load, seed, p);

                findings_cells(findings, "%g|%d|%s|%.4f|%.1f|%.1f|%.2f|%.0f",
                               1 / priority_gap_factors[load], seed + 1, p ? "yes" : "no",
                               r->figures.utilization, wait_of_large(r), wait_of_small(r),
                               refused_immediate(r), (double)r->preemptions);
            }
            found->worse += wait_of_large(priority_seed(plan, load, seed, 1)) >
                            wait_of_large(priority_seed(plan, load, seed, 0));
            found->better += wait_of_large(priority_seed(plan, load, seed, 1)) <
                             wait_of_large(priority_seed(plan, load, seed, 0));
            found->saved += refused_immediate(priority_seed(plan, load, seed, 1)) <=
                            refused_immediate(priority_seed(plan, load, seed, 0));
        }
        found->in_mean = found->in_mean && over_seeds(plan, load, 1, wait_of_large).mean <=
                                               over_seeds(plan, load, 0, wait_of_large).mean;
    }
}

static void claim_favored(const struct priority_plan *plan, const struct comparison *found,
                          struct findings *findings)
{
    char longer[300], reason[500];

    priority_name_longer(plan, longer, sizeof longer);
    snprintf(reason, sizeof reason,
             "Generated workloads (Lublin and Feitelson); large leases have high priority, as in "
             "the paper, and leases with 8 or more nodes count as favored here. %s",
             longer);
    findings_claim(findings,
                   &(struct finding_claim){"favored",
                                           "On average, high-priority leases do not wait longer",
                                           "shorter waiting time",
                                           verdict_if(found->worse == 0, found->in_mean), reason},
                   "mean wait shorter in %d, longer in %d of %d workloads", found->better,
                   found->worse, PRIORITY_LOADS * plan->seeds);
}

static void claim_immediate(const struct priority_plan *plan, const struct comparison *found,
                            struct findings *findings)
{
    int all = PRIORITY_LOADS * plan->seeds;

    findings_claim(findings,
                   &(struct finding_claim){
                       "immediate", "Fewer immediate leases of higher priority are refused",
                       "stated without a number", verdict_if(found->saved == all, false), ""},
                   "as few or fewer refused in %d of %d workloads", found->saved, all);
}

void priority_tell_generated(const struct priority_plan *plan, struct findings *findings)
{
    struct comparison found = {.in_mean = true};

    write_generated(plan, &found, findings);
    claim_favored(plan, &found, findings);
    claim_immediate(plan, &found, findings);
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        draw_measure(plan, findings, &measures[i]);
    priority_tell_sizes(plan, findings);
}
