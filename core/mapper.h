/* mapper.h: what the mapper (mapper.c) and the choice of victims (victims.c) share. */
#ifndef GALERNA_CORE_MAPPER_H
#define GALERNA_CORE_MAPPER_H

#include "core/scheduler.h"

/* A host under consideration, in the order of preference. */
struct host_choice {
    int64_t score;
    uint32_t host;
};

struct host_order {
    struct host_choice *choices; /* a heap, best first; or just in order, when they are in order */
    size_t n;
    bool in_order;
    size_t next; /* in order: the best one left */
};

/* Could there be room at all? Counts VMs, whatever hosts are preferred. */
bool mapper_may_fit(struct engine *engine, const struct map_request *request);

/* All hosts in the order of preference, also those that are full: victims may leave them. */
void mapper_order_all(struct engine *engine, const struct map_request *request,
                      struct host_order *order);

/* One pass over the hosts in that order, VMs by size; uses the order up. */
bool mapper_pass(struct engine *engine, const struct map_request *request, struct host_order *order,
                 struct mapping *mapping);

/* Map with as many leases preempted as the policy and the room take. */
bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping);

#endif
