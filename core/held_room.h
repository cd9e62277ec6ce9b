/* held_room.h: room that is held for a waiting lease while leases of lower priority are tried.
 *
 * A lease that cannot be placed, not even later, waits for leases without a known end. Until they
 * end, the hosts that have most of what it needs are kept from leases of lower priority, or these
 * would take whatever becomes free and it would wait forever.
 *
 * Costs: n = VMs of the lease, h = hosts, c = hosts that have changed since the last call. The
 * first call: O(h). Hold: O((n + c) log h), and O(h) for a VM that may not use the hosts with the
 * most free CPU; O(1) without free CPU. Release: as releasing what is held.
 */
#pragma once

#include <stdint.h>

#include "core/lease_plan.h"
#include "core/leases.h"

struct engine;

/* All that is held in a pass over the queue; zero to begin with. */
struct held_room {
    struct lease_list waiting; /* of one priority: nothing is held for them yet */
    struct reservation_list list;
    struct vm_demand **demands; /* of what is held for VMs with demands; as many as allocated */
    size_t n_demands, demands_allocated;
    int64_t *most; /* a tree: free CPU now of each host, above them the larger one of each two */
    uint32_t n_leaves; /* places for hosts, a power of two */
    uint64_t changes;  /* of the slot table, seen so far */
};

/* The lease could not be placed: room is to be held for it before a lease of lower priority is
 * tried.
 */
void hold_room_for(struct held_room *held, struct lease *lease);

/* A lease of this priority is tried next. If those that wait have a higher one, books, for each VM
 * of them, what it needs, as far as it is free, on the host that could hold the VM and has the most
 * free CPU now; in the slot table only. Of its demand, units. */
void hold_room_against(struct engine *engine, struct held_room *held, int64_t priority);

/* The lease was refused for now. Its reason is what is held, if a VM of it would fit there: O(1),
 * some hosts are looked at. */
void explain_by_held(const struct engine *engine, const struct held_room *held,
                     struct lease *lease);

/* Releases all that is held, and the memory; engine_held() tells what it was. */
void release_held_room(struct engine *engine, struct held_room *held);
