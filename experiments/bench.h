/* bench.h: the options of an experiment, for the functions that serve it. */
#pragma once

#include "experiments/experiment.h"

struct experiment_bench {
    const struct experiment *experiment;
    const struct experiment_request *request;
    const char **values; /* one per option */
    long parallel;
};
