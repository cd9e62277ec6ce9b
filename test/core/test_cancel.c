/* Giving up a lease in every state; nothing may be left behind. */
#include "scenario.h"

/* Lease 1 goes through all states:
 *
 *     0 queued behind lease 9 (cancelled if `wait`), planned for 50, active from 50, suspended from
 *     468 to 500 for the reservation 2, resumed from 600 to 632, active until 1214, shut down until
 *     1234.
 */
static void play(struct scenario *s, enum backfilling backfilling)
{
    scenario_begin(s, 2);
    s->settings.shutdown_time = 20;
    s->settings.backfilling = backfilling;
    reservation(s, 2, 2, 500, 80);
    settle(s);
    best_effort(s, 9, 2, 30);
    settle(s);
    best_effort(s, 1, 2, 1000);
}

struct moment {
    int64_t time;
    enum lease_state state;
    enum backfilling backfilling;
};

static const struct moment moments[] = {
    {0, LEASE_QUEUED, BACKFILLING_OFF},
    {0, LEASE_READY, BACKFILLING_AGGRESSIVE},
    {49, LEASE_READY, BACKFILLING_AGGRESSIVE},
    {50, LEASE_ACTIVE, BACKFILLING_AGGRESSIVE},
    {467, LEASE_ACTIVE, BACKFILLING_AGGRESSIVE},
    {468, LEASE_SUSPENDING, BACKFILLING_AGGRESSIVE},
    {499, LEASE_SUSPENDING, BACKFILLING_AGGRESSIVE},
    {500, LEASE_SUSPENDED_SCHEDULED, BACKFILLING_AGGRESSIVE},
    {500, LEASE_SUSPENDED_QUEUED, BACKFILLING_OFF},
    {600, LEASE_RESUMING, BACKFILLING_AGGRESSIVE},
    {632, LEASE_ACTIVE, BACKFILLING_AGGRESSIVE},
    {1213, LEASE_ACTIVE, BACKFILLING_AGGRESSIVE},
    {1214, LEASE_ACTIVE, BACKFILLING_AGGRESSIVE}, /* shutting down */
    {1233, LEASE_ACTIVE, BACKFILLING_AGGRESSIVE},
};

static void cancel_works_in_every_state(void **state)
{
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        const struct moment *moment = &moments[i];
        struct scenario s;

        play(&s, moment->backfilling);
        at(&s, moment->time);
        if (state_of(&s, 1) != moment->state)
            fail_msg("moment %zu: lease 1 is %s", i, lease_state_name(state_of(&s, 1)));
        cancel(&s, 1);
        assert_int_equal(state_of(&s, 1), LEASE_CANCELLED);
        assert_string_equal(reason_of(&s, 1), "cancelled: cancelled on request");
        run_to_end(&s);
        assert_int_equal(state_of(&s, 2), LEASE_DONE);
        assert_int_equal(state_of(&s, 9), LEASE_DONE);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* The same with the room looked at in the very step of the cancellation. */
static void room_is_free_at_once(void **state)
{
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        const struct moment *moment = &moments[i];
        bool others_hold = moment->time < 50 || (moment->time >= 500 && moment->time < 600);
        struct scenario s;

        play(&s, moment->backfilling);
        at(&s, moment->time);
        settle(&s);
        cancel(&s, 1);
        settle(&s);
        if (!others_hold)
            for (uint32_t host = 0; host < 2; host++)
                assert_int_equal(engine_free(s.engine, host, RESOURCE_CPU, moment->time),
                                 SCENARIO_CPU);
        run_to_end(&s);
        scenario_end(&s);
    }
}

static void haizea_survives_cancellation_in_every_state(void **state)
{
    for (int64_t time = 0; time < 1300; time += 7) {
        struct scenario s;

        play(&s, BACKFILLING_AGGRESSIVE);
        as_haizea(&s);
        at(&s, time);
        if (!lease_state_is_final(state_of(&s, 1)))
            cancel(&s, 1);
        run_to_end(&s);
        assert_true(lease_state_is_final(state_of(&s, 1)));
        assert_int_equal(state_of(&s, 2), LEASE_DONE);
        assert_true(engine_is_idle(s.engine));
        scenario_end(&s);
    }
}

