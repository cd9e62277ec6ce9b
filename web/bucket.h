/* bucket.h: limits the requests of callers: each has a bucket of tokens that fills at a fixed rate.
 *
 * Not thread-safe. Memory is bounded: at BUCKETS_MAX, full buckets are dropped; if there are none,
 * the newest one, whose caller then starts again with a full bucket.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

enum { BUCKETS_MAX = 4096 };

struct buckets {
    struct map by_name; /* of struct bucket */
    double rate, burst; /* tokens per second, and the maximum */
};

void buckets_init(struct buckets *buckets, double rate, double burst);
void buckets_finish(struct buckets *buckets);

/* Take a token from the bucket of that name; now: monotonic milliseconds. False: the bucket is
 * empty. O(1), or O(BUCKETS_MAX) when buckets are dropped. */
bool buckets_take(struct buckets *buckets, const char *name, int64_t now);

/* Is there a token? Takes none. */
bool buckets_has(const struct buckets *buckets, const char *name, int64_t now);
