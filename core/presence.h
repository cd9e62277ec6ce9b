/* presence.h: a lease counts once on a host, however many of its reservations overlap there.
 *
 * Costs: s = booked reservations of the lease. overlaps: O(s). apply: for each piece (one more than
 * those of the lease that begin or end on the host meanwhile) O(s and the hosts they name), and
 * what profile_apply() costs.
 */
#ifndef GALERNA_CORE_PRESENCE_H
#define GALERNA_CORE_PRESENCE_H

#include <stdbool.h>

#include "core/profile.h"
#include "core/reservation.h"

/* Does another booked reservation of the lease overlap r at all? Rarely true. */
bool presence_overlaps(const struct reservation *r);

/* Apply the change of r to a host's profile piece by piece, with the lease's mark only where none
 * of its other booked reservations holds the host. Returns what profile_apply() returns. */
uint32_t presence_apply(struct profile *profile, const struct reservation *r, uint32_t host,
                        struct profile_change change);

#endif
