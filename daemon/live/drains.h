/* drains.h: hosts that are emptied, from a time on, until another one or until that is ended, or
 * set aside for the leases of a booking (booking.h).
 *
 * A host may have several such windows, which do not overlap. A plan sees a drained host as one
 * whose capacity is taken for that time: what would not end before is not placed there, and what
 * runs there has to leave. Of a booking, the same is true of the leases inside it at all other
 * times. Kept in the store, as its facts "drains", "bookings" and "drains-number", and by their
 * hosts (kept_drains.h). Times are seconds since 1970. Functions are O(drains) unless noted
 * otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/booking.h"

struct lease_record;
struct store;

enum { DRAINS_OF_HOST_MOST = 100 }; /* for those who order them: each is a part of every plan */

struct drain {
    int32_t host;
    int64_t from, until;         /* until may be INSTANT_NEVER */
    char booking[TERM_TEXT_MAX]; /* the name of one of the bookings; "": none */
};

struct drains {
    struct drain *items; /* ascending by `from` */
    size_t n, allocated;
    struct booking *bookings; /* each has a drain */
    size_t n_bookings, bookings_allocated;
    int64_t number; /* of changes, so that of two states the newer one is known */
};

/* Loads the drains from the store; unreadable ones are left out. O(drains^2). */
void drains_load(struct drains *drains, const struct store *store);
/* They were changed. Written by the next commit. */
void drains_save(struct drains *drains, struct store *store);
/* The same without a change. */
void drains_keep(const struct drains *drains, struct store *store);

/* Replaces those of the host that it overlaps. If it is of a booking, that is put first. */
void drains_put(struct drains *drains, const struct drain *drain);
/* The booking of that name, as it is from now on; true: there was none. */
bool drains_book(struct drains *drains, const struct booking *booking);
/* The booking ends at that time, or at once (INSTANT_NONE). False: it has no drain after it. */
bool drains_unbook(struct drains *drains, const char *name, int64_t at);
/* The host's first one (at: INSTANT_NONE), or the one in which that time is. False: there is none.
 */
bool drains_remove(struct drains *drains, int32_t host, int64_t at);
/* Remove those that are over. True: there were some. */
bool drains_expire(struct drains *drains, int64_t now);
void drains_copy(struct drains *copy, const struct drains *drains);
void drains_finish(struct drains *drains);

/* The host's first one, or NULL. */
const struct drain *drains_of(const struct drains *drains, int32_t host);
/* The one in which that time is, or NULL. */
const struct drain *drains_at(const struct drains *drains, int32_t host, int64_t at);
const struct booking *drains_booking(const struct drains *drains, const char *name); /* or NULL */
/* The most hosts that bookings of this owner have at the same time. O(drains^2). */
size_t drains_booked_by(const struct drains *drains, const char *owner);
/* How often bookings of this owner begin. */
size_t drains_times_of(const struct drains *drains, const char *owner);
/* Is the lease one of those inside the booking: does it name it, or need not? */
bool drains_let_in(const struct drains *drains, const char *booking,
                   const struct lease_record *lease);
/* When the drain ends, and those of its booking that follow it at once. */
int64_t drains_end_of_stay(const struct drains *drains, const struct drain *drain);
/* When the host is closed next, or is now, to a lease that is there now: the host's first drain, or
 * if the lease is inside a booking the time until the next drain of it. False: it is not. */
bool drains_ahead(const struct drains *drains, const struct lease_record *lease, int32_t host,
                  int64_t now, struct drain *ahead);
size_t drains_count(const struct drains *drains, int32_t host);
/* Has the host a drain of that booking? */
bool drains_has(const struct drains *drains, int32_t host, const char *booking);
