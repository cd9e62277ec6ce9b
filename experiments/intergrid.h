/* intergrid.h: the runs of experiment `intergrid`, and the measures taken on them. */
#pragma once

#include "experiments/experiment.h"
#include "experiments/replaying.h"
#include "experiments/statistics.h"

enum {
    INTERGRID_SWEEPS = 4, /* of the paper */
    INTERGRID_ALL = 6,    /* including Galerna's own two, on a busier site */
    INTERGRID_POINTS = 6, /* of a sweep, at most */
    INTERGRID_POLICIES = 4,
    INTERGRID_SEEDS_MAX = 20,
    INTERGRID_HOSTS = 32,
    INTERGRID_BUSIER = 4, /* times as many requests an hour in Galerna's own sweeps */
};

/* In the order of INTERGRID_POLICIES. */
enum intergrid_policy { POLICY_NONE, POLICY_MOV, POLICY_MLIP, POLICY_MOML };

extern const char *const intergrid_policies[INTERGRID_POLICIES];

/* The paper's sweeps are in this order. */
enum intergrid_parameter {
    PARAMETER_VMS,
    PARAMETER_BEST_EFFORT,
    PARAMETER_DEADLINE,
    PARAMETER_LOCAL,
};

/* Our own sweeps. */
enum { SWEEP_VMS_BUSY = INTERGRID_SWEEPS, SWEEP_DEADLINE_BUSY };

/* One parameter of the workload is changed, the others keep their values. */
struct intergrid_sweep {
    const char *name, *title, *axis;
    enum intergrid_parameter parameter;
    int busier; /* times as many requests an hour */
    int n_points;
    double points[INTERGRID_POINTS];
};

extern const struct intergrid_sweep intergrid_sweeps[INTERGRID_ALL];

struct intergrid_plan {
    const struct experiment_bench *bench;
    int seeds, points; /* of each sweep at most */
    size_t n;
    struct replayed *replayed;
};

const struct replayed *intergrid_find(const struct intergrid_plan *plan, int sweep, int point,
                                      int policy, int seed);

/* --- measures of one run --- */
typedef double (*intergrid_measure)(const struct intergrid_plan *plan,
                                    const struct replayed *replayed);

/* Per cent of the local, or grid, requests that were refused. */
double intergrid_local_refused(const struct intergrid_plan *plan, const struct replayed *replayed);
double intergrid_grid_refused(const struct intergrid_plan *plan, const struct replayed *replayed);
/* Leases that had to make room. */
double intergrid_preemptions(const struct intergrid_plan *plan, const struct replayed *replayed);
/* Preempted leases that were suspended while they ran, and leases that lost a place in the future
 * (or, with suspending=in-time, their work). The others were cancelled. */
double intergrid_suspended(const struct intergrid_plan *plan, const struct replayed *replayed);
double intergrid_displaced(const struct intergrid_plan *plan, const struct replayed *replayed);
/* The sum of the paper's h over them, in hours. */
double intergrid_overhead(const struct intergrid_plan *plan, const struct replayed *replayed);
/* The paper's equations 5 and 6, in per cent; option `cancelled` says how a cancelled lease
 * counts. */
double intergrid_utilization(const struct intergrid_plan *plan, const struct replayed *replayed);
/* The site's capacity from the first request to the last end. */
double intergrid_node_hours(const struct intergrid_plan *plan, const struct replayed *replayed);
/* Local requests for which leases were preempted. */
double intergrid_choices(const struct intergrid_plan *plan, const struct replayed *replayed);

/* --- means --- */
int intergrid_points(const struct intergrid_plan *plan, int sweep);
/* Over the seeds. */
struct mean_estimate intergrid_at(const struct intergrid_plan *plan, int sweep, int point,
                                  int policy, intergrid_measure of);
/* Over all points of the paper's sweeps; and how much more the one policy has than the other, with
 * the interval over the seeds (each seed is the same workloads for both). */
double intergrid_mean(const struct intergrid_plan *plan, int policy, intergrid_measure of);
struct mean_estimate intergrid_step(const struct intergrid_plan *plan, int from, int to,
                                    intergrid_measure of);

/* --- results --- */
void intergrid_claims(const struct intergrid_plan *plan, struct findings *findings);
void intergrid_pictures(const struct intergrid_plan *plan, struct findings *findings);
