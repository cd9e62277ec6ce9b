/* Deadline leases that make room for others, by their terms, and keep their deadlines. */
#include <string.h>

#include "scenario.h"

/* Reservations displace whatever is offered; the smallest id first. */
static void score_all(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] = batch->preemptor->request.kind == LEASE_RESERVATION &&
                            batch->victims[i].lease->request.kind != LEASE_RESERVATION
                        ? 1000 - batch->victims[i].lease->request.id
                        : POLICY_VETO;
}

static void begin(struct scenario *s, size_t n_hosts)
{
    scenario_begin(s, n_hosts);
    s->policies.score_victims = score_all;
}

static void by_deadline(struct scenario *s, int64_t id, const char *terms, int64_t duration,
                        int64_t deadline)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_DEADLINE,
                        .terms = terms,
                        .duration = duration,
                        .deadline = deadline});
}

static void expect_kept(struct scenario *s, int64_t id)
{
    const struct lease *lease = lease_of(s, id);

    assert_int_equal(lease->state, LEASE_DONE);
    assert_int_equal(lease->duration_actual, lease->request.duration);
    assert_true(lease->end <= lease->request.deadline);
}

static void a_suspendable_one_goes_on_later(void **state)
{
    struct scenario s;

    begin(&s, 1);
    by_deadline(&s, 1, "suspendable", 1000, 1300);
    at(&s, 100);
    reservation(&s, 2, 1, 500, 200);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 500 suspend");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1; "
                                        "RESUME 700-732 on 1; VM 732-1264 on 1; "
                                        "SHUTDOWN 1264-1264 on 1");
    expect_kept(&s, 1);
    assert_int_equal(lease_of(&s, 2)->start_actual, 500);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void one_that_would_be_late_is_left_alone(void **state)
{
    struct scenario s;

    begin(&s, 1);
    by_deadline(&s, 1, "suspendable", 1000, 1263);
    at(&s, 100);
    reservation(&s, 2, 1, 500, 200);
    assert_string_equal(preemptions(&s), "");
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_string_equal(reason_of(&s, 2),
                        "others-would-be-late: refused: leases that could make room for 1 VM at "
                        "500 would miss their deadlines (1 of them)");
    run_to_end(&s);
    expect_kept(&s, 1);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* On its host it would be late: host 2 is free, its memory is sent there. */
static void a_migratable_one_goes_on_elsewhere(void **state)
{
    static const struct ask long_one = {
        .id = 9, .kind = LEASE_BEST_EFFORT, .duration = 450, .terms = "non-preemptable"};
    struct scenario s;

    begin(&s, 2);
    s.settings.migration = MIGRATION_YES;
    s.settings.transfer_bandwidth = 1000;
    by_deadline(&s, 1, "migratable", 1000, 1120);
    ask(&s, long_one);
    at(&s, 100);
    ask(&s, (struct ask){.id = 2, .kind = LEASE_RESERVATION, .start = 400, .duration = 2000});
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 400 suspend");
    run_to_end(&s);
    /* 1024 MB at 125 MB/s: 9 s; host 2 is free at 450. */
    assert_string_equal(plan_of(&s, 1), "VM 0-368 on 1; SUSPEND 368-400 on 1; "
                                        "MEM_MIGRATION 400-409 on 1,2; RESUME 450-482 on 2; "
                                        "VM 482-1114 on 2; SHUTDOWN 1114-1114 on 2");
    expect_kept(&s, 1);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_suspendable_one_may_not_go_elsewhere(void **state)
{
    struct scenario s;

    begin(&s, 2);
    s.settings.migration = MIGRATION_YES;
    s.settings.transfer_bandwidth = 1000;
    by_deadline(&s, 1, "suspendable", 1000, 1200);
    ask(&s, (struct ask){
                .id = 9, .kind = LEASE_BEST_EFFORT, .duration = 450, .terms = "non-preemptable"});
    at(&s, 100);
    reservation(&s, 2, 1, 400, 2000);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    run_to_end(&s);
    expect_kept(&s, 1);
    scenario_end(&s);
}

static void a_restartable_one_begins_anew(void **state)
{
    struct scenario s;

    begin(&s, 1);
    by_deadline(&s, 1, "restartable", 300, 900);
    at(&s, 100);
    reservation(&s, 2, 1, 110, 400);
    assert_string_equal(preemptions(&s), "100: 1 for 2 at 100 requeue");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 510-810 on 1; SHUTDOWN 810-810 on 1");
    expect_kept(&s, 1);
    expect_nothing_left(&s);
    scenario_end(&s);

    /* Not when there is no time for that. */
    begin(&s, 1);
    by_deadline(&s, 1, "restartable", 300, 809);
    at(&s, 100);
    reservation(&s, 2, 1, 110, 400);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    run_to_end(&s);
    expect_kept(&s, 1);
    scenario_end(&s);
}

static void a_non_preemptable_one_is_never_disturbed(void **state)
{
    struct scenario s;

    begin(&s, 1);
    by_deadline(&s, 1, "non-preemptable", 300, 9000);
    at(&s, 100);
    reservation(&s, 2, 1, 250, 100);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-300 on 1; SHUTDOWN 300-300 on 1");
    scenario_end(&s);
}

/* The room that a best-effort victim gives up is no room for the other victim's rest. */
static void victims_of_both_kinds_make_room_together(void **state)
{
    struct scenario s;

    begin(&s, 2);
    by_deadline(&s, 1, "suspendable", 1000, 3000);
    best_effort(&s, 2, 1, 1000);
    at(&s, 100);
    reservation(&s, 3, 2, 500, 200);
    assert_string_equal(preemptions(&s),
                        "100: 2 for 3 at 500 suspend; 100: 1 for 3 at 500 suspend");
    run_to_end(&s);
    expect_kept(&s, 1);
    assert_int_equal(lease_of(&s, 2)->accumulated, 1000);
    assert_int_equal(lease_of(&s, 3)->start_actual, 500);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static size_t first_enough(void *context, const struct victim_batch *batch,
                           const struct victim_test *test, size_t *chosen)
{
    for (size_t i = 0; i < batch->n; i++)
        if (test->enough(test, &i, 1)) {
            chosen[0] = i;
            return 1;
        }
    return 0;
}

static void a_policy_that_chooses_gets_the_same_answer(void **state)
{
    struct scenario s;

    begin(&s, 2);
    s.policies.choose_victims = first_enough;
    by_deadline(&s, 1, "suspendable", 1000, 1150); /* time for a suspension, but no room */
    by_deadline(&s, 2, "suspendable", 1000, 1400);
    at(&s, 100);
    reservation(&s, 3, 1, 500, 200);
    assert_string_equal(preemptions(&s), "100: 2 for 3 at 500 suspend");
    run_to_end(&s);
    expect_kept(&s, 1);
    expect_kept(&s, 2);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Whoever would be late is left out, and the policy is asked again, as long as there are others. */
static void others_are_chosen_for_those_who_would_be_late(void **state)
{
    struct scenario s;

    begin(&s, 4);
    s.policies.choose_victims = first_enough;
    by_deadline(&s, 1, "suspendable", 1000, 1150);
    by_deadline(&s, 2, "suspendable", 1000, 1200);
    by_deadline(&s, 3, "suspendable", 1000, 1250);
    by_deadline(&s, 4, "suspendable", 1000, 1264);
    at(&s, 100);
    reservation(&s, 5, 1, 500, 200);
    assert_string_equal(preemptions(&s), "100: 4 for 5 at 500 suspend");
    run_to_end(&s);
    for (int64_t id = 1; id <= 4; id++)
        expect_kept(&s, id);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void nobody_is_chosen_when_all_would_be_late(void **state)
{
    struct scenario s;

    begin(&s, 2);
    s.policies.choose_victims = first_enough;
    by_deadline(&s, 1, "suspendable", 1000, 1150); /* could be suspended, but not for so long */
    by_deadline(&s, 2, "suspendable", 1000, 1001); /* could not even be suspended */
    at(&s, 100);
    reservation(&s, 3, 1, 500, 200);
    assert_string_equal(preemptions(&s), "");
    assert_string_equal(reason_of(&s, 3),
                        "others-would-be-late: refused: leases that could make room for 1 VM at "
                        "500 would miss their deadlines (1 of them)");
    /* Both hosts: no set that the policy likes is enough, whatever becomes of deadlines. */
    reservation(&s, 4, 2, 500, 200);
    assert_non_null(strstr(reason_of(&s, 4), "no-room-at-start: "));
    run_to_end(&s);
    expect_kept(&s, 1);
    expect_kept(&s, 2);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suspendable_one_goes_on_later),
        cmocka_unit_test(one_that_would_be_late_is_left_alone),
        cmocka_unit_test(a_migratable_one_goes_on_elsewhere),
        cmocka_unit_test(a_suspendable_one_may_not_go_elsewhere),
        cmocka_unit_test(a_restartable_one_begins_anew),
        cmocka_unit_test(a_non_preemptable_one_is_never_disturbed),
        cmocka_unit_test(victims_of_both_kinds_make_room_together),
        cmocka_unit_test(a_policy_that_chooses_gets_the_same_answer),
        cmocka_unit_test(others_are_chosen_for_those_who_would_be_late),
        cmocka_unit_test(nobody_is_chosen_when_all_would_be_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
