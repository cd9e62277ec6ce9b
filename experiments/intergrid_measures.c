/* Measures on the runs of experiment `intergrid`. */
#include "experiments/intergrid.h"

const struct replayed *intergrid_find(const struct intergrid_plan *plan, int sweep, int point,
                                      int policy, int seed)
{
    size_t i =
        ((size_t)sweep * INTERGRID_POINTS + (size_t)point) * INTERGRID_POLICIES + (size_t)policy;

    return &plan->replayed[i * (size_t)plan->seeds + (size_t)seed];
}

static double refused(const struct replayed_class *class)
{
    return class->requested > 0 ? 100 * (double)class->refused / (double)class->requested : 0;
}

double intergrid_local_refused(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return refused(&replayed->classes[0]);
}

double intergrid_grid_refused(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return refused(&replayed->classes[1]);
}

double intergrid_preemptions(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return (double)replayed->preemptions;
}

double intergrid_suspended(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return (double)replayed->figures.preemptions[PREEMPTED_SUSPEND];
}

double intergrid_displaced(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return (double)replayed->figures.preemptions[PREEMPTED_REQUEUE];
}

double intergrid_overhead(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return replayed->overhead / 3600;
}

double intergrid_utilization(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    const struct replayed_class *local = &replayed->classes[0], *grid = &replayed->classes[1];
    double seconds = local->vm_seconds + grid->vm_seconds;

    if (experiment_chosen(plan->bench, "cancelled", "wall-time"))
        seconds += grid->cut_wall_time;
    else if (experiment_chosen(plan->bench, "cancelled", "run"))
        seconds += grid->cut_vm_seconds;
    return 100 * seconds / (INTERGRID_HOSTS * (double)replayed->figures.end_time);
}

double intergrid_node_hours(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return INTERGRID_HOSTS * (double)replayed->figures.end_time / 3600;
}

double intergrid_choices(const struct intergrid_plan *plan, const struct replayed *replayed)
{
    (void)plan;
    return (double)replayed->chosen.choices;
}

int intergrid_points(const struct intergrid_plan *plan, int sweep)
{
    int n = intergrid_sweeps[sweep].n_points;

    return n < plan->points ? n : plan->points;
}

struct mean_estimate intergrid_at(const struct intergrid_plan *plan, int sweep, int point,
                                  int policy, intergrid_measure of)
{
    double values[INTERGRID_SEEDS_MAX];

    for (int seed = 0; seed < plan->seeds; seed++)
        values[seed] = of(plan, intergrid_find(plan, sweep, point, policy, seed));
    return estimate_of(values, (size_t)plan->seeds);
}

static double mean_of_seed(const struct intergrid_plan *plan, int policy, int seed,
                           intergrid_measure of)
{
    double sum = 0;
    int n = 0;

    for (int sweep = 0; sweep < INTERGRID_SWEEPS; sweep++)
        for (int point = 0; point < intergrid_points(plan, sweep); point++, n++)
            sum += of(plan, intergrid_find(plan, sweep, point, policy, seed));
    return sum / n;
}

double intergrid_mean(const struct intergrid_plan *plan, int policy, intergrid_measure of)
{
    double sum = 0;

    for (int seed = 0; seed < plan->seeds; seed++)
        sum += mean_of_seed(plan, policy, seed, of);
    return sum / plan->seeds;
}

struct mean_estimate intergrid_step(const struct intergrid_plan *plan, int from, int to,
                                    intergrid_measure of)
{
    double steps[INTERGRID_SEEDS_MAX];

    for (int seed = 0; seed < plan->seeds; seed++)
        steps[seed] = mean_of_seed(plan, to, seed, of) - mean_of_seed(plan, from, seed, of);
    return estimate_of(steps, (size_t)plan->seeds);
}
