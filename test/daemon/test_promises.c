/* Promises in the templates of VMs: written once for each change, restored from there when the
 * store is lost, and repaired when they are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/live/messages.h"
#include "daemon/live/promises.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/promises_fixture.h"
#include "util/instant.h"

static void looked(void *context, bool ok)
{
    assert_true(ok);
}

static void a_promise_is_written_once_for_each_change(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    assert_int_equal(stage_write(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:1:reservation;"));
    for (int i = 0; i < 3; i++) {
        stage_look(&stage);
        assert_string_equal(stage.events, "");
        assert_int_equal(stage_write(&stage), 0);
    }
    lease->late = true;
    assert_int_equal(stage_write(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:2:reservation;"));
    stage_close(&stage);
}

static void plain_vms_have_a_promise_only_while_they_are_suspended(void **state)
{
    struct stage stage;
    struct lease_record *lease;
    struct vm_record *vm;
    struct promise promise;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = store_add_lease(stage.store, 1);
    lease->uid = lease->gid = 0;
    lease->plain = lease->accepted = true;
    lease->phase = PHASE_RUNNING;
    vm = store_add_vm(stage.store, 1, 1);
    fake_cloud_add_vm(stage.scene.fake, 1, VM_RUNNING, 0, 100, 512);
    assert_int_equal(stage_write(&stage), 0);
    vm->suspended_by_us = true;
    assert_int_equal(stage_write(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:1:best-effort;"));
    vm->suspended_by_us = false;
    assert_int_equal(stage_write(&stage), 1);
    assert_int_equal(promise_read(stage.texts[1], &stage_key, 0, 1, &promise), PROMISE_VALID);
    assert_true(promise.over);
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    assert_int_equal(stage_write(&stage), 0);
    stage_close(&stage);
}

/* Else a galernad with an empty store takes it for one that its owner holds, and ends it. */
static void a_vm_is_held_when_its_promise_says_that_it_is_over(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    stage_look(&stage);
    lease->phase = PHASE_REFUSED;
    vm_to_change(stage.store, 1)->goal = GOAL_HOLD;
    assert_int_equal(scene_enact(&stage.scene, NOW), 0);
    assert_int_equal(stage_write(&stage), 1);
    assert_int_equal(scene_enact(&stage.scene, NOW), 1);
    assert_string_equal(scene_commands(&stage.scene), "hold 1 on -1");
    stage_close(&stage);
}

/* Also one that never had a promise: to a galernad whose store is empty, or from between its
 * acceptance and its refusal, its owner holds it. */
static void expect_hold_without_a_promise(void **state, bool accepted)
{
    struct stage stage;
    struct lease_record *lease;
    struct promise promise;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    lease->accepted = accepted;
    stage_look(&stage);
    lease->phase = PHASE_REFUSED;
    vm_to_change(stage.store, 1)->goal = GOAL_HOLD;
    assert_int_equal(scene_enact(&stage.scene, NOW), 0);
    assert_int_equal(stage_write(&stage), 1);
    assert_int_equal(promise_read(stage.texts[1], &stage_key, 0, 1, &promise), PROMISE_VALID);
    assert_true(promise.over);
    assert_int_equal(scene_enact(&stage.scene, NOW), 1);
    assert_string_equal(scene_commands(&stage.scene), "hold 1 on -1");
    assert_int_equal(stage_write(&stage), 0);
    stage_close(&stage);
}

/* Its owner has released it, and it was accepted, which was not written, and refused again. */
static void a_vm_that_is_refused_again_is_held_when_that_is_said_again(void **state)
{
    struct stage stage;
    struct lease_record *lease;
    const struct vm_record *vm;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    vm = store_vm(stage.store, 1);
    stage_look(&stage);
    for (int i = 1; i <= 2; i++) {
        vm_set_goal(stage.store, vm, GOAL_NONE);
        lease->phase = PHASE_REFUSED;
        vm_set_goal(stage.store, vm, GOAL_HOLD);
        vm_to_change(stage.store, 1)->message_at = 0;
        assert_true(promises_precede(&stage.scene.daemon, vm));
        assert_int_equal(stage_write(&stage), 1);
        assert_int_equal(vm->promise_number, i);
        assert_false(promises_precede(&stage.scene.daemon, vm));
        assert_int_equal(stage_write(&stage), 0);
    }
    stage_close(&stage);
}

static void a_vm_that_was_accepted_is_held_when_that_is_said(void **state)
{
    expect_hold_without_a_promise(state, true);
}

static void a_vm_that_was_refused_at_once_is_held_when_that_is_said(void **state)
{
    expect_hold_without_a_promise(state, false);
}

