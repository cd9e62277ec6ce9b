/* The leases that are awake: those that were changed, or whose time has come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/awake.h"
#include "test/daemon/store_fixture.h"

enum { LEASES = 100 };

static struct store *fill(void **state)
{
    struct store_fixture *fixture = *state;

    for (int i = 0; i < LEASES; i++) {
        store_add_lease(fixture->store, 10 * i);
        store_add_vm(fixture->store, 10 * i, 10 * i);
    }
    return fixture->store;
}

static void let_all_sleep(struct store *store, int64_t until)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);

    for (size_t i = 0; i < n; i++)
        store_let_sleep(store, leases[i], until);
}

static void expect_awake(struct store *store, const int64_t *ids, size_t n_ids)
{
    size_t n, n_vms;
    const struct lease_record *const *leases = store_awake_leases(store, &n);
    const struct vm_record *const *vms = store_awake_vms(store, &n_vms);

    assert_int_equal(n, n_ids);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(leases[i]->id, ids[i]);
    for (size_t i = 1; i < n_vms; i++)
        assert_true(vms[i - 1]->id < vms[i]->id);
}

static void new_leases_are_awake(void **state)
{
    struct store *store = fill(state);
    size_t n;

    store_awake_leases(store, &n);
    assert_int_equal(n, LEASES);
    store_awake_vms(store, &n);
    assert_int_equal(n, LEASES);
    let_all_sleep(store, INSTANT_NEVER);
    expect_awake(store, NULL, 0);
}

static void a_change_wakes(void **state)
{
    struct store *store = fill(state);
    uint64_t before;

    let_all_sleep(store, INSTANT_NEVER);
    before = store_stirs(store);
    lease_note_warned(store, store_lease(store, 500));
    lease_note_at_risk(store, store_lease(store, 20), true); /* only in memory */
    vm_set_goal(store, store_vm(store, 990), GOAL_RUN);
    vm_note_blocked(store, store_vm(store, 30), 1);
    store_wake(store, 40);
    store_wake(store, 41); /* unknown */
    expect_awake(store, (const int64_t[]){20, 30, 40, 500, 990}, 5);
    assert_true(store_stirred(store_lease(store, 20)) > before);
    assert_true(store_stirred(store_lease(store, 50)) <= before);
    assert_true(store_noted(store_lease(store, 20)) > before);
    assert_true(store_noted(store_lease(store, 990)) > before);
    assert_true(store_stirred(store_lease(store, 40)) > before);
    assert_true(store_noted(store_lease(store, 40)) <= before); /* it only woke */
    store_let_sleep(store, store_lease(store, 30), INSTANT_NEVER);
    expect_awake(store, (const int64_t[]){20, 40, 500, 990}, 4);
}

static void a_new_vm_is_among_those_of_its_lease(void **state)
{
    struct store *store = fill(state);
    size_t n;

    let_all_sleep(store, INSTANT_NEVER);
    store_wake(store, 30);
    store_wake(store, 40);
    store_awake_vms(store, &n);
    assert_int_equal(n, 2);
    store_add_vm(store, 45, 30);
    store_awake_vms(store, &n);
    assert_int_equal(n, 3);
    store_move_vm(store, store_vm(store, 50), 30);
    store_awake_vms(store, &n);
    assert_int_equal(n, 4);
    expect_awake(store, (const int64_t[]){30, 40, 50}, 3);
}

static void time_wakes(void **state)
{
    struct store *store = fill(state);

    let_all_sleep(store, INSTANT_NEVER);
    assert_int_equal(store_next_wake(store), INSTANT_NEVER);
    store_let_sleep(store, store_lease(store, 70), 2000);
    store_let_sleep(store, store_lease(store, 60), 1000);
    assert_int_equal(store_next_wake(store), 1000);
    store_wake_due(store, 999);
    expect_awake(store, NULL, 0);
    store_wake_due(store, 1000);
    expect_awake(store, (const int64_t[]){60}, 1);
    assert_int_equal(store_next_wake(store), 2000);
    store_wake_all(store);
    assert_int_equal(store_next_wake(store), INSTANT_NEVER);
}

static void what_is_forgotten_is_not_awake(void **state)
{
    struct store *store = fill(state);

    let_all_sleep(store, INSTANT_NEVER);
    store_wake(store, 10);
    store_wake(store, 20);
    store_wake(store, 30);
    store_forget_lease(store, 20);
    expect_awake(store, (const int64_t[]){10, 30}, 2);
    store_forget_lease(store, 40); /* asleep */
    expect_awake(store, (const int64_t[]){10, 30}, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(new_leases_are_awake),
        TEST(a_change_wakes),
        TEST(a_new_vm_is_among_those_of_its_lease),
        TEST(time_wakes),
        TEST(what_is_forgotten_is_not_awake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
