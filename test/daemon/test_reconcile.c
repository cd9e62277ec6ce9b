/* Leases after changes that galernad did not make, or did not see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/base/clock.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

static void a_start_that_was_missed_is_looked_at_at_once(void **state)
{
    struct store_fixture *fixture = *state;
    struct live_configuration live = {.poll_interval = 30};
    struct daemon daemon = {.store = fixture->store, .live = &live};
    struct lease_record *lease = lease_add(daemon.store, 1, PHASE_STARTING, LEASE_RESERVATION);

    lease->start = 1000;
    lease->end = 1600;
    assert_int_equal(reconcile_next_time(&daemon, 1000), 1031);
    lease->phase = PHASE_RESERVED;
    assert_int_equal(reconcile_next_time(&daemon, 1000), 1031);
    assert_int_equal(reconcile_next_time(&daemon, 1031), 1600);
    lease->late = true;
    assert_int_equal(reconcile_next_time(&daemon, 1000), 1600);
}

static void what_waits_again_forgets_when_it_started(void **state)
{
    struct scene scene;
    struct lease_record *waits, *promised;
    struct vm_record *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    waits = lease_add(scene.daemon.store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    promised = lease_add(scene.daemon.store, 2, PHASE_STARTING, LEASE_DEADLINE);
    waits->expected = promised->expected = 1000;
    promised->accepted = true;
    vm = scene_add(&scene, 1, 1, GOAL_STOP, 0, 100, 1024);
    vm->ran = vm->suspended_by_us = true;
    fake_cloud_add_vm(scene.fake, 1, VM_STOPPED, 0, 100, 1024);
    vm = scene_add(&scene, 2, 2, GOAL_RUN, 0, 100, 1024);
    vm->attempts = 1;
    vm->pause_until = 1000; /* it failed in an earlier start; in this one it waits for room */
    fake_cloud_add_vm(scene.fake, 2, VM_PENDING, -1, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_int_equal(waits->phase, PHASE_WAITING);
    assert_int_equal(promised->phase, PHASE_STARTING);
    vm->pause_until = 1010;
    reconcile(&scene.daemon, 2001);
    assert_true(waits->expected == INSTANT_NONE);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    assert_int_equal(promised->expected, 1000);
    scene_close(&scene);
}

/* Its host failed before it was told to: OpenNebula saves nothing of a VM in UNKNOWN. */
static void what_cannot_be_suspended_runs_on(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm_record *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    lease->accepted = true;
    lease->preempted_at = 1900;
    lease->preempted_for = 2;
    vm = scene_add(&scene, 1, 1, GOAL_STOP, 0, 100, 1024);
    vm->ran = true;
    fake_cloud_add_vm(scene.fake, 1, VM_UNKNOWN, 0, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_true(scene.daemon.replan);
    assert_false(store_is_preempted(lease));
    assert_int_equal(vm->goal, GOAL_RUN);
    reconcile(&scene.daemon, 2001);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    scene_close(&scene);
}

/* As after a store that is older than the suspension. */
static void what_waits_with_its_time_used_up_ends(void **state)
{
    static const enum lease_phase phases[] = {PHASE_WAITING, PHASE_RESERVED};
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_DEADLINE};
    struct lease_record *leases[2];
    struct scene scene;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    for (int32_t i = 0; i < 2; i++) {
        leases[i] = lease_add(scene.daemon.store, i + 1, phases[i], kinds[i]);
        leases[i]->accepted = true;
        leases[i]->accumulated = 600;
        scene_add(&scene, i + 1, i + 1, GOAL_NONE, 0, 100, 1024)->ran = true;
        vm_to_change(scene.daemon.store, i + 1)->suspended_by_us = true;
        fake_cloud_add_vm(scene.fake, i + 1, VM_STOPPED, 0, 100, 1024);
    }
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(leases[i]->phase, PHASE_ENDING);
        assert_int_equal(leases[i]->reason_id, REASON_TIME_OVER);
    }
    scene_close(&scene);
}

