/* Leases that are to leave their hosts for others, when plans are made again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"

/* It had to be suspended for a lease that gets another host since: it runs on, and says so. */
static void one_whose_host_is_not_needed_any_more_stays(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    char text[STORE_ACTIVITY_MAX];
    struct house house;

    open_house(&house, store, 2);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    vm_to_change(store, 2)->host = 1; /* its host was drained */
    rebuild(&house, NOW);
    assert_false(store_is_preempted(lease));
    assert_int_equal(store_vm(store, 2)->host, 1);
    store_activity(lease, NOW, text, sizeof text);
    assert_null(strstr(text, "suspended"));
    close_house(&house);
}

/* Suspensions are faster than they were when its suspension was planned: it says when it begins
 * now.
 */
static void one_that_is_suspended_later_says_so(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    struct house house;

    open_house(&house, store, 1);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    lease->reason_id = REASON_SUSPENDED_FOR;
    lease->reason_n[0] = 2;
    lease->reason_n[1] = NOW + 40;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    rebuild(&house, NOW);
    assert_true(store_is_preempted(lease));
    assert_int_equal(lease->reason_id, REASON_SUSPENDED_FOR);
    assert_int_equal(store_leaves_at(lease), NOW + 90);
    close_house(&house);
}

/* It starts before a reservation that leaves it no room, on a host where another one starts sooner
 * and leaves it room: it runs until the first one needs the host, also by the plans made since, and
 * says so from the beginning. */
static void one_that_starts_in_a_gap_runs_until_its_end(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct lease_record *behind = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    struct lease_record *beside = add_lease(store, 3, PHASE_RESERVED, LEASE_RESERVATION, 300);
    char text[STORE_ACTIVITY_MAX];
    struct house house;

    open_house(&house, store, 1);
    vm_to_change(store, 1)->cpu = vm_to_change(store, 2)->cpu = CPU / 2;
    vm_to_change(store, 3)->cpu = CPU / 4;
    behind->start = NOW + 300;
    beside->start = NOW + 100;
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_STARTING);
    for (int64_t now = NOW; now < NOW + 3; rebuild(&house, ++now)) {
        if (now == NOW + 1)
            assert_int_equal(lease_apply(store, lease, EVENT_RUNNING, now, "%s", ""), 0);
        assert_true(store_is_preempted(lease));
        assert_int_equal(lease->preempted_for, behind->id);
        assert_int_equal(lease->preempted_at, behind->start);
        assert_int_equal(store_leaves_at(lease), behind->start - 10);
        store_activity(lease, now, text, sizeof text);
        assert_non_null(strstr(text, ", to be suspended for lease 2 at "));
    }
    close_house(&house);
}

/* Each plan may move the time a little: the history has a line for each lease that is the cause,
 * and the sentence has the present time. */
static void one_whose_time_moves_is_noted_once(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 600);

    for (int64_t at = NOW + 300; at < NOW + 303; at++) {
        assert_true(lease_note_preemption(store, lease, 2, at) == (at == NOW + 300));
        assert_int_equal(store_leaves_at(lease), at);
    }
    assert_true(lease_note_preemption(store, lease, 3, NOW + 302));
    lease_forget_preemption(store, lease);
    assert_true(lease_note_preemption(store, lease, 3, NOW + 302));
}

/* Its start, for which no command was sent yet, is decided again by each plan. */
static void one_whose_start_is_decided_again_is_noted_once(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);

    for (int64_t now = NOW; now < NOW + 3; now++) {
        assert_int_equal(lease_apply(store, lease, EVENT_START, now, "%s", ""), 0);
        assert_true(lease_note_preemption(store, lease, 0, NOW + 300) == (now == NOW));
        assert_true(store_is_preempted(lease));
        assert_int_equal(lease_apply(store, lease, EVENT_REPLANNED, now, "%s", ""), 0);
    }
}

static void keep_suspension(void *context, const struct store_event *event)
{
    char *text = context;

    if (strcmp(event->event, "suspending") == 0)
        snprintf(text, STORE_TEXT_MAX, "%s", event->text);
}

/* The plan had it end in a gap before the reservation, and its owner was warned of its end: who
 * comes next is the reason all the same. */
static void one_that_ran_in_a_gap_says_who_comes_next(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    char text[STORE_TEXT_MAX] = "";
    struct error err = {0};
    struct house house;

    open_house(&house, store, 1);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    rebuild(&house, NOW);
    lease_forget_preemption(store, lease);
    lease->reason_id = REASON_ENDS_SOON;
    lease->reason_n[0] = NOW + 500;
    scene_plan(&house.scene, false, NOW + 90);
    assert_int_equal(lease->phase, PHASE_STOPPING);
    assert_true(store_is_preempted(lease));
    assert_int_equal(store_each_event(store, 1, 0, keep_suspension, text, &err), 0);
    assert_string_equal(text, "for lease 2");
    close_house(&house);
}

