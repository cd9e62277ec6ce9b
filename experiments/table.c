/* The list of experiments. */
#include "experiments/experiment.h"

const struct experiment *const experiment_table[] = {
    &experiment_suspend,   &experiment_priority, &experiment_pacp,
    &experiment_intergrid, &experiment_gridway,  &experiment_backfilling,
};

const size_t experiment_count = sizeof experiment_table / sizeof *experiment_table;
