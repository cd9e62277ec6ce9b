/* Leases that can wait and yet displace others; reservations that wait where they find no room. */
#include "scenario.h"

static void score_by_priority(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct lease_request *victim = &batch->victims[i].lease->request;

        scores[i] = victim->kind == LEASE_BEST_EFFORT && victim->terms != TERMS_NON_PREEMPTABLE &&
                            victim->priority < batch->preemptor->request.priority
                        ? 1000 - victim->priority
                        : POLICY_VETO;
    }
}

static void begin_by_priority(struct scenario *s, size_t n_hosts)
{
    scenario_begin(s, n_hosts);
    s->policies.score_victims = score_by_priority;
}

static void important(struct scenario *s, int64_t id, int32_t priority, int64_t duration)
{
    ask(s, (struct ask){
               .id = id, .kind = LEASE_BEST_EFFORT, .priority = priority, .duration = duration});
}

static void it_begins_when_its_victim_is_suspended(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 1);
    important(&s, 1, 1, 1000);
    at(&s, 200);
    important(&s, 2, 2, 100);
    settle(&s);
    assert_string_equal(preemptions(&s), "200: 1 for 2 at 232 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 232);
    /* All it had run counts. */
    assert_string_equal(states_of(&s, 1),
                        "0 Pending Queued Scheduled Ready Active | 200 Suspending | "
                        "232 Suspended-Pending Suspended-Queued Suspended-Scheduled | "
                        "332 Resuming | 364 Resumed-Ready Active | 1164 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void who_has_just_begun_runs_until_suspending_pays(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 1);
    important(&s, 1, 1, 1000);
    at(&s, 10);
    important(&s, 2, 2, 100);
    settle(&s);
    /* 32 s to suspend it, and as much again. */
    assert_string_equal(preemptions(&s), "10: 1 for 2 at 64 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void equal_priority_waits(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 1);
    important(&s, 1, 2, 1000);
    at(&s, 200);
    important(&s, 2, 2, 100);
    important(&s, 3, 1, 100);
    run_to_end(&s);
    assert_string_equal(preemptions(&s), "");
    assert_int_equal(lease_of(&s, 2)->start_actual, 1000);
    assert_int_equal(lease_of(&s, 3)->start_actual, 1100);
    scenario_end(&s);
}

static void free_room_before_the_suspension_is_over_is_taken(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 2);
    important(&s, 1, 1, 1000);
    at(&s, 10);
    important(&s, 2, 5, 200);
    at(&s, 200);
    important(&s, 3, 5, 100);
    settle(&s);
    assert_string_equal(preemptions(&s), "");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->start_actual, 210);
    scenario_end(&s);
}

/* What is suspended is not resumed to be suspended again for one that waits behind it. */
static void the_more_important_of_the_queue_goes_first(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 1);
    important(&s, 1, 1, 1000);
    at(&s, 200);
    important(&s, 2, 9, 500);
    at(&s, 300);
    important(&s, 3, 5, 100);
    run_to_end(&s);
    assert_string_equal(preemptions(&s), "200: 1 for 2 at 232 suspend");
    assert_int_equal(lease_of(&s, 3)->start_actual, 732);
    assert_int_equal(lease_of(&s, 1)->end, 832 + 32 + 800);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void work_is_lost_only_where_the_terms_say_so(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 1);
    ask(&s,
        (struct ask){.id = 1, .kind = LEASE_BEST_EFFORT, .terms = "restartable", .duration = 1000});
    at(&s, 200);
    important(&s, 2, 2, 100);
    settle(&s);
    assert_string_equal(preemptions(&s), "200: 1 for 2 at 200 requeue");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->start_actual, 300);
    scenario_end(&s);

    /* A site that cannot suspend keeps those whose work must not be lost. */
    begin_by_priority(&s, 1);
    s.settings.suspension = SUSPENSION_NONE;
    important(&s, 1, 1, 1000);
    at(&s, 200);
    important(&s, 2, 2, 100);
    run_to_end(&s);
    assert_string_equal(preemptions(&s), "");
    assert_int_equal(lease_of(&s, 2)->start_actual, 1000);
    scenario_end(&s);
}

