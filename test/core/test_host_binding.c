/* Leases planned for later hold a number of hosts where hosts are alike, and get them when they
 * begin. */
#include "scenario.h"

/* Four hosts. At 10, lease 4 is planned for 20, when two of the hosts 1 to 3 become free. */
static void a_wide_lease_planned_for_20(struct scenario *s)
{
    scenario_begin(s, 4);
    s->settings.suspension = SUSPENSION_NONE;
    best_effort(s, 1, 1, 10);
    best_effort(s, 2, 2, 20);
    best_effort(s, 3, 1, 100);
    at(s, 10);
    best_effort(s, 4, 2, 50);
}

static void a_lease_takes_hosts_that_nobody_misses(void **state)
{
    struct scenario s;

    a_wide_lease_planned_for_20(&s);
    best_effort(&s, 5, 1, 100);
    assert_string_equal(reason_of(&s, 4), "planned: planned to start at 20");
    assert_string_equal(plan_of(&s, 5), "VM 10-110 on 1; SHUTDOWN 110-110 on 1");
    at(&s, 20);
    assert_string_equal(plan_of(&s, 4), "VM 20-70 on 2,3; SHUTDOWN 70-70 on 2,3");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_lease_that_would_delay_the_planned_one_waits(void **state)
{
    struct scenario s;

    a_wide_lease_planned_for_20(&s);
    best_effort(&s, 5, 1, 100);
    at(&s, 11);
    best_effort(&s, 6, 1, 5);
    at(&s, 20);
    assert_int_equal(lease_of(&s, 4)->start_actual, 20);
    assert_int_equal(state_of(&s, 6), LEASE_READY);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 6)->start_actual, 70);
    scenario_end(&s);
}

static void a_reservation_gives_planned_leases_their_hosts(void **state)
{
    struct scenario s;

    a_wide_lease_planned_for_20(&s);
    settle(&s);
    assert_string_equal(plan_of(&s, 4), "VM 20-70; SHUTDOWN 70-70");
    at(&s, 12);
    reservation(&s, 5, 2, 30, 10);
    reservation(&s, 6, 1, 30, 10);
    assert_int_equal(state_of(&s, 5), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 6), LEASE_READY);
    assert_string_equal(plan_of(&s, 4), "VM 20-70 on 1,2; SHUTDOWN 70-70 on 1,2");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 4)->start_actual, 20);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void after_the_reservation_hosts_are_counted_again(void **state)
{
    struct scenario s;

    a_wide_lease_planned_for_20(&s);
    reservation(&s, 5, 1, 11, 1);
    assert_string_equal(plan_of(&s, 4), "VM 20-70 on 1,2; SHUTDOWN 70-70 on 1,2");
    at(&s, 13);
    best_effort(&s, 6, 1, 100);
    assert_int_equal(lease_of(&s, 6)->start_actual, 13);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 4)->start_actual, 20);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void as_haizea_places_keep_their_hosts(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    as_haizea(&s);
    s.settings.suspension = SUSPENSION_NONE;
    best_effort(&s, 1, 1, 10);
    best_effort(&s, 2, 2, 20);
    best_effort(&s, 3, 1, 100);
    at(&s, 10);
    best_effort(&s, 4, 2, 50);
    assert_string_equal(plan_of(&s, 4), "VM 20-70 on 1,2; SHUTDOWN 70-70 on 1,2");
    best_effort(&s, 5, 1, 100);
    assert_int_equal(state_of(&s, 5), LEASE_QUEUED);
    scenario_end(&s);
}

static bool hosts_1_and_2_are_vetoed;

static void veto_hosts(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = hosts_1_and_2_are_vetoed && batch->hosts[i] < 2 ? POLICY_VETO : 0;
}

static void a_planned_lease_whose_hosts_are_vetoed_waits_on(void **state)
{
    struct scenario s;

    hosts_1_and_2_are_vetoed = false;
    a_wide_lease_planned_for_20(&s);
    s.policies.score_hosts = veto_hosts;
    settle(&s);
    hosts_1_and_2_are_vetoed = true;
    at(&s, 20);
    assert_string_equal(plan_of(&s, 4), "VM 100-150; SHUTDOWN 150-150");
    hosts_1_and_2_are_vetoed = false;
    at(&s, 25);
    ends(&s, 3);
    settle(&s);
    assert_int_equal(lease_of(&s, 4)->start_actual, 25);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void leases_that_end_together_bring_others_forward_once(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.suspension = SUSPENSION_NONE;
    s.settings.backfilling = BACKFILLING_CONSERVATIVE;
    best_effort(&s, 1, 1, 100);
    best_effort(&s, 2, 1, 100);
    best_effort(&s, 3, 2, 100);
    best_effort(&s, 4, 1, 10);
    at(&s, 50);
    ends(&s, 1);
    ends(&s, 2);
    settle(&s);
    assert_int_equal(lease_of(&s, 3)->start_actual, 50);
    assert_int_equal(lease_of(&s, 4)->start_actual, INSTANT_NONE);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lease_takes_hosts_that_nobody_misses),
        cmocka_unit_test(a_lease_that_would_delay_the_planned_one_waits),
        cmocka_unit_test(a_reservation_gives_planned_leases_their_hosts),
        cmocka_unit_test(after_the_reservation_hosts_are_counted_again),
        cmocka_unit_test(as_haizea_places_keep_their_hosts),
        cmocka_unit_test(a_planned_lease_whose_hosts_are_vetoed_waits_on),
        cmocka_unit_test(leases_that_end_together_bring_others_forward_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