/* Until NOW + 100, half of the host is free, then lease 3 is planned for all of it; lease 4 runs in
 * the gap, and its suspension and resumption take 20 s. The host is promised from `promised` on. */
static enum lease_phase phase_at_end_of_gap(struct store *store, int64_t duration, int64_t promised)
{
    struct lease_record *lease = add_lease(store, 2, PHASE_RUNNING, LEASE_BEST_EFFORT, 100);
    struct lease_record *behind = add_lease(store, 3, PHASE_WAITING, LEASE_BEST_EFFORT, 50);
    enum lease_phase phase;
    struct house house;

    open_house(&house, store, 1);
    lease->since = NOW;
    lease->terms = behind->terms = TERMS_NON_PREEMPTABLE;
    vm_to_change(store, 2)->cpu = CPU / 2;
    lease = add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, duration);
    vm_to_change(store, 4)->cpu = CPU / 2;
    if (promised)
        add_lease(store, 5, PHASE_RESERVED, LEASE_RESERVATION, 50)->start = promised;
    rebuild(&house, NOW);
    assert_int_equal(lease_apply(store, lease, EVENT_RUNNING, NOW, "%s", ""), 0);
    lease->since = NOW;
    scene_plan(&house.scene, false, NOW + 90);
    phase = lease->phase;
    for (int64_t now = NOW + 90; now < NOW + 102 && phase == PHASE_RUNNING; now++) {
        rebuild(&house, now);
        assert_int_equal(lease->phase, PHASE_RUNNING);
        assert_int_equal(behind->phase, PHASE_WAITING);
    }
    close_house(&house);
    return phase;
}

/* Suspended, it would be gone no sooner: who is planned behind it, without a promise, waits. */
static void one_that_ends_soon_after_its_gap_runs_to_its_end(void **state)
{
    assert_int_equal(phase_at_end_of_gap(((struct store_fixture *)*state)->store, 102, 0),
                     PHASE_RUNNING);
}

static void one_with_more_left_than_its_suspension_takes_is_suspended(void **state)
{
    assert_int_equal(phase_at_end_of_gap(((struct store_fixture *)*state)->store, 111, 0),
                     PHASE_STOPPING);
}

static void one_that_ends_soon_is_suspended_for_a_promise(void **state)
{
    assert_int_equal(phase_at_end_of_gap(((struct store_fixture *)*state)->store, 102, NOW + 100),
                     PHASE_STOPPING);
}

/* It had to be suspended for a reservation that has no place any more. */
static void one_that_leaves_for_a_reservation_without_a_place_stays(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    struct house house;

    open_house(&house, store, 1);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    vm_to_change(store, 2)->cpu = 2 * CPU; /* its host was larger */
    rebuild(&house, NOW);
    assert_true(promised->at_risk);
    assert_true(planner_is_outdated(house.planner));
    rebuild(&house, NOW);
    assert_false(store_is_preempted(lease));
    rebuild(&house, NOW);
    assert_false(planner_is_outdated(house.planner));
    promised->at_risk = false; /* it is not stored: after a restart, its reason tells */
    house.planner = scene_renew_planner(&house.scene);
    assert_true(promised->at_risk);
    close_house(&house);
}

/* It was about to start when a reservation got its host: it waits, and nothing was stopped. */
static void one_that_has_not_begun_waits_again(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised;
    struct house house;

    open_house(&house, store, 1);
    house.scene.policies.score_victims = all_may_be_preempted;
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_STARTING);
    promised = add_lease(store, 2, PHASE_WAITING, LEASE_RESERVATION, 200);
    promised->accepted = false;
    promised->start = NOW + 5; /* there is no time to suspend the other */
    planner_new(house.planner, promised->id);
    scene_plan(&house.scene, false, NOW);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_false(store_is_preempted(lease));
    assert_true(planner_is_outdated(house.planner));
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_int_equal(lease->reason_id, REASON_PLANNED);
    assert_int_equal(lease->reason_n[1], promised->id);
    close_house(&house);
}

