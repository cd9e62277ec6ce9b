/* drains.h: periods in which hosts are drained, or reserved for the leases of a booking
 * (booking.h).
 *
 * A host may have several drains, which do not overlap. A drain takes the host's capacity in the
 * plan for its period, or, without an end, until an operator ends it: leases that would not end
 * before are not placed there, and running VMs have to leave. For leases inside a booking, the same
 * applies outside of the booking's periods. Drains are stored as the facts "drains", "bookings" and
 * "drains-number", and in their hosts' templates (kept_drains.h). Times are seconds since 1970.
 * Functions are O(drains) unless noted otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/booking.h"

struct lease_record;
struct store;

enum { DRAINS_OF_HOST_MOST = 100 }; /* a limit for requests: every drain adds to every plan */

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
    int64_t number; /* the number of changes so far: the higher number is the newer state */
};

/* Loads the drains from the store; skips unreadable ones. O(drains^2). */
void drains_load(struct drains *drains, const struct store *store);
/* Saves changed drains, with a new number; written by the next commit. */
void drains_save(struct drains *drains, struct store *store);
/* Saves the drains under the same number. */
void drains_keep(const struct drains *drains, struct store *store);

/* Adds a drain, in place of those that it overlaps on its host. Add its booking, if any, first. */
void drains_put(struct drains *drains, const struct drain *drain);
/* Adds or replaces the booking of that name; true: it is new. */
bool drains_book(struct drains *drains, const struct booking *booking);
/* Ends the booking at `at`, or at once (INSTANT_NONE). False: it has no drain after `at`. */
bool drains_unbook(struct drains *drains, const char *name, int64_t at);
/* Removes the host's first drain (at: INSTANT_NONE), or the drain at that time. False: there is
 * none. */
bool drains_remove(struct drains *drains, int32_t host, int64_t at);
/* Removes past drains. True: some were removed. */
bool drains_expire(struct drains *drains, int64_t now);
void drains_copy(struct drains *copy, const struct drains *drains);
void drains_finish(struct drains *drains);

/* The host's first drain, or NULL. */
const struct drain *drains_of(const struct drains *drains, int32_t host);
/* The host's drain at that time, or NULL. */
const struct drain *drains_at(const struct drains *drains, int32_t host, int64_t at);
const struct booking *drains_booking(const struct drains *drains, const char *name); /* or NULL */
/* May the lease use the booking that it names, if it names one? False: text has the details of why
 * not. `drains`: NULL for none. O(bookings). */
bool drains_admit(const struct drains *drains, const struct lease_record *lease, char *text,
                  size_t size);
/* The largest number of hosts that this owner has booked at the same time. O(drains^2). */
size_t drains_booked_by(const struct drains *drains, const char *owner);
/* The number of different times at which bookings of this owner begin. */
size_t drains_times_of(const struct drains *drains, const char *owner);
/* Is the lease inside the booking? It names the booking, or it names none and the booking is
 * magnetic and admits its owner. */
bool drains_let_in(const struct drains *drains, const char *booking,
                   const struct lease_record *lease);
/* When the drain ends, including drains of the same booking that follow without a gap. */
int64_t drains_end_of_stay(const struct drains *drains, const struct drain *drain);
/* The next period in which the host is closed to a lease that is there now: the host's first drain,
 * or, for a lease inside a booking, the time from its drain to the booking's next drain. False:
 * none. */
bool drains_ahead(const struct drains *drains, const struct lease_record *lease, int32_t host,
                  int64_t now, struct drain *ahead);
size_t drains_count(const struct drains *drains, int32_t host);
/* Does the host have a drain of that booking? */
bool drains_has(const struct drains *drains, int32_t host, const char *booking);
