/* Who is started first, and what is said of those that wait for their turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/clock.h"
#include "daemon/live/messages.h"
#include "daemon/state/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

enum { NOW = 100000 };

static struct store *store_of(void **state)
{
    return ((struct store_fixture *)*state)->store;
}

static void suspended(struct vm_record *vm)
{
    vm->suspended_by_us = vm->ran = true;
}

/* Few commands at a time: what was promised to start now comes first, then by priority. */
static void promised_starts_come_first(void **state)
{
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_BEST_EFFORT, LEASE_DEADLINE,
                                            LEASE_RESERVATION};
    struct store *store = store_of(state);
    struct scene scene;
    char sent[256] = "";

    scene_open_with_hosts(&scene, store_of(state), 4);
    scene.live.actions_in_all = 1;
    for (int32_t i = 0; i < 4; i++) {
        suspended(scene_add_seen(&scene, i + 1, i + 1, GOAL_RUN, i, VM_STOPPED, -1, 100));
        lease_to_change(store, i + 1)->kind = kinds[i];
    }
    lease_to_change(store, 2)->priority = 9;
    for (int i = 0; i < 4; i++) {
        scene_poll(&scene);
        assert_int_equal(scene_enact(&scene, NOW + i), 1);
        snprintf(sent + strlen(sent), sizeof sent - strlen(sent), "%s; ", scene_commands(&scene));
        fake_cloud_put(scene.fake, 4 - i, VM_RUNNING, 3 - i);
    }
    assert_string_equal(sent, "deploy 4 on 3; deploy 3 on 2; deploy 2 on 1; deploy 1 on 0; ");
    scene_close(&scene);
}

/* A host may be full by what galernad cannot see: other hosts are tried, for a promise at once. */
static void a_promised_start_that_its_host_refuses_is_tried_again_at_once(void **state)
{
    static const struct {
        enum lease_kind kind;
        int64_t pause;
    } cases[] = {{LEASE_RESERVATION, 1}, {LEASE_DEADLINE, 1}, {LEASE_BEST_EFFORT, 10}};
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 3);
    scene.fake->reply = (struct cloud_reply){
        .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_HOST, .message = "Not enough capacity"};
    for (int32_t i = 0; i < 3; i++) {
        struct vm_record *vm =
            scene_add_seen(&scene, i + 1, i + 1, GOAL_RUN, i, VM_PENDING, -1, 100);
        const int64_t before = clock_now();

        vm->datastore = 0;
        lease_to_change(store, i + 1)->kind = cases[i].kind;
        lease_to_change(store, i + 1)->accepted = true;
        lease_to_change(store, i + 1)->phase = PHASE_STARTING;
        scene_poll(&scene);
        assert_int_equal(scene_enact(&scene, NOW), 1);
        assert_int_equal(vm->attempts, 1);
        assert_in_range(vm->next_try, before + cases[i].pause, clock_now() + cases[i].pause);
    }
    scene_close(&scene);
}

/* Whoever has operations in progress waits for those who have none; a lease is not torn apart. */
static void users_start_in_turn(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 8);
    scene.live.actions_in_all = 5;
    scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_BOOTING, 0, 100);
    for (int32_t vm = 2; vm <= 7; vm++)
        suspended(scene_add_seen(&scene, vm, vm == 7 ? 6 : vm, GOAL_RUN, vm, VM_STOPPED, -1, 100));
    for (int32_t lease = 1; lease <= 6; lease++)
        lease_to_change(store, lease)->uid = lease == 6 ? 8 : 7;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 4);
    assert_string_equal(scene_commands(&scene),
                        "deploy 6 on 6; deploy 7 on 7; deploy 2 on 2; deploy 3 on 3");
    scene_close(&scene);
}

/* Ends are commands like others: who ends many VMs does not delay the starts of others. */
static void users_end_and_start_in_turn(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 8);
    scene.live.actions_in_all = 4;
    for (int32_t vm = 1; vm <= 5; vm++)
        scene_add_seen(&scene, vm, vm, GOAL_END, vm, VM_RUNNING, vm, 100)->ran = true;
    for (int32_t vm = 6; vm <= 7; vm++)
        suspended(scene_add_seen(&scene, vm, vm, GOAL_RUN, vm, VM_STOPPED, -1, 100));
    for (int32_t lease = 1; lease <= 7; lease++)
        lease_to_change(store, lease)->uid = lease <= 5 ? 7 : 8;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 4);
    assert_string_equal(scene_commands(&scene),
                        "terminate 1 on 1; deploy 6 on 6; terminate 2 on 2; deploy 7 on 7");
    scene_close(&scene);
}

