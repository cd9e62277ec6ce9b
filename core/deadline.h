/* deadline.h: places deadline leases so that all keep their deadlines.
 *
 * Costs: one trial (trial.h) for each start tried, at most 32 for one lease.
 */
#pragma once

#include <stdbool.h>

#include "core/proposal.h"

/* Places a deadline lease, or makes room for a reservation, by placing other deadline leases again.
 * False: lease->reason states why not. */
bool place_deadline(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* Places it in free room, without moving other leases. */
bool place_deadline_in_room(struct engine *engine, struct lease *lease, struct proposal *proposal);
bool place_by_moving_others(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* Called when room becomes free: starts deadline leases earlier where possible; with `resume`, also
 * suspended ones. */
void pull_deadlines_forward(struct engine *engine, bool resume);
