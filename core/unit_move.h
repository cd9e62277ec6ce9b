/* unit_move.h: the units that the VMs of a lease hold while some of them change hosts, and a check
 * of their VM groups' rules meanwhile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct held_units;
struct lease;
struct placement;

/* VMs with different hosts in `from` and `to` hold both from `begins` until `at`, then the new host
 * until `end`. */
struct unit_move {
    const struct lease *lease;
    const struct placement *from; /* their present placement; not booked meanwhile */
    const uint32_t *to;           /* a host for each VM */
    int64_t begins, at, end;
};

/* Fills held[], initially NULL, with references to the units that each VM holds after the move: VMs
 * that stay keep their units, the others get units of their new hosts. False: no units are free, or
 * a new host still has a VM that must be apart. Costs for each VM that moves: as
 * occupancy_units_until(), and with rules as occupancy_rules_until(). */
bool unit_move_choose(struct engine *engine, const struct unit_move *move,
                      struct held_units **held);