/* VM 4 of a user who ends many goes first, because VM 9 of another needs its room. */
static void what_makes_room_for_a_start_goes_with_it(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 8);
    scene.live.actions_in_all = 2;
    for (int32_t vm = 1; vm <= 4; vm++)
        scene_add_seen(&scene, vm, vm, GOAL_END, vm, VM_RUNNING, vm, SCENE_CPU)->ran = true;
    suspended(scene_add_seen(&scene, 9, 9, GOAL_RUN, 4, VM_STOPPED, -1, 100));
    lease_to_change(store, 9)->kind = LEASE_RESERVATION;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 2);
    assert_string_equal(scene_commands(&scene), "terminate 4 on 4; terminate 1 on 1");
    scene_close(&scene);
}

/* What is suspended for a promised start is as urgent as this, and in the turn of its user. */
static void what_is_suspended_for_another_is_in_its_turn(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 8);
    scene.live.actions_in_all = 1;
    for (int32_t vm = 1; vm <= 4; vm++)
        scene_add_seen(&scene, vm, vm, vm == 4 ? GOAL_STOP : GOAL_END, vm, VM_RUNNING, vm, 100)
            ->ran = true;
    scene_add_seen(&scene, 9, 9, GOAL_NONE, 4, VM_PENDING, -1, 100);
    lease_to_change(store, 9)->kind = LEASE_RESERVATION;
    lease_to_change(store, 4)->preempted_for = 9;
    lease_to_change(store, 4)->preempted_at = NOW;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    assert_string_equal(scene_commands(&scene), "stop 4 on 4");
    scene_close(&scene);
}

/* Also when a reservation becomes due meanwhile. */
static void a_group_that_has_begun_comes_first(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;
    char sent[256] = "";

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene.live.actions_per_host = 1;
    for (int32_t vm = 1; vm <= 4; vm++)
        suspended(scene_add_seen(&scene, vm, vm == 3 ? 1 : vm, GOAL_RUN, 0, VM_STOPPED, -1, 100));
    lease_to_change(store, 1)->phase = PHASE_STARTING;
    lease_to_change(store, 1)->priority = 1;
    for (int i = 0; i < 4; i++) {
        static const int32_t next[] = {1, 3, 4, 2};

        scene_poll(&scene);
        assert_int_equal(scene_enact(&scene, NOW + i), 1);
        snprintf(sent + strlen(sent), sizeof sent - strlen(sent), "%s; ", scene_commands(&scene));
        fake_cloud_put(scene.fake, next[i], VM_RUNNING, 0);
        lease_to_change(store, 4)->kind = LEASE_RESERVATION;
    }
    assert_string_equal(sent, "deploy 1 on 0; deploy 3 on 0; deploy 4 on 0; deploy 2 on 0; ");
    scene_close(&scene);
}

/* Its VMs do not start together anyway. */
static void of_a_lease_with_more_vms_than_turns_others_are_not_delayed(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 8);
    scene.live.actions_in_all = 2;
    for (int32_t vm = 1; vm <= 6; vm++)
        suspended(scene_add_seen(&scene, vm, 1, GOAL_RUN, vm, VM_STOPPED, -1, 100));
    suspended(scene_add_seen(&scene, 7, 7, GOAL_RUN, 7, VM_STOPPED, -1, 100));
    lease_to_change(store, 1)->phase = PHASE_STARTING;
    lease_to_change(store, 7)->uid = 7;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 2);
    assert_string_equal(scene_commands(&scene), "deploy 1 on 1; deploy 2 on 2");
    fake_cloud_put(scene.fake, 1, VM_RUNNING, 1);
    fake_cloud_put(scene.fake, 2, VM_BOOTING, 2);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 1), 1);
    assert_string_equal(scene_commands(&scene), "deploy 7 on 7");
    scene_close(&scene);
}

