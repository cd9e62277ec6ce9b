/* demand_check.h: during a mapping, checks whether hosts meet the demands of a lease's VMs
 * (demand.h) in addition to those of its VMs already placed.
 *
 * Costs: as occupancy_rules_until() for a node set, and again for each VM placed whose role the
 * node set's own rules name; as occupancy_units_until() to place a VM; none for node sets without a
 * demand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/occupancy.h"

struct engine;

struct demand_check {
    struct engine *engine;
    int64_t from, until, least;     /* as in struct unit_question */
    const struct vm_demand *demand; /* of the current node set; NULL: none */
    int64_t *limits, *ranks;        /* per host, from the demand's rules; NULL: no such rules */
    struct stay *stays;             /* of the VMs placed so far, booked */
    size_t n, allocated;
};

/* A check must end before the slot table changes. */
void demand_check_begin(struct demand_check *check, struct engine *engine, int64_t from,
                        int64_t until, int64_t least);
void demand_check_end(struct demand_check *check);

/* Sets the node set of the VMs that follow. */
void demand_check_of(struct demand_check *check, const struct node_set *nodes);

/* Do the rules allow a VM on the host? The rules' contribution to the host's rank. O(1). */
bool demand_check_allows(const struct demand_check *check, uint32_t host);
int64_t demand_check_rank(const struct demand_check *check, uint32_t host);
/* Is it already known that demand_check_put() would find no units there? See occupancy_refused().
 */
bool demand_check_refused(const struct demand_check *check, uint32_t host);
/* The hosts for which this is known whatever the end of the time; see occupancy_refusing(). */
const uint64_t *demand_check_refusing(const struct demand_check *check);

/* Places the VM on the host; shortens *until to the time up to which the demand is met. NULL: it is
 * not met up to `least`. The check keeps the reference. */
struct held_units *demand_check_put(struct demand_check *check, uint32_t vm, uint32_t host,
                                    int64_t *until);
/* Removes all VMs except the first n. */
void demand_check_take_back(struct demand_check *check, size_t n);

/* Must VMs with this demand share a host with VMs of the role? */
bool demand_joins(const struct vm_demand *demand, uint32_t role);
/* Must VMs of one lease share a host with VMs of the other? O(node sets of both). */
bool lease_joins(const struct lease *lease, const struct lease *other);
/* The change of a host's rank for each VM of the same role placed there, from the demand's
 * preferences. */
int64_t demand_own_weight(const struct vm_demand *demand);
