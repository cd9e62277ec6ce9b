/* slot_table.h: free resources of every host as a step function of time.
 *
 * Times are seconds, intervals half-open. Amounts are in the units of the site's resource types.
 * The table books reservations (reservation.h): interval, lease, and a placement with the amounts
 * on each host. Every reservation belongs to a lease. Reservations of length 0 book nothing.
 * Queries never change the table.
 *
 * Costs: n = change points of a host from now on, h = hosts, p = change points of the whole site.
 * book, release, add: per host touched O(log n) compares and one move of the machine words on one
 * side of the interval, mostly the shorter one (a memmove per booked resource type and two more),
 * O(log p + p / 100) once. Queries of one host: O(log n) compares, then a scan of packed integers
 * up to the answer. count: the same for each host until enough VMs fit. earliest: O(h log n) and
 * one pass over the change points of about twice the time up to the answer, once for each VM that a
 * host can hold; it allocates a few words per host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/reservation.h"
#include "core/site.h"
#include "util/error.h"

struct occupancy;
struct profile;
struct slot_table; /* opaque; one per engine */

/* The site must outlive the table. */
struct slot_table *slot_table_create(const struct site *site);
void slot_table_destroy(struct slot_table *table); /* NULL is allowed */

/* Drops the past before `now`: later queries must be for times >= now. Time never runs backwards.
 * No mark may be open. */
void slot_table_advance(struct slot_table *table, int64_t now);
int64_t slot_table_now(const struct slot_table *table);

/* Reserves r's amounts, and the units and roles that its placement holds, on its hosts during
 * [r->from, r->until). All or nothing: on failure the table is unchanged. ENOSPC: err names the
 * host, the time, the resource and the missing amount. */
int slot_table_add(struct slot_table *table, struct reservation *r, struct error *err);

/* The same without a check: free amounts may become negative (as in Haizea). */
void slot_table_book(struct slot_table *table, struct reservation *r);

/* Releases the booking of r, which must not have changed since. No effect if r is not booked: it
 * takes no time, or has been released. */
void slot_table_release(struct slot_table *table, struct reservation *r);

/* The same for each reservation of a list. Reservations of a lease that follow each other in time
 * and in the list, with the same amounts on the same hosts, become one change. In a list for one
 * lease, so do, on each host, the reservations that follow each other there with the same amounts.
 */
void slot_table_book_all(struct slot_table *table, struct reservation *const *list, size_t n);
void slot_table_release_all(struct slot_table *table, struct reservation *const *list, size_t n);

/* What-if: all bookings and releases after a mark can be undone. Marks nest; the reservations must
 * still exist when undone. slot_table_keep() discards the journal from the mark on and keeps the
 * changes. */
size_t slot_table_mark(struct slot_table *table);
void slot_table_undo(struct slot_table *table, size_t mark);
void slot_table_keep(struct slot_table *table, size_t mark);

/* Free amount of one resource type on a host at a time. */
int64_t slot_table_free(const struct slot_table *table, uint32_t host, int type, int64_t at);

/* The number of distinct leases with bookings on the host at that time. */
int32_t slot_table_leases(const struct slot_table *table, uint32_t host, int64_t at);

/* The next change of the host's free amounts or leases after `at`; INSTANT_NEVER. */
int64_t slot_table_unchanged_until(const struct slot_table *table, uint32_t host, int64_t at);

/* The earliest time >= from at which `need` is not free on the host: `from` itself if it does not
 * fit then, INSTANT_NEVER if it fits forever. */
int64_t slot_table_fits_until(const struct slot_table *table, uint32_t host,
                              const struct amounts *need, int64_t from);

/* The earliest time >= from at which the placement's amounts are not free on one of its hosts, if
 * that is `least` or later. INSTANT_NONE: it is sooner on the host at *blocked, a place in the
 * placement. The search begins with that host, since a host without room often still has none. */
int64_t slot_table_placement_fits_until(const struct slot_table *table,
                                        const struct placement *placement, int64_t from,
                                        int64_t least, uint32_t *blocked);

struct interval {
    int64_t from, until; /* [from, until) */
};

/* The earliest time in the interval from which the placement's amounts are free on all its hosts
 * for `span` seconds, or until the interval ends if that is sooner; INSTANT_NEVER. The result is
 * the interval's start or a change point. Scans each host's change points up to the result once,
 * and each host once more for each time at which another one is blocked. */
int64_t slot_table_placement_earliest(const struct slot_table *table,
                                      const struct placement *placement, struct interval within,
                                      int64_t span);

