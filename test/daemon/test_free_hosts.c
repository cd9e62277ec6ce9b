/* Hosts that are free for a booking, and when enough of them are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/control/free_hosts.h"
#include "util/instant.h"

enum { NOW = 1000, HOUR = 3600 };

/* Hosts 1 to 4: host 1 is used for an hour, host 2 for ever, host 3 for an hour in two hours, host
 * 4 not at all. */
static struct free_hosts *hosts_of_a_day(void)
{
    struct free_hosts *hosts = free_hosts_create(NOW);

    for (int32_t id = 4; id > 0; id--)
        free_hosts_add(hosts, id);
    free_hosts_use(hosts, 3, NOW + 2 * HOUR, NOW + 3 * HOUR);
    free_hosts_use(hosts, 1, NOW, NOW + HOUR);
    free_hosts_use(hosts, 1, NOW - HOUR, NOW + HOUR / 2);
    free_hosts_use(hosts, 2, NOW, INSTANT_NEVER);
    free_hosts_use(hosts, 9, NOW, INSTANT_NEVER);
    return hosts;
}

static void those_are_found_that_nothing_uses_meanwhile(void **state)
{
    struct free_hosts *hosts = hosts_of_a_day();
    int32_t found[4];

    assert_int_equal(free_hosts_find(hosts, NOW, NOW + HOUR, found, 4), 2);
    assert_int_equal(found[0], 3);
    assert_int_equal(found[1], 4);
    assert_int_equal(free_hosts_find(hosts, NOW + HOUR, NOW + 2 * HOUR, found, 4), 3);
    assert_int_equal(found[0], 1);
    assert_int_equal(free_hosts_find(hosts, NOW + HOUR, NOW + 2 * HOUR + 1, found, 4), 2);
    assert_int_equal(found[1], 4);
    assert_int_equal(free_hosts_find(hosts, NOW, NOW + 1, found, 1), 1);
    assert_int_equal(found[0], 3);
    free_hosts_destroy(hosts);
}

static void the_next_time_is_when_one_becomes_free(void **state)
{
    struct free_hosts *hosts = hosts_of_a_day();

    assert_int_equal(free_hosts_next(hosts, NOW, HOUR, 3), NOW + HOUR);
    assert_int_equal(free_hosts_next(hosts, NOW, HOUR + 1, 3), NOW + 3 * HOUR);
    assert_int_equal(free_hosts_next(hosts, NOW + HOUR, HOUR, 3), NOW + 3 * HOUR);
    assert_int_equal(free_hosts_next(hosts, NOW, 1, 4), INSTANT_NEVER);
    assert_int_equal(free_hosts_next(hosts, NOW + 3 * HOUR, 1, 1), INSTANT_NEVER);
    free_hosts_destroy(hosts);
}

static void without_hosts_there_are_none(void **state)
{
    struct free_hosts *hosts = free_hosts_create(NOW);
    int32_t found;

    assert_int_equal(free_hosts_find(hosts, NOW, NOW + 1, &found, 1), 0);
    assert_int_equal(free_hosts_next(hosts, NOW, 1, 1), INSTANT_NEVER);
    free_hosts_destroy(hosts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_are_found_that_nothing_uses_meanwhile),
        cmocka_unit_test(the_next_time_is_when_one_becomes_free),
        cmocka_unit_test(without_hosts_there_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
