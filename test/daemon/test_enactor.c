/* From goals to commands: what is sent, when, and what waits for room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/clock.h"
#include "daemon/live/messages.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

enum { NOW = 100000 };

static struct store *store_of(void **state)
{
    return ((struct store_fixture *)*state)->store;
}

static void each_goal_has_its_command(void **state)
{
    struct scene scene;
    struct vm_record *stopped;

    scene_open_with_hosts(&scene, store_of(state), 8);
    stopped = scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_STOPPED, -1, 100);
    stopped->suspended_by_us = stopped->ran = true;
    scene_add_seen(&scene, 2, 2, GOAL_STOP, 1, VM_RUNNING, 1, 100);
    scene_add_seen(&scene, 3, 3, GOAL_END, 2, VM_RUNNING, 2, 100)->ran = true;
    scene_add_seen(&scene, 4, 4, GOAL_RUN, 3, VM_SUSPENDED, 3, 100)->suspended_by_us = true;
    scene_add_seen(&scene, 5, 5, GOAL_RUN, 4, VM_SUSPENDED, 3, 100)->suspended_by_us =
        true; /* elsewhere */
    scene_add_seen(&scene, 6, 6, GOAL_HOLD, -1, VM_PENDING, -1, 100);
    scene_add_seen(&scene, 7, 7, GOAL_RUN, 5, VM_RUNNING, 5, 100);  /* as it should be */
    scene_add_seen(&scene, 8, 8, GOAL_RUN, 6, VM_STOPPED, -1, 100); /* a user's */
    scene_add_seen(&scene, 9, 9, GOAL_END, 7, VM_CHANGING, 7, 100); /* on its way */
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 6);
    assert_string_equal(scene_commands(&scene),
                        "deploy 1 on 0; stop 2 on 1; terminate 3 on 2; resume 4 on 3; "
                        "relocate 5 on 4; hold 6 on -1");
    scene_close(&scene);
}

/* Its messages and promises, and the answers to them. Returns how many were sent. */
static size_t write_messages(struct scene *scene)
{
    size_t n = messages_prepare(scene->daemon.messages, NOW);
    struct error err = {0};

    messages_send(scene->daemon.messages);
    while (cloud_pending(scene->daemon.cloud))
        assert_int_equal(cloud_wait(scene->daemon.cloud, NULL, 0, 0, &err), 0);
    return n;
}

/* If galernad ended between the two, another one with an empty store would leave the VM to its
 * owner. The promise may be written in the second in which the last one was; if OpenNebula refuses
 * it, the VM is suspended all the same. */
static void a_vm_is_suspended_when_opennebula_has_the_promise_that_says_so(void **state)
{
    static const struct {
        enum cloud_outcome outcome;
        bool suspends;
    } answers[] = {
        {CLOUD_UNKNOWN, false}, {CLOUD_NOT_SENT, false}, {CLOUD_DONE, true}, {CLOUD_REFUSED, true}};
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 4);
    scene.daemon.promises.has_key = true;
    scene.daemon.messages = messages_create(&scene.daemon);
    for (int32_t id = 0; id < 4; id++) {
        struct vm_record *vm = scene_add_seen(&scene, id, id, GOAL_NONE, id, VM_RUNNING, id, 100);
        struct lease_record *lease = lease_to_change(store_of(state), id);

        lease->accepted = true;
        lease->phase = PHASE_RUNNING;
        assert_int_equal(write_messages(&scene), 1);
        scene_poll(&scene);
        lease_apply(store_of(state), lease, EVENT_SUSPEND, NOW, "for another lease");
        assert_int_equal(scene_enact(&scene, NOW), 0);
        scene.fake->message_reply.outcome = answers[id].outcome;
        assert_int_equal(write_messages(&scene), 1);
        assert_int_equal(scene_enact(&scene, NOW), answers[id].suspends);
        assert_int_equal(vm->suspended_by_us, answers[id].suspends);
        lease_apply(store_of(state), lease, EVENT_CANCELLED, NOW, "%s", "");
        vm_set_goal(store_of(state), vm, GOAL_NONE);
        scene.fake->message_reply.outcome = CLOUD_DONE;
        write_messages(&scene);
    }
    assert_string_equal(scene_commands(&scene), "stop 2 on 2; stop 3 on 3");
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

