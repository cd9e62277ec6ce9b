/* Drains of hosts, and that they survive a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/live/drains.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

static void a_host_has_several_windows(void **state)
{
    struct drains drains = {0};

    (void)state;
    drains_put(&drains, &(struct drain){3, 500, 600});
    drains_put(&drains, &(struct drain){3, 100, 200});
    drains_put(&drains, &(struct drain){4, 100, 900});
    drains_put(&drains, &(struct drain){3, 200, 300});
    assert_int_equal(drains_count(&drains, 3), 3);
    assert_int_equal(drains_of(&drains, 3)->from, 100);
    assert_true(drains_has(&drains, 3, 299));
    assert_false(drains_has(&drains, 3, 300));
    assert_true(drains_has(&drains, 3, 500));
    drains_put(&drains, &(struct drain){3, 299, 501}); /* overlaps two */
    assert_int_equal(drains_count(&drains, 3), 2);
    assert_false(drains_has(&drains, 3, 250));
    assert_true(drains_has(&drains, 3, 400));
    assert_false(drains_remove(&drains, 3, 250));
    assert_true(drains_remove(&drains, 3, 500));
    assert_int_equal(drains_of(&drains, 3)->from, 100);
    assert_true(drains_expire(&drains, 200));
    assert_null(drains_of(&drains, 3));
    assert_int_equal(drains_of(&drains, 4)->until, 900);
    drains_finish(&drains);
}

static void what_overlaps_is_replaced(void **state)
{
    struct drains drains = {0};

    (void)state;
    drains_put(&drains, &(struct drain){3, 100, 200});
    drains_put(&drains, &(struct drain){4, 150, INSTANT_NEVER});
    drains_put(&drains, &(struct drain){3, 120, 300});
    assert_int_equal(drains.n, 2);
    assert_int_equal(drains_of(&drains, 3)->from, 120);
    assert_null(drains_of(&drains, 5));
    assert_false(drains_has(&drains, 3, 119));
    assert_true(drains_has(&drains, 3, 120));
    assert_true(drains_has(&drains, 3, 299));
    assert_false(drains_has(&drains, 3, 300));
    assert_true(drains_remove(&drains, 4, INSTANT_NONE));
    assert_false(drains_remove(&drains, 4, INSTANT_NONE));
    drains_finish(&drains);
}

static void a_window_ends(void **state)
{
    struct drains drains = {0}, copy;

    (void)state;
    drains_put(&drains, &(struct drain){3, 100, 200});
    drains_put(&drains, &(struct drain){4, 100, 300});
    drains_put(&drains, &(struct drain){5, 100, INSTANT_NEVER});
    drains_copy(&copy, &drains);
    assert_false(drains_expire(&drains, 199));
    assert_true(drains_expire(&drains, 200));
    assert_null(drains_of(&drains, 3));
    assert_true(drains_expire(&drains, 1000));
    assert_int_equal(drains.n, 1);
    assert_int_equal(copy.n, 3);
    drains_finish(&copy);
    drains_finish(&drains);
}

static void they_survive_a_restart(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 0);
    drains_put(&drains, &(struct drain){3, 1700000000, 1700003600});
    drains_put(&drains, &(struct drain){3, 1700007200, 1700009000});
    drains_put(&drains, &(struct drain){2000000000, 1700000001, INSTANT_NEVER});
    drains_save(&drains, fixture->store);
    drains_finish(&drains);
    store_must_commit(fixture->store);
    store_reopen(fixture);
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 3);
    assert_int_equal(drains_of(&drains, 3)->until, 1700003600);
    assert_true(drains_has(&drains, 3, 1700008000));
    assert_int_equal(drains_of(&drains, 2000000000)->until, INSTANT_NEVER);
    drains_remove(&drains, 3, INSTANT_NONE);
    drains_remove(&drains, 3, INSTANT_NONE);
    drains_remove(&drains, 2000000000, INSTANT_NONE);
    drains_save(&drains, fixture->store);
    drains_finish(&drains);
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 0);
}

static void what_cannot_be_read_is_left_out(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    store_set_fact(fixture->store, "drains", "-1 5 9;3 9 5;4 5 9;x 5 9;5 5 9;");
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 1);
    assert_non_null(drains_of(&drains, 4));
    drains_finish(&drains);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_has_several_windows),
        cmocka_unit_test(what_overlaps_is_replaced),
        cmocka_unit_test(a_window_ends),
        WITH_STORE(they_survive_a_restart),
        WITH_STORE(what_cannot_be_read_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
