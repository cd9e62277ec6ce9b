/* Buckets of tokens: bursts, refilling, many callers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "web/bucket.h"

static void a_burst_then_the_rate(void **state)
{
    struct buckets buckets;

    buckets_init(&buckets, 2, 3);
    for (int i = 0; i < 3; i++)
        assert_true(buckets_take(&buckets, "a", 0));
    assert_false(buckets_has(&buckets, "a", 0));
    assert_false(buckets_take(&buckets, "a", 400));
    assert_true(buckets_take(&buckets, "a", 500));
    assert_false(buckets_take(&buckets, "a", 500));
    assert_true(buckets_take(&buckets, "b", 500));
    for (int i = 0; i < 3; i++) /* never more than the burst */
        assert_true(buckets_take(&buckets, "a", 1000000));
    assert_false(buckets_take(&buckets, "a", 1000000));
    buckets_finish(&buckets);
}

static void many_callers(void **state)
{
    struct buckets buckets;
    char name[16];

    buckets_init(&buckets, 1, 2);
    assert_true(buckets_take(&buckets, "busy", 0));
    assert_true(buckets_take(&buckets, "busy", 0));
    for (int i = 0; i < 3 * BUCKETS_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_true(buckets_take(&buckets, name, 0));
        assert_true(buckets.by_name.n <= BUCKETS_MAX);
    }
    assert_false(buckets_take(&buckets, "busy", 0)); /* not forgotten for new ones */
    assert_true(buckets_take(&buckets, "new", 10000));
    assert_true(buckets.by_name.n <= BUCKETS_MAX);
    buckets_finish(&buckets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_then_the_rate),
        cmocka_unit_test(many_callers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