/* Else a galernad with an empty store takes the members that run for leases of their own, and the
 * others wait for them. */
static void a_group_starts_when_each_member_has_its_promise(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 2);
    lease->phase = PHASE_STARTING;
    fake_cloud_add_host(stage.scene.fake, 0, 800, 4096);
    for (int32_t i = 1; i <= 2; i++) {
        struct vm_record *vm = vm_to_change(stage.store, i);

        fake_cloud_put(stage.scene.fake, i, VM_STOPPED, -1);
        vm->suspended_by_us = vm->ran = true;
        vm->goal = GOAL_RUN;
        vm->host = 0;
    }
    stage_look(&stage);
    assert_int_equal(scene_enact(&stage.scene, NOW), 0);
    assert_int_equal(stage_write(&stage), 2);
    assert_int_equal(scene_enact(&stage.scene, NOW), 2);
    stage_close(&stage);
}

/* Else a galernad with an empty store takes the promise that is over for the end of the lease. */
static void what_was_refused_before_starts_when_it_has_a_promise(void **state)
{
    struct stage stage;
    struct vm_record *vm;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1)->phase = PHASE_STARTING;
    fake_cloud_add_host(stage.scene.fake, 0, 800, 4096);
    fake_cloud_put(stage.scene.fake, 1, VM_STOPPED, -1);
    vm = vm_to_change(stage.store, 1);
    vm->ran = vm->suspended_by_us = true;
    vm->promise_number = 5; /* over */
    vm->goal = GOAL_RUN;
    vm->host = 0;
    stage_look(&stage);
    assert_int_equal(scene_enact(&stage.scene, NOW), 0);
    assert_int_equal(stage_write(&stage), 1);
    assert_int_equal(scene_enact(&stage.scene, NOW), 1);
    stage_close(&stage);
}

static void an_empty_store_gets_its_leases_back(void **state)
{
    struct store_fixture *fixture = *state;
    struct stage stage, other;
    char directory[DIRECTORY_NAME_MAX];
    struct lease_record *lease;
    struct vm_record *vm;
    struct store *empty;
    const struct lease_record *found;
    int64_t at;
    size_t n;

    stage_open(&stage, fixture->store);
    stage_reserve(&stage, 1, 1);
    stage_reserve(&stage, 4, 3);
    lease = store_add_lease(stage.store, 9);
    lease->uid = lease->gid = 0;
    lease->phase = PHASE_WAITING;
    lease->plain = lease->accepted = true;
    lease->submit = SUBMITTED + 1;
    lease->duration = 1000;
    vm = store_add_vm(stage.store, 9, 9);
    vm->suspended_by_us = true;
    vm->sequence = 2;
    vm->ran_for = 700;
    fake_cloud_add_vm(stage.scene.fake, 9, VM_SUSPENDED, 2, 100, 512);
    assert_int_equal(stage_write(&stage), 5);

    directory_make(directory);
    empty = store_must_open(directory);
    stage_open(&other, empty);
    memcpy(other.texts, stage.texts, sizeof stage.texts);
    memcpy(other.scene.fake->vms, stage.scene.fake->vms, sizeof stage.scene.fake->vms);
    other.scene.fake->n_vms = stage.scene.fake->n_vms;
    stage_look(&other);
    assert_string_equal(other.events, "1 restored, 4 restored, 9 restored, -1 restored, ");
    found = store_lease(empty, 1);
    assert_int_equal(found->phase, PHASE_RESERVED);
    assert_int_equal(found->kind, LEASE_RESERVATION);
    assert_int_equal(found->start, START);
    assert_int_equal(found->submit, SUBMITTED);
    assert_int_equal(found->priority, 5 * PRIORITY_ONE);
    assert_true(found->accepted);
    store_vms_of(empty, 4, &n);
    assert_int_equal(n, 3);
    assert_string_equal(store_lease(empty, 4)->group, "front ends");
    found = store_lease(empty, 9);
    assert_int_equal(found->phase, PHASE_WAITING);
    assert_int_equal(found->accumulated, 700);
    assert_int_equal(found->submit, SUBMITTED + 1);
    assert_true(store_vm(empty, 9)->suspended_by_us);
    assert_int_equal(promises_restored_last(empty, &at), 3);
    assert_int_equal(at, NOW);
    assert_int_equal(stage_write(&other), 0); /* they are as they were */

    stage_close(&other);
    store_close(empty);
    directory_remove(directory);
    stage_close(&stage);
}

