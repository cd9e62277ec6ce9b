/* best_host.h: the best host of a single VM, found without a list of all hosts.
 *
 * Most VMs take the host that is best for them, and need no order of the others. Hosts in the same
 * state have one score (host_classes.h), and hosts with the same value of a rank's only column have
 * one rank, so it is the first host with the highest rank in its class that counts.
 *
 * Costs, h = hosts: O(classes x h / 64) if one of the first hosts has the highest rank, else O(h).
 */
#pragma once

#include "core/host_classes.h"
#include "core/mapper.h"

/* The host that comes first by rank, score and place. HOST_NONE: there is none, or only an order of
 * all hosts can tell: several VMs, demands, future starts, ranks of several values. */
uint32_t best_host(struct engine *engine, const struct map_request *request,
                   const struct node_set *nodes);

/* Collects the classes whose hosts hold one of the VMs for long enough in mapper.choices, with the
 * class as `host` and the policy's score. Returns their number. */
size_t best_host_score_classes(struct engine *engine, const struct map_request *request,
                               const struct host_classes *classes);
