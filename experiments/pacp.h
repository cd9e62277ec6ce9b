/* pacp.h: the runs of experiment `pacp`. */
#pragma once

#include "experiments/experiment.h"
#include "experiments/replaying.h"

enum { PACP_CLUSTERS = 3, PACP_POLICIES = 4, PACP_LOADS = 5, PACP_SEEDS_MAX = 20 };
enum pacp_policy { PACP, CACP, AACP, RACP };

/* Run times of external requests: all alike, as in the paper's analysis, or exponential. */
enum pacp_law { LAW_FIXED, LAW_EXPONENTIAL, PACP_LAWS };

enum pacp_class { CLASS_LOCAL, CLASS_LOW, CLASS_HIGH };

extern const char *const pacp_policies[PACP_POLICIES];
extern const int pacp_nodes[PACP_CLUSTERS];

/* Mean seconds between external requests, as a multiple of their run time. */
extern const double pacp_gaps[PACP_LOADS];

struct pacp_plan {
    const struct experiment_bench *bench;
    int seeds, loads;
    size_t n;
    struct replayed *replayed;
};

struct pacp_position {
    enum pacp_law law;
    int cluster, load, policy, seed;
};

size_t pacp_place(const struct pacp_plan *plan, struct pacp_position at);
struct pacp_position pacp_position(const struct pacp_plan *plan, size_t i);

/* Tables, pictures and claims. */
void pacp_tell(const struct pacp_plan *plan, struct findings *findings);
