/* How long leases have run, by the history records of their VMs, and what can no longer run long
 * enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/live/messages.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

/* A VM that has moved runs on: what it ran before counts, though pools have the last record only
 * and the others are read later. */
static void a_moved_lease_ends_when_it_was_to_end(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT);
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
    assert_int_equal(lease->end, 1600);
    vm->n_records = 2;
    vm->ran_for = 300;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1303);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_int_equal(lease->accumulated, 300);
    assert_int_equal(lease->end, 1600);
    scene_close(&scene);
}

/* The listing comes first: it has no times. */
static void what_waits_again_has_run_as_long_as_its_vms(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm_record *vm;
    struct error err = {0};

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    vm = scene_add(&scene, 1, 1, GOAL_STOP, 0, 100, 1024);
    vm->ran = vm->suspended_by_us = true;
    fake_cloud_add_vm(scene.fake, 1, VM_RUNNING, 0, 100, 1024)->history.rstime = 1000;
    scene_poll(&scene);
    fake_cloud_put(scene.fake, 1, VM_STOPPED, 0);
    scene.fake->vms[0].history.retime = 1400;
    scene.fake->at_once = 1;
    fake_cloud_wait_a_moment();
    world_poll(scene.daemon.world, POLL_FULL);
    while (cloud_pending(scene.daemon.cloud)) {
        assert_int_equal(cloud_wait(scene.daemon.cloud, NULL, 0, 0, &err), 0);
        reconcile(&scene.daemon, 2000);
    }
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_int_equal(lease->accumulated, 400);
    scene_close(&scene);
}

static void keep_event(void *context, const struct store_event *event)
{
    snprintf(context, 120, "%s: %s", event->event, event->text);
}

static void a_late_start_has_its_cause_in_the_history(void **state)
{
    static const struct {
        int64_t started, unread_from, unread_until;
        const char *told;
        enum lease_phase phase;
    } cases[] = {
        {900, 0, 0, "late: not started 1m40s after its start", PHASE_RESERVED},
        {900, 100, 200, "late: not started 1m40s after its start", PHASE_RESERVED},
        {1090, 0, 0,
         "late: not started 1m40s after its start: galernad was started at 1970-01-01 00:18:10",
         PHASE_RESERVED},
        {900, 950, 1095,
         "late: not started 1m40s after its start: OpenNebula did not answer from 1970-01-01 "
         "00:15:50 until 1970-01-01 00:18:15",
         PHASE_RESERVED},
        {900, 950, 1095,
         "late: not started 1m40s after its start: OpenNebula did not answer from 1970-01-01 "
         "00:15:50 until 1970-01-01 00:18:15",
         PHASE_STARTING},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store *store = ((struct store_fixture *)*state)->store;
        int64_t id = (int64_t)i + 1;
        struct lease_record *lease = lease_add(store, id, cases[i].phase, LEASE_RESERVATION);
        struct scene scene;
        char text[120] = "";

        lease->accepted = true;
        lease->start = 1000;
        lease->duration = 600;
        scene_open(&scene, store);
        scene_add(&scene, (int32_t)id, id, GOAL_NONE, 0, 100, 1024);
        fake_cloud_add_vm(scene.fake, (int32_t)id, VM_PENDING, -1, 100, 1024);
        scene_poll(&scene);
        scene.daemon.started = cases[i].started;
        scene.daemon.unread_from = cases[i].unread_from;
        scene.daemon.unread_until = cases[i].unread_until;
        reconcile(&scene.daemon, 1100);
        assert_int_equal(store_each_event(store, id, 0, keep_event, text, NULL), 0);
        assert_string_equal(text, cases[i].told);
        lease->phase = PHASE_ENDED;
        scene_close(&scene);
    }
}

static void count_deadline(void *context, const struct store_event *event)
{
    if (strcmp(event->event, "deadline-passed") == 0) {
        assert_string_equal(event->text,
                            "1970-01-01 00:33:20, while a user or operator had stopped its VMs");
        ++*(size_t *)context;
    }
}

