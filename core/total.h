/* total.h: the total free amount of all hosts, as a step function of time.
 *
 * A large site has many more change points than any of its hosts. They are therefore stored in
 * pieces of at most TOTAL_PIECE points, listed in a directory with the minimum amount of each
 * piece. Costs: p = points. apply, least: O(log p) and two pieces, plus a step for each piece in
 * between.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct total_cells;

struct total_piece {
    int64_t more;  /* added to the amount at each of its points */
    int64_t least; /* minimum of its amounts, `more` included */
    struct total_cells *cells;
};

struct total {
    struct total_piece *pieces; /* n >= 1, by time */
    int64_t *starts;            /* of each piece: the time of its first point */
    size_t n, allocated, starts_allocated;
    int64_t now; /* the past before it is dropped and no longer up to date */
};

void total_init(struct total *total, int64_t amount);
void total_finish(struct total *total);

/* Adds amount during [from, until), until > from. */
void total_apply(struct total *total, int64_t from, int64_t until, int64_t amount);

/* The minimum amount during [from, until); at `from` if the interval is empty. */
int64_t total_least(const struct total *total, int64_t from, int64_t until);

/* The earliest time in [from, before) from which at least `amount` is free for `span` seconds, or
 * until `before` if that is sooner: `from`, or a point at which the amount rises; INSTANT_NEVER if
 * there is none. O(log p + points up to the result). */
int64_t total_earliest(const struct total *total, int64_t amount, int64_t from, int64_t span,
                       int64_t before);

/* Drops the past before `now`: later calls must be for times >= now. */
void total_advance(struct total *total, int64_t now);
