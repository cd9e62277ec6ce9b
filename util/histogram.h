/* histogram.h: how often durations fell below each of some fixed bounds.
 *
 * The bounds suit everything that galernad times, from a command of 5 ms to a suspension of half an
 * hour.
 */
#pragma once

#include <stdint.h>

enum { HISTOGRAM_BOUNDS = 16 };

/* All 0: empty. */
struct histogram {
    uint64_t counts[HISTOGRAM_BOUNDS + 1]; /* each above the previous bound; the last: above all */
    uint64_t n;
    int64_t sum; /* milliseconds */
};

/* Milliseconds, ascending. */
extern const int64_t histogram_bounds[HISTOGRAM_BOUNDS];

/* Count a duration (milliseconds); a negative one counts as 0. */
void histogram_add(struct histogram *histogram, int64_t duration);
