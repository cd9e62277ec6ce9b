/* mapper.h: what the mapper (mapper.c), the mapping of leases that may not use all hosts
 * (restricted.c) and the choice of victims (victims.c) share.
 *
 * Costs: h = hosts of the site. Counting (may_fit, counts): O(h) slot table
 * queries, fewer where a survey knows the answer. A pass: O(h) to order the hosts when their scores
 * are in order and O(h log h) else, and a slot table query for each host looked at and each VM
 * placed. Pinned: a query for each host of the placement.
 */
#ifndef GALERNA_CORE_MAPPER_H
#define GALERNA_CORE_MAPPER_H

#include "core/scheduler.h"

/* A host under consideration, in the order of preference. */
struct host_choice {
    int64_t rank;
    int64_t score;
    uint32_t host;
};

struct host_order {
    struct host_choice *choices; /* a heap, best first; or just in order, when they are in order */
    size_t n;
    bool in_order;
    size_t next; /* in order: the best one left */
};

/* --- mapper.c --- */

/* Could there be room at all? Counts VMs, whatever hosts are preferred. */
bool mapper_may_fit(struct engine *engine, const struct map_request *request);

/* All hosts in the order of preference, also those that are full: victims may leave them. */
void mapper_order_all(struct engine *engine, const struct map_request *request,
                      struct host_order *order);

/* One pass over the hosts in that order, VMs by size; uses the order up. */
bool mapper_pass(struct engine *engine, const struct map_request *request, struct host_order *order,
                 struct mapping *mapping);

/* May the lease's VMs be where they are in the placement? */
bool mapper_hosts_are_usable(const struct engine *engine, const struct lease *lease,
                             const struct placement *pinned);

/* Every VM on its own host: how long are they all free? */
bool mapper_pinned(struct engine *engine, const struct map_request *request,
                   struct mapping *mapping);

const struct survey *mapper_survey(struct engine *engine, const struct amounts *vm, int64_t from);
bool mapper_has_enough_cpu(const struct engine *engine, const struct map_request *request,
                           int64_t until);

/* How long all of it must be free, at the least. */
int64_t mapper_least_until(const struct map_request *request);
bool mapper_long_enough(const struct map_request *request, const struct mapping *mapping);

/* Let the host selection policy judge the first n hosts of batch_hosts; fills batch_scores. The
 * other batch columns are there already. */
void mapper_score_hosts(struct engine *engine, const struct map_request *request, size_t n);

/* Better hosts first: the larger rank, then the higher score, then the one that stands first. */
void host_order_make_heap(struct host_order *order);
void host_order_sift_down(struct host_order *order, size_t i);
/* The best host, which is taken out. There must be one. */
uint32_t host_order_take(struct host_order *order);

/* --- restricted.c --- */

/* The lease may not use all hosts, or likes some better. */
bool is_restricted(const struct engine *engine, const struct lease *lease);

/* May the VMs of this node set be put on the host? */
static inline bool host_is_usable(const struct engine *engine, const struct node_set *nodes,
                                  uint32_t host)
{
    if (engine->closed && engine->closed[host])
        return false;
    return !nodes->hosts || !nodes->hosts->allowed || nodes->hosts->allowed[host];
}

/* VMs of a node set that fit on hosts it may use during [from, until), at most limit. */
uint32_t restricted_count(struct engine *engine, const struct map_request *request,
                          const struct node_set *nodes, int64_t until, uint32_t limit);

/* Map a restricted lease where there is room. Node sets by size, each on its own hosts: those with
 * the largest rank first, among equals those that the policy prefers. */
bool restricted_map(struct engine *engine, const struct map_request *request,
                    struct mapping *mapping);

/* --- victims.c --- */

/* A best-effort lease can wait: nobody is stopped for it whose work is to be kept. */
bool loses_work(struct engine *engine, const struct map_request *request, struct lease *victim);

/* Map with as many leases preempted as the policy and the room take. */
bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping);

#endif