/* Another galernad must not resume it: its owner has suspended it. */
static void a_vm_that_its_owner_suspended_is_not_promised_to_be_resumed(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene.daemon.promises.has_key = true;
    scene.daemon.messages = messages_create(&scene.daemon);
    scene_add_seen(&scene, 1, 1, GOAL_NONE, 0, VM_SUSPENDED, 0, 100);
    lease = lease_to_change(store_of(state), 1);
    lease->accepted = true;
    lease->phase = PHASE_RUNNING; /* its other VMs run */
    scene_poll(&scene);
    assert_int_equal(write_messages(&scene), 1);
    lease_apply(store_of(state), lease, EVENT_SUSPEND, NOW, "for another lease");
    write_messages(&scene);
    assert_int_equal(scene.fake->n_promises, 1);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

static void nothing_is_repeated_before_it_was_looked_at(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 1);
    vm = scene_add_seen(&scene, 1, 1, GOAL_STOP, 0, VM_RUNNING, 0, 100);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    assert_int_equal(vm->command, COMMAND_STOP);
    assert_true(vm->suspended_by_us);
    assert_int_equal(scene_enact(&scene, NOW + 1), 0);
    fake_cloud_put(scene.fake, 1, VM_STOPPED, -1);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 2), 0);
    scene_close(&scene);
}

/* An accepted command is repeated once it is sure that it had no effect, then after pauses. */
static void a_command_without_effect_is_not_repeated_at_once(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene.live.retry_backoff = 10;
    vm = scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_STOPPED, -1, 100);
    vm->suspended_by_us = vm->ran = true;
    for (int i = 0; i < 2; i++) { /* lost, and once more: it may have been an election */
        scene_poll(&scene);
        assert_int_equal(scene_enact(&scene, NOW), 1);
        vm_command_over(store_of(state), vm);
    }
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    assert_int_equal(scene_enact(&scene, NOW + 9), 0);
    assert_int_equal(scene_enact(&scene, NOW + 10), 1);
    vm_command_over(store_of(state), vm);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 10), 0);
    assert_int_equal(scene_enact(&scene, NOW + 20), 0); /* the pause doubles */
    fake_cloud_put(scene.fake, 1, VM_CHANGING, 0);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 21), 0);
    assert_int_equal(vm->in_vain, 0);
    scene_close(&scene);
}

/* Each plan may take the start back and repeat it. */
static void a_start_without_effect_is_not_repeated_for_a_new_plan(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene.live.retry_backoff = 10;
    vm = scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_STOPPED, -1, 100);
    vm->suspended_by_us = vm->ran = true;
    for (int i = 0; i < 3; i++) {
        scene_poll(&scene);
        assert_int_equal(scene_enact(&scene, NOW), i < 2);
        vm_command_over(store_of(state), vm);
        vm_set_goal(store_of(state), vm, GOAL_NONE);
        scene_poll(&scene);
        assert_int_equal(scene_enact(&scene, NOW), 0);
        vm_set_goal(store_of(state), vm, GOAL_RUN);
    }
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 9), 0);
    assert_int_equal(scene_enact(&scene, NOW + 10), 1);
    scene_close(&scene);
}

static void hear_failure(void *context, const struct store_event *event)
{
    if (strcmp(event->event, "start-failed") == 0)
        snprintf(context, STORE_TEXT_MAX, "%s", event->text);
}

