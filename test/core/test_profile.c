/* One host's step function: points are split, merged, and dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/profile.h"
#include "util/instant.h"

static const struct amounts capacity = {{100, 1000}};

static void change(struct profile *profile, int64_t from, int64_t until, int64_t cpu, int sign,
                   int64_t lease)
{
    struct profile_change what = {.from = from,
                                  .until = until,
                                  .amounts = &cpu,
                                  .n_types = 1,
                                  .sign = sign,
                                  .mark = lease ? profile_mark(lease) : 0};

    profile_apply(profile, &what, profile_find(profile, from));
}

static int64_t cpu_at(const struct profile *profile, int64_t at)
{
    return profile_free(profile, RESOURCE_CPU, profile_find(profile, at));
}

static void it_begins_with_one_point_at_capacity(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    assert_int_equal(profile.n, 1);
    assert_int_equal(cpu_at(&profile, INT64_MIN), 100);
    assert_int_equal(cpu_at(&profile, INT64_MAX), 100);
    assert_null(profile.free[RESOURCE_CPU]);
    profile_finish(&profile);
}

static void only_types_that_are_booked_have_a_column(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    change(&profile, 0, 10, 5, -1, 1);
    assert_non_null(profile.free[RESOURCE_CPU]);
    assert_null(profile.free[RESOURCE_MEMORY]);
    assert_int_equal(profile_free(&profile, RESOURCE_MEMORY, profile_find(&profile, 5)), 1000);
    profile_finish(&profile);
}

static void equal_neighbors_are_merged(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    change(&profile, 0, 10, 5, -1, 1);
    change(&profile, 10, 20, 5, -1, 1);
    assert_int_equal(profile.n, 3); /* before, [0, 20), after */
    change(&profile, 5, 15, 7, -1, 2);
    assert_int_equal(profile.n, 5);
    change(&profile, 5, 15, 7, +1, 2);
    assert_int_equal(profile.n, 3);
    change(&profile, 0, 20, 5, +1, 1);
    assert_int_equal(profile.n, 1);
    profile_finish(&profile);
}

static void leases_tell_equal_amounts_apart(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    change(&profile, 0, 10, 5, -1, 1);
    change(&profile, 10, 20, 5, -1, 2);
    assert_int_equal(profile.n, 4);
    assert_int_equal(profile.presence[profile_find(&profile, 5)] & 0xffff, 1);
    assert_true(profile.presence[profile_find(&profile, 5)] !=
                profile.presence[profile_find(&profile, 15)]);
    profile_finish(&profile);
}

static void a_change_without_an_end_lasts_for_ever(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    change(&profile, 10, INSTANT_NEVER, 30, -1, 1);
    assert_int_equal(profile.n, 2);
    assert_int_equal(cpu_at(&profile, 9), 100);
    assert_int_equal(cpu_at(&profile, INT64_MAX - 1), 70);
    change(&profile, 50, INSTANT_NEVER, 30, +1, 1);
    assert_int_equal(cpu_at(&profile, 49), 70);
    assert_int_equal(cpu_at(&profile, 50), 100);
    profile_finish(&profile);
}

static void many_points_are_found_and_dropped(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    for (int i = 0; i < 100; i++)
        change(&profile, 10 * i, 10 * i + 5, 1 + i % 7, -1, i + 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(cpu_at(&profile, 10 * i + 4), 99 - i % 7);
        assert_int_equal(cpu_at(&profile, 10 * i + 5), 100);
    }
    for (int64_t now = 0; now < 992; now += 3) {
        profile_advance(&profile, now);
        assert_true(profile.times[profile.head] <= now);
        assert_true(profile.head + 1 == profile.n || profile.times[profile.head + 1] > now);
        assert_int_equal(cpu_at(&profile, 994), 99 - 99 % 7);
    }
    assert_in_range(profile.n - profile.head, 1, 16);
    profile_finish(&profile);
}

