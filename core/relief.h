/* relief.h: the times at which running best-effort leases could make room for another. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"

struct engine;

enum { RELIEF_POINTS = 8 };

/* May this lease displace others under a policy that scores victims? O(1). */
bool policy_displaces(const struct engine *engine, const struct lease *lease);

/* The earliest times after `after` at which running leases could have been suspended for this
 * best-effort lease, ascending; returns their number. O(bookings that end later), and a score for
 * each running lease. */
size_t relief_points(struct engine *engine, const struct lease *lease, int64_t after,
                     int64_t points[RELIEF_POINTS]);
