/* The heap of early ends against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adapters/simulation/early_ends.h"
#include "util/instant.h"

static void test_order_and_replacement(void **state)
{
    struct early_ends *ends = early_ends_create();

    assert_true(early_ends_first(ends) == INSTANT_NEVER);
    assert_int_equal(early_ends_take(ends, 100), 0);
    early_ends_set(ends, 1, 50);
    early_ends_set(ends, 2, 40);
    early_ends_set(ends, 3, 40);
    early_ends_set(ends, 1, 30);
    assert_int_equal(early_ends_first(ends), 30);
    early_ends_set(ends, 1, 60);
    assert_int_equal(early_ends_first(ends), 40);
    assert_int_equal(early_ends_take(ends, 39), 0);
    assert_int_equal(early_ends_take(ends, 40), 2);
    early_ends_set(ends, 3, INSTANT_NEVER);
    assert_int_equal(early_ends_take(ends, 59), 0);
    assert_int_equal(early_ends_take(ends, 60), 1);
    assert_true(early_ends_first(ends) == INSTANT_NEVER);
    early_ends_set(ends, 9, INSTANT_NEVER);
    assert_true(early_ends_first(ends) == INSTANT_NEVER);
    early_ends_destroy(ends);
    early_ends_destroy(NULL);
}

/* A lease that goes back to a time it had before ends once. */
static void test_same_time_again(void **state)
{
    struct early_ends *ends = early_ends_create();

    early_ends_set(ends, 5, 10);
    early_ends_set(ends, 5, 20);
    early_ends_set(ends, 5, 10);
    assert_int_equal(early_ends_take(ends, 10), 5);
    assert_int_equal(early_ends_take(ends, 100), 0);
    early_ends_destroy(ends);
}

enum { LEASES = 300, OPERATIONS = 20000 };

static int64_t least(const int64_t *times, int64_t *lease)
{
    int64_t at = INSTANT_NEVER;

    *lease = 0;
    for (int64_t i = 1; i <= LEASES; i++)
        if (times[i] < at) {
            at = times[i];
            *lease = i;
        }
    return at;
}

static void test_random_against_array(void **state)
{
    struct early_ends *ends = early_ends_create();
    int64_t times[LEASES + 1], now = 0, lease;
    unsigned seed = 7;

    for (size_t i = 0; i <= LEASES; i++)
        times[i] = INSTANT_NEVER;
    for (int i = 0; i < OPERATIONS; i++) {
        int64_t which = 1 + rand_r(&seed) % LEASES, at;

        if (rand_r(&seed) % 3) {
            at = rand_r(&seed) % 5 ? now + 1 + rand_r(&seed) % 50 : INSTANT_NEVER;
            early_ends_set(ends, which * 1000003, at);
            times[which] = at;
        }
        at = least(times, &lease);
        assert_true(early_ends_first(ends) == at);
        if (lease && rand_r(&seed) % 4 == 0) {
            now = at;
            assert_int_equal(early_ends_take(ends, now), lease * 1000003);
            times[lease] = INSTANT_NEVER;
        }
    }
    early_ends_destroy(ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_replacement),
        cmocka_unit_test(test_same_time_again),
        cmocka_unit_test(test_random_against_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
