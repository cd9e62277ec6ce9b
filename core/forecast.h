/* forecast.h: estimated starts of queued leases.
 *
 * The engine books places in the future for as many queued leases as the backfilling rules allow,
 * often for only one. A forecast also covers the others: on a copy of the slot table, each lease in
 * queue order gets the earliest place for all its remaining time, after bookings and the leases
 * queued ahead of it. Leases that may start in front of a reservation (in_front.h) get an earlier
 * start if they can, also those with a planned start. Forecasts neither preempt nor promise, and
 * change the engine only in that places get hosts (host_binding.h).
 *
 * A forecast can be made in increments while the engine keeps running: once begun it refers neither
 * to the engine nor to leases, only to the driver's units and demands (demand.h). Work is counted
 * in change points examined (about 1 ns each).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"

struct forecast; /* opaque */

/* Covers up to `most` leases: first planned ones that may start in front of a reservation, then the
 * queue, then leases that may not start yet. O(change points of the site + most * hosts). */
struct forecast *forecast_create(struct engine *engine, size_t most);
void forecast_destroy(struct forecast *forecast); /* NULL is allowed */

/* Places leases, at least one, until about `work` is done. True: more leases remain. */
bool forecast_go_on(struct forecast *forecast, size_t work);

/* Number of leases forecast so far. */
size_t forecast_count(const struct forecast *forecast);

/* The id of lease i, and the probable start or resumption of its VMs; INSTANT_NEVER: leases
 * without a planned end hold its hosts or get them first; INSTANT_NONE: not found. */
int64_t forecast_lease(const struct forecast *forecast, size_t i, int64_t *start);

/* A stamp of the state on which a forecast depends: equal stamps mean that neither bookings nor
 * waiting leases have changed. 0: no lease waits. O(waiting leases). */
uint64_t forecast_stamp(const struct engine *engine);

/* Waiting leases left out of the forecast because too many are queued ahead of them. */
size_t forecast_left_out(const struct forecast *forecast);
