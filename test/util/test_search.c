/* Places in ascending arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/search.h"

struct item {
    char other;
    int64_t number;
};

static int by_number(const void *key, const void *item)
{
    int64_t a = *(const int64_t *)key, b = ((const struct item *)item)->number;

    return a < b ? -1 : a > b;
}

static size_t place(const struct item *items, size_t n, int64_t number)
{
    return search_place(&number, items, n, sizeof *items, by_number);
}

static void an_empty_array_has_one_place(void **state)
{
    assert_int_equal(place(NULL, 0, 5), 0);
}

/* Of all lengths up to some, before, at, between and behind all items. */
static void items_are_found_and_missing_ones_have_a_place(void **state)
{
    struct item items[9];

    for (size_t n = 0; n <= 9; n++) {
        for (size_t i = 0; i < n; i++)
            items[i] = (struct item){.number = 10 * (int64_t)i};
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(place(items, n, 10 * (int64_t)i), i);
            assert_int_equal(place(items, n, 10 * (int64_t)i - 1), i);
            assert_int_equal(place(items, n, 10 * (int64_t)i + 1), i + 1);
        }
        assert_int_equal(place(items, n, INT64_MAX), n);
        assert_int_equal(place(items, n, INT64_MIN), 0);
    }
}

static void of_equal_ones_it_is_the_first(void **state)
{
    const struct item items[] = {
        {.number = 1}, {.number = 2}, {.number = 2}, {.number = 2}, {.number = 3}};

    assert_int_equal(place(items, 5, 2), 1);
    assert_int_equal(place(items, 5, 3), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_array_has_one_place),
        cmocka_unit_test(items_are_found_and_missing_ones_have_a_place),
        cmocka_unit_test(of_equal_ones_it_is_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
