/* Who is accepted, who is refused, and the reason each is given. */
#include "scenario.h"

static void best_effort_starts_at_once_when_there_is_room(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    best_effort(&s, 1, 2, 100);
    assert_string_equal(plan_of(&s, 1), "VM 0-100 on 1,2; SHUTDOWN 100-100 on 1,2");
    assert_string_equal(reason_of(&s, 1), "planned: planned to start at 0");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "0 Pending Queued Scheduled Ready Active | 100 Done");
    assert_int_equal(lease_of(&s, 1)->accumulated, 100);
    assert_int_equal(lease_of(&s, 1)->end, 100);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void best_effort_waits_for_room(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    s.settings.backfilling = BACKFILLING_OFF;
    best_effort(&s, 1, 2, 100);
    best_effort(&s, 2, 2, 50);
    assert_int_equal(state_of(&s, 2), LEASE_QUEUED);
    assert_string_equal(reason_of(&s, 2),
                        "no-room-now: waits for room: 2 VMs requested, room for 1 now");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "VM 100-150 on 1,2; SHUTDOWN 150-150 on 1,2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void every_kind_too_big_for_the_site_is_refused_as_such(void **state)
{
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_IMMEDIATE, LEASE_RESERVATION,
                                            LEASE_DEADLINE};

    for (size_t i = 0; i < 4; i++) {
        struct scenario s;

        scenario_begin(&s, 2);
        ask(&s, (struct ask){.id = 1,
                             .kind = kinds[i],
                             .vms = 3,
                             .duration = 100,
                             .start = 10,
                             .deadline = 1000});
        assert_string_equal(states_of(&s, 1), "0 Pending Rejected");
        assert_string_equal(
            reason_of(&s, 1),
            "too-big: refused: 3 VMs requested, but all hosts together hold at most 2 when empty");
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void a_gang_of_two_sizes_that_never_fits_together_is_too_big(void **state)
{
    struct scenario s;
    struct node_set sets[] = {{.count = 1, .amounts = {{100, 100}}},
                              {.count = 2, .amounts = {{100, 512}}}};

    scenario_begin(&s, 0);
    add_hosts(&s, 1, 200, 1024);
    ask(&s, (struct ask){.id = 1, .duration = 10, .sets = sets, .n_sets = 2});
    assert_int_equal(state_of(&s, 1), LEASE_REJECTED);
    assert_int_equal(lease_of(&s, 1)->reason.id, REASON_TOO_BIG);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void immediate_is_now_or_never(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    best_effort(&s, 1, 1, 100);
    at(&s, 10);
    immediate(&s, 2, 1, 30);
    immediate(&s, 3, 1, 30);
    assert_string_equal(states_of(&s, 2), "10 Pending Scheduled Ready Active");
    assert_string_equal(states_of(&s, 3), "10 Pending Rejected");
    assert_string_equal(
        reason_of(&s, 3),
        "no-room-at-once: refused: 1 VM requested for an immediate start, room for 0 now");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void immediate_is_not_put_into_a_gap_too_short_for_it(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 200, 100);
    at(&s, 10);
    immediate(&s, 2, 1, 191);
    immediate(&s, 3, 1, 190);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->end, 200);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void reservation_gets_its_exact_time_or_is_refused(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    reservation(&s, 1, 2, 100, 50);
    reservation(&s, 2, 1, 149, 50);
    reservation(&s, 3, 1, 150, 50);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled Ready");
    assert_string_equal(states_of(&s, 2), "0 Pending Rejected");
    assert_string_equal(reason_of(&s, 2),
                        "no-room-at-start: refused: no room for 1 VM from 149 until 199");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled Ready | 100 Active | 150 Done");
    assert_int_equal(lease_of(&s, 3)->start_actual, 150);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void reservation_of_a_time_past_is_refused(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 10);
    at(&s, 60);
    reservation(&s, 2, 1, 59, 10);
    reservation(&s, 3, 1, 60, 10);
    assert_string_equal(reason_of(&s, 2),
                        "start-passed: refused: its start at 59 has passed (now: 60)");
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void shutdown_comes_on_top_of_a_reservation(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.shutdown_time = 8;
    s.settings.enactment_overhead = 1;
    reservation(&s, 1, 2, 100, 50);
    assert_string_equal(plan_of(&s, 1), "VM 100-150 on 1,2; SHUTDOWN 150-160 on 1,2");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 50);
    assert_int_equal(lease_of(&s, 1)->end, 160);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void haizea_cuts_the_shutdown_out_of_a_reservation(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    as_haizea(&s);
    s.settings.shutdown_time = 10;
    reservation(&s, 1, 1, 100, 50);
    reservation(&s, 2, 1, 100, 9);
    assert_string_equal(plan_of(&s, 1), "VM 100-140 on 1; SHUTDOWN 140-150 on 1");
    assert_string_equal(
        reason_of(&s, 2),
        "shorter-than-shutdown: refused: its duration of 9s is shorter than its shutdown of 10s");
    run_to_end(&s);
    scenario_end(&s);
}

static bool admit_only_even_ids(void *context, const struct lease *lease, int64_t now,
                                struct reason *reason)
{
    reason->id = REASON_REFUSED_BY_POLICY;
    reason->text = "odds: odd numbers are not served";
    return lease->request.id % 2 == 0;
}

static void admission_refuses_with_the_policys_own_sentence(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.policies.admit = admit_only_even_ids;
    best_effort(&s, 1, 1, 10);
    best_effort(&s, 2, 1, 10);
    assert_string_equal(states_of(&s, 1), "0 Pending Rejected");
    assert_string_equal(reason_of(&s, 1),
                        "refused-by-policy: refused: policy odds: odd numbers are not served");
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void best_effort_waits_for_its_earliest_start(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    ask(&s, (struct ask){.id = 1, .start = 500, .duration = 10});
    ask(&s, (struct ask){.id = 2, .start = 300, .duration = 10});
    assert_int_equal(state_of(&s, 1), LEASE_PENDING);
    assert_string_equal(reason_of(&s, 1), "not-ready: waits for its earliest start 500");
    assert_true(engine_next_time(s.engine) == 300);
    assert_false(engine_is_idle(s.engine));
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1),
                        "0 Pending | 500 Queued Scheduled Ready Active | 510 Done");
    assert_int_equal(lease_of(&s, 2)->start_actual, 300);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void best_effort_that_cannot_end_by_its_deadline_is_given_up(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    best_effort(&s, 1, 1, 100);
    ask(&s, (struct ask){.id = 3, .duration = 60, .deadline = 159});
    ask(&s, (struct ask){.id = 4, .duration = 60, .deadline = 160});
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 4), "VM 100-160 on 1; SHUTDOWN 160-160 on 1");
    assert_int_equal(state_of(&s, 4), LEASE_DONE);
    assert_string_equal(states_of(&s, 3), "0 Pending Queued | 100 Cancelled");
    assert_string_equal(
        reason_of(&s, 3),
        "deadline-missed: cancelled: must end by 159, but the earliest possible end is 160");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void the_shutdown_counts_towards_a_deadline(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.shutdown_time = 10;
    ask(&s, (struct ask){.id = 1, .duration = 50, .deadline = 60});
    ask(&s, (struct ask){.id = 2, .duration = 50, .deadline = 59});
    assert_int_equal(state_of(&s, 1), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 2), LEASE_CANCELLED);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->end, 60);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void the_hopeless_are_given_up_though_the_site_is_full(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    best_effort(&s, 1, 1, 100);
    best_effort(&s, 2, 1, 60);
    ask(&s, (struct ask){.id = 3, .duration = 60, .deadline = 150});
    at(&s, 101);
    assert_int_equal(state_of(&s, 3), LEASE_CANCELLED);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void also_when_nothing_else_ever_happens(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    ask(&s, (struct ask){.id = 1, .kind = LEASE_IMMEDIATE, .duration = SPAN_UNLIMITED});
    ask(&s, (struct ask){.id = 2, .duration = 60, .deadline = 150});
    run_to_end(&s);
    assert_string_equal(states_of(&s, 2), "0 Pending Queued | 91 Cancelled");
    cancel(&s, 1);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void who_needs_no_cpu_does_not_wait_for_one(void **state)
{
    struct node_set memory_only = {.count = 1, .amounts = {{0, 100}}};
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    ask(&s, (struct ask){.id = 1, .memory = 512, .duration = 100});
    settle(&s);
    ask(&s, (struct ask){.id = 2, .duration = 10, .sets = &memory_only, .n_sets = 1});
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_lease_of_no_time_is_over_at_once(void **state)
{
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_IMMEDIATE, LEASE_RESERVATION,
                                            LEASE_DEADLINE};

    for (int i = 0; i < 8; i++) {
        struct scenario s;

        scenario_begin(&s, 1);
        s.settings.shutdown_time = i / 4 * 5;
        ask(&s, (struct ask){.id = 1, .kind = kinds[i % 4], .duration = 0, .deadline = 100});
        run_to_end(&s);
        assert_int_equal(state_of(&s, 1), LEASE_DONE);
        assert_int_equal(lease_of(&s, 1)->end, s.settings.shutdown_time);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_effort_starts_at_once_when_there_is_room),
        cmocka_unit_test(best_effort_waits_for_room),
        cmocka_unit_test(every_kind_too_big_for_the_site_is_refused_as_such),
        cmocka_unit_test(a_gang_of_two_sizes_that_never_fits_together_is_too_big),
        cmocka_unit_test(immediate_is_now_or_never),
        cmocka_unit_test(immediate_is_not_put_into_a_gap_too_short_for_it),
        cmocka_unit_test(reservation_gets_its_exact_time_or_is_refused),
        cmocka_unit_test(reservation_of_a_time_past_is_refused),
        cmocka_unit_test(shutdown_comes_on_top_of_a_reservation),
        cmocka_unit_test(haizea_cuts_the_shutdown_out_of_a_reservation),
        cmocka_unit_test(admission_refuses_with_the_policys_own_sentence),
        cmocka_unit_test(best_effort_waits_for_its_earliest_start),
        cmocka_unit_test(best_effort_that_cannot_end_by_its_deadline_is_given_up),
        cmocka_unit_test(the_shutdown_counts_towards_a_deadline),
        cmocka_unit_test(the_hopeless_are_given_up_though_the_site_is_full),
        cmocka_unit_test(also_when_nothing_else_ever_happens),
        cmocka_unit_test(who_needs_no_cpu_does_not_wait_for_one),
        cmocka_unit_test(a_lease_of_no_time_is_over_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