static void a_deadline_that_passes_while_the_vms_are_stopped_is_told(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    char text[STORE_ACTIVITY_MAX];
    size_t told = 0;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_RUNNING, LEASE_DEADLINE);
    lease->accepted = true;
    lease->deadline = 2000;
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024)->ran = true;
    fake_cloud_add_vm(scene.fake, 1, VM_POWEROFF, 0, 100, 1024);
    scene_poll(&scene);
    store_listen(scene.daemon.store, count_deadline, &told);
    reconcile(&scene.daemon, 1999);
    assert_int_equal(lease->phase, PHASE_PARKED);
    message_of(lease, vm_to_change(scene.daemon.store, 1), 1999, text, sizeof text);
    assert_string_equal(text, "");
    reconcile(&scene.daemon, 2000);
    reconcile(&scene.daemon, 2001);
    assert_int_equal(told, 1);
    message_of(lease, vm_to_change(scene.daemon.store, 1), 2001, text, sizeof text);
    assert_string_equal(text,
                        "Stopped: a user suspended, powered off or held its VMs; it continues "
                        "when the VMs are resumed or released. Its deadline 1970-01-01 "
                        "00:33:20 has passed");
    scene_close(&scene);
}

/* Its end is nearer than the warning when it starts. */
static void nobody_is_warned_of_an_end_before_the_start(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    scene.live.end_warning = 300;
    lease = lease_add(scene.daemon.store, 1, PHASE_STARTING, LEASE_RESERVATION);
    lease->accepted = true;
    lease->start = 700;
    lease->duration = 400;
    lease->end = 1100;
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024);
    vm = fake_cloud_add_vm(scene.fake, 1, VM_BOOTING, 0, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 1001);
    assert_false(lease->warned);
    vm->state = VM_RUNNING;
    vm->history.rstime = 1000;
    scene_poll(&scene);
    reconcile(&scene.daemon, 1002);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_true(lease->warned);
    scene_close(&scene);
}

/* It is shorter than the warning is early: its end is known from its start on. */
static void nobody_is_warned_of_the_end_of_a_short_lease(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    scene.live.end_warning = 300;
    lease = lease_add(scene.daemon.store, 1, PHASE_RUNNING, LEASE_RESERVATION);
    lease->accepted = true;
    lease->start = lease->since = 1000;
    lease->duration = 100;
    lease->end = 1100;
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_RUNNING, 0, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 1050);
    assert_false(lease->warned);
    lease->start = 700;
    lease->duration = 400;
    reconcile(&scene.daemon, 1051);
    assert_true(lease->warned);
    scene_close(&scene);
}

static void keep_late(void *context, const struct store_event *event)
{
    if (strcmp(event->event, "late") == 0)
        snprintf(context, STORE_TEXT_MAX, "%s", event->text);
}

static void one_that_is_late_without_a_place_says_why(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    char text[STORE_TEXT_MAX] = "";

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_RESERVED, LEASE_RESERVATION);
    lease->accepted = lease->at_risk = true;
    lease->start = 1000;
    lease->duration = 100;
    lease_explain(scene.daemon.store, lease,
                  &(struct reason){.id = REASON_NO_HOST_ALLOWED, .n = {1}}, NULL, INSTANT_NONE);
    scene_add(&scene, 1, 1, GOAL_NONE, 4, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 1024);
    scene_poll(&scene);
    reconcile(&scene.daemon, 1050);
    assert_true(lease->late);
    assert_int_equal(store_each_event(scene.daemon.store, 1, 0, keep_late, text, NULL), 0);
    assert_string_equal(text,
                        "not started 50s after its start: 1 VM requested, but no enabled host "
                        "meets its requirements");
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
    lease_add(scene.daemon.store, 1, PHASE_STARTING, LEASE_BEST_EFFORT)->accepted = true;
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