static void cancelled_before_its_earliest_start(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    ask(&s, (struct ask){.id = 1, .start = 100, .duration = 10});
    at(&s, 50);
    cancel(&s, 1);
    assert_string_equal(states_of(&s, 1), "0 Pending | 50 Cancelled");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void cancelled_at_the_instant_of_its_start(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 100, 50);
    at(&s, 100);
    cancel(&s, 1);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled Ready | 100 Cancelled");
    assert_string_equal(plan_of(&s, 1), "");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void what_has_run_stays_in_its_history(void **state)
{
    struct scenario s;

    play(&s, BACKFILLING_AGGRESSIVE);
    at(&s, 700);
    cancel(&s, 1);
    assert_string_equal(plan_of(&s, 1), "VM 50-468 on 1,2; SUSPEND 468-500 on 1,2; "
                                        "RESUME 600-632 on 1,2; VM 632-700 on 1,2");
    assert_int_equal(lease_of(&s, 1)->accumulated, 418 + 68);
    run_to_end(&s);
    scenario_end(&s);
}

static void planned_leases_come_forward(void **state)
{
    struct scenario s;

    for (int haizea = 0; haizea < 2; haizea++) {
        scenario_begin(&s, 1);
        if (haizea)
            as_haizea(&s);
        best_effort(&s, 1, 1, 1000);
        best_effort(&s, 2, 1, 50);
        at(&s, 300);
        cancel(&s, 1);
        assert_int_equal(state_of(&s, 2), haizea ? LEASE_READY : LEASE_ACTIVE);
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 2)->start_actual, haizea ? 1000 : 300);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void a_cancelled_plan_frees_the_place_in_the_future(void **state)
{
    struct scenario s;

    for (int haizea = 0; haizea < 2; haizea++) {
        scenario_begin(&s, 1);
        if (haizea)
            as_haizea(&s);
        best_effort(&s, 1, 1, 1000);
        best_effort(&s, 2, 1, 50);
        best_effort(&s, 3, 1, 50);
        assert_int_equal(state_of(&s, 3), LEASE_QUEUED);
        at(&s, 10);
        cancel(&s, 2);
        assert_int_equal(state_of(&s, 3), LEASE_READY);
        run_to_end(&s);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void several_are_cancelled_in_one_step(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    for (int id = 1; id <= 6; id++)
        best_effort(&s, id, 1, 100);
    at(&s, 30);
    for (int id = 6; id >= 1; id--)
        cancel(&s, id);
    for (int id = 1; id <= 6; id++)
        assert_int_equal(state_of(&s, id), LEASE_CANCELLED);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void cancelling_the_reservation_lets_its_victim_run_on_later(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    reservations_preempt(&s);
    best_effort(&s, 1, 1, 1000);
    at(&s, 100);
    reservation(&s, 2, 1, 500, 100);
    at(&s, 480);
    cancel(&s, 2);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1; "
                                        "RESUME 500-532 on 1; VM 532-1064 on 1; "
                                        "SHUTDOWN 1064-1064 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancel_works_in_every_state),
        cmocka_unit_test(room_is_free_at_once),
        cmocka_unit_test(haizea_survives_cancellation_in_every_state),
        cmocka_unit_test(cancelled_before_its_earliest_start),
        cmocka_unit_test(cancelled_at_the_instant_of_its_start),
        cmocka_unit_test(what_has_run_stays_in_its_history),
        cmocka_unit_test(planned_leases_come_forward),
        cmocka_unit_test(a_cancelled_plan_frees_the_place_in_the_future),
        cmocka_unit_test(several_are_cancelled_in_one_step),
        cmocka_unit_test(cancelling_the_reservation_lets_its_victim_run_on_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
