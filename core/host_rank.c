/* Evaluates ranks in blocks of hosts. */
#include "core/host_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/map.h"
#include "util/memory.h"

enum {
    BLOCK = 64,          /* hosts at a time, so that the stack stays in the cache */
    HOSTS_PER_VALUE = 8, /* on average, or each host's rank is evaluated */
};

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

static void evaluate(const struct host_rank *rank, const uint32_t *hosts, size_t n, int64_t *ranks)
{
    double *stack = memory_new((rank->depth + 1) * BLOCK, sizeof *stack);

    for (size_t done = 0; done < n; done += BLOCK) {
        size_t some = n - done < BLOCK ? n - done : BLOCK;

        run(rank, hosts + done, some, stack);
        for (size_t i = 0; i < some; i++)
            ranks[done + i] = rank_of_number(stack[i]);
    }
    free(stack);
}

int64_t *host_rank_by_value(const struct host_rank *rank)
{
    int64_t *of_value = memory_new(rank->values->n, sizeof *of_value);

    evaluate(rank, rank->values->hosts, rank->values->n, of_value);
    return of_value;
}

static void evaluate_by_value(const struct host_rank *rank, const uint32_t *hosts, size_t n,
                              int64_t *ranks)
{
    int64_t *of_value = host_rank_by_value(rank);

    for (size_t i = 0; i < n; i++)
        ranks[i] = of_value[rank->values->value_of[hosts[i]]];
    free(of_value);
}

void host_rank_evaluate(const struct host_rank *rank, const uint32_t *hosts, size_t n,
                        int64_t *ranks)
{
    if (rank->values && rank->values->n < n)
        evaluate_by_value(rank, hosts, n, ranks);
    else
        evaluate(rank, hosts, n, ranks);
    for (size_t i = 0; i < n && rank->added; i++)
        ranks[i] += ranks[i] != RANK_LOWEST ? rank->added[hosts[i]] : 0;
    for (size_t i = 0; i < n && rank->preferences; i++)
        ranks[i] += rank->preferences[hosts[i]];
}

struct rank_values *rank_values_create(const double *column, size_t n_hosts)
{
    struct rank_values *values = memory_new(1, sizeof *values);
    struct map numbers;

    map_init(&numbers, 0);
    values->value_of = memory_new(n_hosts, sizeof *values->value_of);
    values->hosts = memory_new(n_hosts / HOSTS_PER_VALUE, sizeof *values->hosts);
    for (size_t i = 0; i < n_hosts && values->n <= n_hosts / HOSTS_PER_VALUE; i++) {
        int64_t bits;

        memcpy(&bits, &column[i], sizeof bits);
        values->value_of[i] = map_add(&numbers, bits);
        if (numbers.n > values->n && values->n < n_hosts / HOSTS_PER_VALUE)
            values->hosts[values->n] = (uint32_t)i;
        values->n = numbers.n;
    }
    map_finish(&numbers);
    if (values->n <= n_hosts / HOSTS_PER_VALUE)
        return values;
    rank_values_destroy(values);
    return NULL;
}

void rank_values_destroy(struct rank_values *values)
{
    if (!values)
        return;
    free(values->hosts);
    free(values->value_of);
    free(values);
}

int64_t host_rank_of(const struct host_rank *rank, uint32_t host)
{
    int64_t result;

    host_rank_evaluate(rank, &host, 1, &result);
    return result;
}