/* oned leaves the record's start at the first attempt to boot. `runs`: a retry succeeds at 1100. */
static void fail_to_boot(struct scene *scene, bool runs)
{
    static const struct {
        enum vm_state state;
        int64_t retime, now;
    } steps[] = {{VM_BOOT_FAILED, 1002, 1010}, {VM_BOOTING, 1002, 1090}, {VM_RUNNING, 0, 1100},
                 {VM_RUNNING, 0, 1200},        {VM_CHANGING, 0, 1290},   {VM_STOPPED, 1300, 1301}};
    struct vm *vm = &scene->fake->vms[0];

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!runs && (steps[i].state == VM_RUNNING || steps[i].state == VM_CHANGING))
            continue;
        vm->state = steps[i].state;
        vm->history.rstime = 1000;
        vm->history.retime = steps[i].retime;
        scene_poll(scene);
        reconcile(&scene->daemon, steps[i].now);
    }
}

static void the_time_of_a_boot_that_failed_does_not_count(void **state)
{
    for (int runs = 0; runs < 2; runs++) {
        struct scene scene;
        struct lease_record *lease;
        struct vm_record *vm;

        scene_open(&scene, ((struct store_fixture *)*state)->store);
        lease = lease_add(scene.daemon.store, 1 + runs, PHASE_STARTING, LEASE_BEST_EFFORT);
        lease->accepted = true;
        vm = scene_add(&scene, 1 + runs, 1 + runs, GOAL_RUN, 0, 100, 1024);
        fake_cloud_add_vm(scene.fake, 1 + runs, VM_FAILED, 0, 100, 1024);
        fail_to_boot(&scene, runs);
        assert_int_equal(vm->ran_for, runs ? 200 : 0);
        assert_int_equal(lease->accumulated, runs ? 200 : 0);
        scene_close(&scene);
    }
}

/* A group of VMs 0 and 1; VM 1 has run since `second`, VM 0 since 1000. */
static struct lease_record *run_group(struct scene *scene, int64_t second)
{
    struct lease_record *lease =
        lease_add(scene->daemon.store, 1, PHASE_STARTING, LEASE_BEST_EFFORT);

    lease->accepted = true;
    for (int32_t i = 0; i < 2; i++) {
        scene_add(scene, i, 1, GOAL_RUN, i, 100, 1024);
        fake_cloud_add_vm(scene->fake, i, VM_RUNNING, i, 100, 1024)->history.rstime =
            i ? second : 1000;
    }
    scene_poll(scene);
    reconcile(&scene->daemon, second + 1);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_int_equal(lease->end, second + 600);
    return lease;
}

static void end_record(struct scene *scene, int vm, enum vm_state state, int64_t at)
{
    scene->fake->vms[vm].state = state;
    scene->fake->vms[vm].history.retime = at;
    scene_poll(scene);
    reconcile(&scene->daemon, at + 1);
}

static void begin_record(struct scene *scene, int vm, int64_t at)
{
    scene->fake->vms[vm].state = VM_RUNNING;
    scene->fake->vms[vm].history.sequence++;
    scene->fake->vms[vm].history.rstime = at;
    scene->fake->vms[vm].history.retime = 0;
    scene_poll(scene);
    reconcile(&scene->daemon, at + 1);
}

/* VM 0 starts and stops first; when the group is resumed, VM 1 does. */
static void a_group_has_run_as_long_as_its_vms_ran_together(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = run_group(&scene, 1040);
    lease_apply(scene.daemon.store, lease, EVENT_SUSPEND, 1090, "%s", "");
    vm_to_change(scene.daemon.store, 0)->suspended_by_us = true;
    end_record(&scene, 0, VM_STOPPED, 1100);
    vm_to_change(scene.daemon.store, 1)->suspended_by_us = true;
    end_record(&scene, 1, VM_STOPPED, 1140);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_int_equal(lease->accumulated, 60);

    lease_apply(scene.daemon.store, lease, EVENT_RESUME, 2000, "%s", "");
    begin_record(&scene, 1, 2000);
    begin_record(&scene, 0, 2050);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_int_equal(lease->end, 2050 + 600 - 60);
    scene_close(&scene);
}

