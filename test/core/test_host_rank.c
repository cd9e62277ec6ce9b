/* Ranks as arithmetic over columns of hosts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/host_rank.h"

enum { HOSTS = 200 };

static double halves[HOSTS], figures[HOSTS];
static int64_t added[HOSTS], preferences[HOSTS];

/* -(halves / figures) + 3; every seventh host divides by 0. */
static const struct rank_step steps[] = {
    {.operation = RANK_COLUMN, .column = halves},
    {.operation = RANK_COLUMN, .column = figures},
    {.operation = RANK_DIVIDE},
    {.operation = RANK_NEGATE},
    {.operation = RANK_NUMBER, .number = 3},
    {.operation = RANK_ADD},
};
static const struct host_rank rank = {
    .steps = steps, .n = 6, .depth = 2, .added = added, .preferences = preferences};

static void fill(void)
{
    for (int i = 0; i < HOSTS; i++) {
        halves[i] = i / 2.0;
        figures[i] = i % 7;
        added[i] = 1000 * i;
        preferences[i] = i % 2 ? INT64_C(1) << 40 : 0;
    }
}

static int64_t expected(uint32_t host)
{
    int64_t result = rank_of_number(-(halves[host] / figures[host]) + 3);

    return (result == RANK_LOWEST ? result : result + added[host]) + preferences[host];
}

static void each_host_has_its_own(void **state)
{
    uint32_t hosts[HOSTS];
    int64_t ranks[HOSTS];

    fill();
    for (uint32_t i = 0; i < HOSTS; i++)
        hosts[i] = HOSTS - 1 - i;
    for (size_t n = 0; n <= HOSTS; n += 50) {
        host_rank_evaluate(&rank, hosts, n, ranks);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(ranks[i], expected(hosts[i]));
    }
    assert_int_equal(host_rank_of(&rank, 7), RANK_LOWEST + (INT64_C(1) << 40));
    assert_int_equal(host_rank_of(&rank, 14), RANK_LOWEST);
    assert_int_equal(host_rank_of(&rank, 10), 10000 + 1); /* -5/3 + 3, cut off */
}

static void no_steps_are_zero(void **state)
{
    const struct host_rank preferred = {.preferences = preferences}, nothing = {0};

    fill();
    assert_int_equal(host_rank_of(&nothing, 3), 0);
    assert_int_equal(host_rank_of(&preferred, 3), INT64_C(1) << 40);
}

/* The same as for each host, also if a value is not a number. */
static void ranks_of_one_column_are_evaluated_for_each_value(void **state)
{
    static const struct rank_step of_figures[] = {
        {.operation = RANK_NUMBER, .number = 7},
        {.operation = RANK_COLUMN, .column = figures},
        {.operation = RANK_DIVIDE},
        {.operation = RANK_COLUMN, .column = figures},
        {.operation = RANK_SUBTRACT},
    };
    struct host_rank one = {
        .steps = of_figures, .n = 5, .depth = 2, .added = added, .preferences = preferences};
    struct rank_values *values;
    uint32_t hosts[HOSTS];
    int64_t expected_ranks[HOSTS], ranks[HOSTS];

    fill();
    for (uint32_t i = 0; i < HOSTS; i++) {
        hosts[i] = HOSTS - 1 - i;
        figures[i] = i % 9 == 5 ? NAN : figures[i];
    }
    values = rank_values_create(figures, HOSTS);
    assert_non_null(values);
    assert_int_equal(values->n, 8);
    for (size_t n = 0; n <= HOSTS; n += 5) {
        one.values = NULL;
        host_rank_evaluate(&one, hosts, n, expected_ranks);
        one.values = values;
        host_rank_evaluate(&one, hosts, n, ranks);
        assert_memory_equal(ranks, expected_ranks, n * sizeof *ranks);
    }
    rank_values_destroy(values);
    assert_null(rank_values_create(halves, HOSTS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_host_has_its_own),
        cmocka_unit_test(no_steps_are_zero),
        cmocka_unit_test(ranks_of_one_column_are_evaluated_for_each_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
