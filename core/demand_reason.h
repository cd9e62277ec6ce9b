/* demand_reason.h: the reason when a lease does not fit because of its demands beyond amounts.
 *
 * Costs: O(hosts), plus a search for units on some of the hosts with room.
 */
#pragma once

#include <stdbool.h>

#include "core/lease.h"

struct engine;

/* For a lease with demands and without a place, whose reason is a lack of room, now or at its
 * start: if there would be room without its demands, the reason becomes the unmet demand and its
 * cause. */
void explain_demand(struct engine *engine, struct lease *lease);

/* Could the hosts allowed for the node set meet its demand when empty? If not, lease->reason states
 * what they lack. `engine->table` is that of the empty site. */
bool demand_could_be_met(struct engine *engine, struct lease *lease, const struct node_set *nodes);
