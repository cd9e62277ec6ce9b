/* Evaluates ranks in blocks of hosts. */
#include "core/host_rank.h"

#include <math.h>
#include <stdlib.h>

#include "util/memory.h"

enum { BLOCK = 64 /* hosts at a time, so that the stack stays in the cache */ };

int64_t rank_of_number(double number)
{
    if (number > (double)RANK_LOWEST && number < (double)RANK_MOST)
        return (int64_t)number;
    return isfinite(number) && number > 0 ? RANK_MOST : RANK_LOWEST;
}

static void push(const struct rank_step *step, const uint32_t *hosts, size_t n, double *top)
{
    if (step->operation == RANK_COLUMN)
        for (size_t i = 0; i < n; i++)
            top[i] = step->column[hosts[i]];
    else
        for (size_t i = 0; i < n; i++)
            top[i] = step->number;
}

static void calculate(enum rank_operation operation, double *left, const double *right, size_t n)
{
    switch (operation) {
    case RANK_ADD:
        for (size_t i = 0; i < n; i++)
            left[i] += right[i];
        break;
    case RANK_SUBTRACT:
        for (size_t i = 0; i < n; i++)
            left[i] -= right[i];
        break;
    case RANK_MULTIPLY:
        for (size_t i = 0; i < n; i++)
            left[i] *= right[i];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            left[i] /= right[i];
        break;
    }
}

/* Leaves the result at the bottom of the stack. */
static void run(const struct host_rank *rank, const uint32_t *hosts, size_t n, double *stack)
{
    double *top = stack;

    for (size_t i = 0; i < n && rank->n == 0; i++)
        stack[i] = 0;
    for (size_t step = 0; step < rank->n; step++) {
        enum rank_operation operation = rank->steps[step].operation;

        if (operation == RANK_NUMBER || operation == RANK_COLUMN) {
            push(&rank->steps[step], hosts, n, top);
            top += BLOCK;
        } else if (operation == RANK_NEGATE) {
            for (size_t i = 0; i < n; i++)
                top[(ptrdiff_t)i - BLOCK] = -top[(ptrdiff_t)i - BLOCK];
        } else {
            top -= BLOCK;
            calculate(operation, top - BLOCK, top, n);
        }
    }
}

static void finish(const struct host_rank *rank, const uint32_t *hosts, size_t n,
                   const double *results, int64_t *ranks)
{
    for (size_t i = 0; i < n; i++)
        ranks[i] = rank_of_number(results[i]);
    for (size_t i = 0; i < n && rank->added; i++)
        ranks[i] += ranks[i] != RANK_LOWEST ? rank->added[hosts[i]] : 0;
    for (size_t i = 0; i < n && rank->preferences; i++)
        ranks[i] += rank->preferences[hosts[i]];
}

void host_rank_evaluate(const struct host_rank *rank, const uint32_t *hosts, size_t n,
                        int64_t *ranks)
{
    double *stack = memory_new((rank->depth + 1) * BLOCK, sizeof *stack);

    for (size_t done = 0; done < n; done += BLOCK) {
        size_t some = n - done < BLOCK ? n - done : BLOCK;

        run(rank, hosts + done, some, stack);
        finish(rank, hosts + done, some, stack, ranks + done);
    }
    free(stack);
}

int64_t host_rank_of(const struct host_rank *rank, uint32_t host)
{
    int64_t result;

    host_rank_evaluate(rank, &host, 1, &result);
    return result;
}
