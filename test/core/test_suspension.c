/* Planned suspensions, and how leases come back from them. */
#include "scenario.h"

static void it_runs_in_a_gap_and_goes_on_after_it(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 300);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "VM 0-168 on 1; SUSPEND 168-200 on 1; "
                                        "RESUME 300-332 on 1; VM 332-464 on 1; "
                                        "SHUTDOWN 464-464 on 1");
    assert_string_equal(states_of(&s, 2),
                        "0 Pending Queued Scheduled Ready Active | 168 Suspending | "
                        "200 Suspended-Pending Suspended-Queued Suspended-Scheduled | "
                        "300 Resuming | 332 Resumed-Ready Active | 464 Done");
    assert_int_equal(lease_of(&s, 2)->accumulated, 300);
    assert_int_equal(lease_of(&s, 2)->start_actual, 0);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void with_whole_stretches_it_waits_for_all_of_its_time(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.whole_stretches = true;
    reservation(&s, 1, 1, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 300);
    best_effort(&s, 3, 1, 200);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "VM 300-600 on 1; SHUTDOWN 600-600 on 1");
    assert_string_equal(plan_of(&s, 3), "VM 0-200 on 1; SHUTDOWN 200-200 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void its_memory_is_on_the_disk_meanwhile(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    reservation(&s, 1, 1, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 300);
    at(&s, 250);
    settle(&s);
    assert_int_equal(state_of(&s, 2), LEASE_SUSPENDED_QUEUED);
    assert_int_equal(engine_disk_used_most(s.engine), 1024);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Nothing else happens when it is suspended: the reservation it was to leave for is gone. */
static void a_suspension_that_takes_no_time_leaves_nobody_behind(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.override_suspend_time = 0;
    s.settings.override_resume_time = 0;
    s.settings.behaviour.no_reevaluation_on_cancel = true;
    reservation(&s, 1, 1, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 300);
    at(&s, 100);
    cancel(&s, 1);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->accumulated, 300);
    assert_int_equal(lease_of(&s, 2)->state, LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_gap_shorter_than_the_threshold_is_left_alone(void **state)
{
    struct scenario s;

    /* Threshold: 32 s to suspend, and once more as much. */
    for (int64_t gap = 63; gap <= 64; gap++) {
        scenario_begin(&s, 1);
        reservation(&s, 1, 1, gap, 100);
        settle(&s);
        best_effort(&s, 2, 1, 300);
        settle(&s);
        assert_int_equal(state_of(&s, 2), gap < 64 ? LEASE_READY : LEASE_ACTIVE);
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 2)->accumulated, 300);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void without_suspension_it_waits_for_all_of_its_time(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.suspension = SUSPENSION_NONE;
    reservation(&s, 1, 1, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 201);
    best_effort(&s, 3, 1, 200);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "VM 300-501 on 1; SHUTDOWN 501-501 on 1");
    assert_string_equal(plan_of(&s, 3), "VM 0-200 on 1; SHUTDOWN 200-200 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void serial_only_suspends_single_vms_only(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    s.settings.suspension = SUSPENSION_SERIAL_ONLY;
    reservation(&s, 1, 3, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 300);
    best_effort(&s, 3, 2, 300);
    settle(&s);
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 3), LEASE_READY);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 3), "VM 300-600 on 1,2; SHUTDOWN 600-600 on 1,2");
    assert_int_equal(lease_of(&s, 2)->accumulated, 300);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_is_resumed_where_its_memory_is(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    /* Host 1 is free again at 250, host 2 at 400; lease 4 was suspended on host 2. */
    reservation(&s, 1, 1, 200, 50);
    reservation(&s, 2, 1, 200, 200);
    settle(&s);
    best_effort(&s, 3, 1, 168); /* on host 1, ends by itself in time */
    best_effort(&s, 4, 1, 300);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 4), "VM 0-168 on 2; SUSPEND 168-200 on 2; "
                                        "RESUME 400-432 on 2; VM 432-564 on 2; "
                                        "SHUTDOWN 564-564 on 2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void every_vm_comes_back_to_its_own_host(void **state)
{
    struct scenario s;
    struct node_set sets[] = {{.count = 1, .amounts = {{100, 512}}},
                              {.count = 1, .amounts = {{100, 1024}}}};
    const struct lease *lease;
    const struct placement *first, *second;

    scenario_begin(&s, 2);
    reservation(&s, 1, 2, 200, 100);
    settle(&s);
    ask(&s, (struct ask){.id = 2, .duration = 300, .sets = sets, .n_sets = 2});
    run_to_end(&s);
    lease = lease_of(&s, 2);
    first = lease->reservations[0]->placement;
    second = lease->reservations[lease->n_reservations - 2]->placement;
    assert_int_equal(lease->reservations[lease->n_reservations - 2]->kind, RESERVATION_VM);
    for (uint32_t vm = 0; vm < 2; vm++)
        assert_int_equal(first->vms[vm].host, second->vms[vm].host);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_is_suspended_again_and_again(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    for (int i = 0; i < 5; i++)
        reservation(&s, 10 + i, 1, 300 + 400 * i, 100);
    settle(&s);
    best_effort(&s, 1, 1, 1300);
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1300);
    /* 268 before the first, 236 in each gap, the rest after the last. */
    assert_int_equal(lease_of(&s, 1)->end, 400 + 4 * 400 + 32 + 1300 - 268 - 4 * 236);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void nothing_is_suspended_when_only_the_shutdown_does_not_fit(void **state)
{
    struct scenario s;

    /* 150 s fit into 168, but not with 60 s of shutdown: the gap ends after the work. */
    scenario_begin(&s, 1);
    s.settings.shutdown_time = 60;
    reservation(&s, 1, 1, 200, 100);
    settle(&s);
    best_effort(&s, 2, 1, 150);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->accumulated, 150);
    assert_int_equal(state_of(&s, 2), LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void force_threshold_replaces_the_estimate(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.force_scheduling_threshold = 0;
    reservation(&s, 1, 1, 40, 100);
    settle(&s);
    best_effort(&s, 2, 1, 300);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "VM 0-8 on 1; SUSPEND 8-40 on 1; RESUME 140-172 on 1; "
                                        "VM 172-464 on 1; SHUTDOWN 464-464 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_in_a_gap_and_goes_on_after_it),
        cmocka_unit_test(with_whole_stretches_it_waits_for_all_of_its_time),
        cmocka_unit_test(its_memory_is_on_the_disk_meanwhile),
        cmocka_unit_test(a_suspension_that_takes_no_time_leaves_nobody_behind),
        cmocka_unit_test(a_gap_shorter_than_the_threshold_is_left_alone),
        cmocka_unit_test(without_suspension_it_waits_for_all_of_its_time),
        cmocka_unit_test(serial_only_suspends_single_vms_only),
        cmocka_unit_test(it_is_resumed_where_its_memory_is),
        cmocka_unit_test(every_vm_comes_back_to_its_own_host),
        cmocka_unit_test(it_is_suspended_again_and_again),
        cmocka_unit_test(nothing_is_suspended_when_only_the_shutdown_does_not_fit),
        cmocka_unit_test(force_threshold_replaces_the_estimate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
