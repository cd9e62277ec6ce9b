/* early_ends.h: the times at which leases' VMs end by themselves, before their planned ends.
 *
 * A heap of times, and a table with the current time of each lease: outdated entries of the heap
 * are dropped when they reach the top. All operations take O(log n) on average.
 */
#pragma once

#include <stdint.h>

struct early_ends; /* opaque */

struct early_ends *early_ends_create(void);
void early_ends_destroy(struct early_ends *ends); /* NULL is allowed */

/* Sets the end of the lease to `at`, replacing an earlier value. INSTANT_NEVER: the lease does not
 * end early. */
void early_ends_set(struct early_ends *ends, int64_t lease, int64_t at);

/* The first time; INSTANT_NEVER: none. */
int64_t early_ends_first(struct early_ends *ends);

/* Removes and returns a lease that ends at `at` or before, in the order of time, then of ids; 0:
 * none. */
int64_t early_ends_take(struct early_ends *ends, int64_t at);
