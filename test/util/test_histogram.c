/* Counts of durations below bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/histogram.h"

static void durations_fall_below_their_bounds(void **state)
{
    struct histogram histogram = {0};

    histogram_add(&histogram, 0);
    histogram_add(&histogram, histogram_bounds[0]);
    histogram_add(&histogram, histogram_bounds[0] + 1);
    histogram_add(&histogram, histogram_bounds[HISTOGRAM_BOUNDS - 1] + 1);
    assert_int_equal(histogram.counts[0], 2); /* a bound belongs to what is below it */
    assert_int_equal(histogram.counts[1], 1);
    assert_int_equal(histogram.counts[HISTOGRAM_BOUNDS], 1);
    assert_int_equal(histogram.n, 4);
    assert_int_equal(histogram.sum,
                     2 * histogram_bounds[0] + 1 + histogram_bounds[HISTOGRAM_BOUNDS - 1] + 1);
}

static void a_negative_duration_counts_as_none(void **state)
{
    struct histogram histogram = {0};

    histogram_add(&histogram, -7);
    assert_int_equal(histogram.counts[0], 1);
    assert_int_equal(histogram.sum, 0);
}

static void bounds_rise(void **state)
{
    for (int i = 1; i < HISTOGRAM_BOUNDS; i++)
        assert_true(histogram_bounds[i - 1] < histogram_bounds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_fall_below_their_bounds),
        cmocka_unit_test(a_negative_duration_counts_as_none),
        cmocka_unit_test(bounds_rise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
