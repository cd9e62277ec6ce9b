/* When hosts are quarantined, and when a failure is the fault of the VM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/state/quarantine.h"
#include "test/daemon/store_fixture.h"

static void one_vm_that_fails_again_and_again_is_its_own_fault(void **state)
{
    struct quarantine quarantine = {0};

    for (int64_t now = 100; now < 200; now += 10)
        assert_false(quarantine_note(&quarantine, 3, 7, now));
    assert_false(quarantine_has(&quarantine, 3, 200));
    quarantine_finish(&quarantine);
}

static void two_vms_make_it_the_hosts_fault(void **state)
{
    struct quarantine quarantine = {0};

    assert_false(quarantine_note(&quarantine, 3, 7, 100));
    assert_false(quarantine_note(&quarantine, 4, 8, 101));
    assert_true(quarantine_note(&quarantine, 3, 8, 102));
    assert_true(quarantine_has(&quarantine, 3, 103));
    assert_false(quarantine_has(&quarantine, 4, 103));
    assert_false(quarantine_note(&quarantine, 3, 9, 104)); /* is quarantined already */
    assert_false(quarantine_has(&quarantine, 3, 102 + QUARANTINE_SECONDS));
    quarantine_finish(&quarantine);
}

static void failures_far_apart_do_not_add_up(void **state)
{
    struct quarantine quarantine = {0};

    assert_false(quarantine_note(&quarantine, 3, 7, 100));
    assert_false(quarantine_note(&quarantine, 3, 8, 101 + QUARANTINE_SECONDS));
    assert_false(quarantine_has(&quarantine, 3, 102 + QUARANTINE_SECONDS));
    quarantine_finish(&quarantine);
}

static void hosts_where_vms_are_stuck_are_quarantined_as_long(void **state)
{
    struct quarantine quarantine = {0};

    assert_true(quarantine_stuck(&quarantine, 3, 100));
    assert_true(quarantine_has(&quarantine, 3, 100));
    assert_false(quarantine_stuck(&quarantine, 3, 101));
    assert_int_equal(quarantine_until(&quarantine, 3, 101), 100 + QUARANTINE_SECONDS);
    assert_false(quarantine_stuck(&quarantine, 3, 350)); /* still */
    assert_true(quarantine_has(&quarantine, 3, 101 + QUARANTINE_SECONDS));
    assert_false(quarantine_expire(&quarantine, 350 + QUARANTINE_SECONDS));
    assert_true(quarantine_expire(&quarantine, 351 + QUARANTINE_SECONDS));
    assert_false(quarantine_stuck(&quarantine, -1, 100));
    quarantine_finish(&quarantine);
}

static void half_of_the_hosts_stay_open(void **state)
{
    struct quarantine quarantine = {.hosts = 5};

    for (int32_t host = 0; host < 5; host++) {
        quarantine_note(&quarantine, host, 7, 100);
        assert_int_equal(quarantine_note(&quarantine, host, 8, 101), host < 2);
    }
    assert_false(quarantine_stuck(&quarantine, 4, 102));
    assert_false(quarantine_stuck(&quarantine, 1, 102)); /* already */
    assert_true(quarantine_clear(&quarantine, 0));
    assert_true(quarantine_stuck(&quarantine, 4, 103));
    quarantine_finish(&quarantine);

    quarantine = (struct quarantine){.hosts = 1};
    quarantine_note(&quarantine, 0, 7, 100);
    assert_false(quarantine_note(&quarantine, 0, 8, 101)); /* there is no other one */
    quarantine_finish(&quarantine);
}

static void a_start_clears_and_time_expires(void **state)
{
    struct quarantine quarantine = {0};

    assert_false(quarantine_clear(&quarantine, 3));
    quarantine_note(&quarantine, 3, 7, 100);
    assert_false(quarantine_clear(&quarantine, 3));
    quarantine_note(&quarantine, 3, 7, 100);
    quarantine_note(&quarantine, 3, 8, 101);
    assert_true(quarantine_clear(&quarantine, 3));
    assert_false(quarantine_has(&quarantine, 3, 102));
    quarantine_note(&quarantine, 3, 7, 100);
    quarantine_note(&quarantine, 3, 8, 101);
    assert_false(quarantine_expire(&quarantine, 101 + QUARANTINE_SECONDS - 1));
    assert_true(quarantine_expire(&quarantine, 102 + QUARANTINE_SECONDS));
    assert_false(quarantine_expire(&quarantine, 103 + QUARANTINE_SECONDS));
    quarantine_finish(&quarantine);
}

static void a_restart_keeps_it(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct quarantine before = {0}, after = {0};
    size_t n;

    quarantine_keep(&before, store);
    assert_null(store_fact(store, "quarantine"));
    for (int32_t host = 3; host < 6; host++) {
        quarantine_note(&before, host, 7, 100 + host);
        if (host < 5) /* one failure is none */
            quarantine_note(&before, host, 8, 100 + host);
    }
    quarantine_keep(&before, store);
    store_must_commit(store);
    n = store_changes(store);
    quarantine_keep(&before, store);
    assert_int_equal(store_changes(store), n);
    quarantine_load(&after, store);
    assert_int_equal(quarantine_until(&after, 3, 200), 103 + QUARANTINE_SECONDS);
    assert_int_equal(quarantine_until(&after, 4, 200), 104 + QUARANTINE_SECONDS);
    assert_false(quarantine_has(&after, 5, 200));
    assert_true(quarantine_expire(&after, 105 + QUARANTINE_SECONDS));
    quarantine_keep(&after, store);
    assert_null(store_fact(store, "quarantine"));
    quarantine_finish(&before);
    quarantine_finish(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_vm_that_fails_again_and_again_is_its_own_fault),
        cmocka_unit_test(two_vms_make_it_the_hosts_fault),
        cmocka_unit_test(failures_far_apart_do_not_add_up),
        cmocka_unit_test(hosts_where_vms_are_stuck_are_quarantined_as_long),
        cmocka_unit_test(half_of_the_hosts_stay_open),
        cmocka_unit_test(a_start_clears_and_time_expires),
        cmocka_unit_test_setup_teardown(a_restart_keeps_it, store_set_up, store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
