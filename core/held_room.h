/* held_room.h: room held for a waiting lease while leases of lower priority are tried.
 *
 * A lease that cannot be placed, not even later, waits for leases without a known end. Meanwhile
 * the hosts with most of the needed room are kept from leases of lower priority, which would
 * otherwise take all freed room and make the lease wait forever.
 *
 * Costs: n = VMs of the lease, h = hosts, c = hosts that have changed since the last call. The
 * first call: O(h). Hold: O((n + c) log h), and O(h) for a VM that may not use the hosts with the
 * most free CPU; O(1) without free CPU. Release: as releasing the bookings.
 */
#pragma once

#include <stdint.h>

#include "core/lease_plan.h"
#include "core/leases.h"

struct engine;

/* The room held in a pass over the queue; initially zero. */
struct held_room {
    struct lease_list waiting; /* without held room so far */
    struct reservation_list list;
    struct vm_demand **demands; /* of the room held for VMs with demands */
    size_t n_demands, demands_allocated;
    int64_t *most; /* a tree: the current free CPU of each host at the leaves, the maximum of each
                    * pair above */
    uint32_t n_leaves; /* a power of two, at least the number of hosts */
    uint64_t changes;  /* of the slot table, seen so far */
};

/* Requests room for a lease that could not be placed, to be held before a lease of lower priority
 * is tried. */
void hold_room_for(struct held_room *held, struct lease *lease);

/* Called before a lease of this priority is tried. If the waiting leases have a higher priority,
 * books free resources for each of their VMs, up to its needs, on the host with the most free CPU
 * now that could hold the VM. Books in the slot table only; of a demand, only the units. */
void hold_room_against(struct engine *engine, struct held_room *held, int64_t priority);

/* For a lease refused for now: if one of its VMs would fit in held room, the reason names it. O(1):
 * examines only some hosts. */
void explain_by_held(const struct engine *engine, const struct held_room *held,
                     struct lease *lease);

/* Releases all held room, and the memory; engine_held() then reports this room. */
void release_held_room(struct engine *engine, struct held_room *held);
