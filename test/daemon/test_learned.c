/* What is learnt of operations' times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/learned.h"
#include "test/daemon/store_fixture.h"

static struct store *store_of(void **state)
{
    return ((struct store_fixture *)*state)->store;
}

static bool suspension(struct learned *learned, int64_t memory, int64_t milliseconds)
{
    static const int64_t began = 1000000;

    learned_begun(learned, 7, OPERATION_SUSPEND, memory, began);
    return learned_suspended(learned, 7, began + milliseconds);
}

static void nothing_is_known_at_first(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    for (int i = 0; i < OPERATIONS; i++) {
        estimate = learned_of(learned, (enum operation)i);
        assert_int_equal(estimate.n, 0);
        assert_int_equal(estimate_seconds(&estimate, 1024), 0);
    }
    learned_destroy(learned);
    learned_destroy(NULL);
}

static int64_t seconds_with_margin(void **state, double margin)
{
    struct learned *learned = learned_create(store_of(state), margin);
    struct estimate estimate = learned_of(learned, OPERATION_SUSPEND);

    learned_destroy(learned);
    return estimate_seconds(&estimate, 1024);
}

static void the_margin_is_added_to_the_mean(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);
    int64_t mean, usual;

    for (int i = 0; i < 8; i++)
        suspension(learned, 1024, i % 2 ? 8000 : 12000);
    learned_destroy(learned);
    mean = seconds_with_margin(state, 0);
    usual = seconds_with_margin(state, 2);
    assert_in_range(mean, 10, 12);
    assert_true(usual > mean);
    assert_true(seconds_with_margin(state, 4) > usual);
}

/* 10 ms a MB and nothing else: sizes that were never seen are estimated right. */
static void memory_decides(void **state)
{
    static const int64_t sizes[] = {512, 4096, 1024, 8192, 2048};
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    assert_true(suspension(learned, 1024, 10240));
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_int_equal(estimate.n, 1);
    assert_int_equal(estimate.seconds, 0);
    /* One alone is taken with caution: twice what was seen. */
    assert_int_equal(estimate_seconds(&estimate, 1024), 21);
    for (size_t i = 0; i < 50; i++)
        suspension(learned, sizes[i % 5], sizes[i % 5] * 10);
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_int_equal(estimate.n, 51);
    assert_int_equal(estimate.seconds, 0);
    assert_true(estimate.rate > 99 && estimate.rate <= 100);
    assert_in_range(estimate_seconds(&estimate, 65536), 655, 662);
    assert_int_equal(learned_of(learned, OPERATION_RESUME).n, 0);
    /* Nothing new. */
    assert_false(suspension(learned, 1024, 10240));
    learned_destroy(learned);
}

static void memory_does_not_matter(void **state)
{
    static const int64_t sizes[] = {512, 65536, 1024, 8192};
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    for (size_t i = 0; i < 40; i++)
        suspension(learned, sizes[i % 4], 4000);
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_in_range(estimate.seconds, 4, 5);
    assert_int_equal(estimate_seconds(&estimate, 512), estimate.seconds);
    assert_int_equal(estimate_seconds(&estimate, 1 << 20), estimate.seconds);
    learned_destroy(learned);
}

/* Small VMs of one user do not make reservations of large ones begin hours before their time. */
static void small_vms_say_nothing_of_how_long_large_ones_boot(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    for (int i = 0; i < 40; i++) {
        learned_begun(learned, 7, OPERATION_BOOT, i % 3 ? 16 : 64, 1000);
        learned_running(learned, 7, 1000 + (i % 2 ? 1500 : 2500));
        estimate = learned_of(learned, OPERATION_BOOT);
        assert_in_range(estimate_seconds(&estimate, 65536), 2, 6);
    }
    learned_destroy(learned);
}

/* The estimate is on the safe side of what varies, and follows when it becomes slower. */
static void estimates_follow(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    for (size_t i = 0; i < 40; i++)
        suspension(learned, 1024, i % 2 ? 2000 : 6000);
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_in_range(estimate_seconds(&estimate, 1024), 6, 9);
    for (size_t i = 0; i < 40; i++)
        suspension(learned, 1024, 30000);
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_in_range(estimate_seconds(&estimate, 1024), 30, 33);
    learned_destroy(learned);
}

