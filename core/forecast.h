/* forecast.h: estimated starts of queued leases.
 *
 * The engine books places in the future for as many leases of the queue as the backfilling rules
 * allow, often for one. A forecast tells of the others, too: on a copy of the slot table each gets
 * the earliest place there is for all it has to run, in the order of the queue, behind what is
 * booked and behind those before it. No lease is preempted for it, nothing is promised, and the
 * engine stays as it is.
 *
 * It can be made bit by bit while the engine goes on: it refers to neither engine nor leases once
 * it is begun. Work is counted in change points looked at (about 1 ns each).
 */
#ifndef GALERNA_CORE_FORECAST_H
#define GALERNA_CORE_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"

struct forecast; /* opaque */

/* Of the first `most` leases of the queue, then of those that may not start yet. O(change points of
 * the site + most * hosts). */
struct forecast *forecast_create(struct engine *engine, size_t most);
void forecast_destroy(struct forecast *forecast); /* NULL is allowed */

/* Place leases until about so much work is done, at least one. True: there are more to be placed.
 */
bool forecast_go_on(struct forecast *forecast, size_t work);

/* Leases it tells of, as far as it has come. */
size_t forecast_count(const struct forecast *forecast);

/* Number i of them, and its probable start: when its VMs would be started or resumed;
 * INSTANT_NEVER: what has the hosts it may use has no planned end; INSTANT_NONE: not found. */
int64_t forecast_lease(const struct forecast *forecast, size_t i, int64_t *start);

/* What a forecast of the engine as it is now would go by: the same number means that neither
 * bookings nor those that wait have changed. 0: no lease waits. O(leases that wait). */
uint64_t forecast_stamp(const struct engine *engine);

/* Waiting leases that it leaves out because there are too many before them. */
size_t forecast_left_out(const struct forecast *forecast);

#endif
