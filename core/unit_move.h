/* unit_move.h: what the VMs of a lease hold of the hosts' units while some of them change hosts,
 * and whether the rules of their VM groups hold meanwhile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct held_units;
struct lease;
struct placement;

/* VMs whose host in `to` is another one than in `from` hold both from `begins` until `at`, then the
 * new one until `end`. */
struct unit_move {
    const struct lease *lease;
    const struct placement *from; /* what they hold now; not booked meanwhile */
    const uint32_t *to;           /* a host for each VM */
    int64_t begins, at, end;
};

/* Fills held[], which is NULL for each VM, with a reference to what it holds from then on: VMs that
 * stay keep their units, the others get units of their new hosts. False: there are none, or a VM
 * that one must be apart from is still there. Costs for each VM that moves: as
 * occupancy_units_until(), and with rules as occupancy_rules_until(). */
bool unit_move_choose(struct engine *engine, const struct unit_move *move,
                      struct held_units **held);
