/* Messages in VMs' templates: their sentences, and when they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/clock.h"
#include "daemon/live/messages.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/store.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

static struct lease_record lease_in(enum lease_phase phase, const char *word, const char *reason)
{
    return (struct lease_record){.phase = phase,
                                 .kind = LEASE_BEST_EFFORT,
                                 .start = INSTANT_NONE,
                                 .deadline = INSTANT_NONE,
                                 .since = INSTANT_NONE,
                                 .end = INSTANT_NONE,
                                 .expected = INSTANT_NONE,
                                 .unused_until = INSTANT_NONE,
                                 .retry = INSTANT_NONE,
                                 .reason_word = word,
                                 .reason = reason,
                                 .change_refused = ""};
}

/* In a list that shows the start beside it. */
static void expect_wait(const struct lease_record *lease, const char *wanted)
{
    char text[STORE_ACTIVITY_MAX];

    store_wait(lease, 0, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void expect_at(const struct lease_record *lease, int64_t now, const char *wanted)
{
    const struct vm_record vm = {.unlocked = false};
    char text[STORE_TEXT_MAX];

    message_of(lease, &vm, now, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void expect(const struct lease_record *lease, const char *wanted)
{
    expect_at(lease, 0, wanted);
}

static void a_lock_that_was_taken_away_is_told(void **state)
{
    const struct vm_record vm = {.unlocked = true};
    struct lease_record lease = lease_in(PHASE_STOPPING, "", "");
    char text[STORE_TEXT_MAX];

    lease.preempted_for = 7;
    lease.preempted_at = 100;
    message_of(&lease, &vm, 0, text, sizeof text);
    assert_string_equal(text, "Being suspended for lease 7. Galerna unlocked this VM, which its "
                              "owner had locked");
    lease.phase = PHASE_ENDED;
    message_of(&lease, &vm, 0, text, sizeof text);
    assert_string_equal(text, "Galerna unlocked this VM, which its owner had locked");
}

static void what_waits_says_for_what_and_until_when(void **state)
{
    struct lease_record lease =
        lease_in(PHASE_WAITING, "no-room-now", "2 VMs requested, room for 1 now");

    expect(&lease, "Waiting: 2 VMs requested, room for 1 now");
    lease.reason_id = REASON_NO_ROOM_NOW;
    lease.reason_n[0] = 1;
    lease.reason = "";
    expect(&lease, "Waiting for room: 1 VM requested, room for 0 now");
    lease.reason_n[4] = 150;
    lease.reason_n[5] = 512;
    expect(&lease, "Waiting for room: 1 VM requested, room for 0 now (1.50 CPU and 512 MB)");
    lease.reason_id = REASON_NONE;
    lease.reason = "2 VMs requested, room for 1 now";
    lease.expected = 86400;
    expect(&lease, "Waiting: 2 VMs requested, room for 1 now. Expected to start at 1970-01-02 "
                   "00:00:00 (estimate)");
    expect_wait(&lease, "Waiting: 2 VMs requested, room for 1 now");
    lease.expected = INSTANT_NEVER;
    expect(&lease, "Waiting: 2 VMs requested, room for 1 now. Start time unknown: leases or drains "
                   "without a planned end hold the hosts it may use, or get them first");
    expect_wait(&lease, "Waiting: 2 VMs requested, room for 1 now. Leases or drains without a "
                        "planned end hold the hosts it may use, or get them first");
    lease.expected = INSTANT_NONE;
    lease.is_far = true;
    expect(&lease, "Waiting: 2 VMs requested, room for 1 now. Too far back in the queue to "
                   "estimate its start");
}

static void a_promise_is_called_a_contract(void **state)
{
    struct lease_record lease = lease_in(PHASE_RESERVED, "planned", "planned to start at ...");

    lease.reason_id = REASON_PLANNED;
    lease.kind = LEASE_RESERVATION;
    lease.start = 3600;
    lease.contract = true;
    expect(&lease, "Reserved: starts at 1970-01-01 01:00:00 (contract)");
    lease.reason_id = REASON_NONE;
    lease.reason_word = "no-room-at-start";
    lease.reason = "no host is left";
    expect(&lease,
           "Reserved: starts at 1970-01-01 01:00:00 (contract). At present: no host is left");
    lease.late = true;
    expect(&lease,
           "Late: the reservation for 1970-01-01 01:00:00 has not started: no host is left");
}

static void a_preemption_names_the_lease_that_needs_the_hosts(void **state)
{
    struct lease_record lease = lease_in(PHASE_RUNNING, "ends-soon", "");

    lease.duration = 7200;
    lease.end = 9000;
    lease.warned = true;
    lease.preempted_for = 7;
    lease.preempted_at = 3600;
    lease.reason_id = REASON_SUSPENDED_FOR;
    lease.reason_n[1] = 3540; /* its memory is saved by 3600 */
    expect(&lease, "Running, to be suspended for lease 7 at 1970-01-01 00:59:00");
    lease.reason_id = REASON_CANCELLED_FOR;
    expect(&lease, "Running, to be ended for lease 7 at 1970-01-01 01:00:00");
    lease.phase = PHASE_STARTING; /* a reservation was accepted while the lease starts */
    lease.reason_id = REASON_SUSPENDED_FOR;
    lease.reason_word = "suspended-for";
    expect(&lease, "Starting, to be suspended for lease 7 at 1970-01-01 00:59:00");
    lease.phase = PHASE_STOPPING;
    lease.reason_id = REASON_SUSPENDED_FOR;
    expect(&lease, "Being suspended for lease 7");
    lease.phase = PHASE_WAITING;
    lease.accumulated = 3000;
    expect(&lease, "Suspended for lease 7, 1h10m left to run"); /* not yet planned again */
    lease.reason_id = REASON_PLANNED;
    lease.reason_n[0] = 6001;
    lease.reason_word = "planned";
    lease.expected = 6000;
    expect(&lease, "Suspended for lease 7 until 1970-01-01 01:40:00 (estimate), 1h10m left to run");
    expect_wait(&lease, "Suspended for lease 7, 1h10m left to run");
    lease.expected = INSTANT_NONE;
    expect(&lease, "Suspended for lease 7, 1h10m left to run");
    lease.expected = INSTANT_NEVER;
    expect(&lease, "Suspended for lease 7, 1h10m left to run. Start time unknown: leases or "
                   "drains without a planned end hold the hosts it may use, or get them first");
    lease.expected = 6000;
    lease.accumulated = 0;
    expect(&lease, "Stopped for lease 7 until 1970-01-01 01:40:00 (estimate)");
    lease.preempted_at = INSTANT_NONE;
    lease.accumulated = 3000;
    expect(&lease, "Waiting for room, 1h10m left to run. Expected to resume at 1970-01-01 "
                   "01:40:00 (estimate)");
    lease.reason_n[3] = 6000;
    lease.reason_n[1] = 9;
    lease.reason_n[2] = 3;
    expect_wait(&lease, "Waiting for room on host 3 (taken by lease 9), 1h10m left to run");
    lease.reason_n[1] = -1;
    expect_wait(&lease, "Waiting for room on host 3 (drained), 1h10m left to run");
    lease.reason = "course";
    expect_wait(&lease, "Waiting for room on host 3 (booked for 'course'), 1h10m "
                        "left to run");
    lease.earliest = 6000;
    expect(&lease, "Waiting for its earliest start, 1h10m left to run. Expected to resume at "
                   "1970-01-01 01:40:00 (estimate)");
}

/* Its user stopped it; that it is in the way of a drain is another matter. */
static void a_stopped_lease_on_a_drained_host_says_both(void **state)
{
    struct lease_record lease = lease_in(PHASE_PARKED, "cannot-leave", "");

    lease.reason_id = REASON_CANNOT_LEAVE;
    lease.reason_n[0] = INSTANT_NONE;
    expect(&lease, "Stopped by a user or operator; must leave its host, but no other host that it "
                   "may use has room for the rest of its lifetime");
}

/* Also if another lease gets its hosts after the drain. */
static void a_lease_suspended_for_a_drain_says_when(void **state)
{
    struct lease_record lease = lease_in(PHASE_RUNNING, "cannot-leave", " (host 4 is drained)");

    lease.reason_id = REASON_CANNOT_LEAVE;
    lease.reason_n[3] = 3600;
    lease.end = 9000;
    lease.preempted_for = 7;
    lease.preempted_at = 7200;
    expect(&lease,
           "Running; must leave its host (host 4 is drained): to be suspended at 1970-01-01 "
           "01:00:00 until another host that it may use has room");
}

static void a_lease_suspended_ahead_of_a_drain_has_no_earliest_start(void **state)
{
    struct lease_record lease = lease_in(PHASE_WAITING, "not-ready", "");

    lease.reason_id = REASON_NOT_READY;
    lease.reason_n[0] = 3600;
    expect(&lease, "Waiting for its earliest start 1970-01-01 01:00:00");
    lease.expected = 6000;
    expect_wait(&lease, "Waiting for its earliest start 1970-01-01 01:00:00, then for room");
    lease.reason_n[1] = 1;
    expect_wait(&lease, "Waiting until 1970-01-01 01:00:00, when the drain or booking of its host "
                        "begins, then for room");
}

static void no_start_is_announced_that_has_passed(void **state)
{
    struct lease_record lease =
        lease_in(PHASE_WAITING, "no-room-now", "1 VM requested, room for 0 now");

    lease.expected = 3600;
    expect_at(&lease, 3600,
              "Waiting: 1 VM requested, room for 0 now. Expected to start at 1970-01-01 01:00:00 "
              "(estimate)");
    expect_at(&lease, 3601, "Waiting: 1 VM requested, room for 0 now");
    lease.is_far = true;
    expect_at(
        &lease, 3601,
        "Waiting: 1 VM requested, room for 0 now. Too far back in the queue to estimate its start");
    lease.phase = PHASE_RESERVED;
    lease.kind = LEASE_DEADLINE;
    lease.reason_id = REASON_PLANNED;
    expect_at(&lease, 3600,
              "Accepted: ends by its deadline; planned to start at 1970-01-01 01:00:00");
    expect_at(&lease, 3601, "Accepted: ends by its deadline");
    lease.deadline = 7200;
    expect_at(&lease, 3601, "Accepted: ends by its deadline 1970-01-01 02:00:00");
    lease.kind = LEASE_RESERVATION;
    lease.start = 3600;
    expect_at(&lease, 3601, "Reserved: should have started at 1970-01-01 01:00:00 (contract)");
}

static void the_next_try_is_told_until_it_comes(void **state)
{
    struct lease_record lease = lease_in(PHASE_WAITING, "start-failed", "VM 3 failed on host 1");

    lease.retry = 3600;
    expect_at(&lease, 3599,
              "Waiting: VM 3 failed on host 1; it is tried again at 1970-01-01 01:00:00");
    expect_at(&lease, 3600, "Waiting: VM 3 failed on host 1");
    lease.phase = PHASE_STARTING;
    expect_at(&lease, 3599,
              "Starting: VM 3 failed on host 1; it is tried again at 1970-01-01 01:00:00");
    expect_at(&lease, 3600, "Starting: VM 3 failed on host 1");
}

static void what_starts_late_says_so(void **state)
{
    struct lease_record lease = lease_in(PHASE_STARTING, "", "");

    expect(&lease, "");
    lease.late = true;
    expect(&lease, "Late: the reservation is only now starting");
    lease.reason_word = "late";
    lease.reason = "The reservation is late: 4 s ...";
    expect(&lease, "Starting: The reservation is late: 4 s ...");
}

static void refusals_say_so(void **state)
{
    struct lease_record lease = lease_in(PHASE_REFUSED, "malformed", "START=\"x\" is not a time");

    expect(&lease, "Refused: START=\"x\" is not a time");
    lease.phase = PHASE_FAILED;
    expect(&lease, "Failed: START=\"x\" is not a time");
    lease.phase = PHASE_MISSED; /* it had been accepted */
    lease.reason_id = REASON_MISSED;
    lease.reason = "";
    expect(&lease, "Missed: it could not be started before 1970-01-01 00:00:00");
    lease.phase = PHASE_ENDING; /* a VM hung while it started */
    expect(&lease, "Ending: it could not be started before 1970-01-01 00:00:00");
}

static void what_runs_is_silent_until_its_end_is_near(void **state)
{
    struct lease_record lease = lease_in(PHASE_RUNNING, "", "");

    expect(&lease, "");
    lease.end = 3600;
    expect(&lease, "");
    lease.warned = true;
    expect(&lease, "Running until 1970-01-01 01:00:00");
    lease.reason_id = REASON_UNKNOWN;
    lease.reason_n[0] = 3;
    lease.reason_n[1] = 1;
    expect(&lease, "Possibly not running: VM 3 on host 1 is UNKNOWN: OpenNebula cannot monitor it");
    lease.reason_id = REASON_NONE;
    lease.kind = LEASE_RESERVATION;
    lease.late = true;
    lease.start = 100;
    lease.since = 245;
    expect(&lease, "Running until 1970-01-01 01:00:00. Late: the reservation started 2m25s after "
                   "its time");
    lease.accumulated = 60; /* on another host before */
    expect(&lease,
           "Running until 1970-01-01 01:00:00. Late: the reservation started after its time");
}

/* It is late only if it did not start when it was requested. */
static void what_is_requested_after_its_start_is_not_late(void **state)
{
    struct lease_record lease = lease_in(PHASE_RUNNING, "", "");

    lease.kind = LEASE_RESERVATION;
    lease.start = 100;
    lease.submit = 400;
    lease.end = 3600;
    lease.since = 402;
    lease.warned = true;
    assert_int_equal(store_promised_start(&lease), 400);
    expect(&lease, "Running until 1970-01-01 01:00:00. Requested 5m00s after its start");
    lease.late = true;
    lease.since = 460;
    expect(&lease, "Running until 1970-01-01 01:00:00. Requested 5m00s after its start. Late: the "
                   "reservation started 1m00s after its time");
}

static void a_rank_that_is_ignored_is_told(void **state)
{
    struct lease_record lease =
        lease_in(PHASE_WAITING, "no-room-now", "1 VM requested, room for 0 now");

    lease.rank_ignored = true;
    expect(&lease, "Waiting: 1 VM requested, room for 0 now. " STORE_RANK_IGNORED);
    lease = lease_in(PHASE_RUNNING, "", "");
    lease.rank_ignored = true;
    expect(&lease, "SCHED_RANK or SCHED_DS_RANK cannot be read and is ignored");
    lease.phase = PHASE_ENDED;
    expect(&lease, "");
}

/* What a lease lacks changes from plan to plan: its owner is told, but not each time. */
static void what_changes_at_each_plan_is_told_now_and_then(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease;
    struct scene scene;
    struct error err = {0};
    int told = 0;

    scene_open(&scene, store);
    scene.daemon.messages = messages_create(&scene.daemon);
    lease = store_add_lease(store, 1);
    lease->phase = PHASE_WAITING;
    lease->expected = lease->start = INSTANT_NONE;
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 512);
    scene_add(&scene, 1, 1, GOAL_NONE, -1, 100, 512);
    scene_poll(&scene);
    for (int64_t now = 1000; now < 1030; now += 3) {
        char before[STORE_TEXT_MAX];

        snprintf(before, sizeof before, "%s", store_vm(store, 1)->message);
        lease_explain(store, lease,
                      &(struct reason){.id = now % 2 ? REASON_NO_ROOM_NOW : REASON_ROOM_RESERVED,
                                       .n = {1, 0, 3, 5000}},
                      NULL, INSTANT_NONE);
        messages_prepare(scene.daemon.messages, now);
        messages_send(scene.daemon.messages);
        while (cloud_pending(scene.daemon.cloud))
            assert_int_equal(cloud_wait(scene.daemon.cloud, NULL, 0, 0, &err), 0);
        if (strcmp(before, store_vm(store, 1)->message) != 0) {
            vm_to_change(store, 1)->message_at = now;
            told++;
        }
    }
    assert_in_range(told, 2, 3);
    lease_explain(store, lease, &(struct reason){.id = REASON_DRAINED}, NULL, INSTANT_NONE);
    messages_prepare(scene.daemon.messages, 1032); /* another matter */
    messages_send(scene.daemon.messages);
    while (cloud_pending(scene.daemon.cloud))
        assert_int_equal(cloud_wait(scene.daemon.cloud, NULL, 0, 0, &err), 0);
    assert_non_null(strstr(store_vm(store, 1)->message, "drained"));
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

static void answer_all(struct scene *scene)
{
    struct error err = {0};

    messages_send(scene->daemon.messages);
    while (cloud_pending(scene->daemon.cloud))
        assert_int_equal(cloud_wait(scene->daemon.cloud, NULL, 0, 0, &err), 0);
}

/* Each message is a record of OpenNebula's Raft log: when many VMs wait, each is told less often.
 */
static void many_that_wait_share_a_pace(void **state)
{
    enum { VMS = 400, SECONDS = 100 };
    struct store *store = ((struct store_fixture *)*state)->store;
    struct scene scene;
    size_t told = 0;

    scene_open(&scene, store);
    scene.daemon.messages = messages_create(&scene.daemon);
    for (int32_t id = 1; id <= VMS; id++) {
        struct lease_record *lease = store_add_lease(store, id);

        lease->phase = PHASE_WAITING;
        lease->expected = lease->start = INSTANT_NONE;
        fake_cloud_add_vm(scene.fake, id, VM_PENDING, -1, 100, 512);
        scene_add(&scene, id, id, GOAL_NONE, -1, 100, 512);
    }
    scene_poll(&scene);
    for (int64_t now = 1000; now < 1000 + SECONDS; now++) {
        for (int32_t id = 1; id <= VMS; id++)
            lease_explain(
                store, store_lease(store, id),
                &(struct reason){.id = now % 2 ? REASON_NO_ROOM_NOW : REASON_ROOM_RESERVED,
                                 .n = {1, 0, 3, 5000}},
                NULL, INSTANT_NONE);
        told += messages_prepare(scene.daemon.messages, now);
        answer_all(&scene);
        for (int32_t id = 1; id <= VMS; id++)
            if (store_vm(store, id)->message_at > 1000 + SECONDS) /* by the clock: just now */
                vm_to_change(store, id)->message_at = now;
    }
    assert_in_range(told, 2 * VMS, VMS + 10 * SECONDS);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

/* Also when the plan is rebuilt. */
static void what_waits_for_its_turn_says_so_until_it_begins(void **state)
{
    const char *shown = "Starting: waits for its turn: as many operations are in progress as "
                        "actions-in-all allows (30)";
    const struct reason turn = {.id = REASON_TURN, .n = {30}, .text = "actions-in-all"};
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease;
    struct scene scene;

    scene_open(&scene, store);
    scene.daemon.messages = messages_create(&scene.daemon);
    lease = store_add_lease(store, 1);
    lease->phase = PHASE_STARTING;
    lease->expected = lease->start = INSTANT_NONE;
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 512);
    scene_add(&scene, 1, 1, GOAL_RUN, 7, 100, 512);
    scene_poll(&scene);
    lease_explain(store, lease, &turn, NULL, INSTANT_NONE);
    vm_has_message(store, store_vm(store, 1), shown, MESSAGE_PASSING);
    assert_int_equal(messages_prepare(scene.daemon.messages, 1000), 0);
    lease_apply(store, lease, EVENT_REPLANNED, 1000, "%s", "");
    lease_apply(store, lease, EVENT_START, 1000, "%s", "");
    assert_int_equal(messages_prepare(scene.daemon.messages, 1000), 0);
    lease_explain(store, lease, &(struct reason){.id = REASON_NONE}, NULL, INSTANT_NONE);
    assert_int_equal(messages_prepare(scene.daemon.messages, 1001), 1);
    answer_all(&scene);
    assert_string_equal(store_vm(store, 1)->message, "");
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

/* The last message of a VM that was deleted while it was stuck does not say so for ever. */
static void a_vm_that_is_gone_is_not_stuck(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease;
    struct error err = {0};
    struct scene scene;

    scene_open(&scene, store);
    scene.daemon.messages = messages_create(&scene.daemon);
    lease = store_add_lease(store, 1);
    lease->phase = PHASE_RUNNING;
    lease->expected = lease->start = INSTANT_NONE;
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 512);
    scene_add(&scene, 1, 1, GOAL_RUN, -1, 100, 512);
    scene_poll(&scene);
    vm_note_stuck(store, store_vm(store, 1), 900);
    for (int64_t now = 1000; now < 1200; now += 100) {
        if (now > 1000)
            vm_seen_gone(store, store_vm(store, 1));
        assert_int_equal(messages_prepare(scene.daemon.messages, now), 1);
        messages_send(scene.daemon.messages);
        while (cloud_pending(scene.daemon.cloud))
            assert_int_equal(cloud_wait(scene.daemon.cloud, NULL, 0, 0, &err), 0);
        assert_true(!strstr(store_vm(store, 1)->message, "not finished") == (now > 1000));
    }
    assert_int_equal(messages_prepare(scene.daemon.messages, 1300), 0);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

/* OpenNebula refuses the message of a locked VM: it is not tried again at each poll. */
static void a_locked_vm_is_seldom_written_to(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct scene scene;
    size_t sent = 0;
    int64_t now = clock_now();

    scene_open(&scene, store);
    scene.daemon.messages = messages_create(&scene.daemon);
    fake_cloud_add_vm(scene.fake, 1, VM_RUNNING, 0, 100, 512)->locked = true;
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 512);
    lease_to_change(store, 1)->phase = PHASE_STOPPING;
    lease_explain(store, store_lease(store, 1), &(struct reason){.id = REASON_DRAINED}, NULL,
                  INSTANT_NONE);
    scene.fake->message_reply =
        (struct cloud_reply){.outcome = CLOUD_REFUSED, .message = "VM is locked. [1]"};
    scene_poll(&scene);
    for (int64_t later = 0; later < 30; later += 3) {
        sent += messages_prepare(scene.daemon.messages, now + later);
        answer_all(&scene);
    }
    assert_int_equal(sent, 1);
    scene.fake->vms[0].locked = false;
    scene_poll(&scene);
    assert_int_equal(messages_prepare(scene.daemon.messages, now + 30), 1);
    answer_all(&scene);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

static void hear_last(void *context, const struct store_event *event)
{
    snprintf(context, STORE_TEXT_MAX, "%s", event->text);
}

/* Its VM cannot be held: that is not why it was refused. */
static void a_refused_lease_keeps_its_reason(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    char last[STORE_TEXT_MAX] = "";
    struct scene scene;

    scene_open(&scene, store);
    store_listen(store, hear_last, last);
    scene_add(&scene, 1, 1, GOAL_HOLD, -1, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 1024);
    lease_to_change(store, 1)->phase = PHASE_REFUSED;
    lease_explain(store, store_lease(store, 1),
                  &(struct reason){.id = REASON_NOT_GRANTED, .text = "too many VMs"}, NULL,
                  INSTANT_NONE);
    scene.fake->reply = (struct cloud_reply){
        .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_OWNER, .message = "VM is locked. [1].\n"};
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, 1000), 1);
    assert_string_equal(store_lease(store, 1)->reason, "too many VMs");
    assert_int_equal(store_lease(store, 1)->retry, INSTANT_NONE);
    assert_string_equal(last, "OpenNebula refused a command to VM 1: hold (a quota, a lock, a "
                              "network or a deleted owner): VM is locked. [1]");
    store_ignore(store, last);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_says_for_what_and_until_when),
        cmocka_unit_test(a_lock_that_was_taken_away_is_told),
        cmocka_unit_test(a_promise_is_called_a_contract),
        cmocka_unit_test(a_preemption_names_the_lease_that_needs_the_hosts),
        cmocka_unit_test(a_stopped_lease_on_a_drained_host_says_both),
        cmocka_unit_test(a_lease_suspended_for_a_drain_says_when),
        cmocka_unit_test(a_lease_suspended_ahead_of_a_drain_has_no_earliest_start),
        cmocka_unit_test(no_start_is_announced_that_has_passed),
        cmocka_unit_test(the_next_try_is_told_until_it_comes),
        cmocka_unit_test(what_starts_late_says_so),
        cmocka_unit_test(refusals_say_so),
        cmocka_unit_test(what_is_requested_after_its_start_is_not_late),
        cmocka_unit_test(what_runs_is_silent_until_its_end_is_near),
        cmocka_unit_test(a_rank_that_is_ignored_is_told),
        cmocka_unit_test_setup_teardown(many_that_wait_share_a_pace, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(what_waits_for_its_turn_says_so_until_it_begins,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(a_locked_vm_is_seldom_written_to, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(a_refused_lease_keeps_its_reason, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(a_vm_that_is_gone_is_not_stuck, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(what_changes_at_each_plan_is_told_now_and_then,
                                        store_set_up, store_tear_down),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
