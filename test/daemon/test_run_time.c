/* How long leases have run, by the history records of their VMs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/live/reconcile.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

static struct lease_record *add(struct daemon *daemon, int64_t id, enum lease_phase phase,
                                enum lease_kind kind)
{
    struct lease_record *lease = store_add_lease(daemon->store, id);

    lease->phase = phase;
    lease->kind = kind;
    lease->duration = 600;
    return lease;
}

/* A VM that has moved runs on: what it ran before counts, though pools have the last record only
 * and the others are read later. */
static void a_moved_lease_ends_when_it_was_to_end(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = add(&scene.daemon, 1, PHASE_RUNNING, LEASE_BEST_EFFORT);
    lease->since = 1000;
    lease->end = 1600;
    scene_add(&scene, 1, 1, GOAL_RUN, 4, 100, 1024)->ran = true;
    vm = fake_cloud_add_vm(scene.fake, 1, VM_MIGRATING, 4, 100, 1024);
    vm->history.sequence = 1;
    vm->history.rstime = 1300;
    vm->n_records = 2; /* the first is still open */
    scene_poll(&scene);
    reconcile(&scene.daemon, 1301);
    vm->state = VM_RUNNING;
    vm->n_records = 1;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1302);
    vm->n_records = 2;
    vm->ran_for = 300;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1303);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_int_equal(lease->accumulated, 300);
    assert_int_equal(lease->end, 1600);
    scene_close(&scene);
}

/* OpenNebula opens the record of a boot that failed again when a retry succeeds. */
static void a_record_that_is_opened_again_counts_when_it_is_closed(void **state)
{
    static const struct {
        enum vm_state state;
        int64_t rstime, retime, counts;
    } steps[] = {
        {VM_FAILED, 1000, 1002, 0}, {VM_BOOTING, 1000, 1002, 0},   {VM_RUNNING, 1010, 0, 0},
        {VM_CHANGING, 1010, 0, 0},  {VM_STOPPED, 1010, 1300, 290},
    };
    struct scene scene;
    struct vm_record *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    add(&scene.daemon, 1, PHASE_STARTING, LEASE_BEST_EFFORT)->accepted = true;
    vm = scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_FAILED, 0, 100, 1024);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        scene.fake->vms[0].state = steps[i].state;
        scene.fake->vms[0].history.rstime = steps[i].rstime;
        scene.fake->vms[0].history.retime = steps[i].retime;
        scene_poll(&scene);
        reconcile(&scene.daemon, 2000);
        assert_int_equal(vm->ran_for, steps[i].counts);
    }
    scene_close(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_moved_lease_ends_when_it_was_to_end),
        TEST(a_record_that_is_opened_again_counts_when_it_is_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
