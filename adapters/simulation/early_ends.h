/* early_ends.h: when which lease's VMs will end by themselves, before their planned end.
 *
 * A heap of times, and a table of each lease's current time: an entry of the heap that the table
 * does not confirm is dropped when it comes to the top. All operations are O(log n) on average.
 */
#pragma once

#include <stdint.h>

struct early_ends; /* opaque */

struct early_ends *early_ends_create(void);
void early_ends_destroy(struct early_ends *ends); /* NULL is allowed */

/* Sets the end of the lease to `at`, replacing an earlier value. INSTANT_NEVER: the lease does not
 * end early. */
void early_ends_set(struct early_ends *ends, int64_t lease, int64_t at);

/* The first time, INSTANT_NEVER when there is none. */
int64_t early_ends_first(struct early_ends *ends);

/* Take out a lease that ends at `at` or before; 0 when there is none. In ascending time, and by id
 * among equals. */
int64_t early_ends_take(struct early_ends *ends, int64_t at);