static void a_group_of_which_one_vm_moves_ends_when_it_was_to_end(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = run_group(&scene, 1040);
    for (int i = 0; i < 2; i++) {
        end_record(&scene, i, VM_CHANGING, 1300 + 100 * i);
        begin_record(&scene, i, 1300 + 100 * i);
        assert_int_equal(lease->end, 1640);
    }
    scene_close(&scene);
}

/* The others run on meanwhile. */
static void a_group_runs_on_for_the_time_that_its_user_stopped_one_vm(void **state)
{
    struct scene scene;
    struct lease_record *lease;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = run_group(&scene, 1000);
    end_record(&scene, 0, VM_POWEROFF, 1200);
    begin_record(&scene, 0, 1300);
    assert_int_equal(lease->end, 1700);
    end_record(&scene, 1, VM_CHANGING, 1400);
    begin_record(&scene, 1, 1400);
    assert_int_equal(lease->end, 1700);
    scene_close(&scene);
}

/* It has no place in the plan. Its latest start is 1500. */
static void a_deadline_is_missed_at_the_latest_start(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct told_reason cause;
    char text[STORE_TEXT_MAX];

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_RESERVED, LEASE_DEADLINE);
    lease->accepted = true;
    lease->deadline = 2000;
    lease->duration = 600;
    lease->accumulated = 100;
    scene_add(&scene, 1, 1, GOAL_NONE, 4, 100, 1024);
    fake_cloud_add_vm(scene.fake, 1, VM_PENDING, -1, 100, 1024);
    scene_poll(&scene);
    lease_explain(scene.daemon.store, lease,
                  &(struct reason){.id = REASON_HOSTS_EXCLUDED, .text = "1 disabled"}, NULL,
                  INSTANT_NONE);
    reconcile(&scene.daemon, 1500);
    assert_int_equal(lease->phase, PHASE_RESERVED);
    assert_int_equal(reconcile_next_time(&scene.daemon, 1500), 1501);
    reconcile(&scene.daemon, 1501);
    assert_int_equal(lease->phase, PHASE_MISSED);
    store_reason_sentence(lease, false, text, sizeof text);
    assert_non_null(strstr(text, "it could not be started before 1970-01-01 00:25:00: "));
    assert_non_null(strstr(text, "1 disabled"));
    assert_true(store_cause(lease, &cause));
    assert_int_equal(cause.id, REASON_HOSTS_EXCLUDED);
    lease_explain(scene.daemon.store, lease,
                  &(struct reason){.id = REASON_MISSED, .n = {1500}, .text = "late or never"}, NULL,
                  INSTANT_NONE);
    assert_false(store_cause(lease, &cause)); /* a sentence of an older galernad */
    store_reason_sentence(lease, false, text, sizeof text);
    assert_non_null(strstr(text, "1970-01-01 00:25:00: late or never"));
    scene_close(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_moved_lease_ends_when_it_was_to_end),
        TEST(a_group_has_run_as_long_as_its_vms_ran_together),
        TEST(a_group_of_which_one_vm_moves_ends_when_it_was_to_end),
        TEST(a_group_runs_on_for_the_time_that_its_user_stopped_one_vm),
        TEST(what_waits_again_has_run_as_long_as_its_vms),
        TEST(a_late_start_has_its_cause_in_the_history),
        TEST(a_deadline_that_passes_while_the_vms_are_stopped_is_told),
        TEST(nobody_is_warned_of_an_end_before_the_start),
        TEST(nobody_is_warned_of_the_end_of_a_short_lease),
        TEST(one_that_is_late_without_a_place_says_why),
        TEST(a_record_that_is_opened_again_counts_when_it_is_closed),
        TEST(the_time_of_a_boot_that_failed_does_not_count),
        TEST(a_deadline_is_missed_at_the_latest_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
