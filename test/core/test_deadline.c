/* Deadline leases: accepted or refused at once, and never late. */
#include "scenario.h"

static void deadline_from(struct scenario *s, int64_t id, int64_t start, int64_t duration,
                          int64_t deadline)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_DEADLINE,
                        .start = start,
                        .duration = duration,
                        .deadline = deadline});
}

static void an_exact_fit_is_accepted_and_a_second_less_refused(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.shutdown_time = 10;
    deadline_lease(&s, 1, 2, 100, 110);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled Ready Active");
    scenario_end(&s);

    scenario_begin(&s, 2);
    s.settings.shutdown_time = 10;
    deadline_lease(&s, 1, 2, 100, 109);
    assert_string_equal(states_of(&s, 1), "0 Pending Rejected");
    assert_string_equal(reason_of(&s, 1), "deadline-unreachable: refused: must end by 109, but the "
                                          "earliest possible end is 110");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_waits_for_its_start(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    deadline_from(&s, 1, 200, 100, 300);
    deadline_from(&s, 2, 201, 100, 300);
    assert_string_equal(plan_of(&s, 1), "VM 200-300 on 1; SHUTDOWN 300-300 on 1");
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_is_planned_after_others_while_that_is_in_time(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF; /* does not matter to deadlines */
    reservation(&s, 1, 1, 0, 100);
    deadline_lease(&s, 2, 1, 50, 150);
    deadline_lease(&s, 3, 1, 50, 199);
    deadline_lease(&s, 4, 1, 50, 200);
    assert_string_equal(plan_of(&s, 2), "VM 100-150 on 1; SHUTDOWN 150-150 on 1");
    assert_string_equal(reason_of(&s, 3), "deadline-unreachable: refused: must end by 199, but the "
                                          "earliest possible end is 200");
    assert_string_equal(plan_of(&s, 4), "VM 150-200 on 1; SHUTDOWN 200-200 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_takes_no_place_of_backfilling(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 0, 100);
    deadline_lease(&s, 2, 1, 50, 1000);
    best_effort(&s, 3, 1, 50);
    assert_int_equal(state_of(&s, 2), LEASE_READY);
    assert_string_equal(plan_of(&s, 3), "VM 150-200 on 1; SHUTDOWN 200-200 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void another_with_slack_is_moved(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 0, 100);
    deadline_lease(&s, 2, 1, 100, 1000);
    at(&s, 10);
    deadline_lease(&s, 3, 1, 100, 200);
    assert_string_equal(plan_of(&s, 3), "VM 100-200 on 1; SHUTDOWN 200-200 on 1");
    assert_string_equal(plan_of(&s, 2), "VM 200-300 on 1; SHUTDOWN 300-300 on 1");
    assert_string_equal(reason_of(&s, 2), "planned: planned to start at 200");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void another_without_slack_is_not(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 0, 100);
    deadline_lease(&s, 2, 1, 100, 299);
    at(&s, 10);
    deadline_lease(&s, 3, 1, 100, 200);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_string_equal(plan_of(&s, 2), "VM 100-200 on 1; SHUTDOWN 200-200 on 1");
    assert_string_equal(reason_of(&s, 2), "planned: planned to start at 100");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_running_one_is_suspended_when_it_still_ends_in_time(void **state)
{
    /* Lease 1: 368 s until its suspension, 532 - 368 s lost, 632 s after it. */
    for (int64_t deadline = 1163; deadline <= 1164; deadline++) {
        struct scenario s;

        scenario_begin(&s, 1);
        deadline_lease(&s, 1, 1, 1000, deadline);
        at(&s, 300);
        deadline_from(&s, 2, 400, 100, 500);
        if (deadline == 1163) {
            assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
            assert_string_equal(plan_of(&s, 1), "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
        } else {
            assert_int_equal(state_of(&s, 2), LEASE_READY);
        }
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
        assert_int_equal(lease_of(&s, 1)->end, deadline == 1163 ? 1000 : 1164);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* A running deadline lease cannot be off its host now, but it can be as soon as it is suspended. */
static void another_is_suspended_as_soon_as_that_takes(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    deadline_lease(&s, 1, 1, 1000, 5000);
    at(&s, 300);
    deadline_lease(&s, 2, 1, 100, 700);
    assert_string_equal(plan_of(&s, 2), "VM 332-432 on 1; SHUTDOWN 432-432 on 1");
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_suspended_one_is_planned_for_its_return(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    deadline_lease(&s, 1, 1, 1000, 5000);
    at(&s, 300);
    deadline_from(&s, 2, 400, 100, 500);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1),
                        "0 Pending Scheduled Ready Active | 368 Suspending | "
                        "400 Suspended-Pending Suspended-Scheduled | 500 Resuming | "
                        "532 Resumed-Ready Active | 1164 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void all_that_wait_are_placed_anew(void **state)
{
    struct scenario s;

    /* Two hosts, busy until 100. The wide lease 4 fits only when 2 and 3 stand side by side. */
    scenario_begin(&s, 2);
    reservation(&s, 1, 2, 0, 100);
    deadline_lease(&s, 2, 1, 100, 400);
    deadline_lease(&s, 3, 2, 100, 500);
    at(&s, 10);
    deadline_lease(&s, 4, 2, 100, 200);
    deadline_lease(&s, 5, 1, 100, 400);
    for (int id = 2; id <= 5; id++)
        assert_int_equal(state_of(&s, id), LEASE_READY);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 4)->end, 200);
    for (int id = 2; id <= 5; id++)
        assert_int_equal(state_of(&s, id), LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_reservation_moves_them(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 0, 100);
    deadline_lease(&s, 2, 1, 100, 400);
    at(&s, 10);
    reservation(&s, 3, 1, 150, 100);
    reservation(&s, 4, 1, 250, 100); /* would make lease 2 late */
    assert_int_equal(state_of(&s, 3), LEASE_READY);
    assert_string_equal(plan_of(&s, 2), "VM 250-350 on 1; SHUTDOWN 350-350 on 1");
    assert_int_equal(state_of(&s, 4), LEASE_REJECTED);
    assert_string_equal(reason_of(&s, 4),
                        "no-room-at-start: refused: no room for 1 VM from 250 until 350");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_is_pulled_forward_when_room_comes_back(void **state)
{
    struct scenario s;

    for (int how = 0; how < 2; how++) {
        scenario_begin(&s, 1);
        reservation(&s, 1, 1, 0, 500);
        deadline_lease(&s, 2, 1, 100, 1000);
        deadline_from(&s, 3, 300, 100, 1000);
        at(&s, 200);
        if (how)
            ends(&s, 1);
        else
            cancel(&s, 1);
        assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
        assert_string_equal(plan_of(&s, 3), "VM 300-400 on 1; SHUTDOWN 400-400 on 1");
        run_to_end(&s);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void it_may_preempt_best_effort_leases(void **state)
{
    struct scenario s;

    for (int preempt = 0; preempt < 2; preempt++) {
        scenario_begin(&s, 1);
        if (preempt)
            reservations_preempt(&s);
        best_effort(&s, 1, 1, 1000);
        at(&s, 300);
        deadline_from(&s, 2, 400, 100, 500);
        assert_int_equal(state_of(&s, 2), preempt ? LEASE_READY : LEASE_REJECTED);
        if (preempt)
            assert_string_equal(preemptions(&s), "300: 1 for 2 at 400 suspend");
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void a_fixed_one_begins_at_its_start_or_is_refused(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.fixed_deadlines = true;
    reservation(&s, 1, 1, 0, 100);
    deadline_from(&s, 2, 50, 50, 1000);
    deadline_from(&s, 3, 100, 50, 1000);
    assert_string_equal(reason_of(&s, 2), "no-room-at-start: refused: no room for 1 VM "
                                          "from 50 until 100");
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_string_equal(plan_of(&s, 3), "VM 100-150 on 1; SHUTDOWN 150-150 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_fixed_one_is_not_moved_for_others(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.fixed_deadlines = true;
    deadline_lease(&s, 1, 1, 1000, 3000);
    at(&s, 300);
    reservation(&s, 2, 1, 400, 100);
    deadline_from(&s, 3, 400, 100, 500);
    deadline_from(&s, 4, 1000, 100, 2000);
    reservation(&s, 5, 1, 1000, 100);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 5), LEASE_READY);
    assert_int_equal(state_of(&s, 4), LEASE_REJECTED);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->end, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_fit_is_accepted_and_a_second_less_refused),
        cmocka_unit_test(it_waits_for_its_start),
        cmocka_unit_test(it_is_planned_after_others_while_that_is_in_time),
        cmocka_unit_test(it_takes_no_place_of_backfilling),
        cmocka_unit_test(another_with_slack_is_moved),
        cmocka_unit_test(another_without_slack_is_not),
        cmocka_unit_test(a_running_one_is_suspended_when_it_still_ends_in_time),
        cmocka_unit_test(another_is_suspended_as_soon_as_that_takes),
        cmocka_unit_test(a_suspended_one_is_planned_for_its_return),
        cmocka_unit_test(all_that_wait_are_placed_anew),
        cmocka_unit_test(a_reservation_moves_them),
        cmocka_unit_test(it_is_pulled_forward_when_room_comes_back),
        cmocka_unit_test(it_may_preempt_best_effort_leases),

        cmocka_unit_test(a_fixed_one_begins_at_its_start_or_is_refused),
        cmocka_unit_test(a_fixed_one_is_not_moved_for_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
