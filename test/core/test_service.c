/* Distributions, slowdowns and fairness: by hand, and against sorting. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/service.h"
#include "util/memory.h"

static void slowdowns_are_bounded(void **state)
{
    assert_true(service_slowdown(100, 50) == 2);
    assert_true(service_slowdown(7, 0) == 7);
    assert_true(service_bounded_slowdown(100, 50) == 2);
    assert_true(service_bounded_slowdown(100, 2) == 10); /* 100 / 10, not 100 / 2 */
    assert_true(service_bounded_slowdown(3, 3) == 1);    /* not 0.3 */
}

static void ranks_are_nearest(void **state)
{
    double ten[] = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, two[] = {2, 1}, one[] = {3};
    struct distribution of;

    distribution_of(ten, 10, &of);
    assert_int_equal(of.count, 10);
    assert_true(of.mean == 5.5 && of.median == 5);
    assert_true(of.p95 == 10 && of.p99 == 10 && of.max == 10);
    distribution_of(two, 2, &of);
    assert_true(of.mean == 1.5 && of.median == 1 && of.p95 == 2);
    distribution_of(one, 1, &of);
    assert_true(of.mean == 3 && of.median == 3 && of.p99 == 3 && of.max == 3);
    distribution_of(NULL, 0, &of);
    assert_true(of.count == 0 && of.mean == 0 && of.max == 0);
}

static void fairness_is_jains(void **state)
{
    const double equal[] = {2, 2, 2}, unequal[] = {1, 2, 3}, one_has_all[] = {4, 0, 0, 0};

    assert_true(fairness_index(equal, 3) == 1);
    assert_true(fabs(fairness_index(unequal, 3) - 36.0 / 42) < 1e-15);
    assert_true(fairness_index(one_has_all, 4) == 0.25);
    assert_true(fairness_index(NULL, 0) == 1);
}

/* User 7: slowdowns 1 and 3, mean 2. User 3: 6. Without a user: only in the distributions. */
static void users_count_by_their_means(void **state)
{
    struct service *service = service_create();
    struct service_summary summary;

    service_add(service, 0, 100, 100, 7);
    service_add(service, 500, 600, 100, 3);
    service_add(service, 200, 300, 100, 7);
    service_add(service, 900, 1000, 100, -1);
    service_summarize(service, &summary);
    assert_int_equal(summary.users, 2);
    assert_true(fabs(summary.fairness - 64.0 / (2 * 40)) < 1e-15);
    assert_true(summary.waiting.count == 4 && summary.waiting.mean == 400);
    assert_true(summary.turnaround.median == 300 && summary.turnaround.max == 1000);
    assert_true(summary.bounded_slowdown.mean == 5 && summary.slowdown.max == 10);
    service_destroy(service);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The slow way: counts, for each value, how many do not exceed it. */
static double percentile_by_counting(const double *sorted, size_t n, size_t percent)
{
    for (size_t i = 0; i < n; i++) {
        size_t not_above = 0;

        for (size_t k = 0; k < n; k++)
            not_above += sorted[k] <= sorted[i];
        if (100 * not_above >= percent * n)
            return sorted[i];
    }
    return NAN;
}

static void percentiles_are_those_of_sorting(void **state)
{
    for (unsigned seed = 1; seed <= 400; seed++) {
        unsigned random = seed;
        size_t n = 1 + seed % 251;
        double *values = memory_new(n, sizeof *values), *sorted;
        struct distribution of;

        for (size_t i = 0; i < n; i++)
            values[i] = (double)(rand_r(&random) % (seed % 3 ? 1000 : 4)) / 8;
        sorted = memory_copy(values, n * sizeof *values);
        qsort(sorted, n, sizeof *sorted, ascending);
        distribution_of(values, n, &of);
        assert_true(of.median == percentile_by_counting(sorted, n, 50));
        assert_true(of.p95 == percentile_by_counting(sorted, n, 95));
        assert_true(of.p99 == percentile_by_counting(sorted, n, 99));
        assert_true(of.max == sorted[n - 1]);
        free(values);
        free(sorted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowdowns_are_bounded),
        cmocka_unit_test(ranks_are_nearest),
        cmocka_unit_test(fairness_is_jains),
        cmocka_unit_test(users_count_by_their_means),
        cmocka_unit_test(percentiles_are_those_of_sorting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