/* Leases that come after it do not take the turns that it waits for. */
static void a_group_begins_when_all_its_vms_have_a_turn(void **state)
{
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 6);
    scene.live.actions_in_all = 3;
    scene_add_seen(&scene, 9, 9, GOAL_RUN, 5, VM_BOOTING, 5, 100);
    for (int32_t vm = 1; vm <= 4; vm++)
        suspended(scene_add_seen(&scene, vm, vm == 4 ? 4 : 1, GOAL_RUN, vm, VM_STOPPED, -1, 100));
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    fake_cloud_put(scene.fake, 9, VM_RUNNING, 5);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 1), 3);
    assert_string_equal(scene_commands(&scene), "deploy 1 on 1; deploy 2 on 2; deploy 3 on 3");
    scene_close(&scene);
}

/* One that is larger than the limit needs as many rounds when it begins with the odd part. */
static void a_large_group_begins_with_the_part_that_leaves_full_rounds(void **state)
{
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 7);
    scene.live.actions_in_all = 3;
    scene_add_seen(&scene, 8, 8, GOAL_RUN, 5, VM_BOOTING, 5, 100);
    scene_add_seen(&scene, 9, 9, GOAL_RUN, 6, VM_BOOTING, 6, 100);
    for (int32_t vm = 1; vm <= 5; vm++)
        suspended(scene_add_seen(&scene, vm, 1, GOAL_RUN, vm - 1, VM_STOPPED, -1, 100));
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    fake_cloud_put(scene.fake, 9, VM_RUNNING, 6);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 1), 2);
    assert_string_equal(scene_commands(&scene), "deploy 1 on 0; deploy 2 on 1");
    scene_close(&scene);
}

/* Of the operations of others, who have none in progress, those that keep no promise wait for a
 * group that has waited for them. */
static void a_group_gets_its_turns_although_others_go_on_ending(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 8);
    scene.live.actions_in_all = 4;
    scene_add_seen(&scene, 7, 7, GOAL_RUN, 7, VM_BOOTING, 7, 100);
    for (int32_t vm = 1; vm <= 3; vm++)
        suspended(scene_add_seen(&scene, vm, 1, GOAL_RUN, vm, VM_STOPPED, -1, 100));
    for (int32_t vm = 4; vm <= 6; vm++)
        scene_add_seen(&scene, vm, vm, GOAL_END, vm, VM_RUNNING, vm, 100)->ran = true;
    for (int32_t lease = 4; lease <= 6; lease++)
        lease_to_change(store, lease)->uid = lease;
    fake_cloud_put(scene.fake, 5, VM_BOOTING, 5);
    fake_cloud_put(scene.fake, 6, VM_BOOTING, 6);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    fake_cloud_put(scene.fake, 4, VM_DONE, -1);
    fake_cloud_put(scene.fake, 5, VM_RUNNING, 5);
    for (int32_t vm = 1; vm <= 3; vm++)
        vm_to_change(store, vm)->blocked -= 61 * 1000;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 1), 1);
    assert_string_equal(scene_commands(&scene), "terminate 4 on 4; terminate 5 on 5");
    fake_cloud_put(scene.fake, 5, VM_DONE, -1);
    fake_cloud_put(scene.fake, 6, VM_RUNNING, 6);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 2), 3);
    assert_string_equal(scene_commands(&scene), "deploy 1 on 1; deploy 2 on 2; deploy 3 on 3");
    scene_close(&scene);
}

/* Until the group has waited for a minute, what ends does not wait behind it. */
static void ends_do_not_wait_behind_a_group(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store, 8);
    scene.live.actions_in_all = 4;
    scene_add_seen(&scene, 7, 7, GOAL_RUN, 7, VM_BOOTING, 7, 100);
    scene_add_seen(&scene, 6, 6, GOAL_RUN, 6, VM_BOOTING, 6, 100);
    for (int32_t vm = 1; vm <= 3; vm++)
        suspended(scene_add_seen(&scene, vm, 1, GOAL_RUN, vm, VM_STOPPED, -1, 100));
    suspended(scene_add_seen(&scene, 4, 4, GOAL_RUN, 4, VM_STOPPED, -1, 100));
    scene_add_seen(&scene, 5, 5, GOAL_END, 5, VM_RUNNING, 5, 100)->ran = true;
    lease_to_change(store, 4)->priority = -1;
    lease_to_change(store, 5)->priority = -1;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    assert_string_equal(scene_commands(&scene), "terminate 5 on 5");
    scene_close(&scene);
}