/* Its user has switched one of its VMs off: the others are suspended and resumed without it. */
static void vms_that_are_off_hold_up_nobody(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    lease->accepted = true;
    scene_add(&scene, 1, 1, GOAL_STOP, 0, 100, 1024)->ran = true;
    scene_add(&scene, 2, 1, GOAL_STOP, 0, 100, 1024)->ran = true;
    vm_to_change(scene.daemon.store, 1)->suspended_by_us = true;
    fake_cloud_add_vm(scene.fake, 1, VM_STOPPED, 0, 100, 1024);
    fake_cloud_add_vm(scene.fake, 2, VM_POWEROFF, 0, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_int_equal(lease->phase, PHASE_WAITING);

    lease->phase = PHASE_STARTING;
    vm_to_change(scene.daemon.store, 1)->goal = GOAL_RUN;
    vm_to_change(scene.daemon.store, 2)->goal = GOAL_RUN;
    fake_cloud_put(scene.fake, 1, VM_RUNNING, 0);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2010);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    scene_close(&scene);
}

static void keep_event(void *context, const struct store_event *event)
{
    snprintf(context, 80, "%s: %s", event->event, event->text);
}

/* What is suspended keeps its work; VMs that were recreated, and are pending again, have lost it.
 */
static void the_history_says_what_becomes_of_the_work(void **state)
{
    struct scene scene;
    struct lease_record *suspended, *restarted, *recreated;
    struct vm_record *vm;
    char text[80] = "";

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    suspended = lease_add(scene.daemon.store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    restarted = lease_add(scene.daemon.store, 2, PHASE_STOPPING, LEASE_BEST_EFFORT);
    restarted->terms = TERMS_RESTARTABLE;
    vm = scene_add(&scene, 1, 1, GOAL_STOP, 0, 100, 1024);
    vm->ran = vm->suspended_by_us = true;
    fake_cloud_add_vm(scene.fake, 1, VM_STOPPED, 0, 100, 1024);
    scene_add(&scene, 2, 2, GOAL_NONE, 0, 100, 1024);
    fake_cloud_add_vm(scene.fake, 2, VM_PENDING, -1, 100, 1024);
    recreated = lease_add(scene.daemon.store, 3, PHASE_RUNNING, LEASE_BEST_EFFORT);
    recreated->reason_id = REASON_ENDS_SOON;
    scene_add(&scene, 3, 3, GOAL_RUN, 0, 100, 1024)->ran = true;
    fake_cloud_add_vm(scene.fake, 3, VM_PENDING, -1, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_int_equal(suspended->phase, PHASE_WAITING);
    assert_int_equal(store_each_event(scene.daemon.store, 1, 0, keep_event, text, NULL), 0);
    assert_string_equal(text, "suspended: 10m00s left to run");
    assert_int_equal(restarted->phase, PHASE_WAITING);
    assert_int_equal(store_each_event(scene.daemon.store, 2, 0, keep_event, text, NULL), 0);
    assert_string_equal(text, "stopped: 10m00s left to run");
    assert_int_equal(recreated->phase, PHASE_WAITING);
    assert_int_equal(store_each_event(scene.daemon.store, 3, 0, keep_event, text, NULL), 0);
    assert_string_equal(text, "pending-again: its VMs are pending again, 10m00s left to run");
    scene_close(&scene);
}

static void an_estimate_that_passes_is_looked_at(void **state)
{
    struct store_fixture *fixture = *state;
    struct live_configuration live = {.poll_interval = 30};
    struct daemon daemon = {.store = fixture->store, .live = &live};
    struct lease_record *lease = lease_add(daemon.store, 1, PHASE_WAITING, LEASE_BEST_EFFORT);

    lease->expected = 1000;
    assert_int_equal(reconcile_next_time(&daemon, 990), 1001);
    assert_true(reconcile_next_time(&daemon, 1001) == INSTANT_NEVER);
    lease->expected = INSTANT_NEVER;
    assert_true(reconcile_next_time(&daemon, 990) == INSTANT_NEVER);
}

/* A VM on host 4, which is to get somewhere else or to run there. */
static struct vm_record *see(struct scene *scene, int32_t id, int64_t lease, enum vm_goal goal,
                             enum vm_state state)
{
    bool leaves = state == VM_CHANGING;
    struct vm *vm = fake_cloud_add_vm(scene->fake, id, state, leaves ? 4 : -1, 100, 1024);

    vm->state_name = leaves ? "SAVE_STOP" : "PENDING";
    return scene_add(scene, id, lease, goal, 4, 100, 1024);
}

static void expect_waits_for(const struct daemon *daemon, int64_t lease, const char *wanted)
{
    const struct awaited awaited =
        reconcile_waits_for(daemon, store_lease(daemon->store, lease), 2000);
    char text[STORE_TEXT_MAX] = "";

    if (awaited.what != AWAITED_NOTHING)
        awaited_text(&awaited, text, sizeof text);
    assert_string_equal(text, wanted);
}

/* Of an immediate lease, too: it was promised to start when it was accepted. */
static void an_immediate_lease_that_is_late_says_so(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    char text[STORE_SENTENCE_MAX];

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 2, PHASE_STARTING, LEASE_IMMEDIATE);
    lease_add(scene.daemon.store, 1, PHASE_ENDING, LEASE_BEST_EFFORT);
    see(&scene, 1, 1, GOAL_END, VM_CHANGING);
    see(&scene, 2, 2, GOAL_RUN, VM_PENDING);
    scene_poll(&scene);
    lease->accepted = true;
    lease->start = 1000;
    assert_int_equal(reconcile_next_time(&scene.daemon, 1000), 1004);
    reconcile(&scene.daemon, 1003);
    assert_false(lease->late);
    reconcile(&scene.daemon, 1004);
    assert_true(lease->late);
    store_reason_sentence(lease, false, text, sizeof text);
    assert_string_equal(text, "VM 2 is PENDING and is to start on host 4; VM 1 (SAVE_STOP) has not "
                              "left host 4");
    scene.fake->vms[0].state = VM_STOPPED;
    fake_cloud_put(scene.fake, 2, VM_BOOTING, 4);
    scene.fake->vms[1].state_name = "BOOT";
    scene_poll(&scene);
    reconcile(&scene.daemon, 1009); /* what is said is of now */
    store_reason_sentence(lease, false, text, sizeof text);
    assert_string_equal(text, "VM 2 on host 4 is BOOT");
    assert_true(reconcile_next_time(&scene.daemon, 1004) == INSTANT_NEVER);
    lease->late = false;
    lease->accumulated = 60; /* it ran, and is resumed after a preemption: that was not promised */
    reconcile(&scene.daemon, 1010);
    assert_false(lease->late);
    scene_close(&scene);
}

/* The scheduler was restarted before it saw the migration that it had sent. */
static void a_vm_that_was_moved_while_it_is_off_is_seen_there(void **state)
{
    struct scene scene;
    struct vm_record *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease_add(scene.daemon.store, 1, PHASE_PARKED, LEASE_BEST_EFFORT);
    fake_cloud_add_vm(scene.fake, 1, VM_POWEROFF, 6, 100, 1024);
    vm = scene_add(&scene, 1, 1, GOAL_NONE, 7, 100, 1024);
    vm->ran = true;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1000);
    assert_int_equal(vm->host, 6);
    scene_close(&scene);
}

