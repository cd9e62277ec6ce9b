/* Leases that end by themselves before their time. */
#include "scenario.h"

static void it_is_done_at_once_and_others_come_forward(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.shutdown_time = 10;
    best_effort(&s, 1, 1, 1000);
    best_effort(&s, 2, 1, 50);
    assert_string_equal(plan_of(&s, 2), "VM 1010-1060 on 1; SHUTDOWN 1060-1070 on 1");
    at(&s, 300);
    ends(&s, 1);
    assert_string_equal(states_of(&s, 1), "0 Pending Queued Scheduled Ready Active | 300 Done");
    assert_string_equal(reason_of(&s, 1), "ended-early: ended on its own after 5m00s of 16m40s");
    assert_string_equal(plan_of(&s, 1), "VM 0-300 on 1");
    assert_int_equal(lease_of(&s, 1)->duration_actual, 300);
    assert_string_equal(plan_of(&s, 2), "VM 300-350 on 1; SHUTDOWN 350-360 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Lease 2 is to run in [0, 468) and from 632 on: a reservation has the host in [500, 600). */
static void play_around_a_reservation(struct scenario *s, int64_t until)
{
    scenario_begin(s, 1);
    reservation(s, 1, 1, 500, 100);
    settle(s);
    best_effort(s, 2, 1, 1000);
    at(s, until);
}

static void before_a_planned_suspension(void **state)
{
    struct scenario s;

    play_around_a_reservation(&s, 460);
    assert_string_equal(plan_of(&s, 2), "VM 0-468 on 1; SUSPEND 468-500 on 1");
    ends(&s, 2);
    assert_string_equal(plan_of(&s, 2), "VM 0-460 on 1");
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_CPU, 480), 100);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->end, 460);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void at_the_instant_of_a_planned_suspension(void **state)
{
    struct scenario s;

    play_around_a_reservation(&s, 468);
    ends(&s, 2);
    assert_int_equal(state_of(&s, 2), LEASE_DONE);
    assert_int_equal(lease_of(&s, 2)->accumulated, 468);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void after_a_resumption(void **state)
{
    struct scenario s;

    play_around_a_reservation(&s, 650);
    ends(&s, 2);
    assert_int_equal(lease_of(&s, 2)->accumulated, 468 + 18);
    assert_string_equal(
        plan_of(&s, 2),
        "VM 0-468 on 1; SUSPEND 468-500 on 1; RESUME 600-632 on 1; VM 632-650 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void at_the_instant_of_its_start(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 100);
    settle(&s);
    ends(&s, 1);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_int_equal(lease_of(&s, 1)->accumulated, 0);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void several_at_once_in_the_order_in_which_their_ends_were_booked(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    best_effort(&s, 1, 1, 300);
    best_effort(&s, 2, 1, 200);
    best_effort(&s, 3, 1, 300);
    best_effort(&s, 4, 3, 50);
    at(&s, 100);
    ends(&s, 3);
    ends(&s, 2);
    ends(&s, 1);
    settle(&s);
    /* 2 first, then 1 and 3 as they were booked: the output tells. */
    assert_int_equal(s.outputs.items[0].lease->request.id, 2);
    for (int id = 1; id <= 3; id++)
        assert_int_equal(lease_of(&s, id)->end, 100);
    assert_string_equal(plan_of(&s, 4), "VM 100-150 on 1,2,3; SHUTDOWN 150-150 on 1,2,3");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_suspended_lease_is_resumed_earlier(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 500, 400);
    settle(&s);
    best_effort(&s, 2, 1, 1000);
    at(&s, 600);
    assert_int_equal(state_of(&s, 2), LEASE_SUSPENDED_SCHEDULED);
    ends(&s, 1);
    assert_int_equal(state_of(&s, 2), LEASE_RESUMING);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->end, 600 + 32 + 532);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* A deadline lease that is suspended for another has its resumption booked. */
static void with_the_resumption_of_a_deadline_lease_booked(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    deadline_lease(&s, 1, 1, 1000, 5000);
    at(&s, 300);
    ask(&s, (struct ask){
                .id = 2, .kind = LEASE_DEADLINE, .start = 400, .duration = 100, .deadline = 700});
    assert_string_equal(plan_of(&s, 1), "VM 0-368 on 1; SUSPEND 368-400 on 1; "
                                        "RESUME 500-532 on 1; VM 532-1164 on 1; "
                                        "SHUTDOWN 1164-1164 on 1");
    at(&s, 310);
    ends(&s, 1);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_string_equal(plan_of(&s, 1), "VM 0-310 on 1");
    run_to_end(&s);
    assert_int_equal(state_of(&s, 2), LEASE_DONE);
    assert_int_equal(lease_of(&s, 2)->start_actual, 400);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void of_a_reservation_makes_room_for_the_queue(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    reservation(&s, 1, 1, 0, 1000);
    settle(&s);
    best_effort(&s, 2, 1, 100);
    at(&s, 200);
    ends(&s, 1);
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_done_at_once_and_others_come_forward),
        cmocka_unit_test(before_a_planned_suspension),
        cmocka_unit_test(at_the_instant_of_a_planned_suspension),
        cmocka_unit_test(after_a_resumption),
        cmocka_unit_test(at_the_instant_of_its_start),
        cmocka_unit_test(several_at_once_in_the_order_in_which_their_ends_were_booked),
        cmocka_unit_test(a_suspended_lease_is_resumed_earlier),
        cmocka_unit_test(with_the_resumption_of_a_deadline_lease_booked),
        cmocka_unit_test(of_a_reservation_makes_room_for_the_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