/* It was about to be resumed when a reservation got its host: it stays suspended. */
static void one_that_was_not_resumed_waits_again(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised;
    struct house house;

    open_house(&house, store, 1);
    house.scene.policies.score_victims = all_may_be_preempted;
    lease->accumulated = vm_to_change(store, 1)->ran_for = 60;
    vm_to_change(store, 1)->suspended_by_us = true;
    fake_cloud_has_datastore(house.scene.fake);
    fake_cloud_add_vm(house.scene.fake, 1, VM_SUSPENDED, 0, CPU, MEMORY);
    scene_poll(&house.scene);
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_STARTING);
    promised = add_lease(store, 2, PHASE_WAITING, LEASE_RESERVATION, 200);
    promised->accepted = false;
    promised->start = NOW + 15; /* there is no time to resume and suspend the other */
    planner_new(house.planner, promised->id);
    scene_plan(&house.scene, false, NOW);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_true(lease_is_suspended_by_us(store, lease));
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_int_equal(lease->reason_n[1], promised->id);
    close_house(&house);
}

/* Only its planned place is lost: it was neither suspended nor stopped. */
static void one_that_was_only_planned_waits_for_room(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *runs = add_lease(store, 3, PHASE_RUNNING, LEASE_BEST_EFFORT, 150);
    struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised;
    char text[STORE_ACTIVITY_MAX];
    struct house house;

    open_house(&house, store, 1);
    house.scene.policies.score_victims = all_may_be_preempted;
    runs->terms = TERMS_NON_PREEMPTABLE;
    runs->preemptible = false;
    runs->since = NOW - 100;
    rebuild(&house, NOW);
    assert_int_equal(lease->expected, NOW + 50);
    promised = add_lease(store, 2, PHASE_WAITING, LEASE_RESERVATION, 200);
    promised->accepted = false;
    promised->start = NOW + 60;
    planner_new(house.planner, promised->id);
    scene_plan(&house.scene, false, NOW);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    assert_int_equal(lease->phase, PHASE_WAITING);
    store_activity(lease, NOW, text, sizeof text);
    assert_null(strstr(text, "Stopped"));
    assert_null(strstr(text, "Suspended"));
    assert_false(store_is_preempted(lease));
    close_house(&house);
}

static void keep_delays(void *context, const struct store_event *event)
{
    char *text = context;
    size_t length = strlen(text);

    if (strcmp(event->event, "delayed") == 0)
        snprintf(text + length, STORE_TEXT_MAX - length, "%s.", event->text);
}

/* A promise that is newer, but comes first, delays it: its history says so once for each cause. */
static void one_that_is_delayed_says_so_once(void **state)
{
    struct store_fixture *fixture = *state;
    struct store *store = fixture->store;
    struct lease_record *runs = add_lease(store, 3, PHASE_RUNNING, LEASE_BEST_EFFORT, 200);
    struct lease_record *lease =
        add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, SPAN_UNLIMITED);
    struct lease_record *promised;
    char text[STORE_TEXT_MAX] = "";
    struct error err = {0};
    struct house house;

    open_house(&house, store, 1);
    house.scene.policies.score_victims = all_may_be_preempted;
    runs->terms = TERMS_NON_PREEMPTABLE;
    runs->preemptible = false;
    runs->since = NOW - 100;
    rebuild(&house, NOW);
    promised = add_lease(store, 5, PHASE_WAITING, LEASE_DEADLINE, 200);
    promised->accepted = false;
    promised->deadline = NOW + 1000;
    planner_new(house.planner, promised->id);
    scene_plan(&house.scene, false, NOW);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    for (int i = 0; i < 3; i++)
        rebuild(&house, NOW);
    assert_int_equal(store_each_event(store, lease->id, 0, keep_delays, text, &err), 0);
    assert_string_equal(text, "by lease 5, a deadline lease requested later.");
    assert_int_equal(store_commit(store, NULL), 0);
    close_house(&house);
    store_reopen(fixture);
    assert_int_equal(store_lease(fixture->store, 4)->delayed_by, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_whose_host_is_not_needed_any_more_stays, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_is_suspended_later_says_so, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_starts_in_a_gap_runs_until_its_end, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_whose_time_moves_is_noted_once, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_whose_start_is_decided_again_is_noted_once,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_ran_in_a_gap_says_who_comes_next, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_ends_soon_after_its_gap_runs_to_its_end,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(one_with_more_left_than_its_suspension_takes_is_suspended,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_ends_soon_is_suspended_for_a_promise, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_leaves_for_a_reservation_without_a_place_stays,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_has_not_begun_waits_again, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_was_not_resumed_waits_again, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_is_delayed_says_so_once, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(one_that_was_only_planned_waits_for_room, store_set_up,
                                        store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
