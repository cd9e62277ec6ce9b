/* windows.h: the times at which each VM of a lease is suspended or resumed.
 *
 * Costs: O(VMs log VMs) of the lease, with units on its hosts also O(windows * hosts * units).
 */
#pragma once

#include <stdint.h>

#include "core/lease_plan.h"

struct engine;

/* Fills list with SUSPEND reservations that end by `at`, or RESUME reservations that begin at `at`,
 * for the VMs on their hosts in placement, by ascending time; the caller owns them. Returns the
 * start of the first suspension or the end of the last resumption. */
int64_t suspend_windows(struct engine *engine, struct lease *lease,
                        const struct placement *placement, int64_t at,
                        struct reservation_list *list);
int64_t resume_windows(struct engine *engine, struct lease *lease,
                       const struct placement *placement, int64_t at,
                       struct reservation_list *list);