static void a_suspended_lease_keeps_its_deadline_and_the_time_it_has_left(void **state)
{
    struct stage stage, other;
    char directory[DIRECTORY_NAME_MAX];
    const struct lease_record *found;
    struct lease_record *lease;
    struct vm_record *vm;
    struct store *empty;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    lease->kind = LEASE_DEADLINE;
    lease->start = INSTANT_NONE;
    lease->deadline = START;
    lease->duration = 1000;
    vm = vm_to_change(stage.store, 1);
    vm->suspended_by_us = vm->ran = true;
    vm->sequence = 0;
    vm->ran_for = 400;
    fake_cloud_put(stage.scene.fake, 1, VM_STOPPED, 2);
    assert_int_equal(stage_write(&stage), 1);

    directory_make(directory);
    empty = store_must_open(directory);
    stage_open(&other, empty);
    memcpy(other.texts, stage.texts, sizeof stage.texts);
    memcpy(other.scene.fake->vms, stage.scene.fake->vms, sizeof stage.scene.fake->vms);
    other.scene.fake->n_vms = stage.scene.fake->n_vms;
    stage_look(&other);
    found = store_lease(empty, 1);
    assert_int_equal(found->phase, PHASE_RESERVED); /* promised, not only queued */
    assert_int_equal(found->kind, LEASE_DEADLINE);
    assert_int_equal(found->deadline, START);
    assert_int_equal(found->duration - found->accumulated, 600);
    assert_true(store_vm(empty, 1)->suspended_by_us);
    assert_int_equal(stage_write(&other), 0);
    stage_close(&other);
    store_close(empty);
    directory_remove(directory);
    stage_close(&stage);
}

static void what_users_write_over_it_is_said_and_repaired_once(void **state)
{
    static const char *const damages[] = {"", "nonsense", "v1:9:reservation;;1,2:AAAA"};

    struct stage stage;
    char good[PROMISE_TEXT_MAX];
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        snprintf(stage.texts[1], sizeof stage.texts[1], "%s", damages[i]);
        stage_look(&stage);
        assert_string_equal(stage.events, "1 promise-damaged, ");
        assert_int_equal(stage_write(&stage), 1);
        snprintf(good, sizeof good, "%s", stage.texts[1]);
        stage_look(&stage);
        assert_string_equal(stage.events, "");
        /* The owner damages it again: not a second repair of the same promise. */
        snprintf(stage.texts[1], sizeof stage.texts[1], "%s", damages[i]);
        stage_look(&stage);
        assert_string_equal(stage.events, "");
        assert_int_equal(stage_write(&stage), 0);
        lease->duration++;
        assert_int_equal(stage_write(&stage), 1);
        assert_string_not_equal(stage.texts[1], good);
        stage_look(&stage);
        assert_string_equal(stage.events, "");
    }
    assert_int_equal(lease->start, START);
    stage_close(&stage);
}

/* Short forms are newer than the extended one that was read before the promise was written. */
static void a_template_read_before_the_promise_was_written_proves_nothing(void **state)
{
    struct stage stage;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1);
    stage_look(&stage);
    stage_write(&stage);
    stage.texts[1][0] = '\0'; /* as it was read */
    fake_cloud_wait_a_moment();
    fake_cloud_put(stage.scene.fake, 1, VM_RUNNING, 0);
    world_look(stage.scene.daemon.world, (int32_t[]){1}, 1, looked, NULL);
    stage_finish_calls(&stage);
    messages_see(stage.scene.daemon.messages, NOW);
    assert_string_equal(stage.events, "");
    stage_close(&stage);
}

/* This galernad ended before it was told, and another one did next what both had decided. */
static void an_own_promise_tells_who_suspended_the_vm(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, store);
    lease = stage_reserve(&stage, 1, 1);
    lease->kind = LEASE_BEST_EFFORT;
    lease->phase = PHASE_STOPPING;
    vm_to_change(store, 1)->goal = GOAL_STOP;
    fake_cloud_put(stage.scene.fake, 1, VM_RUNNING, 0);
    scene_poll(&stage.scene);
    stage.scene.fake->message_reply = (struct cloud_reply){.outcome = CLOUD_UNKNOWN, .message = ""};
    assert_int_equal(stage_write(&stage), 1);
    assert_false(store_vm(store, 1)->suspended_by_us);
    fake_cloud_put(stage.scene.fake, 1, VM_STOPPED, 0);
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    assert_true(store_vm(store, 1)->suspended_by_us);
    stage_close(&stage);
}

/* OpenNebula took the promise, and galernad ended before it was told. What it had answered to a
 * user meanwhile counts: the promise is not another front-end's. */
