/* instant.h: points in time and spans, in whole seconds.
 *
 * The origin is the driver's choice: a replay uses the start of the simulation, the daemon the Unix
 * epoch. Intervals are half-open: [from, until).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INSTANT_NONE   INT64_MIN /* not set */
#define INSTANT_NEVER  INT64_MAX /* after everything; also the end of an unlimited lease */
#define SPAN_NONE      INT64_MIN /* not set */
#define SPAN_UNLIMITED INT64_MAX /* the duration of a lease that ends only when told to */

static inline bool instant_is_set(int64_t at)
{
    return at != INSTANT_NONE && at != INSTANT_NEVER;
}

/* at + span, where INSTANT_NEVER and SPAN_UNLIMITED absorb. */
static inline int64_t instant_add(int64_t at, int64_t span)
{
    int64_t sum;

    if (at == INSTANT_NEVER || span == SPAN_UNLIMITED || __builtin_add_overflow(at, span, &sum))
        return INSTANT_NEVER;
    return sum;
}

static inline int64_t instant_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* For qsort(): the earlier instant first. */
static inline int instant_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The clock was set by `by` seconds: an instant that is one (not NONE, NEVER or 0) is moved. */
static inline void instant_move(int64_t *instant, int64_t by)
{
    if (*instant != INSTANT_NONE && *instant != INSTANT_NEVER && *instant > 0)
        *instant += by;
}