static void a_summary_is_renewed_from_the_first_change_on(void **state)
{
    struct profile profile;

    profile_init(&profile, &capacity);
    for (int i = 0; i < 60; i++)
        change(&profile, 10 * i, 10 * i + 5, 1 + i % 7, -1, i + 1);
    profile_summarize(&profile, 5);
    assert_int_equal(profile_least(&profile, RESOURCE_CPU)[3], 93);
    assert_int_equal(profile_starts(&profile)[profile.head / PROFILE_PART], INT64_MIN);
    change(&profile, profile.times[4 * PROFILE_PART - 2], profile.times[4 * PROFILE_PART - 1], 50,
           -1, 100);
    assert_int_equal(profile.n_parts, 3);
    profile_summarize(&profile, 5);
    assert_in_range(profile_least(&profile, RESOURCE_CPU)[3], 43, 50);
    for (uint32_t part = profile.head / PROFILE_PART + 1; part <= 6; part++)
        assert_int_equal(profile_starts(&profile)[part], profile.times[part * PROFILE_PART]);
    profile_finish(&profile);
}

static void a_change_moves_the_points_on_its_shorter_side(void **state)
{
    struct profile profile;
    uint32_t n, head, part;

    profile_init(&profile, &capacity);
    for (int i = 0; i < 60; i++)
        change(&profile, 10 * i, 10 * i + 5, 1 + i % 7, -1, i + 1);
    profile_summarize(&profile, 5);
    n = profile.n;
    head = profile.head;
    change(&profile, 17, 33, 50, -1, 100); /* begins and ends between points */
    assert_int_equal(profile.n, n);
    assert_int_equal(profile.head, head - 2);
    assert_int_equal(cpu_at(&profile, 16), 100);
    assert_int_equal(cpu_at(&profile, 17), 50);
    assert_int_equal(cpu_at(&profile, 32), 46);
    assert_int_equal(cpu_at(&profile, 33), 96);
    part = profile_find(&profile, 30) / PROFILE_PART;
    profile_summarize(&profile, part);
    assert_int_equal(profile_least(&profile, RESOURCE_CPU)[part], 46);
    change(&profile, 17, 33, 50, +1, 100);
    assert_int_equal(profile.head, head);
    change(&profile, 577, 583, 50, -1, 100);
    assert_int_equal(profile.n, n + 2);
    assert_int_equal(profile.head, head);
    for (int i = 0; i < 57; i++)
        assert_int_equal(cpu_at(&profile, 10 * i + 4), 99 - i % 7);
    profile_finish(&profile);
}

static void the_first_below_is_found_at_every_place(void **state)
{
    int64_t column[40];

    for (uint32_t below = 0; below <= 40; below++)
        for (uint32_t first = 0; first < 40; first++) {
            for (uint32_t i = 0; i < 40; i++)
                column[i] = i == below ? 4 : 5;
            assert_int_equal(profile_first_below(column, first, 40, 5),
                             first <= below ? below : 40);
        }
    assert_int_equal(profile_first_below(column, 0, 40, 6), 0);
    assert_int_equal(profile_first_below(column, 7, 7, 6), 7);
}

static void marks_differ_and_count_one(void **state)
{
    for (int64_t id = 1; id < 200; id++) {
        assert_int_equal(profile_mark(id) & 0xffff, 1);
        assert_true(profile_mark(id) != profile_mark(id + 1));
        assert_true(profile_mark(id) == profile_mark(id));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_one_point_at_capacity),
        cmocka_unit_test(only_types_that_are_booked_have_a_column),
        cmocka_unit_test(equal_neighbors_are_merged),
        cmocka_unit_test(leases_tell_equal_amounts_apart),
        cmocka_unit_test(a_change_without_an_end_lasts_for_ever),
        cmocka_unit_test(many_points_are_found_and_dropped),
        cmocka_unit_test(a_summary_is_renewed_from_the_first_change_on),
        cmocka_unit_test(a_change_moves_the_points_on_its_shorter_side),
        cmocka_unit_test(the_first_below_is_found_at_every_place),
        cmocka_unit_test(marks_differ_and_count_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