/* Each failure says when the start is tried again, but for the last. */
static void the_last_failure_announces_no_start(void **state)
{
    for (int limit = 1; limit <= 2; limit++) {
        char text[STORE_TEXT_MAX] = "";
        struct told_reason cause = {.id = REASON_NONE};
        struct scene scene;

        scene_open_with_hosts(&scene, store_of(state), 1);
        scene.live.retry_limit = limit;
        store_listen(store_of(state), hear_failure, text);
        scene_add_seen(&scene, limit, limit, GOAL_RUN, 0, VM_FAILED, 0, 100);
        lease_to_change(store_of(state), limit)->phase = PHASE_STARTING;
        scene_poll(&scene);
        scene_enact(&scene, NOW);
        assert_non_null(strstr(text, "failed on host 0, attempt 1"));
        assert_int_equal(strstr(text, "is tried again") != NULL, limit > 1);
        assert_int_equal(store_lease(store_of(state), limit)->phase == PHASE_FAILED, limit == 1);
        assert_int_equal(store_cause(store_lease(store_of(state), limit), &cause), limit == 1);
        assert_int_equal(cause.id, limit == 1 ? REASON_VM_FAILED : REASON_NONE);
        store_ignore(store_of(state), text);
        scene_close(&scene);
    }
}

/* The VM was recreated after a failure on its host: its next start repeats no command. */
static void a_recreated_vm_starts_without_a_pause(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene.live.retry_backoff = 10;
    vm = scene_add_seen(&scene, 1, 1, GOAL_NONE, 0, VM_PENDING, -1, 100);
    vm->last = COMMAND_RECREATE;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    assert_int_equal(vm->in_vain, 0);
    assert_true(vm->next_try <= NOW);
    scene_close(&scene);
}

/* Operations that the former leader began may never end: commands do not wait for them. */
static void operations_from_before_an_election_do_not_count(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 2);
    scene.live.actions_in_all = scene.live.actions_per_host = 1;
    scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_BOOTING, 0, 100);
    vm = scene_add_seen(&scene, 2, 2, GOAL_RUN, 1, VM_STOPPED, -1, 100);
    vm->suspended_by_us = vm->ran = true;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    fake_cloud_wait_a_moment();
    scene.daemon.fence.acts_since = clock_monotonic();
    assert_int_equal(scene_enact(&scene, NOW), 1);
    assert_string_equal(scene_commands(&scene), "deploy 2 on 1");
    scene.live.stuck_after = 0; /* not even then is the host to blame */
    fake_cloud_wait_a_moment();
    scene_enact(&scene, NOW);
    assert_false(quarantine_has(&scene.daemon.quarantine, 0, NOW));
    scene_close(&scene);
}

/* When oned is killed, what it had begun may never end: owner and operator are told, until it has.
 */
static void expect_told(struct scene *scene, bool is_told)
{
    const char *problem = scene->daemon.problems[PROBLEM_STUCK].text;
    char text[STORE_TEXT_MAX];

    fake_cloud_wait_a_moment();
    scene_enact(scene, NOW);
    message_of(store_lease(scene->daemon.store, 36), store_vm(scene->daemon.store, 36), NOW, text,
               sizeof text);
    assert_int_equal(strstr(text, "onevm recover --retry 36") != NULL, is_told);
    assert_int_equal(strstr(problem, "onevm recover --retry 36") != NULL, is_told);
}

static void an_operation_that_is_overdue_is_told(void **state)
{
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene_add_seen(&scene, 36, 36, GOAL_RUN, 0, VM_BOOTING, 0, 100);
    scene_add_seen(&scene, 37, 37, GOAL_RUN, 0, VM_BOOTING, 0, 100);
    scene_poll(&scene);
    expect_told(&scene, false);
    scene.live.stuck_after = 0;
    expect_told(&scene, true);
    assert_non_null(strstr(scene.daemon.problems[PROBLEM_STUCK].text, "--retry 36,37"));
    fake_cloud_put(scene.fake, 36, VM_LIVE_MIGRATING, 0);
    scene_poll(&scene);
    expect_told(&scene, true);
    fake_cloud_put(scene.fake, 36, VM_RUNNING, 0);
    scene_poll(&scene);
    expect_told(&scene, false);
    scene_close(&scene);
}

/* oned accepts it at once, and begins it when it has done what came before. */
static void a_suspension_that_begins_late_is_not_commanded_twice(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene.live.retry_backoff = 10;
    vm = scene_add_seen(&scene, 1, 1, GOAL_STOP, 0, VM_RUNNING, 0, 100);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    vm_command_over(store_of(state), vm);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 1), 0);
    assert_int_equal(scene_enact(&scene, NOW + 10), 0);
    fake_cloud_put(scene.fake, 1, VM_CHANGING, 0);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 11), 0);
    fake_cloud_put(scene.fake, 1, VM_RUNNING, 0); /* it failed */
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 12), 1);
    scene_close(&scene);
}

