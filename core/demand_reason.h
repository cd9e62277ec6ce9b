/* demand_reason.h: says so when a lease does not fit because of what it demands beyond amounts.
 *
 * Costs: O(hosts), and for some of the hosts with room what it costs to look for units there.
 */
#pragma once

#include <stdbool.h>

#include "core/lease.h"

struct engine;

/* The lease has demands and no place, and its reason says that there is no room, now or at its
 * start: if there would be without its demands, the reason becomes which demand is not met, and
 * why. */
void explain_demand(struct engine *engine, struct lease *lease);

/* Could the hosts that the node set may use meet its demand when empty? If not, lease->reason says
 * what they lack. `engine->table` is that of the empty site. */
bool demand_could_be_met(struct engine *engine, struct lease *lease, const struct node_set *nodes);