static void a_gang_waits_for_all_it_displaces(void **state)
{
    struct scenario s;

    begin_by_priority(&s, 2);
    important(&s, 1, 1, 1000);
    at(&s, 100);
    important(&s, 2, 2, 1000);
    at(&s, 150);
    ask(&s,
        (struct ask){.id = 3, .kind = LEASE_BEST_EFFORT, .vms = 2, .priority = 3, .duration = 100});
    settle(&s);
    /* Lease 1 could be off at 182; lease 2, which began at 100, is worth suspending at 182, too. */
    assert_string_equal(preemptions(&s),
                        "150: 1 for 3 at 182 suspend; 150: 2 for 3 at 182 suspend");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->start_actual, 182);
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    assert_int_equal(lease_of(&s, 2)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* --- reservations that wait
 * -------------------------------------------------------------------------- */

static void a_reservation_without_room_waits_for_some(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.convert_reservations = true;
    best_effort(&s, 1, 1, 1000);
    at(&s, 10);
    reservation(&s, 2, 1, 500, 100);
    settle(&s);
    assert_int_equal(lease_of(&s, 2)->request.kind, LEASE_BEST_EFFORT);
    assert_string_equal(reason_of(&s, 2), "not-ready: waits for its earliest start 500");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 2), "10 Pending | 500 Queued Scheduled Ready | "
                                          "1000 Active | 1100 Done");
    assert_int_equal(engine_unfinished(s.engine, LEASE_RESERVATION), 0);
    assert_int_equal(engine_unfinished(s.engine, LEASE_BEST_EFFORT), 0);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void it_never_starts_before_its_time(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.convert_reservations = true;
    best_effort(&s, 1, 1, 300);
    at(&s, 10);
    reservation(&s, 2, 1, 200, 400);
    at(&s, 20);
    cancel(&s, 1);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 200);
    scenario_end(&s);
}

static void one_that_never_fits_is_refused_as_ever(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.convert_reservations = true;
    reservation(&s, 1, 2, 500, 100);
    settle(&s);
    assert_int_equal(state_of(&s, 1), LEASE_REJECTED);
    assert_string_equal(reason_of(&s, 1), "too-big: refused: 2 VMs requested, but all hosts "
                                          "together hold at most 1 when empty");
    scenario_end(&s);
}

static void small(struct scenario *s, int64_t id, int64_t cpu, int64_t duration)
{
    ask(s,
        (struct ask){
            .id = id, .kind = LEASE_BEST_EFFORT, .cpu = cpu, .memory = 10, .duration = duration});
    settle(s);
}

/* Two hosts, each with a VM without an end. Lease 3 waits for one of them to be idle. */
static void what_is_planned_does_not_take_the_room_held_for_another(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    small(&s, 1, 75, SPAN_UNLIMITED);
    small(&s, 2, 75, SPAN_UNLIMITED);
    at(&s, 10);
    important(&s, 3, 5, 100);
    settle(&s);
    small(&s, 4, 25, 1000); /* in the room that is not held */
    assert_int_equal(state_of(&s, 4), LEASE_ACTIVE);
    small(&s, 5, 25, 1000);
    small(&s, 6, 50, 1000);
    at(&s, 20); /* planned leases look for an earlier start */
    cancel(&s, 6);
    settle(&s);
    assert_int_equal(state_of(&s, 5), LEASE_READY);
    at(&s, 50);
    cancel(&s, 3);
    settle(&s);
    assert_int_equal(lease_of(&s, 5)->start_actual, 50);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_when_its_victim_is_suspended),
        cmocka_unit_test(who_has_just_begun_runs_until_suspending_pays),
        cmocka_unit_test(equal_priority_waits),
        cmocka_unit_test(free_room_before_the_suspension_is_over_is_taken),
        cmocka_unit_test(the_more_important_of_the_queue_goes_first),
        cmocka_unit_test(work_is_lost_only_where_the_terms_say_so),
        cmocka_unit_test(a_gang_waits_for_all_it_displaces),
        cmocka_unit_test(a_reservation_without_room_waits_for_some),
        cmocka_unit_test(it_never_starts_before_its_time),
        cmocka_unit_test(one_that_never_fits_is_refused_as_ever),
        cmocka_unit_test(what_is_planned_does_not_take_the_room_held_for_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