/* While it is not sure where a deployed VM is, its host has no room for another one. */
static void a_command_without_effect_keeps_its_room(void **state)
{
    struct scene scene;
    struct vm_record *vm, *other;

    scene_open_with_hosts(&scene, store_of(state), 1);
    vm = scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_PENDING, -1, 300);
    vm->last = COMMAND_DEPLOY;
    vm->settled = INT64_MAX; /* not looked at since */
    other = scene_add_seen(&scene, 2, 2, GOAL_RUN, 0, VM_STOPPED, -1, 300);
    other->suspended_by_us = other->ran = true;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    vm->last = COMMAND_NONE;
    assert_int_equal(scene_enact(&scene, NOW), 1);
    scene_close(&scene);
}

/* A VM that is off or suspended by its user can be moved, too, and is not started by that. */
static void moves_go_where_there_is_room(void **state)
{
    struct scene scene;
    struct vm_record *vms[4];

    scene_open_with_hosts(&scene, store_of(state), 3);
    vms[0] = scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_RUNNING, 0, 100);
    vms[1] = scene_add_seen(&scene, 2, 2, GOAL_NONE, 0, VM_POWEROFF, 0, 100);
    vms[2] = scene_add_seen(&scene, 3, 3, GOAL_NONE, 0, VM_SUSPENDED, 0, 100);
    vms[3] = scene_add_seen(&scene, 4, 4, GOAL_RUN, 0, VM_RUNNING, 0, 100);
    scene_add_seen(&scene, 5, 5, GOAL_RUN, 2, VM_RUNNING, 2, SCENE_CPU);
    for (int i = 0; i < 4; i++) {
        vms[i]->move = i == 0 ? MOVE_LIVE : MOVE_COLD;
        vms[i]->move_to = i == 3 ? 2 : 1;
    }
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 3);
    assert_string_equal(scene_commands(&scene), "live-migrate 1 on 1; migrate 2 on 1; "
                                                "migrate 3 on 1");
    scene_close(&scene);
}

/* It takes no answer for a no: it is looked at before anything else is sent. */
static void without_an_answer_nothing_more_is_sent(void **state)
{
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene_add_seen(&scene, 1, 1, GOAL_STOP, 0, VM_RUNNING, 0, 100);
    scene.fake->silent = true;
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 100), 0);
    scene_close(&scene);
}

static void a_deploy_waits_for_room_that_is_really_there(void **state)
{
    struct scene scene;
    struct vm_record *stopped;

    scene_open_with_hosts(&scene, store_of(state), 1);
    scene_add_seen(&scene, 1, 1, GOAL_STOP, 0, VM_RUNNING, 0, 300);
    stopped = scene_add_seen(&scene, 2, 2, GOAL_RUN, 0, VM_STOPPED, -1, 200);
    stopped->suspended_by_us = stopped->ran = true;
    scene_poll(&scene);
    scene_enact(&scene, NOW);
    assert_string_equal(scene_commands(&scene), "stop 1 on 0");
    fake_cloud_put(scene.fake, 1, VM_CHANGING, 0);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 5), 0);
    fake_cloud_put(scene.fake, 1, VM_LEAVING, 0); /* its memory is saved */
    scene_poll(&scene);
    scene_enact(&scene, NOW + 10);
    assert_string_equal(scene_commands(&scene), "deploy 2 on 0");
    scene_close(&scene);
}

static void a_refusal_is_tried_again_after_a_pause(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open_with_hosts(&scene, store_of(state), 1);
    vm = scene_add_seen(&scene, 1, 1, GOAL_END, 0, VM_RUNNING, 0, 100);
    vm->ran = true;
    scene.fake->reply = (struct cloud_reply){
        .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_OWNER, .message = "VM is locked"};
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 1);
    assert_int_equal(vm->attempts, 0); /* not the VM's failure */
    assert_int_equal(vm->refusals, 1);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW + 1), 0);
    scene.fake->reply = (struct cloud_reply){.outcome = CLOUD_DONE};
    assert_int_equal(scene_enact(&scene, vm->next_try + 5), 1);
    scene_close(&scene);
}

