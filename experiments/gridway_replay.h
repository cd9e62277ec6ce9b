/* gridway_replay.h: the job of experiment `gridway` carried out by the scheduler. */
#pragma once

#include "experiments/experiment.h"

/* Values in the paper's scale; the replay has a thousand seconds for one. */
struct gridway_job {
    double work, data, spent; /* GFLOP, MB to move, seconds spent on transfers to draco */
    double threshold;         /* the least gain, a share */
    int iterations;
};

/* The job runs on draco; solea and columba become free after 0, 1, ... iterations, in a replay
 * each. moved[i]: the host that the scheduler moved it to, by its place in the paper's table (0:
 * ursa), -1: it stayed. Errors: those of the replays. */
int gridway_replay(const struct experiment_bench *bench, const struct gridway_job *job, int *moved,
                   struct error *err);
