/* start_times.h: the times at which a lease could begin: the ends of bookings.
 *
 * Costs: n = reservations that end later. next: O(log n); haizea: O(n); sorted: O(n log n),
 * counting those that end by `latest`.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct engine;

/* {0} is empty; the caller frees the items. */
struct start_times {
    int64_t *items;
    size_t n, allocated;
};

void start_times_add(struct start_times *times, int64_t at);

/* Haizea's times in Haizea's order: ends of VM reservations with the operations after them, then
 * ends of shutdowns under way. */
void start_times_haizea(const struct engine *engine, int64_t after, struct start_times *times);

/* Adds every time in (after, latest] at which a reservation ends, and sorts all times in ascending
 * order without duplicates. */
void start_times_sorted(const struct engine *engine, int64_t after, int64_t latest,
                        struct start_times *times);

/* The first time after `after` at which a reservation ends; INSTANT_NEVER if none. */
int64_t next_start_time(const struct engine *engine, int64_t after);