static void kinds_are_apart(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);

    learned_begun(learned, 1, OPERATION_RESUME, 1000, 0);
    learned_begun(learned, 2, OPERATION_BOOT, 1000, 0);
    learned_begun(learned, 3, OPERATION_SUSPEND, 1000, 0);
    /* It still runs: the suspension is not over. */
    assert_false(learned_running(learned, 3, 100));
    /* Asked before the command. */
    assert_false(learned_suspended(learned, 3, 0));
    assert_false(learned_suspended(learned, 1, 100));
    assert_true(learned_running(learned, 1, 3000));
    assert_true(learned_running(learned, 2, 5000));
    assert_true(learned_suspended(learned, 3, 7000));
    /* Each counts once. */
    assert_false(learned_running(learned, 1, 90000));
    assert_int_equal(learned_of(learned, OPERATION_RESUME).n, 1);
    assert_int_equal(learned_of(learned, OPERATION_BOOT).n, 1);
    assert_int_equal(learned_of(learned, OPERATION_SUSPEND).n, 1);
    assert_true(learned_of(learned, OPERATION_RESUME).rate > 0);
    assert_int_equal(learned_of(learned, OPERATION_BOOT).seconds, 10);
    learned_destroy(learned);
}

static void what_says_nothing_is_not_counted(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    learned_begun(learned, 1, OPERATION_SUSPEND, 1000, 0);
    learned_forget(learned, 1);
    assert_false(learned_suspended(learned, 1, 5000));
    /* A command sent anew begins anew. */
    learned_begun(learned, 1, OPERATION_SUSPEND, 1000, 0);
    learned_begun(learned, 1, OPERATION_SUSPEND, 1000, 90000);
    assert_true(learned_suspended(learned, 1, 92000));
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_int_equal(estimate_seconds(&estimate, 1000), 4);
    /* Days: somebody was asleep. */
    learned_begun(learned, 1, OPERATION_SUSPEND, 1000, 0);
    assert_false(learned_suspended(learned, 1, INT64_C(2) * 24 * 3600 * 1000));
    assert_int_equal(learned_of(learned, OPERATION_SUSPEND).n, 1);
    /* No more are remembered than make sense; the others are still measured. */
    for (int32_t i = 0; i < 10000; i++)
        learned_begun(learned, 100 + i, OPERATION_BOOT, 1, 0);
    assert_true(learned_running(learned, 100, 1000));
    assert_false(learned_running(learned, 100 + 9999, 1000));
    learned_destroy(learned);
}

static void many_in_any_order(void **state)
{
    static const int32_t vms[] = {50, 10, 90, 30, 70, 20, 80};
    struct learned *learned = learned_create(store_of(state), 2);

    for (size_t i = 0; i < 7; i++)
        learned_begun(learned, vms[i], OPERATION_BOOT, 1024, 0);
    learned_forget(learned, 90);
    learned_forget(learned, 40);
    for (size_t i = 0; i < 7; i++)
        learned_running(learned, vms[i], 1000);
    assert_int_equal(learned_of(learned, OPERATION_BOOT).n, 6);
    learned_destroy(learned);
}

static void no_time_and_no_memory(void **state)
{
    struct learned *learned = learned_create(store_of(state), 2);
    struct estimate estimate;

    suspension(learned, 0, 1);
    suspension(learned, INT64_C(1) << 40, 1);
    estimate = learned_of(learned, OPERATION_SUSPEND);
    assert_int_equal(estimate.n, 2);
    assert_true(estimate_seconds(&estimate, 0) >= 1);
    assert_true(estimate_seconds(&estimate, 1024) >= 1);
    learned_destroy(learned);
}

static void survives(void **state)
{
    struct store_fixture *fixture = *state;
    struct learned *learned = learned_create(fixture->store, 2);
    struct estimate before, after;

    for (int64_t i = 1; i < 6; i++)
        suspension(learned, 512 * i, 3000 * i);
    before = learned_of(learned, OPERATION_SUSPEND);
    learned_destroy(learned);
    store_must_commit(fixture->store);
    store_reopen(fixture);
    learned = learned_create(fixture->store, 2);
    after = learned_of(learned, OPERATION_SUSPEND);
    assert_int_equal(after.n, 5);
    assert_int_equal(after.seconds, before.seconds);
    assert_true(after.rate == before.rate);
    learned_destroy(learned);
}

static void nonsense_in_the_store(void **state)
{
    static const char *const facts[] = {"",
                                        "nothing",
                                        "1 2 3 4",
                                        "0 1 1 1 1",
                                        "1 0 0 0 0",
                                        "1 1000 -1 1000 1",
                                        "1 99999999999999 1 1000 1",
                                        "-5 1000 1 1000 1"};

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct learned *learned;

        store_set_fact(store_of(state), "estimate-suspend", facts[i]);
        learned = learned_create(store_of(state), 2);
        assert_int_equal(learned_of(learned, OPERATION_SUSPEND).n, 0);
        assert_true(suspension(learned, 1024, 2000));
        learned_destroy(learned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_known_at_first, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(the_margin_is_added_to_the_mean, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(memory_decides, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(memory_does_not_matter, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(small_vms_say_nothing_of_how_long_large_ones_boot,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(estimates_follow, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(kinds_are_apart, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(what_says_nothing_is_not_counted, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(many_in_any_order, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(no_time_and_no_memory, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(survives, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(nonsense_in_the_store, store_set_up, store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
