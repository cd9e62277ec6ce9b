/* world_demands.h: units of the hosts of a world, and what its VMs demand of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/adoption.h"
#include "core/demand.h"
#include "test/support/random.h"

/* Gives the hosts units. */
void world_give_units(struct site *site);
/* One of some demands, or NULL. */
const struct vm_demand *world_demand(struct random *random);

/* What the VMs of a reservation hold, as running VMs report it; NULL: nothing. For world_forget().
 */
struct vm_units *world_report(const struct reservation *vm);
void world_forget(struct vm_units *units, size_t n);

/* Looks for units that two VMs hold at a time, and for VMs of one role on a host; says which. */
bool world_demands_are_met(const struct engine *engine, char *text, size_t size);
