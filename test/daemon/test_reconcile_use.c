/* The early end of unused leases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/live/reconcile.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

/* A lease that runs on host 0, with a VM that uses so much of its CPU. */
static struct lease_record *add_measured(struct scene *scene, int32_t id, int64_t cpu)
{
    struct lease_record *lease =
        lease_add(scene->daemon.store, id, PHASE_RUNNING, LEASE_BEST_EFFORT);

    lease->accepted = true;
    lease->since = 1900;
    lease->duration = 100000;
    lease->end = lease->since + lease->duration;
    scene_add(scene, id, id, GOAL_RUN, 0, 100, 1024)->ran = true;
    fake_cloud_add_vm(scene->fake, id, VM_RUNNING, 0, 100, 1024);
    scene->fake->uses[scene->fake->n_uses++] = (struct vm_use){.id = id, .cpu = cpu};
    return lease;
}

static void measure(struct scene *scene, int64_t now)
{
    fake_cloud_wait_a_moment();
    scene_poll(scene);
    reconcile(&scene->daemon, now);
}

/* As if so many seconds had passed between two measurements. */
static void pass(struct lease_record *lease, int64_t seconds)
{
    assert_true(lease->unused_since > 0);
    lease->unused_since -= seconds * 1000;
}

static void open_measured(struct scene *scene, struct store *store)
{
    scene_open(scene, store);
    scene->live.unused_after = 60;
    scene->live.unused_cpu = 5;
    scene->live.end_warning = 30;
    world_want_uses(scene->daemon.world, true);
}

static void an_unused_lease_ends_after_its_owner_was_told(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    char text[STORE_ACTIVITY_MAX];

    open_measured(&scene, ((struct store_fixture *)*state)->store);
    lease = add_measured(&scene, 1, 4);
    measure(&scene, 2000);
    pass(lease, 59);
    measure(&scene, 2059);
    assert_true(lease->unused_until == INSTANT_NONE);
    pass(lease, 1);
    measure(&scene, 2060);
    assert_int_equal(lease->unused_until, 2090);
    store_activity(lease, 2060, text, sizeof text);
    assert_non_null(strstr(text, "Its VMs are unused: it ends at"));
    measure(&scene, 2089);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    measure(&scene, 2090);
    assert_int_equal(lease->phase, PHASE_ENDING);
    assert_int_equal(lease->reason_id, REASON_UNUSED);
    assert_int_equal(lease->end, 2090);
    scene_close(&scene);
}

static void a_lease_that_is_used_again_goes_on(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    open_measured(&scene, ((struct store_fixture *)*state)->store);
    lease = add_measured(&scene, 1, 0);
    measure(&scene, 2000);
    pass(lease, 60);
    measure(&scene, 2060);
    assert_int_equal(lease->unused_until, 2090);
    scene.fake->uses[0].cpu = 5;
    measure(&scene, 2090);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_true(lease->unused_until == INSTANT_NONE);
    scene.fake->uses[0].cpu = 0;
    measure(&scene, 2091);
    assert_true(lease->unused_until == INSTANT_NONE);
    scene_close(&scene);
}

/* The time that was announced has passed while galernad did not run: the owner has it again. */
static void a_restart_ends_no_lease_at_once(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    open_measured(&scene, ((struct store_fixture *)*state)->store);
    lease = add_measured(&scene, 1, 0);
    lease->unused_until = 1950;
    reconcile(&scene.daemon, 2000);
    assert_int_equal(lease->unused_until, 1950);
    measure(&scene, 2000);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    pass(lease, 30);
    measure(&scene, 2030);
    assert_int_equal(lease->phase, PHASE_ENDING);
    scene_close(&scene);
}

/* Kept, plain, in use, in use in part, not measured, about to end anyway. */
static void other_leases_do_not_end_early(void **state)
{
    struct scene scene;
    struct lease_record *leases[6];

    open_measured(&scene, ((struct store_fixture *)*state)->store);
    for (int i = 0; i < 6; i++)
        leases[i] = add_measured(&scene, 1 + i, i == 2 ? 50 : i == 4 ? -1 : 0);
    leases[0]->keep = leases[1]->plain = true;
    scene_add(&scene, 7, 4, GOAL_RUN, 0, 100, 1024)->ran = true;
    fake_cloud_add_vm(scene.fake, 7, VM_RUNNING, 0, 100, 1024);
    scene.fake->uses[scene.fake->n_uses++] = (struct vm_use){.id = 7, .cpu = 99};
    measure(&scene, 2000);
    pass(leases[5], 60);
    leases[5]->duration = 2085 - leases[5]->since;
    leases[5]->end = 2085;
    measure(&scene, 2060);
    for (int i = 0; i < 6; i++) {
        assert_true(leases[i]->unused_until == INSTANT_NONE);
        assert_int_equal(leases[i]->unused_since != 0, i == 5);
    }
    scene_close(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_unused_lease_ends_after_its_owner_was_told),
        TEST(a_lease_that_is_used_again_goes_on),
        TEST(a_restart_ends_no_lease_at_once),
        TEST(other_leases_do_not_end_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
