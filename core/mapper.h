/* mapper.h: assigns VMs to hosts at a time.
 *
 * Costs: h = hosts of the site. Counting: O(h) slot table queries, fewer with a survey. A mapping:
 * O(h) to order the hosts if their scores are in order, else O(h log h), and a slot table query for
 * each host examined and each VM placed; with victims, these costs for each set tried. Pinned: a
 * query for each host of the placement.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease_plan.h"
#include "core/leases.h"
#include "core/policy.h"

struct engine;
struct held_units;
struct host_choice;
struct host_load;
struct host_order;
struct surveys;

struct map_request {
    struct lease *lease;
    int64_t from, until;
    int64_t shortest;        /* least acceptable length; until - from if all of it is needed */
    bool strict;             /* each host must be free for all of it */
    const uint32_t *allowed; /* allowed hosts, ascending; NULL: all */
    size_t n_allowed;
    const struct placement *pinned; /* the required host of each VM; NULL: any */
    bool spare_others;              /* no lease is preempted for this request */
    bool spare_planned;             /* only running leases may be preempted */
    bool pinned_preempts;           /* pinned, and may preempt others */
    bool forced; /* an earlier promise: suspend others regardless of the preemption policy */
};

struct mapping {
    const uint32_t *vm_host;           /* the engine's scratch: valid until the next mapping; NULL:
                                        * any hosts (host_binding.h) */
    struct held_units *const *vm_held; /* the units that each VM with a demand holds there, else
                                        * NULL; the same scratch; NULL: no units */
    int64_t until;                     /* all hosts are free until then */
    struct lease_list victims;         /* in the order in which they are to be preempted */
    size_t n_late;                     /* candidates that would miss their deadlines */
};

/* Maps by preempting other leases; the mapper calls it when there is no free room. */
typedef bool make_room_function(struct engine *engine, const struct map_request *request,
                                struct mapping *mapping);

/* The mapper's scratch: one entry per host unless stated otherwise. */
struct mapper {
    make_room_function *make_room; /* set by engine_create(): victims.h is above the mapper */
    struct surveys *surveys;
    struct host_choice *choices;
    uint32_t *batch_hosts; /* query to the host selection policy, and its result */
    int32_t *batch_leases;
    int64_t *batch_until, *batch_free, *batch_scores;
    int64_t *batch_ranks;    /* the filter's ranks of the same hosts */
    struct host_load *loads; /* the VMs of the lease being mapped on each host */
    size_t loads_allocated;
    uint32_t *vm_host; /* one entry per VM of the lease being mapped */
    size_t vm_host_allocated;
    struct held_units **vm_held; /* units of the same VMs; references */
    size_t n_vm_held, vm_held_allocated;
};

void mapper_create_scratch(struct engine *engine);
void mapper_destroy_scratch(struct engine *engine);

/* Sizes the scratch for the VMs of this lease. mapper_map() calls it. */
void mapper_prepare(struct engine *engine, const struct lease *lease);

/* Fills the scratch from a placement of the lease's VMs. */
void mapper_assign(struct engine *engine, const struct lease *lease,
                   const struct placement *placement, struct mapping *mapping);

/* Maps in free room; failing that, with victims if the request and the policies allow them. The
 * caller must call mapping_finish() in any case. */
bool mapper_map(struct engine *engine, const struct map_request *request, struct mapping *mapping);
void mapping_finish(struct mapping *mapping);

/* May other leases be preempted for the request if there is no free room? */
bool mapper_makes_room(const struct engine *engine, const struct map_request *request);

/* The hosts in the order of preference from before victims made room. */
struct host_snapshot {
    struct host_choice *choices;
    size_t n;
    bool in_order;
};

/* Orders all hosts by preference, including full ones, which victims may free. */
void mapper_order_all(struct engine *engine, const struct map_request *request,
                      struct host_order *order);
/* Maps in the free room of the slot table, taking hosts in the snapshot's order. */
bool mapper_map_in_order(struct engine *engine, const struct map_request *request,
                         const struct host_snapshot *snapshot, struct mapping *mapping);

/* Do smaller VMs use the room that a larger one of the lease leaves on a host? */
bool mapper_fills_gaps(const struct engine *engine);

/* VMs of a node set that fit at this instant. */
uint32_t mapper_count_now(struct engine *engine, const struct node_set *nodes);
/* VMs of a node set that fit during the request's time without preempting any lease. */
uint32_t mapper_count(struct engine *engine, const struct map_request *request,
                      const struct node_set *nodes);

/* May the lease's VMs run on their hosts in this placement? */
bool mapper_hosts_are_usable(const struct engine *engine, const struct lease *lease,
                             const struct placement *pinned);
