/* presence.h: counts a lease once on a host, regardless of how many of its reservations overlap
 * there.
 *
 * Keeps the list of a lease's booked reservations, also by host for the few leases with many or
 * overlapping reservations: a gang suspended VM by VM has as many reservations as VMs; each
 * overlaps most others, but few on the same host.
 *
 * Costs: h = hosts of the reservation, s = reservations of the lease on one host. add, remove:
 * O(1), O(h * s) for a lease kept by host; by_host: O(1), and once the hosts of all its
 * reservations; apply: s for each piece (one more than the reservations that begin or end on the
 * host meanwhile) plus profile_apply(); has: O(1).
 */
#pragma once

#include "core/profile.h"
#include "core/reservation.h"
#include "util/map.h"

struct presence;

struct presence *presence_create(void);
void presence_destroy(struct presence *presence);

/* Is r one of its lease's booked reservations? */
bool presence_has(const struct reservation *r);

/* Inserts r at the head of its lease's booked reservations; removes r, which must be in the list.
 */
void presence_add(struct presence *presence, struct reservation *r);
void presence_remove(struct presence *presence, struct reservation *r);

/* The reservations of r's lease by host, until the next call; NULL: no other reservation overlaps
 * r. */
const struct map *presence_by_host(struct presence *presence, const struct reservation *r);

/* Applies the change of r to a host's profile piece by piece, with the lease's mark only while none
 * of its other booked reservations holds the host. Returns what profile_apply() returns. */
uint32_t presence_apply(const struct map *by_host, struct profile *profile,
                        const struct reservation *r, uint32_t host, struct profile_change change);
