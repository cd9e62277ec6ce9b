/* deadline_terms.h: what deadline leases allow. Queries only.
 *
 * Costs: O(reservations of the lease), and where a suspension is laid out, that (windows.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"

struct engine;

/* The lease's image has to be transferred: such a lease is not moved. */
bool has_image_transfer(const struct engine *engine, const struct lease *lease);

/* A deadline lease whose last stretch is planned and has not begun. */
bool deadline_waits(const struct lease *lease);

/* A deadline lease that will run to its end as planned, and may be suspended for a while. */
bool deadline_runs(const struct engine *engine, const struct lease *lease);

/* Seconds the lease still has to run, not counting its last stretch. */
int64_t left_to_run(const struct lease *lease);

/* Tightness of a lease: time available over time needed, in 1/1000. */
int64_t stretch_of(const struct engine *engine, const struct lease *lease, int64_t remaining);

/* Do its terms and the remaining time let this deadline lease be off its hosts at `at`? Does not
 * check whether there is room for it afterwards. O(VMs). */
bool deadline_may_make_room(struct engine *engine, struct lease *lease, int64_t at);

/* Do its terms let the lease make room, but not the remaining time? */
bool deadline_would_be_late(struct engine *engine, struct lease *lease, int64_t at);
