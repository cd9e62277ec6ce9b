/* meeting.h: while a lease is mapped: do hosts meet the demands of its VMs (demand.h), next to what
 * its other VMs have been given?
 *
 * Costs: for a node set, and again for each VM put on a host that its own rules name: as
 * occupancy_rules_until(). To put a VM: as occupancy_units_until(). Nothing for node sets without a
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
    const struct vm_demand *demand; /* of the node set at hand; NULL: none */
    int64_t *limits, *ranks;        /* per host, by its rules; NULL: it has none of that kind */
    struct stay *stays;             /* of the VMs put on hosts so far, booked */
    size_t n, allocated;
};

/* Every meeting ends before the slot table changes. */
void meeting_begin(struct meeting *meeting, struct engine *engine, int64_t from, int64_t until,
                   int64_t least);
void meeting_end(struct meeting *meeting);

/* The VMs that follow are of this node set. */
void meeting_of(struct meeting *meeting, const struct node_set *nodes);

/* May a VM be put on the host, as far as rules say? What they say of the host's rank. O(1). */
bool meeting_allows(const struct meeting *meeting, uint32_t host);
int64_t meeting_rank(const struct meeting *meeting, uint32_t host);
/* Is it known that meeting_put() would find no units there? As occupancy_refused(). */
bool meeting_refused(const struct meeting *meeting, uint32_t host);

/* Puts the VM on the host; shortens *until to the time up to which its demand is met. NULL: it is
 * not met up to `least`. The meeting keeps the reference. */
struct held_units *meeting_put(struct meeting *meeting, uint32_t vm, uint32_t host, int64_t *until);
/* Takes back all VMs but the first n. */
void meeting_take_back(struct meeting *meeting, size_t n);

/* Must the VMs with this demand be on a host with those of the role? */
bool demand_joins(const struct vm_demand *demand, uint32_t role);
/* Must VMs of the one lease be on a host with VMs of the other? O(node sets of both). */
bool lease_joins(const struct lease *lease, const struct lease *other);
/* Added to the rank of a host for each VM of its own role put there, by its preferences.
 */
int64_t demand_own_weight(const struct vm_demand *demand);
