/* Who makes room for a reservation, and how. */
#include "scenario.h"

static void a_victim_is_suspended_by_the_start(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 1000);
    at(&s, 100);
    reservation(&s, 2, 1, 500, 100);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 suspend");
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1");
    assert_string_equal(reason_of(&s, 1), "suspended-for: suspended for lease 2 at 468");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 2), "100 Pending Scheduled Ready | 500 Active | 600 Done");
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    assert_int_equal(lease_of(&s, 1)->end, 632 + 1000 - 468);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void nobody_is_preempted_by_default(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 1000);
    at(&s, 100);
    reservation(&s, 2, 1, 500, 100);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_string_equal(preemptions(&s), "");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* A lease that runs since 0 makes room at 10 for a reservation from `start` on. */
static void preempt_young(struct scenario *s, int64_t start, const char *preemption)
{
    best_effort(s, 1, 1, 1000);
    at(s, 10);
    reservation(s, 2, 1, start, 100);
    assert_string_equal(preemptions(s), preemption);
    run_to_end(s);
    assert_int_equal(lease_of(s, 2)->start_actual, start);
    assert_int_equal(lease_of(s, 1)->accumulated, 1000);
    expect_nothing_left(s);
    scenario_end(s);
}

/* Its work is kept while there is time to save it, 32 s, however short it has run. */
static void a_young_lease_is_suspended(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    preempt_young(&s, 63, "10: 1 for 2 at 63 suspend");
    scenario_begin(&s, 1);
    reservations_preempt(&s);
    preempt_young(&s, 42, "10: 1 for 2 at 42 suspend");
    scenario_begin(&s, 1);
    reservations_preempt(&s);
    preempt_young(&s, 41, "10: 1 for 2 at 41 requeue");
}

/* A start that was not sent is taken back instead of being followed by a suspension, in that step
 * only. */
static void a_lease_that_was_not_started_is_queued_again(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 1000);
    ask(&s,
        (struct ask){.id = 2, .kind = LEASE_BEST_EFFORT, .duration = 1000, .terms = "cancelable"});
    at(&s, 10);
    is_unsent(&s, 1);
    is_unsent(&s, 2);
    reservation(&s, 3, 2, 63, 100);
    assert_string_equal(preemptions(&s), "10: 2 for 3 at 63 requeue; 10: 1 for 3 at 63 requeue");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 1000);
    at(&s, 9);
    is_unsent(&s, 1);
    at(&s, 10);
    reservation(&s, 2, 1, 63, 100);
    assert_string_equal(preemptions(&s), "10: 1 for 2 at 63 suspend");
    run_to_end(&s);
    scenario_end(&s);
}

/* It has been suspended until 163 and takes 32 s to resume, if that is sent. */
static void a_lease_that_was_not_resumed_is_queued_again(void **state)
{
    struct scenario s;

    for (int sent = 0; sent < 2; sent++) {
        scenario_begin(&s, 1);
        reservations_preempt(&s);
        best_effort(&s, 1, 1, 1000);
        at(&s, 10);
        reservation(&s, 2, 1, 63, 100);
        at(&s, 165);
        assert_int_equal(lease_of(&s, 1)->state, LEASE_RESUMING);
        if (!sent)
            is_unsent(&s, 1);
        reservation(&s, 3, 1, 200, 100);
        at(&s, 166);
        assert_true((lease_of(&s, 3)->state == LEASE_REJECTED) == sent);
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 1)->state, LEASE_DONE);
        assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* Haizea: it has to have run for 64 s, 32 s to suspend it, and as much again. */
static void haizea_restarts_a_young_lease(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    as_haizea(&s);
    reservations_preempt(&s);
    preempt_young(&s, 63, "10: 1 for 2 at 63 requeue");
    scenario_begin(&s, 1);
    as_haizea(&s);
    reservations_preempt(&s);
    preempt_young(&s, 64, "10: 1 for 2 at 64 suspend");
}

