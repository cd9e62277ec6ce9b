/* An engine that begins in the middle of things. */
#include "scenario.h"

#include <string.h>

static const uint32_t first[] = {0, 0, 0, 0}, second[] = {1, 1, 1, 1};

static void running(struct scenario *s, struct ask what, const uint32_t *hosts, int64_t since,
                    int64_t until)
{
    int adopted = adopt(
        s, what,
        (struct adoption){.as = ADOPTED_RUNNING, .vm_host = hosts, .since = since, .until = until});

    assert_int_equal(adopted, 0);
}

static int reserved(struct scenario *s, struct ask what, const uint32_t *hosts)
{
    return adopt(
        s, what,
        (struct adoption){.as = ADOPTED_RESERVED, .vm_host = hosts, .since = INSTANT_NONE});
}

static int queued(struct scenario *s, struct ask what, int64_t not_before)
{
    return adopt(s, what, (struct adoption){.as = ADOPTED_QUEUED, .not_before = not_before});
}

static int suspended(struct scenario *s, struct ask what, struct adoption how)
{
    how.as = ADOPTED_SUSPENDED;
    return adopt(s, what, how);
}

static void begin_at(struct scenario *s, size_t n_hosts, int64_t now)
{
    scenario_begin(s, n_hosts);
    s->now = now;
}

static void block(struct scenario *s, int64_t id, const uint32_t *host)
{
    running(s, (struct ask){.id = id, .duration = SPAN_UNLIMITED, .non_preemptable = true}, host, 0,
            INSTANT_NEVER);
}

/* --- running ---------------------------------------------------------------------------------- */

static void what_runs_goes_on_to_its_end(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    s.settings.shutdown_time = 5;
    running(&s, (struct ask){.id = 7, .duration = 300}, first, 900, 1200);
    assert_string_equal(plan_of(&s, 7), "VM 900-1200 on 1; SHUTDOWN 1200-1205 on 1");
    assert_int_equal(engine_cpu_used(s.engine, RESERVATION_VM), 100);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 7), "1205 Done");
    assert_null(strstr(log_of(&s), "1000 0 7"));
    assert_int_equal(lease_of(&s, 7)->accumulated, 300);
    assert_int_equal(engine_cpu_used(s.engine, RESERVATION_VM), 0);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void earlier_stretches_count(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    adopt(&s, (struct ask){.id = 1, .duration = 300},
          (struct adoption){.as = ADOPTED_RUNNING,
                            .vm_host = first,
                            .since = 1000,
                            .until = 1100,
                            .accumulated = 200});
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->duration_actual, 300);
    assert_int_equal(lease_of(&s, 1)->end, 1100);
    scenario_end(&s);
}

static void time_counts_from_when_it_has_booted(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    reservations_preempt(&s);
    running(&s, (struct ask){.id = 1, .duration = 300}, first, 1040, 1340);
    assert_string_equal(plan_of(&s, 1), "VM 1000-1340 on 1; SHUTDOWN 1340-1340 on 1");
    reservation(&s, 2, 1, 1232, 68);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 1000-1200 on 1; SUSPEND 1200-1232 on 1; "
                                        "RESUME 1300-1332 on 1; VM 1332-1472 on 1; "
                                        "SHUTDOWN 1472-1472 on 1");
    assert_int_equal(lease_of(&s, 1)->accumulated, 300);
    scenario_end(&s);
}

