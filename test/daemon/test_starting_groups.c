/* Groups of which not all VMs have started yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/live/reconcile.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/house.h"
#include "test/daemon/store_fixture.h"

/* A galernad whose store was lost finds one VM of a group running, and the other one pending. */
static void add_half_a_group(struct house *house, struct store *store)
{
    fake_cloud_has_datastore(house->scene.fake);
    add_lease(store, 1, PHASE_STARTING, LEASE_BEST_EFFORT, 600);
    vm_to_change(store, 1)->goal = GOAL_RUN;
    scene_add(&house->scene, 2, 1, GOAL_RUN, -1, CPU, MEMORY);
    fake_cloud_add_vm(house->scene.fake, 1, VM_RUNNING, 0, CPU, MEMORY);
    fake_cloud_add_vm(house->scene.fake, 2, VM_PENDING, -1, CPU, MEMORY);
    scene_poll(&house->scene);
    rebuild(house, NOW);
}

static void a_vm_of_a_starting_group_gets_a_host(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct house house;

    open_house(&house, store, 2);
    add_half_a_group(&house, store);
    assert_int_equal(store_vm(store, 1)->host, 0);
    assert_int_equal(store_vm(store, 2)->host, 1);
    close_house(&house);
}

/* There is a host for one of two: it is kept while the other one is looked for, which is said. */
static void a_vm_of_a_starting_group_keeps_its_host(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *other;
    char said[STORE_ACTIVITY_MAX];
    struct house house;

    open_house(&house, store, 2);
    add_half_a_group(&house, store);
    scene_add(&house.scene, 3, 1, GOAL_RUN, -1, CPU, MEMORY);
    fake_cloud_add_vm(house.scene.fake, 3, VM_PENDING, -1, CPU, MEMORY);
    other = add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, 60);
    fake_cloud_add_vm(house.scene.fake, 4, VM_PENDING, -1, CPU, MEMORY);
    scene_poll(&house.scene);
    rebuild(&house, NOW);
    assert_int_equal(store_vm(store, 3)->host, -1);
    store_activity(store_lease(store, 1), NOW, said, sizeof said);
    assert_string_equal(said, "Starting: no host has room for VM 3 at present");
    rebuild(&house, NOW);
    assert_int_equal(store_vm(store, 2)->host, 1);
    assert_int_equal(other->phase, PHASE_WAITING);
    close_house(&house);
}

static void a_group_that_starts_slowly_keeps_its_hosts(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct house house;

    open_house(&house, store, 2);
    add_half_a_group(&house, store);
    rebuild(&house, NOW);
    assert_int_equal(planner_end(house.planner, 1), NOW + 600);
    house.scene.daemon.replan = false;
    reconcile(&house.scene.daemon, NOW + 599);
    assert_false(house.scene.daemon.replan);
    reconcile(&house.scene.daemon, NOW + 600);
    assert_string_equal(house.scene.daemon.replan_why, "lease 1 has not started yet");
    close_house(&house);
}

/* The last VM of the group is seen running before OpenNebula tells since when. */
static void the_time_of_a_group_does_not_begin_before_its_last_vm_runs(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct house house;

    open_house(&house, store, 2);
    add_half_a_group(&house, store);
    house.scene.fake->vms[0].history.rstime = NOW - 100; /* of VM 1 */
    fake_cloud_put(house.scene.fake, 2, VM_RUNNING, 1);
    scene_poll(&house.scene);
    reconcile(&house.scene.daemon, NOW);
    assert_int_equal(store_lease(store, 1)->phase, PHASE_RUNNING);
    assert_int_equal(store_lease(store, 1)->since, NOW);
    close_house(&house);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_vm_of_a_starting_group_gets_a_host),
        TEST(a_vm_of_a_starting_group_keeps_its_host),
        TEST(a_group_that_starts_slowly_keeps_its_hosts),
        TEST(the_time_of_a_group_does_not_begin_before_its_last_vm_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