/* OpenNebula refused its host, and there was no other one at first. */
static void an_immediate_lease_that_has_to_wait_again_is_late(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    char text[STORE_ACTIVITY_MAX];

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 2, PHASE_WAITING, LEASE_IMMEDIATE);
    see(&scene, 2, 2, GOAL_NONE, VM_PENDING);
    scene_poll(&scene);
    assert_int_equal(lease_apply(scene.daemon.store, lease, EVENT_ACCEPTED, 1000, "now"), 0);
    assert_int_equal(lease_apply(scene.daemon.store, lease, EVENT_START, 1000, "starts"), 0);
    assert_int_equal(lease_apply(scene.daemon.store, lease, EVENT_REPLANNED, 1002, "%s", ""), 0);
    reconcile(&scene.daemon, 1003);
    assert_false(lease->late);
    reconcile(&scene.daemon, 1004);
    assert_true(lease->late);
    store_activity(lease, 1004, text, sizeof text);
    assert_string_equal(text, "Late: the lease waits");
    assert_int_equal(lease_apply(scene.daemon.store, lease, EVENT_START, 1020, "starts"), 0);
    lease_explain(scene.daemon.store, lease, &(struct reason){.id = REASON_LATE}, NULL,
                  INSTANT_NONE);
    store_activity(lease, 1021, text, sizeof text);
    assert_non_null(
        strstr(text, "Late: the lease that was to start at 1970-01-01 00:16:40 has not started"));
    lease_runs_since(scene.daemon.store, lease, 1022, 0);
    assert_int_equal(lease_apply(scene.daemon.store, lease, EVENT_RUNNING, 1024, "runs"), 0);
    store_activity(lease, 1024, text, sizeof text);
    assert_string_equal(
        text, "Running until 1970-01-01 00:27:02. Late: the lease started 22s after its time");
    scene_close(&scene);
}

