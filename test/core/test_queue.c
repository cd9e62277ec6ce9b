/* The queue: first come, first served, and who may overtake. */
#include "scenario.h"

/* Two hosts: lease 1 holds one until 100, lease 2 waits for both, lease 3 and 4 are small. */
static void two_hosts_and_a_wide_lease(struct scenario *s, enum backfilling backfilling)
{
    scenario_begin(s, 2);
    s->settings.backfilling = backfilling;
    s->settings.suspension = SUSPENSION_NONE;
    best_effort(s, 1, 1, 100);
    best_effort(s, 2, 2, 50);
    best_effort(s, 3, 1, 100); /* is over when lease 2 may start */
    best_effort(s, 4, 1, 101);
}

static void without_backfilling_nobody_overtakes(void **state)
{
    struct scenario s;

    two_hosts_and_a_wide_lease(&s, BACKFILLING_OFF);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 100);
    assert_int_equal(lease_of(&s, 3)->start_actual, 150);
    assert_int_equal(lease_of(&s, 4)->start_actual, 150);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void aggressive_backfilling_never_delays_the_first(void **state)
{
    struct scenario s;

    two_hosts_and_a_wide_lease(&s, BACKFILLING_AGGRESSIVE);
    assert_string_equal(states_of(&s, 2), "0 Pending Queued Scheduled Ready");
    assert_string_equal(reason_of(&s, 2), "planned: planned to start at 100");
    assert_int_equal(lease_of(&s, 2)->reason.n[1], 1); /* has one of its hosts until then */
    assert_int_equal(lease_of(&s, 2)->reason.n[3], 100);
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 4), LEASE_QUEUED);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 100);
    assert_int_equal(lease_of(&s, 3)->start_actual, 0);
    assert_int_equal(lease_of(&s, 4)->start_actual, 150);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_longer_one_that_leaves_the_first_alone_may_overtake(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    s.settings.suspension = SUSPENSION_NONE;
    best_effort(&s, 1, 2, 100);
    best_effort(&s, 2, 2, 50);
    best_effort(&s, 3, 1, 1000);
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 100);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* One host, leases of 10 s one after the other: how many hold a place in the future? */
static int count_planned(enum backfilling backfilling, int64_t reservations)
{
    struct scenario s;
    int planned = 0;

    scenario_begin(&s, 1);
    s.settings.backfilling = backfilling;
    s.settings.backfilling_reservations = reservations;
    for (int id = 1; id <= 8; id++)
        best_effort(&s, id, 1, 10);
    for (int id = 1; id <= 8; id++)
        planned += state_of(&s, id) == LEASE_READY;
    run_to_end(&s);
    for (int id = 1; id <= 8; id++)
        assert_int_equal(lease_of(&s, id)->start_actual, 10 * (id - 1));
    expect_nothing_left(&s);
    scenario_end(&s);
    return planned;
}

static void backfilling_says_how_many_are_planned(void **state)
{
    assert_int_equal(count_planned(BACKFILLING_OFF, 5), 0);
    assert_int_equal(count_planned(BACKFILLING_AGGRESSIVE, 5), 1);
    assert_int_equal(count_planned(BACKFILLING_INTERMEDIATE, 3), 3);
    assert_int_equal(count_planned(BACKFILLING_INTERMEDIATE, 0), 0);
    assert_int_equal(count_planned(BACKFILLING_CONSERVATIVE, 1), 7);
}

static void conservative_backfilling_delays_nobody(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.backfilling = BACKFILLING_CONSERVATIVE;
    s.settings.suspension = SUSPENSION_NONE;
    best_effort(&s, 1, 1, 100);
    best_effort(&s, 2, 2, 50);  /* 100-150 */
    best_effort(&s, 3, 2, 50);  /* 150-200 */
    best_effort(&s, 4, 1, 120); /* not before 200, or it would push 2 */
    best_effort(&s, 5, 1, 60);  /* now */
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 100);
    assert_int_equal(lease_of(&s, 3)->start_actual, 150);
    assert_int_equal(lease_of(&s, 4)->start_actual, 200);
    assert_int_equal(lease_of(&s, 5)->start_actual, 0);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void the_queue_is_in_the_order_of_submission(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    best_effort(&s, 1, 1, 100);
    at(&s, 50);
    ask(&s, (struct ask){.id = 2, .duration = 10, .submit = 40});
    ask(&s, (struct ask){.id = 3, .duration = 10, .submit = 30});
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->start_actual, 100);
    assert_int_equal(lease_of(&s, 2)->start_actual, 110);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_started_lease_gives_its_place_in_the_future_back(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 10);
    best_effort(&s, 2, 1, 10);
    best_effort(&s, 3, 1, 10);
    assert_int_equal(state_of(&s, 3), LEASE_QUEUED);
    at(&s, 10);
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    at(&s, 11);
    best_effort(&s, 4, 1, 10); /* the next step looks at the queue */
    assert_string_equal(plan_of(&s, 3), "VM 20-30 on 1; SHUTDOWN 30-30 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void future_points_are_tried_in_the_order_of_time(void **state)
{
    struct scenario s;

    /* Booked by end: lease 1 (40) stands before lease 2 (20 with its shutdown at 30). */
    scenario_begin(&s, 2);
    s.settings.shutdown_time = 10;
    best_effort(&s, 1, 1, 40);
    best_effort(&s, 2, 1, 20);
    best_effort(&s, 3, 1, 5);
    assert_string_equal(plan_of(&s, 3), "VM 30-35 on 2; SHUTDOWN 35-45 on 2");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void prefer_last(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->hosts[i] == 1 ? POLICY_VETO : (int64_t)batch->hosts[i];
}

static void host_selection_chooses_and_vetoes_hosts(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    s.policies.score_hosts = prefer_last;
    best_effort(&s, 1, 2, 10);
    assert_string_equal(plan_of(&s, 1), "VM 0-10 on 4,3; SHUTDOWN 10-10 on 4,3");
    best_effort(&s, 2, 1, 10);
    assert_string_equal(plan_of(&s, 2), "VM 0-10 on 1; SHUTDOWN 10-10 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Also one that is not tried because one before it waits. */
static void a_lease_that_cannot_keep_its_deadline_ends_at_once(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    best_effort(&s, 1, 1, 1000);
    best_effort(&s, 2, 1, 100);
    ask(&s, (struct ask){.id = 3, .kind = LEASE_BEST_EFFORT, .duration = 100, .deadline = 500});
    run_to_end(&s);
    assert_string_equal(states_of(&s, 3), "0 Pending Queued | 401 Cancelled");
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_backfilling_nobody_overtakes),
        cmocka_unit_test(aggressive_backfilling_never_delays_the_first),
        cmocka_unit_test(a_longer_one_that_leaves_the_first_alone_may_overtake),
        cmocka_unit_test(backfilling_says_how_many_are_planned),
        cmocka_unit_test(conservative_backfilling_delays_nobody),
        cmocka_unit_test(the_queue_is_in_the_order_of_submission),
        cmocka_unit_test(a_started_lease_gives_its_place_in_the_future_back),
        cmocka_unit_test(future_points_are_tried_in_the_order_of_time),
        cmocka_unit_test(host_selection_chooses_and_vetoes_hosts),
        cmocka_unit_test(a_lease_that_cannot_keep_its_deadline_ends_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
