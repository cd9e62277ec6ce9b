/* intergrid.h: the runs of experiment `intergrid`. */
#ifndef GALERNA_EXPERIMENTS_INTERGRID_H
#define GALERNA_EXPERIMENTS_INTERGRID_H

#include "experiments/experiment.h"
#include "experiments/replaying.h"
#include "experiments/statistics.h"

enum {
    INTERGRID_SWEEPS = 4,
    INTERGRID_POINTS = 6, /* of a sweep, at most */
    INTERGRID_POLICIES = 4,
    INTERGRID_SEEDS_MAX = 20,
};

/* In the order of INTERGRID_POLICIES. */
enum intergrid_policy { POLICY_NONE, POLICY_MOV, POLICY_MLIP, POLICY_MOML };

extern const char *const intergrid_policies[INTERGRID_POLICIES];

/* One parameter of the workload is changed, the others keep their values. */
struct intergrid_sweep {
    const char *name, *title, *axis;
    int n_points;
    double points[INTERGRID_POINTS];
};

extern const struct intergrid_sweep intergrid_sweeps[INTERGRID_SWEEPS];

struct intergrid_plan {
    const struct experiment_bench *bench;
    int seeds, points; /* of each sweep at most */
    size_t n;
    struct replayed *replayed;
};

const struct replayed *intergrid_find(const struct intergrid_plan *plan, int sweep, int point,
                                      int policy, int seed);

/* Tables, pictures and claims. */
void intergrid_tell(const struct intergrid_plan *plan, struct findings *findings);

#endif
