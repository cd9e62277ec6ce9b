/* What happens to a victim follows its terms. */
#include "scenario.h"

static bool is_reservation(void *context, const struct lease *preemptor)
{
    return preemptor->request.kind == LEASE_RESERVATION;
}

static void preempt_everybody(void *context, const struct victim_batch *batch, int64_t *scores)
{
    int64_t *overhead = context;

    for (size_t i = 0; i < batch->n; i++) {
        scores[i] = batch->victims[i].lease->request.id;
        if (overhead)
            *overhead = batch->victims[i].overhead;
    }
}

/* Lease 1 with these terms runs from 0; at 100 a reservation from 500 wants its host. */
static void begin_with(struct scenario *s, const char *terms)
{
    scenario_begin(s, 1);
    s->policies.score_victims = preempt_everybody;
    s->policies.may_preempt = is_reservation;
    s->settings.shutdown_time = 10;
    ask(s, (struct ask){.id = 1, .duration = 1000, .terms = terms});
    at(s, 100);
}

static void a_suspendable_lease_is_suspended_and_resumed(void **state)
{
    struct scenario s;

    begin_with(&s, "suspendable");
    reservation(&s, 2, 1, 500, 100);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->duration_actual, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_cancelable_lease_runs_until_its_room_is_needed(void **state)
{
    struct scenario s;

    begin_with(&s, "cancelable");
    reservation(&s, 2, 1, 500, 100);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 cancel");
    assert_string_equal(plan_of(&s, 1), "VM 0-490 on 1; SHUTDOWN 490-500 on 1");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1),
                        "0 Pending Queued Scheduled Ready Active | 500 Cancelled");
    assert_string_equal(reason_of(&s, 1),
                        "cancelled-for: cancelled, as its terms allow, for lease 2 at 500");
    assert_int_equal(lease_of(&s, 2)->start_actual, 500);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void at_once_when_it_is_needed_at_once(void **state)
{
    struct scenario s;

    begin_with(&s, "cancelable");
    reservation(&s, 2, 1, 100, 100);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 100 cancel");
    assert_int_equal(state_of(&s, 1), LEASE_CANCELLED);
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    assert_string_equal(plan_of(&s, 1), "VM 0-100 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_may_end_by_itself_before(void **state)
{
    struct scenario s;

    begin_with(&s, "cancelable");
    reservation(&s, 2, 1, 500, 100);
    at(&s, 300);
    ends(&s, 1);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Others wait for the room it gives up, and must not take it from the one it is given up for. */
static void a_planned_one_makes_room_for_nobody_else(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.policies.score_victims = preempt_everybody;
    s.policies.may_preempt = is_reservation;
    s.settings.backfilling = BACKFILLING_CONSERVATIVE;
    ask(&s, (struct ask){.id = 1, .duration = 100, .non_preemptable = true});
    ask(&s, (struct ask){.id = 2, .duration = 100, .terms = "cancelable"});
    ask(&s, (struct ask){.id = 3, .duration = 100, .non_preemptable = true});
    at(&s, 10);
    reservation(&s, 4, 1, 100, 100);
    assert_string_equal(preemptions(&s), "10: 2 for 4 at 100 cancel");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 4)->start_actual, 100);
    assert_int_equal(lease_of(&s, 3)->start_actual, 200);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_restartable_lease_begins_anew(void **state)
{
    struct scenario s;

    begin_with(&s, "restartable");
    reservation(&s, 2, 1, 500, 100);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 requeue");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->duration_actual, 1000);
    assert_int_equal(lease_of(&s, 2)->start_actual, 500);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_non_preemptable_lease_is_left_alone_whatever_the_policy_wants(void **state)
{
    struct scenario s;

    begin_with(&s, "non-preemptable");
    reservation(&s, 2, 1, 500, 100);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-1000 on 1; SHUTDOWN 1000-1010 on 1");
    scenario_end(&s);
}

static void a_suspended_reservation_goes_on_when_there_is_room(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.policies.score_victims = preempt_everybody;
    s.policies.may_preempt = is_reservation;
    reservation(&s, 1, 1, 0, 1000);
    at(&s, 100);
    ask(&s, (struct ask){.id = 2,
                         .kind = LEASE_RESERVATION,
                         .start = 500,
                         .duration = 100,
                         .non_preemptable = true});
    run_to_end(&s);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 suspend");
    assert_int_equal(lease_of(&s, 1)->duration_actual, 1000);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void in_haizea_terms_mean_nothing(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    as_haizea(&s);
    s.policies.score_victims = preempt_everybody;
    s.policies.may_preempt = is_reservation;
    ask(&s, (struct ask){.id = 1, .duration = 1000, .terms = "cancelable"});
    at(&s, 100);
    reservation(&s, 2, 1, 500, 100);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 suspend");
    scenario_end(&s);
}

/* Two VMs of 1024 MB at the rates of Sotomayor's testbed over 100 Mbit/s: 161 and 126 s each. */
static int64_t overhead_with(const char *terms)
{
    struct scenario s;
    int64_t overhead = -1;

    scenario_begin(&s, 2);
    s.policies.context = &overhead;
    s.policies.score_victims = preempt_everybody;
    s.policies.may_preempt = is_reservation;
    s.settings.suspend_rate = 6.367;
    s.settings.resume_rate = 8.127;
    s.settings.migration = MIGRATION_YES;
    s.settings.transfer_bandwidth = 100;
    s.settings.shutdown_time = 7;
    ask(&s, (struct ask){.id = 1, .vms = 2, .duration = 9000, .terms = terms});
    at(&s, 1000);
    reservation(&s, 2, 1, 3000, 50);
    settle(&s);
    s.policies.context = NULL;
    scenario_end(&s);
    return overhead;
}

static void overheads_follow_the_terms(void **state)
{
    assert_int_equal(overhead_with("suspendable"), 2 * (161 + 126));
    assert_int_equal(overhead_with("migratable"), 2 * (161 + 126 + 82));
    assert_int_equal(overhead_with("cancelable"), 2 * 7);
    assert_int_equal(overhead_with("restartable"), 2 * 3000);
    assert_int_equal(overhead_with("non-preemptable"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suspendable_lease_is_suspended_and_resumed),
        cmocka_unit_test(a_cancelable_lease_runs_until_its_room_is_needed),
        cmocka_unit_test(at_once_when_it_is_needed_at_once),
        cmocka_unit_test(it_may_end_by_itself_before),
        cmocka_unit_test(a_planned_one_makes_room_for_nobody_else),
        cmocka_unit_test(a_restartable_lease_begins_anew),
        cmocka_unit_test(a_non_preemptable_lease_is_left_alone_whatever_the_policy_wants),
        cmocka_unit_test(a_suspended_reservation_goes_on_when_there_is_room),
        cmocka_unit_test(in_haizea_terms_mean_nothing),
        cmocka_unit_test(overheads_follow_the_terms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