static void a_planned_lease_is_moved_not_suspended(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 500);
    best_effort(&s, 2, 1, 100); /* planned for 500 */
    at(&s, 10);
    assert_int_equal(state_of(&s, 2), LEASE_READY);
    reservation(&s, 3, 1, 500, 100);
    assert_string_equal(preemptions(&s), "10: 2 for 3 at 500 requeue");
    assert_string_equal(plan_of(&s, 2), "VM 600-700 on 1; SHUTDOWN 700-700 on 1");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->end, 500);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void the_highest_score_goes_first(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    reservations_preempt(&s);
    for (int id = 1; id <= 3; id++)
        best_effort(&s, id, 1, 1000);
    at(&s, 100);
    reservation(&s, 4, 2, 500, 100);
    assert_string_equal(preemptions(&s),
                        "100: 3 for 4 at 500 suspend; 100: 2 for 4 at 500 suspend");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void non_preemptable_leases_are_left_alone(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 1000);
    ask(&s, (struct ask){.id = 2, .duration = 1000, .non_preemptable = true});
    at(&s, 100);
    reservation(&s, 3, 2, 500, 100);
    reservation(&s, 4, 1, 500, 100);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_string_equal(preemptions(&s), "100: 1 for 4 at 500 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->end, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Lease 3 (small memory) is looked at first but does not help; lease 1 holds the large host. */
static void needless_victims(struct scenario *s, bool haizea)
{
    scenario_begin(s, 0);
    add_hosts(s, 1, 100, 4096);
    add_hosts(s, 1, 100, 1024);
    if (haizea)
        as_haizea(s);
    reservations_preempt(s);
    ask(s, (struct ask){.id = 1, .memory = 2048, .duration = 1000});
    settle(s);
    ask(s, (struct ask){.id = 2, .memory = 512, .duration = 1000});
    at(s, 200);
    ask(s, (struct ask){
               .id = 3, .kind = LEASE_RESERVATION, .memory = 4096, .start = 500, .duration = 100});
    settle(s);
}

static void a_victim_that_makes_no_room_is_spared(void **state)
{
    struct scenario s;

    needless_victims(&s, false);
    assert_string_equal(preemptions(&s), "200: 1 for 3 at 500 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->end, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void haizea_preempts_needless_victims_too(void **state)
{
    struct scenario s;

    needless_victims(&s, true);
    assert_string_equal(preemptions(&s),
                        "200: 2 for 3 at 500 suspend; 200: 1 for 3 at 500 suspend");
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_int_equal(state_of(&s, 2), LEASE_DONE);
    scenario_end(&s);
}

/* Takes the single victim with the least overhead that is enough; remembers what it was offered. */
struct chooser {
    size_t n_offered;
    int64_t overhead_of_1;
    bool none_is_enough;
};

static size_t choose_one(void *context, const struct victim_batch *batch,
                         const struct victim_test *test, size_t *chosen)
{
    struct chooser *chooser = context;
    size_t best = batch->n;

    chooser->n_offered = batch->n;
    chooser->none_is_enough = test->enough(test, NULL, 0);
    for (size_t i = 0; i < batch->n; i++) {
        if (batch->victims[i].lease->request.id == 1)
            chooser->overhead_of_1 = batch->victims[i].overhead;
        if (test->enough(test, &i, 1) &&
            (best == batch->n || batch->victims[i].overhead < batch->victims[best].overhead))
            best = i;
    }
    chosen[0] = best;
    return best < batch->n;
}

static void a_policy_may_choose_the_set_itself(void **state)
{
    struct scenario s;
    struct chooser chooser = {0};

    scenario_begin(&s, 3);
    s.policies.context = &chooser;
    s.policies.choose_victims = choose_one;
    ask(&s, (struct ask){.id = 1, .vms = 2, .duration = 1000});
    ask(&s, (struct ask){.id = 2, .duration = 1000, .memory = 256});
    at(&s, 200);
    reservation(&s, 3, 1, 700, 50); /* lease 2 costs less */
    reservation(&s, 4, 2, 700, 50); /* only lease 1 is enough */
    assert_string_equal(preemptions(&s),
                        "200: 2 for 3 at 700 suspend; 200: 1 for 4 at 700 suspend");
    assert_int_equal(chooser.n_offered, 1);                 /* the start of lease 3 is promised */
    assert_int_equal(chooser.overhead_of_1, 2 * (32 + 32)); /* two VMs, suspend and resume */
    assert_false(chooser.none_is_enough);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static bool only_even_ids_preempt(void *context, const struct lease *preemptor)
{
    return preemptor->request.id % 2 == 0;
}

static void a_lease_that_may_not_preempt_is_refused(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    s.policies.may_preempt = only_even_ids_preempt;
    best_effort(&s, 1, 1, 1000);
    at(&s, 100);
    reservation(&s, 3, 1, 500, 100);
    reservation(&s, 4, 1, 700, 100);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 4), LEASE_READY);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* A reservation of the whole site comes at `time` for the instant `start`, while lease 1 of 1000 s
 * is suspended from 468 to 500, resumed from 600 to 632, and shut down (20 s) at its end, 1164. */
static enum lease_state preempt_at(int64_t time, int64_t start, enum lease_state expected)
{
    struct scenario s;
    enum lease_state answer;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    s.settings.shutdown_time = 20;
    reservation(&s, 2, 1, 500, 80); /* and its shutdown: until 600 */
    settle(&s);
    best_effort(&s, 1, 1, 1000);
    at(&s, time);
    settle(&s);
    assert_int_equal(state_of(&s, 1), expected);
    reservation(&s, 3, 1, start, 10);
    answer = state_of(&s, 3);
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    if (answer != LEASE_REJECTED)
        assert_int_equal(lease_of(&s, 3)->start_actual, start);
    expect_nothing_left(&s);
    scenario_end(&s);
    return answer;
}

static void victims_are_met_in_every_state(void **state)
{
    /* Nothing can be done to a lease that is just being suspended, resumed, or shut down. */
    assert_int_equal(preempt_at(480, 490, LEASE_SUSPENDING), LEASE_REJECTED);
    assert_int_equal(preempt_at(610, 620, LEASE_RESUMING), LEASE_REJECTED);
    assert_int_equal(preempt_at(1170, 1175, LEASE_ACTIVE), LEASE_REJECTED);
    assert_int_equal(preempt_at(700, 1175, LEASE_ACTIVE), LEASE_REJECTED);
    /* It may be suspended later. */
    assert_int_equal(preempt_at(610, 900, LEASE_RESUMING), LEASE_READY);
    assert_int_equal(preempt_at(700, 900, LEASE_ACTIVE), LEASE_READY);
    assert_int_equal(preempt_at(510, 900, LEASE_SUSPENDED_SCHEDULED), LEASE_READY);
    /* Its resumption is taken back. */
    assert_int_equal(preempt_at(510, 602, LEASE_SUSPENDED_SCHEDULED), LEASE_READY);
    /* A reservation of the same hosts is left alone. */
    assert_int_equal(preempt_at(480, 550, LEASE_SUSPENDING), LEASE_REJECTED);
}

static void a_suspension_without_time_for_it_is_a_requeue(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 1000);
    at(&s, 200);
    reservation(&s, 2, 1, 231, 10); /* suspending takes 32 s */
    assert_string_equal(preemptions(&s), "200: 1 for 2 at 231 requeue");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 231);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_victim_is_suspended_by_the_start),
        cmocka_unit_test(nobody_is_preempted_by_default),
        cmocka_unit_test(a_young_lease_is_suspended),
        cmocka_unit_test(haizea_restarts_a_young_lease),
        cmocka_unit_test(a_planned_lease_is_moved_not_suspended),
        cmocka_unit_test(the_highest_score_goes_first),
        cmocka_unit_test(non_preemptable_leases_are_left_alone),
        cmocka_unit_test(a_victim_that_makes_no_room_is_spared),
        cmocka_unit_test(haizea_preempts_needless_victims_too),
        cmocka_unit_test(a_policy_may_choose_the_set_itself),
        cmocka_unit_test(a_lease_that_may_not_preempt_is_refused),
        cmocka_unit_test(victims_are_met_in_every_state),
        cmocka_unit_test(a_suspension_without_time_for_it_is_a_requeue),
        cmocka_unit_test(a_lease_that_was_not_started_is_queued_again),
        cmocka_unit_test(a_lease_that_was_not_resumed_is_queued_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
