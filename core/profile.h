/* profile.h: free resources of one host over time, packed for scanning.
 *
 * Parallel arrays of change points: the time a state begins, the free amount of each resource type
 * that was ever booked on the host (other types stay at capacity and have no array), and a
 * fingerprint of the leases present. A state lasts until the next point; the last state lasts
 * forever. Equal neighbors are merged.
 *
 * Costs: n = points from the head on, k = those in an interval. apply: k compares, k additions in
 * each column, and a move of the words on one side of the interval, mostly the shorter one; the
 * first booking of a type fills its column, O(n). find: O(log n), O(1) at the head. copy: n words
 * per column. advance: O(points passed). Scans: one column up to the answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/resources.h"

enum { PROFILE_PART = 16 };

struct profile {
    /* The members that most queries read, up to the CPU column, fit in one cache line. */
    int64_t *times;
    /* Low 16 bits: number of distinct leases; the rest: the sum of their marks, which distinguishes
     * sets. */
    uint64_t *presence;
    const struct amounts *capacity;
    uint32_t head; /* first point in effect */
    uint32_t n;    /* points in use, from 0; head < n */
    uint32_t allocated;
    uint8_t n_booked;                   /* number of types with a column, ... */
    uint8_t booked[RESOURCE_TYPES_MAX]; /* ... and these types */
    uint16_t n_parts;                   /* parts that are summarized */
    int64_t *free[RESOURCE_TYPES_MAX];  /* NULL: never booked, free at capacity */
};

void profile_init(struct profile *profile, const struct amounts *capacity);
void profile_finish(struct profile *profile);
/* Makes dst equal to src from the head on; capacity: of dst's host. Overwrites dst. */
void profile_copy(struct profile *dst, const struct profile *src, const struct amounts *capacity);

/* The lease's contribution to `presence`. */
uint64_t profile_mark(int64_t lease_id);

/* A change of free amounts during [from, until), from >= the head's time, until > from. */
struct profile_change {
    int64_t from, until;
    const int64_t *amounts; /* n_types of them */
    int n_types;
    int sign;      /* -1 books the amounts, +1 releases them */
    uint64_t mark; /* of the lease that arrives (sign -1) or leaves; 0: presence is unchanged */
};

/* point: profile_find(profile, change->from). Returns a bit for each resource type (1 << type) that
 * changes and has a negative amount in the interval. Points behind the interval, or those before
 * it, move by at most two places. */
uint32_t profile_apply(struct profile *profile, const struct profile_change *change,
                       uint32_t point);

/* Drops the points before `now`. */
void profile_advance(struct profile *profile, int64_t now);

/* The point whose state holds at `at` (>= the head's time). */
uint32_t profile_find(const struct profile *profile, int64_t at);

/* The first point >= i, below end, at which column[point] < need (below) or >= need (reaching);
 * else end. Also usable for the column of times. */
uint32_t profile_first_below(const int64_t *column, uint32_t i, uint32_t end, int64_t need);
uint32_t profile_first_reaching(const int64_t *column, uint32_t i, uint32_t end, int64_t need);

/* The amounts that must be free at a point: the relevant types and the amount of each. */
struct demand {
    int n;
    uint8_t types[RESOURCE_TYPES_MAX];
    int64_t needs[RESOURCE_TYPES_MAX];
};

/* A demand for `amounts` (n_types of them). A type with amount 0 is relevant only if it may be
 * overbooked: `negative` has a bit (1 << type) for each such type. */
void demand_init(struct demand *demand, const int64_t *amounts, int n_types, uint32_t negative);

/* Bit k: `times` the demand is not free at point i + k; count <= 64 points. O(count) for each type
 * of the demand. */
uint64_t profile_blocked(const struct profile *profile, const struct demand *demand, uint32_t times,
                         uint32_t i, uint32_t count);

/* The first point >= i, below end, at which the demand is not free; else end. One scan for each
 * type of the demand, none beyond the point found by earlier ones. */
uint32_t profile_first_block(const struct profile *profile, const struct demand *demand, uint32_t i,
                             uint32_t end);

/* The time until which the demand is free from the point `first` on, or INSTANT_NONE if not even
 * there. O(points) for each type of the demand. */
int64_t profile_fits_until(const struct profile *profile, const struct demand *demand,
                           uint32_t first);

/* The number of times the demand is free throughout the points [first, last), at most limit. O(last
 * - first) for each type of the demand. */
uint32_t profile_count(const struct profile *profile, const struct demand *demand, uint32_t first,
                       uint32_t last, uint32_t limit);

/* A summary for searches over long times, behind the points of the columns: for each PROFILE_PART
 * points from the first on, the time of the first of them and the least amount. It ends before the
 * first part that has changed. */
static inline int64_t *profile_starts(const struct profile *profile)
{
    return profile->times + profile->allocated;
}

static inline int64_t *profile_least(const struct profile *profile, int type)
{
    return profile->free[type] + profile->allocated;
}

/* Summarizes further parts, up to `part`, behind which there must be a point. O(PROFILE_PART) each.
 */
void profile_summarize(struct profile *profile, uint32_t part);

static inline int64_t profile_free(const struct profile *profile, int type, uint32_t point)
{
    return profile->free[type] ? profile->free[type][point] : profile->capacity->of[type];
}
