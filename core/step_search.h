/* step_search.h: which step of a step function holds at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The last of n ascending times that is not after `at`; the first is not. O(log n). Each round
 * compares three times, whose loads do not wait for each other. Branch-free: the branch would be
 * unpredictable. */
static inline size_t step_at(const int64_t *times, size_t n, int64_t at)
{
    const int64_t *base = times;

    while (n > 4) {
        const size_t quarter = n / 4;
        const int64_t *const one = base + quarter, *const two = one + quarter,
                             *const three = two + quarter;
        const int64_t *next = *one <= at ? one : base;

        next = *two <= at ? two : next;
        base = *three <= at ? three : next;
        n -= 3 * quarter;
    }
    base += (base[n > 1] <= at && n > 1) + (base[n > 2 ? 2 : 0] <= at && n > 2) +
            (base[n > 3 ? 3 : 0] <= at && n > 3);
    return (size_t)(base - times);
}