static struct lease_record *late_until_1600(struct scene *scene)
{
    struct lease_record *lease =
        lease_add(scene->daemon.store, 1, PHASE_STARTING, LEASE_RESERVATION);

    lease->accepted = lease->late = true;
    lease->start = 1000;
    lease->duration = 600;
    lease->end = 1600;
    return lease;
}

static void a_reservation_whose_vms_never_ran_was_missed(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    char text[STORE_SENTENCE_MAX];

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = late_until_1600(&scene);
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_BOOTING, 0, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 1600);
    assert_int_equal(lease->phase, PHASE_ENDING);
    store_reason_sentence(lease, false, text, sizeof text);
    assert_non_null(strstr(text, "it could not be started before"));
    scene_close(&scene);
}

/* Its VM still waits, although OpenNebula has accepted its start: it is not ended as one that ran.
 */
static void a_reservation_whose_start_had_no_effect_is_missed(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = late_until_1600(&scene);
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024)->last = COMMAND_DEPLOY;
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 1600);
    assert_int_equal(lease->phase, PHASE_MISSED);
    scene_close(&scene);
}

/* Beside an oned that follows, the picture may be old: the one that acts decides. */
static void time_decides_nothing_for_who_does_not_act(void **state)
{
    struct scene scene;
    struct lease_record *missed, *over;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    scene.fake->leads = false;
    missed = lease_add(scene.daemon.store, 1, PHASE_RESERVED, LEASE_RESERVATION);
    missed->accepted = true;
    missed->start = 1000;
    over = lease_add(scene.daemon.store, 2, PHASE_RUNNING, LEASE_BEST_EFFORT);
    over->since = 1000;
    over->end = 1600;
    see(&scene, 1, 1, GOAL_NONE, VM_PENDING);
    scene_add(&scene, 2, 2, GOAL_RUN, 0, 100, 1024)->ran = true;
    fake_cloud_add_vm(scene.fake, 2, VM_RUNNING, 0, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_int_equal(missed->phase, PHASE_RESERVED);
    assert_int_equal(over->phase, PHASE_RUNNING);
    scene.fake->leads = true;
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_int_equal(missed->phase, PHASE_MISSED);
    assert_int_equal(over->phase, PHASE_ENDING);
    scene_close(&scene);
}

/* A lease whose VM runs, with an event that has its VM suspended or ended. */
static struct lease_record *decide(struct scene *scene, int32_t id, enum lease_event event,
                                   enum reason_id why)
{
    struct lease_record *lease =
        lease_add(scene->daemon.store, id, PHASE_RUNNING, LEASE_BEST_EFFORT);

    lease->accepted = true;
    lease->since = 1000;
    lease->end = 1600;
    lease->reason_id = why;
    lease->preempted_for = 9;
    lease->preempted_at = 1200;
    see(scene, id, id, GOAL_RUN, VM_RUNNING)->ran = true;
    scene->fake->vms[scene->fake->n_vms - 1].history.rstime = 1000;
    assert_int_equal(lease_apply(scene->daemon.store, lease, event, 1200, "%s", ""), 0);
    return lease;
}

/* Another galernad was active meanwhile: the lease that was to get the room may be over. */
static void what_was_decided_and_not_sent_is_decided_again(void **state)
{
    struct scene scene;
    struct lease_record *suspended, *ended, *sent, *cancelled, *withdrawn;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    suspended = decide(&scene, 1, EVENT_SUSPEND, REASON_SUSPENDED_FOR);
    ended = decide(&scene, 2, EVENT_GIVES_WAY, REASON_CANCELLED_FOR);
    sent = decide(&scene, 3, EVENT_SUSPEND, REASON_SUSPENDED_FOR);
    cancelled = decide(&scene, 4, EVENT_CANCELLED, REASON_CANCELLED_BY);
    withdrawn = decide(&scene, 5, EVENT_SUSPEND, REASON_SUSPENDED_FOR);
    vm_command(scene.daemon.store, store_vm(scene.daemon.store, 3), COMMAND_STOP, 1200);
    vm_command(scene.daemon.store, store_vm(scene.daemon.store, 5), COMMAND_STOP, 1200);
    vm_command_withdrawn(scene.daemon.store, store_vm(scene.daemon.store, 5));
    scene_poll(&scene);
    reconcile(&scene.daemon, 1340);
    reconcile_withdraw(&scene.daemon, 1340);
    reconcile(&scene.daemon, 1340);
    assert_int_equal(suspended->phase, PHASE_RUNNING);
    assert_int_equal(suspended->end, 1600);
    assert_false(store_is_preempted(suspended));
    assert_int_equal(ended->phase, PHASE_RUNNING);
    assert_int_equal(ended->end, 1600);
    assert_int_equal(withdrawn->phase, PHASE_RUNNING);
    assert_int_equal(sent->phase, PHASE_STOPPING);
    assert_int_equal(cancelled->phase, PHASE_ENDING);
    scene_close(&scene);
}

/* oned may still carry out the command, which has no effect yet. */
static void a_start_that_was_sent_is_not_planned_again(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm_record *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_STARTING, LEASE_BEST_EFFORT);
    vm = see(&scene, 1, 1, GOAL_RUN, VM_PENDING);
    vm->last = COMMAND_DEPLOY;
    scene_poll(&scene);
    reconcile_before_replan(&scene.daemon);
    assert_int_equal(lease->phase, PHASE_STARTING);
    vm->last = COMMAND_NONE;
    reconcile_before_replan(&scene.daemon);
    assert_int_equal(lease->phase, PHASE_WAITING);
    scene_close(&scene);
}

