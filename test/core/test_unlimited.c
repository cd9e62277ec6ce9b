/* Leases without an end: they run until somebody ends them, and others are planned around them. */
#include "scenario.h"

static void unlimited(struct scenario *s, int64_t id, enum lease_kind kind, int64_t start)
{
    ask(s, (struct ask){.id = id, .kind = kind, .duration = SPAN_UNLIMITED, .start = start});
}

static void it_runs_for_ever_and_is_never_shut_down(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.shutdown_time = 30;
    unlimited(&s, 1, LEASE_BEST_EFFORT, 0);
    assert_string_equal(plan_of(&s, 1), "VM 0-ever on 1");
    assert_true(engine_next_time(s.engine) == INSTANT_NEVER);
    assert_false(engine_is_idle(s.engine));
    at(&s, INT64_C(4000000000));
    assert_int_equal(state_of(&s, 1), LEASE_ACTIVE);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_CPU, INT64_MAX - 1), 0);
    scenario_end(&s);
}

static void it_ends_when_it_is_cancelled(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    unlimited(&s, 1, LEASE_IMMEDIATE, 0);
    at(&s, 70);
    cancel(&s, 1);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled Ready Active | 70 Cancelled");
    assert_string_equal(plan_of(&s, 1), "VM 0-70 on 1");
    assert_int_equal(lease_of(&s, 1)->accumulated, 70);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_ends_when_its_vms_end(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    unlimited(&s, 1, LEASE_RESERVATION, 20);
    assert_string_equal(plan_of(&s, 1), "VM 20-ever on 1");
    at(&s, 90);
    ends(&s, 1);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled Ready | 20 Active | 90 Done");
    assert_int_equal(lease_of(&s, 1)->duration_actual, 70);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void others_are_planned_around_it(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    unlimited(&s, 1, LEASE_IMMEDIATE, 0);
    best_effort(&s, 2, 1, 50);
    best_effort(&s, 3, 1, 50);
    best_effort(&s, 4, 2, 50);
    assert_string_equal(plan_of(&s, 3), "VM 50-100 on 2; SHUTDOWN 100-100 on 2");
    assert_int_equal(state_of(&s, 4), LEASE_QUEUED);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->end, 100);
    assert_int_equal(state_of(&s, 4), LEASE_QUEUED);
    cancel(&s, 1);
    assert_int_equal(state_of(&s, 4), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_does_not_start_now_where_something_is_reserved(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 500, 100);
    settle(&s);
    unlimited(&s, 2, LEASE_IMMEDIATE, 0);
    unlimited(&s, 3, LEASE_RESERVATION, 700);
    unlimited(&s, 4, LEASE_RESERVATION, 499);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 3), LEASE_READY);
    assert_string_equal(reason_of(&s, 4),
                        "no-room-at-start: refused: no room for 1 VM from 499 until never");
    run_to_end(&s);
    cancel(&s, 3);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_is_suspended_before_a_reservation_and_resumed_after_it(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 500, 100);
    unlimited(&s, 2, LEASE_BEST_EFFORT, 0);
    assert_string_equal(plan_of(&s, 2), "VM 0-468 on 1; SUSPEND 468-500 on 1");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "VM 0-468 on 1; SUSPEND 468-500 on 1; "
                                        "RESUME 600-632 on 1; VM 632-ever on 1");
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    at(&s, 1000);
    ends(&s, 2);
    assert_int_equal(lease_of(&s, 2)->accumulated, 468 + 1000 - 632);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_makes_room_by_being_suspended(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    unlimited(&s, 1, LEASE_BEST_EFFORT, 0);
    at(&s, 100);
    reservation(&s, 2, 1, 500, 100);
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 500);
    assert_int_equal(state_of(&s, 1), LEASE_ACTIVE);
    cancel(&s, 1);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void with_a_deadline_it_is_given_up(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    ask(&s, (struct ask){.id = 1, .duration = SPAN_UNLIMITED, .deadline = 1000});
    ask(&s, (struct ask){
                .id = 2, .kind = LEASE_DEADLINE, .duration = SPAN_UNLIMITED, .deadline = 1000});
    assert_int_equal(state_of(&s, 1), LEASE_CANCELLED);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_string_equal(reason_of(&s, 2),
                        "deadline-unreachable: refused: must end by 1000, but has no known end");
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Two hosts, the first one idle: what becomes of a whole-host lease without an end after a
 * reservation for later of half a host. */
static enum lease_state beside_a_reservation(bool haizea)
{
    struct scenario s;
    enum lease_state became;

    scenario_begin(&s, 2);
    if (haizea)
        as_haizea(&s);
    unlimited(&s, 1, LEASE_IMMEDIATE, 0);
    settle(&s);
    ask(&s,
        (struct ask){
            .id = 2, .kind = LEASE_IMMEDIATE, .cpu = 50, .memory = 1, .duration = SPAN_UNLIMITED});
    settle(&s);
    assert_string_equal(plan_of(&s, 2), "VM 0-ever on 2");
    at(&s, 10);
    cancel(&s, 1);
    settle(&s);
    ask(&s, (struct ask){.id = 3,
                         .kind = LEASE_RESERVATION,
                         .cpu = 50,
                         .memory = 1,
                         .start = 7200,
                         .duration = 3600});
    settle(&s);
    assert_string_equal(plan_of(&s, 3), haizea ? "VM 7200-10800 on 1; SHUTDOWN 10800-10800 on 1"
                                               : "VM 7200-10800 on 2; SHUTDOWN 10800-10800 on 2");
    unlimited(&s, 4, LEASE_IMMEDIATE, 0);
    settle(&s);
    became = state_of(&s, 4);
    scenario_end(&s);
    return became;
}

static void a_reservation_for_later_leaves_idle_hosts_whole(void **state)
{
    assert_int_equal(beside_a_reservation(false), LEASE_ACTIVE);
    beside_a_reservation(true);
}

static struct ask part(int64_t id, int32_t priority, int64_t cpu)
{
    return (struct ask){.id = id,
                        .kind = LEASE_BEST_EFFORT,
                        .priority = priority,
                        .cpu = cpu,
                        .memory = 64,
                        .duration = SPAN_UNLIMITED,
                        .non_preemptable = true};
}

/* Host 1 has room of 40. Lease 2 waits for more than that: others of its priority do not wait
 * behind it, but what they leave is kept for it. */
static void room_is_kept_from_lower_priorities_only(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    ask(&s, part(1, 1, 60));
    settle(&s);
    ask(&s, part(2, 1, 80));
    ask(&s, part(3, 1, 30));
    ask(&s, part(4, 0, 10));
    settle(&s);
    assert_int_equal(state_of(&s, 2), LEASE_QUEUED);
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 4), LEASE_QUEUED);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_for_ever_and_is_never_shut_down),
        cmocka_unit_test(it_ends_when_it_is_cancelled),
        cmocka_unit_test(it_ends_when_its_vms_end),
        cmocka_unit_test(others_are_planned_around_it),
        cmocka_unit_test(it_does_not_start_now_where_something_is_reserved),
        cmocka_unit_test(it_is_suspended_before_a_reservation_and_resumed_after_it),
        cmocka_unit_test(it_makes_room_by_being_suspended),
        cmocka_unit_test(with_a_deadline_it_is_given_up),
        cmocka_unit_test(a_reservation_for_later_leaves_idle_hosts_whole),
        cmocka_unit_test(room_is_kept_from_lower_priorities_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