/* A host without room for a placement's amounts there that begins in [from, until), as long as no
 * booking of that time is released on it. */
struct blocked_host {
    int64_t from, until;
    uint64_t version; /* of the slot table */
    uint32_t place;   /* of the host in the placement */
};

/* The interval's start if the placement's amounts are free on all its hosts from then on, for
 * `span` seconds or until the interval ends; else a lower bound for such a time: the time at which
 * one of the blocked hosts has such room; INSTANT_NEVER. *blocked caches the result for the same
 * placement, span and end ({0}: none); O(1) while it is valid. Must not be called while a mark is
 * open. */
int64_t slot_table_placement_free_from(const struct slot_table *table,
                                       const struct placement *placement, struct interval within,
                                       int64_t span, struct blocked_host *blocked);

/* The number of VMs of this size that fit on the host during the whole interval, at most limit. */
uint32_t slot_table_fit_count(const struct slot_table *table, uint32_t host,
                              const struct amounts *vm, struct interval interval, uint32_t limit);

/* The same over all hosts; stops counting at limit. Fast if from is now: O(h) compares. */
uint32_t slot_table_count(const struct slot_table *table, const struct amounts *vm, int64_t from,
                          int64_t until, uint32_t limit);

/* A scheduler's query for one host: does a VM of this size fit at the instant `from`, and for how
 * long? */
struct host_look {
    int64_t fits_until;      /* INSTANT_NONE: not even at `from` */
    int64_t unchanged_until; /* next change of free amounts or leases; INSTANT_NEVER */
    int32_t leases;          /* distinct leases present at `from` */
};

/* Fills looks[host] for each of the n hosts; hosts NULL: the first n of the site. */
void slot_table_look(const struct slot_table *table, const struct amounts *vm, int64_t from,
                     const uint32_t *hosts, size_t n, struct host_look *looks);

/* A journal of hosts whose current state may have changed; the last SLOT_TABLE_CHANGES_KEPT entries
 * are available. slot_table_changed_host(): the host of change number `change`, which is less than
 * slot_table_changes(). */
enum { SLOT_TABLE_CHANGES_KEPT = 4096 };

uint64_t slot_table_changes(const struct slot_table *table);
uint32_t slot_table_changed_host(const struct slot_table *table, uint64_t change);

/* The most VMs of this size that one empty host of the site holds, at most limit. */
uint32_t slot_table_most_on_a_host(const struct slot_table *table, const struct amounts *vm,
                                   uint32_t limit);

/* The minimum during [from, until) of the site's total free CPU, counting places without hosts: an
 * upper bound for new VMs. O(log p + p' / 100), p' = changes on the site during the interval. */
int64_t slot_table_least_free_cpu(const struct slot_table *table, int64_t from, int64_t until);

/* The earliest time in [from, before) from which that much CPU is free on the whole site for `span`
 * seconds, or until `before` if that is sooner; INSTANT_NEVER. The result is `from` or a time at
 * which a reservation ends. O(log p + p'), p' = changes on the site up to the answer. */
int64_t slot_table_earliest_free_cpu(const struct slot_table *table, int64_t cpu, int64_t from,
                                     int64_t span, int64_t before);

/* The earliest t >= from at which `count` VMs of this size fit for `duration` seconds (several on a
 * host where they fit); INSTANT_NEVER if there is none. The result is `from` or a time at which a
 * reservation ends; `from` if count is 0, or duration is 0 or less. */
int64_t slot_table_earliest(const struct slot_table *table, const struct amounts *vm,
                            uint32_t count, int64_t from, int64_t duration);

/* Was more of this type booked on some host than it has, at any time so far? Its free amount was
 * then negative, and the site's total too small by that. O(1). */
bool slot_table_was_overbooked(const struct slot_table *table, int type);

/* Total free CPU (RESOURCE_CPU) of all hosts now; an overbooked host counts as full. O(1). */
int64_t slot_table_free_cpu_now(const struct slot_table *table);

/* The units and roles that the booked placements hold. Callers that book in the occupancy directly
 * must release their bookings before the table changes. */
struct occupancy *slot_table_occupancy(const struct slot_table *table);

/* A host's profile, for copying; valid until the next change. */
const struct profile *slot_table_profile(const struct slot_table *table, uint32_t host);

/* Incremented by every change; equal values mean no booking, release or advance in between. */
uint64_t slot_table_version(const struct slot_table *table);
/* Incremented by every booking and release. */
uint64_t slot_table_bookings(const struct slot_table *table);
