/* Ranks as arithmetic over columns of hosts. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_host_has_its_own),
        cmocka_unit_test(no_steps_are_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
