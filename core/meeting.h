/* meeting.h: during a mapping, checks whether hosts meet the demands of a lease's VMs (demand.h) in
 * addition to those of its VMs already placed.
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

struct meeting {
    struct engine *engine;
    int64_t from, until, least;     /* as in struct unit_question */
    const struct vm_demand *demand; /* of the current node set; NULL: none */
    int64_t *limits, *ranks;        /* per host, from the demand's rules; NULL: no such rules */
    struct stay *stays;             /* of the VMs placed so far, booked */
    size_t n, allocated;
};

/* A meeting must end before the slot table changes. */
void meeting_begin(struct meeting *meeting, struct engine *engine, int64_t from, int64_t until,
                   int64_t least);
void meeting_end(struct meeting *meeting);

/* Sets the node set of the VMs that follow. */
void meeting_of(struct meeting *meeting, const struct node_set *nodes);

/* Do the rules allow a VM on the host? The rules' contribution to the host's rank. O(1). */
bool meeting_allows(const struct meeting *meeting, uint32_t host);
int64_t meeting_rank(const struct meeting *meeting, uint32_t host);
/* Is it already known that meeting_put() would find no units there? See occupancy_refused(). */
bool meeting_refused(const struct meeting *meeting, uint32_t host);

/* Places the VM on the host; shortens *until to the time up to which the demand is met. NULL: it is
 * not met up to `least`. The meeting keeps the reference. */
struct held_units *meeting_put(struct meeting *meeting, uint32_t vm, uint32_t host, int64_t *until);
/* Removes all VMs except the first n. */
void meeting_take_back(struct meeting *meeting, size_t n);

/* Must VMs with this demand share a host with VMs of the role? */
bool demand_joins(const struct vm_demand *demand, uint32_t role);
/* Must VMs of one lease share a host with VMs of the other? O(node sets of both). */
bool lease_joins(const struct lease *lease, const struct lease *other);
/* The change of a host's rank for each VM of the same role placed there, from the demand's
 * preferences. */
int64_t demand_own_weight(const struct vm_demand *demand);
