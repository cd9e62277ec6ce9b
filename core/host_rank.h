/* host_rank.h: preferences for hosts, as arithmetic over columns of one number per host.
 *
 * Ranks are evaluated only for the hosts considered for a lease, so that thousands of waiting VMs
 * with individual ranks need no memory per host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Results stay within +-RANK_MOST, so that sums of ranks do not overflow. A host without a valid
 * result (division by zero) gets RANK_LOWEST. */
#define RANK_MOST   ((int64_t)1 << 60)
#define RANK_LOWEST (-RANK_MOST)

enum rank_operation {
    RANK_NUMBER,
    RANK_COLUMN,
    RANK_NEGATE,
    RANK_ADD,
    RANK_SUBTRACT,
    RANK_MULTIPLY,
    RANK_DIVIDE,
    RANK_OPERATIONS
};

/* A step of a program for a stack machine: operands first. */
struct rank_step {
    enum rank_operation operation;
    double number;        /* NUMBER */
    const double *column; /* COLUMN: per host */
};

/* The distinct values of a column: a rank that refers to no other one is evaluated once for each.
 */
struct rank_values {
    size_t n;
    uint32_t *hosts;    /* the first host with each value */
    uint32_t *value_of; /* per host: the number of its value */
};

struct host_rank {
    const struct rank_step *steps; /* without steps the result is 0 */
    size_t n;
    const struct rank_values *values; /* of the only column; NULL: unknown, or several columns */
    size_t depth;                     /* maximum depth of the stack */
    const int64_t *added;       /* per host: added to results other than RANK_LOWEST; NULL: nothing
                                 */
    const int64_t *preferences; /* per host: added to all; NULL: nothing */
};

/* A sum of ranks, within the limits of the type. */
static inline int64_t rank_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

/* The rank of `n` VMs of one rank, within the limits of the type. */
static inline int64_t rank_multiply(int64_t rank, int64_t n)
{
    int64_t product;

    if (!__builtin_mul_overflow(rank, n, &product))
        return product;
    return (rank < 0) != (n < 0) ? INT64_MIN : INT64_MAX;
}

/* Converts a result to a rank: truncated to an integer, within the limits. */
int64_t rank_of_number(double number);

/* NULL: the hosts have too many different values. O(hosts). */
struct rank_values *rank_values_create(const double *column, size_t n_hosts);
void rank_values_destroy(struct rank_values *values);

/* The ranks of n hosts. O(steps x n), or with values O(steps x values + n). */
void host_rank_evaluate(const struct host_rank *rank, const uint32_t *hosts, size_t n,
                        int64_t *ranks);

/* The result for each of the rank's values, of which there are some; to be freed. Without what is
 * added per host. */
int64_t *host_rank_by_value(const struct host_rank *rank);

/* The rank of one host. */
int64_t host_rank_of(const struct host_rank *rank, uint32_t host);