/* Every VM gets its command, as if none had been sent before. */
static const char *commands_to_all(struct scene *scene, struct store *store)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(store, &n);

    for (size_t i = 0; i < n; i++) { /* its effect was seen, and undone */
        vm_command_over(store, vms[i]);
        vm_note_effect(store, vms[i]);
    }
    scene_poll(scene);
    scene_enact(scene, NOW);
    return scene_commands(scene);
}

/* An owner's lock is removed for what others were promised, and for nothing else. */
static void a_locked_vm_is_unlocked_for_a_promise(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;
    struct lease_record *over, *preempted, *other;

    scene_open_with_hosts(&scene, store_of(state), 4);
    scene_add_seen(&scene, 1, 1, GOAL_END, 0, VM_RUNNING, 0, 100)->ran = true;
    scene_add_seen(&scene, 2, 2, GOAL_STOP, 1, VM_RUNNING, 1, 100);
    scene_add_seen(&scene, 3, 3, GOAL_NONE, -1, VM_PENDING, -1, 100);
    for (size_t i = 0; i < 2; i++)
        scene.fake->vms[i].locked = true;
    over = lease_to_change(store, 1);
    over->phase = PHASE_ENDING;
    over->duration = 100;
    over->since = NOW - 100;
    preempted = lease_to_change(store, 2);
    preempted->phase = PHASE_STOPPING;
    preempted->preempted_for = 3;
    preempted->preempted_at = NOW;
    other = lease_to_change(store, 3);
    other->kind = LEASE_RESERVATION;
    other->accepted = true;
    assert_string_equal(commands_to_all(&scene, store), "stop 2 on 1; terminate 1 on 0");
    scene.live.unlock = true;
    assert_string_equal(commands_to_all(&scene, store),
                        "unlock, stop 2 on 1; unlock, terminate 1 on 0");
    scene.fake->reply = (struct cloud_reply){
        .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_OWNER, .message = "VM is locked"};
    commands_to_all(&scene, store); /* their owner has locked them at the same time */
    assert_true(store_vm(store, 1)->next_try <= clock_now() + scene.live.retry_backoff);
    scene.fake->reply = (struct cloud_reply){.outcome = CLOUD_DONE};
    for (int32_t i = 1; i <= 2; i++)
        vm_retry_at(store, store_vm(store, i), INSTANT_NONE);
    over->since = NOW - 50; /* cancelled before its end */
    other->kind = LEASE_BEST_EFFORT;
    assert_string_equal(commands_to_all(&scene, store), "terminate 1 on 0; stop 2 on 1");
    scene_close(&scene);
}

/* The VMs of a group start together: none is sent while one has no room. */
static void a_group_waits_for_its_last_member(void **state)
{
    struct scene scene;

    scene_open_with_hosts(&scene, store_of(state), 2);
    scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_SUSPENDED, 0, 300)->suspended_by_us = true;
    scene_add_seen(&scene, 2, 1, GOAL_RUN, 1, VM_SUSPENDED, 1, 300)->suspended_by_us = true;
    scene_add_seen(&scene, 3, 3, GOAL_NONE, 1, VM_RUNNING, 1, 200);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, NOW), 0);
    fake_cloud_put(scene.fake, 3, VM_POWEROFF, -1);
    scene_poll(&scene);
    scene_enact(&scene, NOW + 5);
    assert_string_equal(scene_commands(&scene), "resume 1 on 0; resume 2 on 1");
    scene_close(&scene);
}

/* The room tried for a member is taken and given back on one host, also when it is to move later:
 * before, it was taken on the one and given back on the other, which then took a VM too many. */