/* It says so once it lasts, and no longer when its command is sent. */
static void a_start_that_waits_for_its_turn_says_so(void **state)
{
    struct store *store = store_of(state);
    const struct lease_record *lease;
    char text[STORE_ACTIVITY_MAX];
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 2);
    scene.live.actions_in_all = 1;
    scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_BOOTING, 0, 100);
    vm = scene_add_seen(&scene, 2, 2, GOAL_RUN, 1, VM_STOPPED, -1, 100);
    suspended(vm);
    lease_to_change(store, 2)->phase = PHASE_STARTING;
    lease = store_lease(store, 2);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    assert_int_equal(lease->reason_id, REASON_NONE);
    vm->blocked -= 11 * 1000;
    assert_int_equal(scene_enact(&scene, NOW + 11), 0);
    store_activity(lease, NOW + 11, text, sizeof text);
    assert_non_null(strstr(text,
                           "Starting: waits for its turn: as many operations are in progress as "
                           "actions-in-all allows (1)"));
    scene.live.actions_in_all = 2;
    assert_int_equal(scene_enact(&scene, NOW + 12), 1);
    assert_int_equal(lease->reason_id, REASON_NONE);
    scene_close(&scene);
}

/* An earlier galernad said so: its message is not removed, to be written again a while later. */
static void a_start_found_waiting_for_its_turn_keeps_its_message(void **state)
{
    const char *shown = "Starting: waits for its turn: as many operations are in progress as "
                        "actions-in-all allows (1)";
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store, 2);
    scene.daemon.messages = messages_create(&scene.daemon);
    scene.live.actions_in_all = 1;
    scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_BOOTING, 0, 100);
    suspended(scene_add_seen(&scene, 2, 2, GOAL_RUN, 1, VM_STOPPED, -1, 100));
    lease_to_change(store, 2)->phase = PHASE_STARTING;
    lease_to_change(store, 2)->expected = INSTANT_NONE;
    lease_to_change(store, 2)->start = INSTANT_NONE;
    vm_has_message(store, store_vm(store, 2), shown, MESSAGE_PASSING);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    assert_int_equal(store_lease(store, 2)->reason_id, REASON_TURN);
    messages_prepare(scene.daemon.messages, NOW);
    assert_false(store_vm(store, 2)->message_in_flight);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

/* Another host may have room in time. */
static void a_promised_start_that_fails_once_is_tried_again_at_once(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;

    scene_open_with_hosts(&scene, store, 1);
    scene.live.retry_backoff = 10;
    scene.live.retry_limit = 5;
    for (int id = 1; id <= 2; id++) {
        scene_add_seen(&scene, id, id, GOAL_RUN, 0, VM_FAILED, 0, 100);
        lease_to_change(store, id)->phase = PHASE_STARTING;
        lease_to_change(store, id)->accepted = true;
    }
    lease_to_change(store, 2)->kind = LEASE_DEADLINE;
    scene_poll(&scene);
    scene_enact(&scene, NOW);
    assert_int_equal(store_vm(store, 1)->pause_until, NOW + 10);
    assert_int_equal(store_vm(store, 2)->pause_until, NOW + 1);
    scene_close(&scene);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        WITH_STORE(promised_starts_come_first),
        WITH_STORE(a_promised_start_that_its_host_refuses_is_tried_again_at_once),
        WITH_STORE(users_start_in_turn),
        WITH_STORE(users_end_and_start_in_turn),
        WITH_STORE(what_makes_room_for_a_start_goes_with_it),
        WITH_STORE(what_is_suspended_for_another_is_in_its_turn),
        WITH_STORE(of_a_lease_with_more_vms_than_turns_others_are_not_delayed),
        WITH_STORE(a_group_that_has_begun_comes_first),
        WITH_STORE(a_group_begins_when_all_its_vms_have_a_turn),
        WITH_STORE(a_large_group_begins_with_the_part_that_leaves_full_rounds),
        WITH_STORE(a_group_gets_its_turns_although_others_go_on_ending),
        WITH_STORE(ends_do_not_wait_behind_a_group),
        WITH_STORE(a_start_that_waits_for_its_turn_says_so),
        WITH_STORE(a_start_found_waiting_for_its_turn_keeps_its_message),
        WITH_STORE(a_promised_start_that_fails_once_is_tried_again_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
