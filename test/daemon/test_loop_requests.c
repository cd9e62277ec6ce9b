/* What the daemon's parts ask its loop for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

/* Without leadership no plan is made, and each cycle finds the same reason for one. */
static void a_daemon_that_only_watches_asks_for_a_plan_once(void **state)
{
    struct scene scene;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    scene.fake->leads = false;
    scene_poll(&scene);
    scene.daemon.cycle_due = scene.daemon.replan = false;
    daemon_replan(&scene.daemon, "lease %d has not started yet", 3);
    assert_true(scene.daemon.replan);
    assert_true(scene.daemon.cycle_due);
    scene.daemon.cycle_due = false; /* the cycle begins */
    daemon_replan(&scene.daemon, "lease %d has not started yet", 4);
    assert_false(scene.daemon.cycle_due);
    assert_string_equal(scene.daemon.replan_why, "lease 3 has not started yet");
    scene.fake->leads = true;
    scene_poll(&scene);
    scene.daemon.cycle_due = false;
    daemon_replan(&scene.daemon, "lease %d has not started yet", 4);
    assert_true(scene.daemon.cycle_due);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        a_daemon_that_only_watches_asks_for_a_plan_once, store_set_up, store_tear_down)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
