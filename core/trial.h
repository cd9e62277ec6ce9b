/* trial.h: tries new places for deadline leases before booking.
 *
 * A trial takes planned leases out of the slot table or suspends running ones there, finds new
 * places for them, and is then undone; successful changes are committed.
 *
 * Costs: n = changes, p = ends that are booked or were tried. To take out or suspend a lease: the
 * cost of releasing and booking its reservations. To place one: O(p log p) to sort the times, and a
 * mapping for each time tried until one fits. Sort: O(n^2) compares, O(n) if nearly sorted. Commit:
 * the cost of booking all changes.
 */
#pragma once

#include "core/deadline_terms.h"
#include "core/proposal.h"

/* The change to one lease in a trial. */
struct change {
    struct lease *lease;
    bool suspends;                   /* running: suspended first */
    bool restarts;                   /* running: stopped now, and restarted */
    struct reservation *shortened;   /* its VM reservation until the suspension, a copy of the
                                      * booked one */
    struct reservation_list windows; /* the suspension */
    struct proposal next;            /* the new place */
    bool placed;
};

/* The order in which leases are placed. */
enum trial_order { TIGHTEST_FIRST, EARLIEST_DEADLINE_FIRST };

struct trial {
    enum trial_order order;
    struct engine *engine;
    size_t mark;
    struct change *changes;
    size_t n, allocated;
    int64_t *points; /* ends of stretches the trial has placed */
    size_t n_points, points_allocated;
};

/* A trial changes only the slot table; the changes must be undone. */
void trial_begin(struct trial *trial, struct engine *engine);

/* Drops the changes that were not committed. The slot table must have been undone to trial->mark.
 */
void trial_end(struct trial *trial);

/* Adds a time at which a tried reservation ends, as a start to try for other leases. */
void trial_add_point(struct trial *trial, int64_t at);

void trial_book_list(struct trial *trial, const struct reservation_list *list);

/* Releases the bookings of a waiting lease, which must be placed again. */
void trial_take_out(struct trial *trial, struct lease *lease);

/* Suspends a running lease such that it is off its hosts at `at`. */
bool trial_suspend(struct trial *trial, struct lease *lease, int64_t at);

/* Stops a running lease, which must be restarted. */
void trial_restart(struct trial *trial, struct lease *lease);

int64_t change_remaining(const struct change *change);

/* Finds a new place for the lease within its deadline. */
bool trial_place(struct trial *trial, struct change *change);

/* The sort key of a lease; lower values come first. */
int64_t trial_urgency(const struct trial *trial, const struct lease *lease, int64_t remaining);

void trial_sort(struct trial *trial);

/* Finds new places for all changed leases, the most urgent first. */
bool trial_place_all(struct trial *trial);

/* Books the successful changes. */
void trial_commit(struct trial *trial, const struct lease *by);

void change_finish(struct change *change);
