/* presence.h: a lease counts once on a host, however many of its reservations overlap there.
 *
 * Keeps the list of a lease's booked reservations, and for the few leases that have many of them or
 * some that overlap, the same by host: a gang that is suspended VM by VM has as many reservations
 * as VMs, and each overlaps most others, but few of them on one host.
 *
 * Costs: h = hosts of the reservation, s = reservations of the lease on one host. add, remove:
 * O(1), and O(h * s) for a lease that is kept by host; by_host: O(1), and once the hosts of all its
 * reservations; apply: s for each piece (one more than those that begin or end on the host
 * meanwhile), and what profile_apply() costs; has: O(1).
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

/* Puts r at the head of its lease's booked reservations, or takes it off, where it must be. */
void presence_add(struct presence *presence, struct reservation *r);
void presence_remove(struct presence *presence, struct reservation *r);

/* The reservations of r's lease by host, until the next call; NULL: no other overlaps r. */
const struct map *presence_by_host(struct presence *presence, const struct reservation *r);

/* Apply the change of r to a host's profile piece by piece, with the lease's mark only where none
 * of its other booked reservations holds the host. Returns what profile_apply() returns. */
uint32_t presence_apply(const struct map *by_host, struct profile *profile,
                        const struct reservation *r, uint32_t host, struct profile_change change);