static void room_tried_for_a_group_is_given_back_where_it_was_taken(void **state)
{
    struct scene scene;
    struct vm_record *moves;

    scene_open_with_hosts(&scene, store_of(state), 3);
    moves = scene_add_seen(&scene, 1, 1, GOAL_RUN, 0, VM_SUSPENDED, 0, 300);
    moves->suspended_by_us = true;
    moves->move = MOVE_LIVE;
    moves->move_to = 1;
    scene_add_seen(&scene, 2, 1, GOAL_RUN, 2, VM_SUSPENDED, 2, 300)->suspended_by_us = true;
    scene_add_seen(&scene, 3, 3, GOAL_NONE, 2, VM_RUNNING, 2, 200); /* in the way of the group */
    scene_add_seen(&scene, 4, 4, GOAL_NONE, 1, VM_RUNNING, 1, 300); /* fills host 1 */
    scene_add_seen(&scene, 5, 5, GOAL_RUN, 1, VM_SUSPENDED, 1, 200)->suspended_by_us =
        true; /* no room there */
    scene_add_seen(&scene, 6, 6, GOAL_RUN, 0, VM_SUSPENDED, 0, 200)->suspended_by_us =
        true; /* room here */
    scene_poll(&scene);
    scene_enact(&scene, NOW);
    assert_string_equal(scene_commands(&scene), "resume 6 on 0");
    scene_close(&scene);
}

static void note_start(void *context, const struct store_event *event)
{
    char *told = context;

    snprintf(told + strlen(told), 200 - strlen(told), "%s: %s; ", event->event, event->text);
}

static void suspended(struct vm_record *vm)
{
    vm->suspended_by_us = vm->ran = true;
}

/* A lease that waits for its turn has not started, however often it is planned. */
static void the_history_tells_a_start_with_its_first_command(void **state)
{
    struct store *store = store_of(state);
    struct scene scene;
    struct lease_record *lease;
    char told[200] = "";

    scene_open_with_hosts(&scene, store_of(state), 2);
    for (int32_t i = 1; i <= 2; i++)
        suspended(scene_add_seen(&scene, i, 1, GOAL_RUN, i - 1, VM_STOPPED, -1, 100));
    lease = lease_to_change(store, 1);
    lease->phase = PHASE_WAITING;
    scene.live.actions_in_all = 0;
    scene_poll(&scene);
    for (int i = 0; i < 3; i++) {
        lease_apply(store, lease, EVENT_START, NOW, "%s", "");
        assert_int_equal(scene_enact(&scene, NOW), 0);
        lease_apply(store, lease, EVENT_REPLANNED, NOW, "%s", "");
    }
    lease_apply(store, lease, EVENT_START, NOW, "%s", "");
    scene.live.actions_in_all = 30;
    assert_int_equal(scene_enact(&scene, NOW), 2);
    store_must_commit(store);
    assert_int_equal(store_each_event(store, 1, 0, note_start, told, NULL), 0);
    assert_string_equal(told, "resuming: 2 VMs, the first on host host; ");
    scene_close(&scene);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        WITH_STORE(each_goal_has_its_command),
        WITH_STORE(a_command_without_effect_is_not_repeated_at_once),
        WITH_STORE(a_start_without_effect_is_not_repeated_for_a_new_plan),
        WITH_STORE(the_last_failure_announces_no_start),
        WITH_STORE(a_recreated_vm_starts_without_a_pause),
        WITH_STORE(operations_from_before_an_election_do_not_count),
        WITH_STORE(an_operation_that_is_overdue_is_told),
        WITH_STORE(a_suspension_that_begins_late_is_not_commanded_twice),
        WITH_STORE(a_command_without_effect_keeps_its_room),
        WITH_STORE(moves_go_where_there_is_room),
        WITH_STORE(nothing_is_repeated_before_it_was_looked_at),
        WITH_STORE(a_vm_is_suspended_when_opennebula_has_the_promise_that_says_so),
        WITH_STORE(a_vm_that_its_owner_suspended_is_not_promised_to_be_resumed),
        WITH_STORE(without_an_answer_nothing_more_is_sent),
        WITH_STORE(a_deploy_waits_for_room_that_is_really_there),
        WITH_STORE(a_refusal_is_tried_again_after_a_pause),
        WITH_STORE(a_locked_vm_is_unlocked_for_a_promise),
        WITH_STORE(a_group_waits_for_its_last_member),
        WITH_STORE(the_history_tells_a_start_with_its_first_command),
        WITH_STORE(room_tried_for_a_group_is_given_back_where_it_was_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
