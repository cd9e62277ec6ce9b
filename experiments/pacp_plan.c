/* The runs of experiment `pacp`: policies, clusters, loads, and their order. */
#include "experiments/pacp.h"

const char *const pacp_policies[PACP_POLICIES] = {"pacp", "cacp", "aacp", "racp"};
const int pacp_nodes[PACP_CLUSTERS] = {64, 128, 256};
const double pacp_gaps[PACP_LOADS] = {3, 2, 1.5, 1.2, 1};

size_t pacp_place(const struct pacp_plan *plan, struct pacp_position at)
{
    size_t cell = ((size_t)at.law * (size_t)plan->loads + (size_t)at.load) * PACP_CLUSTERS +
                  (size_t)at.cluster;

    return (cell * PACP_POLICIES + (size_t)at.policy) * (size_t)plan->seeds + (size_t)at.seed;
}

struct pacp_position pacp_position(const struct pacp_plan *plan, size_t i)
{
    struct pacp_position at;

    at.seed = (int)(i % (size_t)plan->seeds);
    i /= (size_t)plan->seeds;
    at.policy = (int)(i % PACP_POLICIES);
    i /= PACP_POLICIES;
    at.cluster = (int)(i % PACP_CLUSTERS);
    i /= PACP_CLUSTERS;
    at.load = (int)(i % (size_t)plan->loads);
    at.law = (enum pacp_law)(i / (size_t)plan->loads);
    return at;
}
