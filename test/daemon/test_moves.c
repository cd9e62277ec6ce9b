/* VMs that are marked to be rescheduled, and VMs that OpenNebula cannot give another history
 * record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/live/moves.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

enum { NOW = 1000 };

static struct vm_record *open_with_vm(struct scene *scene, void **state, enum vm_goal goal,
                                      enum vm_state vm_state)
{
    struct vm_record *vm;

    scene_open(scene, ((struct store_fixture *)*state)->store);
    for (int32_t host = 0; host < 2; host++)
        fake_cloud_add_host(scene->fake, host, 400, 4096);
    fake_cloud_add_vm(scene->fake, 1, vm_state, 0, 100, 1024);
    vm = scene_add(scene, 1, 1, goal, 0, 100, 1024);
    vm->ran = true;
    return vm;
}

static void look(struct scene *scene, bool resched)
{
    scene->fake->vms[0].resched = resched;
    fake_cloud_wait_a_moment();
    scene_poll(scene);
    reconcile(&scene->daemon, NOW);
}

/* oned writes the new history record of a VM that is off before it takes the mark back. */
static void a_mark_that_was_met_does_not_count_again(void **state)
{
    struct scene scene;
    struct vm_record *vm = open_with_vm(&scene, state, GOAL_NONE, VM_POWEROFF);
    struct lease_record *lease = lease_to_change(scene.daemon.store, 1);

    lease->phase = PHASE_PARKED;
    look(&scene, true);
    assert_true(vm->resched);
    vm_moves_to(scene.daemon.store, vm, 1, true);
    vm->move_sent = true;
    fake_cloud_put(scene.fake, 1, VM_POWEROFF, 1);
    look(&scene, true);
    assert_int_equal(vm->host, 1);
    look(&scene, true);
    assert_false(vm->resched);
    look(&scene, false);
    look(&scene, true); /* it is marked once more */
    assert_true(vm->resched);
    scene_close(&scene);
}

/* Such a VM fails in the end, unless nothing can be written at all. */
static void a_vm_without_a_new_record_fails_if_the_cloud_can_write(void **state)
{
    struct scene scene;
    struct vm_record *vm = open_with_vm(&scene, state, GOAL_END, VM_RUNNING);

    scene.fake->reply = (struct cloud_reply){.outcome = CLOUD_REFUSED,
                                             .refusal = CLOUD_NO_RECORD,
                                             .message = "Cannot update virtual machine history"};
    vm->message_failed = true;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    assert_int_equal(vm->attempts, 0);
    assert_int_equal(vm->refusals, 1);
    vm->message_failed = false;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, vm->next_try), 1);
    assert_int_equal(vm->attempts, 1);
    scene_close(&scene);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)

/* Its lease runs on, until a planned end. */
static void a_vm_that_is_terminated_has_left_its_host(void **state)
{
    struct scene scene;
    struct vm_record *vm = open_with_vm(&scene, state, GOAL_RUN, VM_RUNNING);

    lease_to_change(scene.daemon.store, 1)->phase = PHASE_RUNNING;
    scene_add(&scene, 2, 1, GOAL_RUN, 1, 100, 1024)->ran = true;
    fake_cloud_add_vm(scene.fake, 2, VM_RUNNING, 1, 100, 1024);
    vm_seen_staying(scene.daemon.store, vm, 0, NOW - 50);
    look(&scene, false);
    fake_cloud_put(scene.fake, 1, VM_DONE, 0);
    scene.fake->vms[0].history.retime = NOW - 10;
    look(&scene, false);
    assert_true(vm->gone);
    assert_string_equal(vm->stays, "0 950 990");
    scene_close(&scene);
}

static void keep_event(void *context, const struct store_event *event)
{
    strcat(strcat(strcat(context, event->event), ": "), event->text);
}

/* Nobody planned it. */
static void a_move_by_hand_is_told(void **state)
{
    struct scene scene;
    char text[200] = "";

    open_with_vm(&scene, state, GOAL_RUN, VM_RUNNING);
    lease_to_change(scene.daemon.store, 1)->phase = PHASE_RUNNING;
    look(&scene, false);
    fake_cloud_put(scene.fake, 1, VM_MIGRATING, 1);
    look(&scene, false);
    fake_cloud_put(scene.fake, 1, VM_RUNNING, 1);
    look(&scene, false);
    assert_int_equal(store_each_event(scene.daemon.store, 1, 0, keep_event, text, NULL), 0);
    assert_string_equal(text, "moving: VM 1 is on its way from host 0 to host 1"
                              "moved: VM 1 runs on host 1 now");
    scene_close(&scene);
}

/* On which hosts it ran, and when, is known after it has moved and after it was suspended. */
static void a_vm_that_has_moved_has_a_past_on_its_old_host(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm_record *record;
    struct vm *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    record = scene_add(&scene, 1, 1, GOAL_RUN, 4, 100, 1024);
    lease = lease_to_change(scene.daemon.store, 1);
    lease->phase = PHASE_RUNNING;
    vm = fake_cloud_add_vm(scene.fake, 1, VM_RUNNING, 4, 100, 1024);
    vm->history.rstime = 1000;
    for (int64_t now = 1001; now < 1003; now++) {
        scene_poll(&scene);
        reconcile(&scene.daemon, now);
        assert_string_equal(record->stays, "4 1000");
    }
    vm->history = (struct vm_history){.sequence = 1, .host = 7, .rstime = 1300};
    vm->n_records = 2;
    vm->ran_for = 300;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1301);
    assert_string_equal(record->stays, "4 1000 1300 7 1300");
    vm->state = VM_POWEROFF;
    vm->history.retime = 1400;
    vm->ran_for = 400;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1450);
    assert_string_equal(record->stays, "4 1000 1300 7 1300 1400");
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(a_mark_that_was_met_does_not_count_again),
        WITH_STORE(a_vm_without_a_new_record_fails_if_the_cloud_can_write),
        WITH_STORE(a_move_by_hand_is_told),
        WITH_STORE(a_vm_that_is_terminated_has_left_its_host),
        WITH_STORE(a_vm_that_has_moved_has_a_past_on_its_old_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
