/* host_rank.h: how much hosts are preferred, as arithmetic over columns of one number per host.
 *
 * Ranks are evaluated for the hosts that a lease is about to be put on, so thousands of waiting VMs
 * with a rank of their own need no memory for each host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Results of the arithmetic stay within +-RANK_MOST, so that who adds to them does not overflow. A
 * host for which it makes no sense (a division by zero) gets RANK_LOWEST. */
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

struct host_rank {
    const struct rank_step *steps; /* without any the result is 0 */
    size_t n;
    size_t depth;               /* of the stack: its most values at once */
    const int64_t *added;       /* per host: added to a result, not to RANK_LOWEST; NULL: nothing */
    const int64_t *preferences; /* per host: added to all; NULL: nothing */
};

/* A result of arithmetic as a rank: cut off behind the point, within the limits. */
int64_t rank_of_number(double number);

/* The ranks of n hosts. O(steps x n). */
void host_rank_evaluate(const struct host_rank *rank, const uint32_t *hosts, size_t n,
                        int64_t *ranks);

/* The rank of one host. */
int64_t host_rank_of(const struct host_rank *rank, uint32_t host);