static void an_own_promise_without_an_answer_undoes_nothing(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    stage.scene.fake->message_reply = (struct cloud_reply){.outcome = CLOUD_UNKNOWN, .message = ""};
    assert_int_equal(stage_write(&stage), 1);
    stage.scene.fake->message_reply = (struct cloud_reply){.outcome = CLOUD_DONE};
    lease->duration += 600;
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    assert_int_equal(lease->duration, 4200);
    assert_int_equal(stage_write(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:2:reservation;"));

    lease->phase = PHASE_REFUSED;
    stage.scene.fake->message_reply = (struct cloud_reply){.outcome = CLOUD_UNKNOWN, .message = ""};
    assert_int_equal(stage_write(&stage), 1);
    lease->phase = PHASE_RESERVED; /* its owner asked again */
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    assert_int_equal(lease->phase, PHASE_RESERVED);
    stage_close(&stage);
}

/* Either may have arrived. Only the last one could be told from one of another front-end. */
static void after_a_promise_without_an_answer_only_the_same_is_written(void **state)
{
    const struct cloud_reply none = {.outcome = CLOUD_UNKNOWN, .message = ""};
    struct store *store = ((struct store_fixture *)*state)->store;
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, store);
    lease = stage_reserve(&stage, 1, 1);
    stage.scene.fake->message_reply = none;
    assert_int_equal(stage_write(&stage), 1);
    vm_to_change(store, 1)->message_at = 0;
    assert_int_equal(stage_write(&stage), 1);
    lease->duration += 600;
    vm_to_change(store, 1)->message_at = 0;
    vm_to_change(store, 1)->goal = GOAL_STOP;
    assert_int_equal(stage_write(&stage), 0);
    assert_true(promises_precede(&stage.scene.daemon, store_vm(store, 1)));
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    assert_int_equal(stage_write(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:2:reservation;"));
    stage_close(&stage);
}

static void a_copy_and_an_older_one_are_found(void **state)
{
    struct stage stage;
    char old[PROMISE_TEXT_MAX];
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    stage_reserve(&stage, 2, 1)->start = START + 1;
    stage_write(&stage);
    snprintf(old, sizeof old, "%s", stage.texts[1]);
    lease->start = START + 2;
    stage_write(&stage);
    snprintf(stage.texts[1], sizeof stage.texts[1], "%s", old);
    snprintf(stage.texts[2], sizeof stage.texts[2], "%s", old);
    stage_look(&stage);
    assert_string_equal(stage.events, "1 promise-damaged, 2 promise-damaged, ");
    assert_int_equal(lease->start, START + 2);
    assert_int_equal(store_lease(stage.store, 2)->start, START + 1);
    assert_int_equal(stage_write(&stage), 2);
    stage_close(&stage);
}

static void a_forged_promise_gives_a_new_vm_nothing(void **state)
{
    struct stage stage;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    fake_cloud_add_vm(stage.scene.fake, 3, VM_PENDING, -1, 100, 512);
    snprintf(stage.texts[2], sizeof stage.texts[2], "%s", stage.texts[1]); /* copied */
    snprintf(stage.texts[3], sizeof stage.texts[3], "%s", stage.texts[1]);
    stage.texts[3][5]++;
    stage_look(&stage);
    assert_int_equal(store_lease(stage.store, 2)->kind, LEASE_BEST_EFFORT);
    assert_true(store_lease(stage.store, 2)->plain && store_lease(stage.store, 3)->plain);
    assert_false(store_lease(stage.store, 3)->accepted);
    assert_non_null(strstr(stage.events, "2 promise-damaged, "));
    assert_non_null(strstr(stage.events, "3 promise-damaged, "));
    stage_close(&stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_promise_is_written_once_for_each_change),
        TEST(plain_vms_have_a_promise_only_while_they_are_suspended),
        TEST(a_vm_is_held_when_its_promise_says_that_it_is_over),
        TEST(a_vm_that_is_refused_again_is_held_when_that_is_said_again),
        TEST(a_vm_that_was_accepted_is_held_when_that_is_said),
        TEST(a_vm_that_was_refused_at_once_is_held_when_that_is_said),
        TEST(a_group_starts_when_each_member_has_its_promise),
        TEST(what_was_refused_before_starts_when_it_has_a_promise),
        TEST(an_empty_store_gets_its_leases_back),
        TEST(a_suspended_lease_keeps_its_deadline_and_the_time_it_has_left),
        TEST(what_users_write_over_it_is_said_and_repaired_once),
        TEST(a_template_read_before_the_promise_was_written_proves_nothing),
        TEST(an_own_promise_tells_who_suspended_the_vm),
        TEST(an_own_promise_without_an_answer_undoes_nothing),
        TEST(after_a_promise_without_an_answer_only_the_same_is_written),
        TEST(a_copy_and_an_older_one_are_found),
        TEST(a_forged_promise_gives_a_new_vm_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