static void it_is_said_what_is_waited_for(void **state)
{
    struct scene scene;
    struct lease_record *waits;
    struct vm_record *departing, *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    waits = lease_add(scene.daemon.store, 2, PHASE_RESERVED, LEASE_RESERVATION);
    lease_add(scene.daemon.store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    departing = see(&scene, 1, 1, GOAL_STOP, VM_CHANGING);
    vm = see(&scene, 2, 2, GOAL_NONE, VM_PENDING);
    scene_poll(&scene);
    setenv("TZ", "UTC0", 1);
    tzset();
    expect_waits_for(&scene.daemon, 1, "VM 1 (SAVE_STOP) to leave host 4");
    departing->stuck = 1900;
    expect_waits_for(
        &scene.daemon, 1,
        "VM 1 (SAVE_STOP at least since 1970-01-01 00:31:40; if it is lost: onevm recover "
        "--retry 1) to leave host 4");
    departing->stuck = 0;
    waits->expected = 2000;
    expect_waits_for(&scene.daemon, 2, "");
    waits->expected = 1999;
    expect_waits_for(&scene.daemon, 2, "VM 1 (SAVE_STOP) to leave host 4");
    waits->phase = PHASE_STARTING;
    expect_waits_for(&scene.daemon, 2, "VM 1 (SAVE_STOP) to leave host 4");
    departing->gone = true;
    expect_waits_for(&scene.daemon, 1, "");
    expect_waits_for(&scene.daemon, 2, "VM 2 (PENDING) to run on host 4");
    vm->next_try = 2060;
    expect_waits_for(&scene.daemon, 2, "the next attempt to start VM 2, at 1970-01-01 00:34:20");
    vm->next_try = 1990;
    expect_waits_for(&scene.daemon, 2, "VM 2 (PENDING) to run on host 4");
    waits->phase = PHASE_RUNNING;
    expect_waits_for(&scene.daemon, 2, "");
    scene_close(&scene);
}

/* Its last failure was counted when the lease was given up. */
static void a_lease_that_has_failed_keeps_its_reason(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    fake_cloud_add_host(scene.fake, 0, 400, 4096);
    lease = lease_add(scene.daemon.store, 1, PHASE_FAILED, LEASE_BEST_EFFORT);
    lease->reason_id = REASON_GIVEN_UP;
    scene_add(&scene, 1, 1, GOAL_HOLD, 0, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_FAILED, 0, 100, 1024);
    scene_poll(&scene);
    assert_int_equal(scene_enact(&scene, 2000), 1);
    assert_string_equal(scene_commands(&scene), "recreate 1 on 0");
    assert_int_equal(lease->reason_id, REASON_GIVEN_UP);
    scene_close(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

static void count_event(void *context, const struct store_event *event)
{
    *(int *)context += strcmp(event->event, "command-refused") == 0;
}

/* The VM of a refused lease cannot be held while its owner's lock is there. */
static void a_locked_vm_of_a_refused_lease_is_seldom_tried(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct scene scene;
    struct vm_record *vm;
    int told = 0;

    scene_open_with_hosts(&scene, store, 1);
    vm = scene_add_seen(&scene, 1, 1, GOAL_HOLD, -1, VM_PENDING, -1, 100);
    lease_to_change(store, 1)->phase = PHASE_REFUSED;
    scene.fake->vms[0].locked = true;
    scene.fake->reply = (struct cloud_reply){
        .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_OWNER, .message = "VM is locked"};
    scene_poll(&scene);
    reconcile(&scene.daemon, 1000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(scene_enact(&scene, i == 0 ? 1000 : vm->next_try), 1);
        assert_true(vm->next_try >= clock_now() + 3600 - 5);
        scene_poll(&scene);
    }
    store_must_commit(store);
    store_each_event(store, 1, 0, count_event, &told, NULL);
    assert_int_equal(told, 1);
    scene.fake->vms[0].locked = false;
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    assert_true(vm->next_try == INSTANT_NONE);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lease_that_has_failed_keeps_its_reason),
        TEST(a_start_that_was_missed_is_looked_at_at_once),
        TEST(what_waits_again_forgets_when_it_started),
        TEST(what_cannot_be_suspended_runs_on),
        TEST(what_waits_with_its_time_used_up_ends),
        TEST(vms_that_are_off_hold_up_nobody),
        TEST(the_history_says_what_becomes_of_the_work),
        TEST(an_estimate_that_passes_is_looked_at),
        TEST(an_immediate_lease_that_is_late_says_so),
        TEST(an_immediate_lease_that_has_to_wait_again_is_late),
        TEST(a_vm_that_was_moved_while_it_is_off_is_seen_there),
        TEST(a_reservation_whose_vms_never_ran_was_missed),
        TEST(a_reservation_whose_start_had_no_effect_is_missed),
        TEST(time_decides_nothing_for_who_does_not_act),
        TEST(what_was_decided_and_not_sent_is_decided_again),
        TEST(a_start_that_was_sent_is_not_planned_again),
        TEST(it_is_said_what_is_waited_for),
        TEST(a_locked_vm_of_a_refused_lease_is_seldom_tried),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
