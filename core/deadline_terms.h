/* deadline_terms.h: what deadline leases allow. Queries only.
 *
 * Costs: O(reservations of the lease), plus the layout of a suspension where one is needed
 * (windows.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"

struct engine;

/* Is it a deadline lease whose last stretch is planned and has not begun? */
bool deadline_waits(const struct lease *lease);

/* Is it a deadline lease that is planned to run to its end and may be suspended for a while? */
bool deadline_runs(const struct engine *engine, const struct lease *lease);

/* Remaining run time in seconds, not counting the last stretch. */
int64_t left_to_run(const struct lease *lease);

/* Tightness of a lease: time available over time needed, in 1/1000. */
int64_t stretch_of(const struct engine *engine, const struct lease *lease, int64_t remaining);

/* Do the terms and the remaining time of this deadline lease let it be off its hosts at `at`? Does
 * not check for room afterwards. O(VMs). */
bool deadline_may_make_room(struct engine *engine, struct lease *lease, int64_t at);

/* Do the terms let the lease make room while the remaining time does not? */
bool deadline_would_be_late(struct engine *engine, struct lease *lease, int64_t at);
