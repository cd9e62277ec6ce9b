/* The runs of experiment `priority`: sizes, loads, and where their results are. */
#include "experiments/priority.h"

const uint32_t priority_size_from[PRIORITY_SIZES] = {1, 2, 4, 8, 16};

const double priority_gap_factors[PRIORITY_LOADS] = {1.5, 1, 0.75};

const struct replayed *priority_row(const struct priority_plan *plan, int row, int preempts)
{
    return &plan->replayed[2 * row + preempts];
}

const struct replayed *priority_restarted(const struct priority_plan *plan, int row)
{
    return &plan->replayed[2 * PRIORITY_ROWS + row];
}

const struct replayed *priority_seed(const struct priority_plan *plan, int load, int seed,
                                     int preempts)
{
    return &plan->replayed[3 * PRIORITY_ROWS + 2 * (load * plan->seeds + seed) + preempts];
}

const char *const priority_load_names[PRIORITY_LOADS] = {"light", "modelled", "heavy"};

/* Mean wait of leases of the sizes [from, until). */
double priority_mean_wait(const struct replayed *replayed, int from, int until)
{
    double wait = 0, completed = 0;

    for (int size = from; size < until; size++) {
        wait += replayed->classes[size].wait;
        completed += (double)replayed->classes[size].completed;
    }
    return completed > 0 ? wait / completed : 0;
}
