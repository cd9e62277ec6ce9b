/* trial.h: trying new places for deadline leases before anything is booked.
 *
 * A trial takes planned leases out of the slot table or suspends running ones there, finds them new
 * places, and is then undone; successful changes are committed.
 *
 * Costs: n = changes, p = ends that are booked or were tried. To take out or suspend one: what its
 * reservations cost to release and book. To place one: O(p log p) to put the times in order, and a
 * mapping for each time tried until one fits. Sort: O(n^2) compares, O(n) when nearly in order.
 * Commit: as booking it all.
 */
#pragma once

#include "core/deadline_terms.h"
#include "core/proposal.h"

/* The change to one lease in a trial. */
struct change {
    struct lease *lease;
    bool suspends;                   /* running: suspended first */
    bool restarts;                   /* running: stopped now, and restarted */
    struct reservation *shortened;   /* its VM reservation until the suspension; not the booked
                                      * one */
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

/* A trial changes only the slot table, and undoes that. */
void trial_begin(struct trial *trial, struct engine *engine);

/* Drops what was not committed. The slot table must have been undone to trial->mark. */
void trial_end(struct trial *trial);

/* A time at which a tried reservation ends: a start worth trying for other leases. */
void trial_add_point(struct trial *trial, int64_t at);

void trial_book_list(struct trial *trial, const struct reservation_list *list);

/* Frees what a waiting lease holds; it is to be placed again. */
void trial_take_out(struct trial *trial, struct lease *lease);

/* Suspends a running lease so that it is off its hosts at `at`. */
bool trial_suspend(struct trial *trial, struct lease *lease, int64_t at);

/* Stops a running lease; it is to be restarted. */
void trial_restart(struct trial *trial, struct lease *lease);

int64_t change_remaining(const struct change *change);

/* Finds the lease a new place within its deadline. */
bool trial_place(struct trial *trial, struct change *change);

/* Lower values come first. */
int64_t trial_urgency(const struct trial *trial, const struct lease *lease, int64_t remaining);

void trial_sort(struct trial *trial);

/* Finds all of them new places, the most urgent first. */
bool trial_place_all(struct trial *trial);

/* Books the changes that worked. */
void trial_commit(struct trial *trial, const struct lease *by);

void change_finish(struct change *change);
