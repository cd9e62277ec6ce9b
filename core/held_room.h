/* held_room.h: room that is held for a waiting lease while leases of lower priority are tried.
 *
 * A lease that cannot be placed, not even later, waits for leases without a known end. Until they
 * end, the hosts that have most of what it needs are kept from leases of lower priority, or these
 * would take whatever becomes free and it would wait forever.
 *
 * Costs: n = VMs of the lease, h = hosts. Hold: O(n h log h), O(1) without free CPU. Release: as
 * releasing n reservations.
 */
#ifndef GALERNA_CORE_HELD_ROOM_H
#define GALERNA_CORE_HELD_ROOM_H

#include "core/plan.h"

struct engine;

/* For each VM of the lease, books what it needs, as far as it is free, on the host that could hold
 * the VM and has the most free CPU now; in the slot table only. Appends to held. */
void hold_room(struct engine *engine, struct lease *lease, struct reservation_list *held);

/* Releases all reservations in held. */
void release_held_room(struct engine *engine, struct reservation_list *held);

#endif