static void what_is_being_shut_down_holds_its_hosts(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    s.settings.shutdown_time = 50;
    adopt(&s, (struct ask){.id = 1, .duration = 300},
          (struct adoption){.as = ADOPTED_ENDING,
                            .vm_host = first,
                            .since = 600,
                            .until = 1030,
                            .accumulated = 300});
    best_effort(&s, 2, 1, 10);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1030 Done");
    assert_int_equal(lease_of(&s, 1)->duration_actual, 300);
    assert_int_equal(lease_of(&s, 2)->start_actual, 1030);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_may_have_more_than_the_host_has(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    s.unchecked = true;
    running(&s, (struct ask){.id = 1, .duration = 100}, first, 1000, 1100);
    running(&s, (struct ask){.id = 2, .duration = 200}, first, 1000, 1200);
    best_effort(&s, 3, 1, 10);
    settle(&s);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_CPU, 1000), -100);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_CPU, 1100), 0);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->end, 1100);
    assert_int_equal(lease_of(&s, 2)->end, 1200);
    assert_int_equal(lease_of(&s, 3)->start_actual, 1200);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_is_suspended_for_a_later_reservation(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    reservations_preempt(&s);
    running(&s, (struct ask){.id = 1, .duration = 1000}, first, 900, 1900);
    reservation(&s, 2, 1, 1200, 100);
    assert_string_equal(plan_of(&s, 1), "VM 900-1168 on 1; SUSPEND 1168-1200 on 1");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1),
                        "1168 Suspending | 1200 Suspended-Pending Suspended-Queued "
                        "Suspended-Scheduled | 1300 Resuming | 1332 Resumed-Ready Active | 2064 "
                        "Done");
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_can_be_cancelled_and_can_end(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    running(&s, (struct ask){.id = 1, .duration = 1000}, first, 900, 1900);
    running(&s, (struct ask){.id = 2, .duration = 1000}, second, 950, 1950);
    at(&s, 1100);
    cancel(&s, 1);
    ends(&s, 2);
    assert_string_equal(states_of(&s, 1), "1100 Cancelled");
    assert_string_equal(states_of(&s, 2), "1100 Done");
    assert_int_equal(lease_of(&s, 2)->accumulated, 150);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void what_should_have_ended_ends_at_once(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    running(&s, (struct ask){.id = 1, .duration = 100}, first, 500, 600);
    assert_string_equal(states_of(&s, 1), "1000 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* --- promised --------------------------------------------------------------------------------- */

static struct ask ar(int64_t id, int64_t start, int64_t duration)
{
    return (struct ask){.id = id, .kind = LEASE_RESERVATION, .start = start, .duration = duration};
}

static void a_reservation_keeps_its_hosts(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    assert_int_equal(reserved(&s, ar(1, 1500, 100), second), 0);
    assert_string_equal(plan_of(&s, 1), "VM 1500-1600 on 2; SHUTDOWN 1600-1600 on 2");
    assert_int_equal(state_of(&s, 1), LEASE_READY);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1500 Active | 1600 Done");
    scenario_end(&s);
}

static void it_moves_when_its_hosts_are_taken(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    block(&s, 9, second);
    assert_int_equal(reserved(&s, ar(1, 1500, 100), second), 0);
    assert_string_equal(plan_of(&s, 1), "VM 1500-1600 on 1; SHUTDOWN 1600-1600 on 1");
    scenario_end(&s);
}

static void without_room_it_is_rejected_with_numbers(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    block(&s, 9, second);
    assert_int_equal(
        reserved(&s,
                 (struct ask){
                     .id = 1, .kind = LEASE_RESERVATION, .vms = 2, .start = 1500, .duration = 100},
                 NULL),
        1);
    assert_string_equal(
        reason_of(&s, 1),
        "no-room-at-start: refused: no room for 2 VMs from 1500 until 1600, only for 1");
    assert_int_equal(state_of(&s, 1), LEASE_REJECTED);
    assert_int_equal(engine_unfinished(s.engine, LEASE_RESERVATION), 0);
    assert_int_equal(engine_forget(s.engine, 1, NULL), 0);
    scenario_end(&s);
}

/* Nobody is preempted here, but the engine before let it run in the gap. */
static void a_promise_is_kept_whatever_the_policy_says(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    running(&s, (struct ask){.id = 1, .duration = 1000}, first, 900, 1900);
    assert_int_equal(reserved(&s, ar(2, 1200, 100), first), 0);
    assert_string_equal(plan_of(&s, 1), "VM 900-1168 on 1; SUSPEND 1168-1200 on 1");
    assert_string_equal(preemptions(&s), "1000: 1 for 2 at 1200 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    assert_int_equal(lease_of(&s, 2)->start_actual, 1200);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void what_adoption_causes_comes_with_the_first_step(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    running(&s, (struct ask){.id = 1, .duration = 1000}, first, 900, 1900);
    assert_int_equal(reserved(&s, ar(2, 1200, 100), first), 0);
    assert_int_equal(engine_next_time(s.engine), 1000);
    settle(&s);
    assert_int_equal(s.outputs.items[0].kind, OUTPUT_PREEMPTED);
    assert_int_equal(s.outputs.items[1].kind, OUTPUT_VM_INTERVAL);
    assert_int_equal(s.outputs.items[1].reservation->until, 1168);
    assert_int_equal(s.outputs.n_items, 2);
    scenario_end(&s);
}

static void the_end_of_an_adopted_lease_is_only_output_if_it_is_not_the_given_one(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    running(&s, (struct ask){.id = 1, .duration = 1000}, first, 900, 1900);
    settle(&s);
    assert_int_equal(s.outputs.n_items, 0);
    scenario_end(&s);

    begin_at(&s, 1, 1000);
    running(&s, (struct ask){.id = 1, .duration = 50}, first, 900, 950); /* is over */
    settle(&s);
    assert_int_equal(s.outputs.items[0].kind, OUTPUT_VM_INTERVAL);
    assert_int_equal(s.outputs.items[0].at, 1000);
    scenario_end(&s);
}

static void a_deadline_lease_begins_as_planned(void **state)
{
    struct ask what = {.id = 1, .kind = LEASE_DEADLINE, .duration = 100, .deadline = 5000};
    struct scenario s;

    begin_at(&s, 2, 1000);
    running(&s, (struct ask){.id = 8, .duration = 1100, .non_preemptable = true}, first, 900, 2000);
    running(&s, (struct ask){.id = 9, .duration = 1100, .non_preemptable = true}, second, 900,
            2000);
    assert_int_equal(
        adopt(&s, what,
              (struct adoption){.as = ADOPTED_RESERVED, .vm_host = second, .since = 2000}),
        0);
    assert_string_equal(plan_of(&s, 1), "VM 2000-2100 on 2; SHUTDOWN 2100-2100 on 2");
    scenario_end(&s);

    begin_at(&s, 2, 1000);
    block(&s, 8, first);
    running(&s, (struct ask){.id = 9, .duration = 3000, .non_preemptable = true}, second, 900,
            4000);
    assert_int_equal(
        adopt(&s, what, (struct adoption){.as = ADOPTED_RESERVED, .vm_host = first, .since = 2000}),
        0);
    assert_string_equal(plan_of(&s, 1), "VM 4000-4100 on 2; SHUTDOWN 4100-4100 on 2");
    scenario_end(&s);
}

static void a_deadline_lease_begins_earlier_where_it_can(void **state)
{
    struct ask what = {
        .id = 1, .kind = LEASE_DEADLINE, .duration = 100, .deadline = 5000, .start = 1200};
    struct ask begun = what;
    struct scenario s;

    begin_at(&s, 2, 1000);
    assert_int_equal(
        adopt(&s, what,
              (struct adoption){.as = ADOPTED_RESERVED, .vm_host = second, .since = 2000}),
        0);
    begun.id = 2; /* and has been suspended */
    assert_int_equal(
        suspended(&s, begun,
                  (struct adoption){.vm_host = first, .since = 2000, .not_before = INSTANT_NONE}),
        0);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1200 Active | 1300 Done");
    assert_string_equal(states_of(&s, 2), "2000 Resuming | 2032 Resumed-Ready Active | 2132 Done");
    scenario_end(&s);
}

static void a_suspended_deadline_lease_is_planned_at_once(void **state)
{
    struct ask what = {.id = 1, .kind = LEASE_DEADLINE, .duration = 100, .deadline = 5000};
    struct scenario s;

    begin_at(&s, 2, 1000);
    assert_int_equal(suspended(&s, what,
                               (struct adoption){.vm_host = second,
                                                 .accumulated = 40,
                                                 .since = INSTANT_NONE,
                                                 .until = 1010,
                                                 .not_before = INSTANT_NONE}),
                     0);
    assert_int_equal(state_of(&s, 1), LEASE_SUSPENDING);
    assert_string_equal(plan_of(&s, 1), "VM 1000-1000 on 2; SUSPEND 1000-1010 on 2; "
                                        "RESUME 1010-1042 on 2; VM 1042-1102 on 2; "
                                        "SHUTDOWN 1102-1102 on 2");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 100);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_suspended_deadline_lease_may_be_too_late(void **state)
{
    struct ask what = {.id = 1, .kind = LEASE_DEADLINE, .duration = 100, .deadline = 1080};
    struct scenario s;

    begin_at(&s, 2, 1000);
    assert_int_equal(
        suspended(&s, what,
                  (struct adoption){
                      .vm_host = second, .accumulated = 40, .until = 1010, .not_before = 1010}),
        1);
    assert_int_equal(state_of(&s, 1), LEASE_REJECTED);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static void the_queue_is_in_the_order_of_submission_then_id(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    queued(&s, (struct ask){.id = 5, .duration = 10, .submit = 70}, INSTANT_NONE);
    queued(&s, (struct ask){.id = 2, .duration = 10, .submit = 70}, INSTANT_NONE);
    queued(&s, (struct ask){.id = 1, .duration = 10, .submit = 90}, INSTANT_NONE);
    suspended(&s, (struct ask){.id = 9, .duration = 10, .submit = 60},
              (struct adoption){.vm_host = first, .accumulated = 5});
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 9)->end, 1000 + 32 + 5);
    assert_int_equal(lease_of(&s, 2)->start_actual, 1037);
    assert_int_equal(lease_of(&s, 5)->start_actual, 1047);
    assert_int_equal(lease_of(&s, 1)->start_actual, 1057);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void nothing_starts_before_it_may(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    queued(&s, (struct ask){.id = 1, .duration = 10, .submit = 70}, 1500);
    suspended(&s, (struct ask){.id = 2, .duration = 10, .submit = 60},
              (struct adoption){.vm_host = first, .accumulated = 5, .not_before = 1300});
    assert_string_equal(reason_of(&s, 1), "not-ready: waits for its earliest start 1500");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1500 Queued Scheduled Ready Active | 1510 Done");
    assert_string_equal(states_of(&s, 2), "1300 Suspended-Queued Suspended-Scheduled Resuming | "
                                          "1332 Resumed-Ready Active | 1337 Done");
    scenario_end(&s);
}

static void memory_is_resumed_where_it_is(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    running(&s, (struct ask){.id = 9, .duration = 100}, second, 1000, 1100);
    suspended(&s, (struct ask){.id = 1, .duration = 10, .submit = 60},
              (struct adoption){.vm_host = second, .accumulated = 5});
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1000 Suspended-Scheduled | 1100 Resuming | "
                                          "1132 Resumed-Ready Active | 1137 Done");
    scenario_end(&s);
}

static void memory_that_every_host_reaches_is_resumed_anywhere(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    s.settings.migration = MIGRATION_YES;
    running(&s, (struct ask){.id = 9, .duration = 100}, first, 1000, 1100);
    suspended(&s, (struct ask){.id = 1, .duration = 10, .submit = 60},
              (struct adoption){.accumulated = 5});
    assert_string_equal(plan_of(&s, 1), "VM 1000-1000; RESUME 1000-1032 on 2; VM 1032-1037 on 2; "
                                        "SHUTDOWN 1037-1037 on 2");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_suspension_under_way_holds_its_hosts(void **state)
{
    struct scenario s;

    begin_at(&s, 1, 1000);
    suspended(
        &s, (struct ask){.id = 1, .duration = 500, .submit = 60},
        (struct adoption){.vm_host = first, .accumulated = 5, .until = 1020, .not_before = 1100});
    best_effort(&s, 2, 1, 10);
    assert_string_equal(reason_of(&s, 2), "planned: planned to start at 1020");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1),
                        "1020 Suspended-Pending | 1100 Suspended-Queued Suspended-Scheduled "
                        "Resuming | 1132 Resumed-Ready Active | 1627 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void what_no_host_could_hold_does_not_wait(void **state)
{
    struct scenario s;

    begin_at(&s, 2, 1000);
    s.site.hosts[0].closed = true;
    assert_int_equal(queued(&s, (struct ask){.id = 1, .vms = 3, .duration = 5}, 0), 1);
    assert_string_equal(reason_of(&s, 1), "too-big: refused: 3 VMs requested, but all hosts "
                                          "together hold at most 2 when empty");
    scenario_end(&s);
    begin_at(&s, 2, 1000);
    s.site.hosts[0].closed = true;
    assert_int_equal(queued(&s, (struct ask){.id = 1, .vms = 2, .duration = 5}, 0), 1);
    assert_string_equal(
        reason_of(&s, 1),
        "no-host-allowed: refused: 2 VMs requested, but the enabled hosts that meet "
        "its requirements (1) hold at most 1 when empty");
    scenario_end(&s);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void mistakes_are_errors_and_change_nothing(void **state)
{
    static const uint32_t nowhere[] = {7};
    const struct ask what = {.id = 3, .duration = 100};
    const struct adoption runs = {
        .as = ADOPTED_RUNNING, .vm_host = first, .since = 900, .until = 1100};
    struct adoption wrong = runs;
    struct error err = {0};
    struct scenario s;

    begin_at(&s, 1, 1000);
    wrong.vm_host = nowhere;
    assert_string_equal(adoption_error(&s, what, wrong),
                        "lease 3: VM 1 is on host index 7; the site has 1 hosts");
    wrong.vm_host = NULL;
    assert_string_equal(adoption_error(&s, what, wrong), "lease 3 runs, but its hosts are missing");
    wrong = runs;
    wrong.since = INSTANT_NONE;
    assert_string_equal(adoption_error(&s, what, wrong), "lease 3 runs, but its start is missing");
    wrong = runs;
    wrong.until = 800;
    assert_string_equal(adoption_error(&s, what, wrong), "lease 3 runs from 900 until 800");
    wrong = runs;
    wrong.accumulated = -1;
    assert_string_equal(adoption_error(&s, what, wrong), "lease 3 has run for -1 s");
    wrong = runs;
    wrong.as = ADOPTED_RESERVED;
    assert_string_equal(adoption_error(&s, what, wrong),
                        "lease 3 is Best-effort: no reservation can be adopted for it");
    wrong.as = ADOPTED_QUEUED;
    assert_string_equal(adoption_error(&s, ar(3, 2000, 10), wrong),
                        "lease 3 is AR: it does not wait in the queue");
    wrong.as = ADOPTED_RESERVED;
    wrong.accumulated = 5;
    assert_string_equal(adoption_error(&s, ar(3, 2000, 10), wrong),
                        "lease 3 has run for 5 s but has not started");
    wrong.as = ADOPTED_SUSPENDED;
    wrong.accumulated = 101;
    assert_string_equal(adoption_error(&s, what, wrong), "lease 3 waits after 101 of 100 s");
    wrong.accumulated = 50;
    wrong.vm_host = NULL;
    assert_string_equal(adoption_error(&s, what, wrong),
                        "lease 3 is being suspended, but its hosts are missing");
    assert_null(engine_lease(s.engine, 3));
    assert_null(adoption_error(&s, what, runs));
    assert_string_equal(adoption_error(&s, what, runs),
                        "lease 3 already exists: ids must be unique");
    assert_int_equal(engine_begin(s.engine, 1000, &err), -1);
    settle(&s);
    assert_string_equal(adoption_error(&s, (struct ask){.id = 4, .duration = 1}, runs),
                        "lease 4: leases can only be adopted before the first step");
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_goes_on_to_its_end),
        cmocka_unit_test(earlier_stretches_count),
        cmocka_unit_test(time_counts_from_when_it_has_booted),
        cmocka_unit_test(what_is_being_shut_down_holds_its_hosts),
        cmocka_unit_test(it_may_have_more_than_the_host_has),
        cmocka_unit_test(it_is_suspended_for_a_later_reservation),
        cmocka_unit_test(it_can_be_cancelled_and_can_end),
        cmocka_unit_test(what_should_have_ended_ends_at_once),
        cmocka_unit_test(a_reservation_keeps_its_hosts),
        cmocka_unit_test(it_moves_when_its_hosts_are_taken),
        cmocka_unit_test(without_room_it_is_rejected_with_numbers),
        cmocka_unit_test(a_promise_is_kept_whatever_the_policy_says),
        cmocka_unit_test(what_adoption_causes_comes_with_the_first_step),
        cmocka_unit_test(the_end_of_an_adopted_lease_is_only_output_if_it_is_not_the_given_one),
        cmocka_unit_test(a_deadline_lease_begins_as_planned),
        cmocka_unit_test(a_deadline_lease_begins_earlier_where_it_can),
        cmocka_unit_test(a_suspended_deadline_lease_is_planned_at_once),
        cmocka_unit_test(a_suspended_deadline_lease_may_be_too_late),
        cmocka_unit_test(the_queue_is_in_the_order_of_submission_then_id),
        cmocka_unit_test(nothing_starts_before_it_may),
        cmocka_unit_test(memory_is_resumed_where_it_is),
        cmocka_unit_test(memory_that_every_host_reaches_is_resumed_anywhere),
        cmocka_unit_test(a_suspension_under_way_holds_its_hosts),
        cmocka_unit_test(what_no_host_could_hold_does_not_wait),
        cmocka_unit_test(mistakes_are_errors_and_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
