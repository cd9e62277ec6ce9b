/* bucket.h: how many requests a caller may make: a bucket of tokens that fills at a fixed rate.
 *
 * Not thread-safe. Memory is bounded: when BUCKETS_MAX are reached, full buckets are forgotten, and
 * if there are none, the newest one: its caller may make as many requests again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

enum { BUCKETS_MAX = 4096 };

struct buckets {
    struct map by_name; /* of struct bucket */
    double rate, burst; /* tokens per second, and at most */
};

void buckets_init(struct buckets *buckets, double rate, double burst);
void buckets_finish(struct buckets *buckets);

/* Take a token from the bucket of that name; now: monotonic milliseconds. False: it is empty. O(1),
 * O(BUCKETS_MAX) when there are too many. */
bool buckets_take(struct buckets *buckets, const char *name, int64_t now);

/* Is there a token? None is taken. */
bool buckets_has(const struct buckets *buckets, const char *name, int64_t now);
