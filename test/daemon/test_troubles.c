#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/troubles.h"

static void one_vm_that_fails_again_and_again_is_its_own_fault(void **state)
{
    struct troubles troubles = {0};

    (void)state;
    for (int64_t now = 100; now < 200; now += 10)
        assert_false(troubles_note(&troubles, 3, 7, now));
    assert_false(troubles_has(&troubles, 3, 200));
    troubles_finish(&troubles);
}

static void two_vms_make_it_the_hosts_fault(void **state)
{
    struct troubles troubles = {0};

    (void)state;
    assert_false(troubles_note(&troubles, 3, 7, 100));
    assert_false(troubles_note(&troubles, 4, 8, 101));
    assert_true(troubles_note(&troubles, 3, 8, 102));
    assert_true(troubles_has(&troubles, 3, 103));
    assert_false(troubles_has(&troubles, 4, 103));
    assert_false(troubles_note(&troubles, 3, 9, 104)); /* is left alone already */
    assert_false(troubles_has(&troubles, 3, 102 + TROUBLE_SECONDS));
    troubles_finish(&troubles);
}

static void failures_far_apart_do_not_add_up(void **state)
{
    struct troubles troubles = {0};

    (void)state;
    assert_false(troubles_note(&troubles, 3, 7, 100));
    assert_false(troubles_note(&troubles, 3, 8, 101 + TROUBLE_SECONDS));
    assert_false(troubles_has(&troubles, 3, 102 + TROUBLE_SECONDS));
    troubles_finish(&troubles);
}

static void hosts_where_vms_are_stuck_are_left_alone_as_long(void **state)
{
    struct troubles troubles = {0};

    (void)state;
    assert_true(troubles_stuck(&troubles, 3, 100));
    assert_true(troubles_has(&troubles, 3, 100));
    assert_false(troubles_stuck(&troubles, 3, 350)); /* still */
    assert_true(troubles_has(&troubles, 3, 101 + TROUBLE_SECONDS));
    assert_false(troubles_expire(&troubles, 350 + TROUBLE_SECONDS));
    assert_true(troubles_expire(&troubles, 351 + TROUBLE_SECONDS));
    assert_false(troubles_stuck(&troubles, -1, 100));
    troubles_finish(&troubles);
}

static void half_of_the_hosts_stay_open(void **state)
{
    struct troubles troubles = {.hosts = 5};

    (void)state;
    for (int32_t host = 0; host < 5; host++) {
        troubles_note(&troubles, host, 7, 100);
        assert_int_equal(troubles_note(&troubles, host, 8, 101), host < 2);
    }
    assert_false(troubles_stuck(&troubles, 4, 102));
    assert_false(troubles_stuck(&troubles, 1, 102)); /* already */
    assert_true(troubles_clear(&troubles, 0));
    assert_true(troubles_stuck(&troubles, 4, 103));
    troubles_finish(&troubles);

    troubles = (struct troubles){.hosts = 1};
    troubles_note(&troubles, 0, 7, 100);
    assert_false(troubles_note(&troubles, 0, 8, 101)); /* there is no other one */
    troubles_finish(&troubles);
}

static void a_start_clears_and_time_expires(void **state)
{
    struct troubles troubles = {0};

    (void)state;
    assert_false(troubles_clear(&troubles, 3));
    troubles_note(&troubles, 3, 7, 100);
    assert_false(troubles_clear(&troubles, 3));
    troubles_note(&troubles, 3, 7, 100);
    troubles_note(&troubles, 3, 8, 101);
    assert_true(troubles_clear(&troubles, 3));
    assert_false(troubles_has(&troubles, 3, 102));
    troubles_note(&troubles, 3, 7, 100);
    troubles_note(&troubles, 3, 8, 101);
    assert_false(troubles_expire(&troubles, 101 + TROUBLE_SECONDS - 1));
    assert_true(troubles_expire(&troubles, 102 + TROUBLE_SECONDS));
    assert_false(troubles_expire(&troubles, 103 + TROUBLE_SECONDS));
    troubles_finish(&troubles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_vm_that_fails_again_and_again_is_its_own_fault),
        cmocka_unit_test(two_vms_make_it_the_hosts_fault),
        cmocka_unit_test(failures_far_apart_do_not_add_up),
        cmocka_unit_test(hosts_where_vms_are_stuck_are_left_alone_as_long),
        cmocka_unit_test(half_of_the_hosts_stay_open),
        cmocka_unit_test(a_start_clears_and_time_expires),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
