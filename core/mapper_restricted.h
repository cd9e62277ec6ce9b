/* mapper_restricted.h: maps leases that may not use all hosts, or prefer some of them. Costs: as in
 * mapper.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/demand.h"
#include "core/engine_state.h"
#include "core/host_filter.h"

/* Is the lease limited to some hosts, or does it prefer some of them? */
static inline bool is_restricted(const struct engine *engine, const struct lease *lease)
{
    return engine->closed || lease->plan->has_filter;
}

/* May the VMs of this node set be put on the host? */
static inline bool host_is_usable(const struct engine *engine, const struct node_set *nodes,
                                  uint32_t host)
{
    if (engine->closed && engine->closed[host])
        return false;
    return host_filter_allows(nodes->hosts, host);
}

/* VMs of a node set that fit on hosts it may use during [from, until), at most limit; by amounts
 * only, without other demands. */
uint32_t restricted_count(struct engine *engine, const struct map_request *request,
                          const struct node_set *nodes, int64_t until, uint32_t limit);
/* The number of these hosts that also meet the demand of the node set, which must have one. */
uint32_t restricted_count_met(struct engine *engine, const struct map_request *request,
                              const struct node_set *nodes, int64_t until);

/* Maps a restricted lease in free room: node sets by size, each on its allowed hosts, highest rank
 * first, then by the policy's score. The scratch must be prepared (mapper_prepare()). */
bool restricted_map(struct engine *engine, const struct map_request *request,
                    struct mapping *mapping);

/* For a lease with demands and hosts for its VMs (mapping->vm_host): fills vm_held, and shortens
 * the mapping. False: a host does not meet a demand for long enough. */
bool restricted_meet(struct engine *engine, const struct map_request *request,
                     struct mapping *mapping);
