/* Forecasts: when those that wait will probably start. */
#include "core/forecast.h"

#include "scenario.h"

/* The start it tells of, or INSTANT_NONE when it leaves the lease out. */
static int64_t told_of(const struct forecast *forecast, int64_t id)
{
    for (size_t i = 0; i < forecast_count(forecast); i++) {
        int64_t start;

        if (forecast_lease(forecast, i, &start) == id)
            return start;
    }
    return INSTANT_NONE;
}

static struct forecast *whole_forecast(struct scenario *s, size_t most)
{
    struct forecast *forecast;

    settle(s);
    forecast = forecast_create(s->engine, most);
    while (forecast_go_on(forecast, SIZE_MAX))
        continue;
    return forecast;
}

static void those_behind_the_first_get_an_estimate_that_comes_true(void **state)
{
    struct scenario s;
    struct forecast *forecast;

    scenario_begin(&s, 2);
    s.settings.suspension = SUSPENSION_NONE;
    best_effort(&s, 1, 2, 100);
    best_effort(&s, 2, 2, 50); /* planned by the engine itself */
    best_effort(&s, 3, 1, 70);
    best_effort(&s, 4, 2, 30);
    best_effort(&s, 5, 1, 40);
    forecast = whole_forecast(&s, 50);
    assert_int_equal(forecast_count(forecast), 3);
    assert_int_equal(forecast_left_out(forecast), 0);
    assert_int_equal(told_of(forecast, 3), 150);
    assert_int_equal(told_of(forecast, 4), 220);
    assert_int_equal(told_of(forecast, 5), 150);
    run_to_end(&s);
    for (int64_t id = 3; id <= 5; id++)
        assert_int_equal(lease_of(&s, id)->start_actual, told_of(forecast, id));
    forecast_destroy(forecast);
    scenario_end(&s);
}

static void without_backfilling_nobody_is_told_to_overtake(void **state)
{
    struct scenario s;
    struct forecast *forecast;

    scenario_begin(&s, 2);
    s.settings.backfilling = BACKFILLING_OFF;
    s.settings.suspension = SUSPENSION_NONE;
    best_effort(&s, 1, 1, 100);
    best_effort(&s, 2, 2, 50);
    best_effort(&s, 3, 1, 10);
    forecast = whole_forecast(&s, 50);
    assert_int_equal(told_of(forecast, 2), 100);
    assert_int_equal(told_of(forecast, 3), 150);
    forecast_destroy(forecast);
    scenario_end(&s);
}

static void no_planned_end_gives_no_start(void **state)
{
    struct scenario s;
    struct forecast *forecast;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, SPAN_UNLIMITED);
    best_effort(&s, 2, 1, 10);
    forecast = whole_forecast(&s, 50);
    assert_int_equal(told_of(forecast, 2), INSTANT_NEVER);
    forecast_destroy(forecast);
    scenario_end(&s);
}

/* A lease of high priority waits for VMs without a planned end: what it keeps is not free for a
 * lease behind it, which says so. */
static void kept_room_gives_no_start(void **state)
{
    struct scenario s;
    struct forecast *forecast;

    scenario_begin(&s, 2);
    best_effort(&s, 1, 1, SPAN_UNLIMITED);
    settle(&s);
    ask(&s, (struct ask){.id = 2, .vms = 2, .duration = SPAN_UNLIMITED, .priority = 7});
    ask(&s, (struct ask){.id = 3, .duration = 10});
    forecast = whole_forecast(&s, 50);
    assert_int_equal(told_of(forecast, 2), INSTANT_NEVER);
    assert_int_equal(told_of(forecast, 3), INSTANT_NEVER);
    assert_string_equal(reason_of(&s, 3),
                        "room-kept: waits for room: 1 VM requested, but the free room is kept for "
                        "lease 2, which has a higher priority, for example on host 2");
    forecast_destroy(forecast);
    scenario_end(&s);
}

/* Two hosts that are taken until 30 and until 80, and nobody overtakes. */
static void begin_with_two_taken(struct scenario *s)
{
    scenario_begin(s, 2);
    s->settings.backfilling = BACKFILLING_OFF;
    best_effort(s, 1, 1, 30);
    best_effort(s, 2, 1, 80);
}

/* Lease 9 may use the second host alone, which is free later than the first. */
static void requirements_count(void **state)
{
    static const uint64_t second[] = {0x2};
    const struct host_filter filter = {.allowed = second};
    struct scenario s;
    struct forecast *forecast;

    begin_with_two_taken(&s);
    ask(&s, (struct ask){.id = 9, .duration = 10, .hosts = &filter});
    forecast = whole_forecast(&s, 50);
    assert_int_equal(told_of(forecast, 9), 80);
    forecast_destroy(forecast);
    scenario_end(&s);
}

static void vms_of_different_sizes_start_together(void **state)
{
    const struct node_set sets[] = {
        {.count = 1, .amounts.of = {[RESOURCE_CPU] = 100, [RESOURCE_MEMORY] = 64}},
        {.count = 2, .amounts.of = {[RESOURCE_CPU] = 50, [RESOURCE_MEMORY] = 64}}};
    struct scenario s;
    struct forecast *forecast;

    begin_with_two_taken(&s);
    ask(&s, (struct ask){.id = 3, .duration = 10, .sets = sets, .n_sets = 2});
    best_effort(&s, 4, 2, 10);
    forecast = whole_forecast(&s, 50);
    /* Each set by itself would fit at 30. */
    assert_int_equal(told_of(forecast, 3), 80);
    assert_int_equal(told_of(forecast, 4), 90);
    forecast_destroy(forecast);
    scenario_end(&s);
}

static void too_many_are_left_out(void **state)
{
    struct scenario s;
    struct forecast *forecast;

    scenario_begin(&s, 1);
    s.settings.backfilling = BACKFILLING_OFF;
    for (int64_t id = 1; id <= 6; id++)
        best_effort(&s, id, 1, 10);
    forecast = whole_forecast(&s, 3);
    assert_int_equal(forecast_count(forecast), 3);
    assert_int_equal(forecast_left_out(forecast), 2);
    assert_int_equal(told_of(forecast, 4), 30);
    assert_int_equal(told_of(forecast, 5), INSTANT_NONE);
    forecast_destroy(forecast);
    scenario_end(&s);
}

/* The engine is gone before the forecast is complete. */
static void in_turns_it_is_the_same(void **state)
{
    struct scenario s;
    struct forecast *whole, *turns;
    size_t n = 1;

    scenario_begin(&s, 3);
    s.settings.backfilling = BACKFILLING_OFF;
    for (int64_t id = 1; id <= 30; id++)
        best_effort(&s, id, (uint32_t)(id % 3) + 1, 10 + id % 7);
    whole = whole_forecast(&s, 50);
    turns = forecast_create(s.engine, 50);
    scenario_end(&s);
    for (; forecast_go_on(turns, 1); n++)
        assert_int_equal(forecast_count(turns), n);
    assert_true(n > 20);
    assert_int_equal(n, forecast_count(whole));
    for (size_t i = 0; i < n; i++) {
        int64_t one, other;

        assert_int_equal(forecast_lease(whole, i, &one), forecast_lease(turns, i, &other));
        assert_int_equal(one, other);
    }
    forecast_destroy(whole);
    forecast_destroy(turns);
}

/* On one host, in order, with nobody preempted, there is only one way to go on. */
static void on_one_host_it_is_exact(void **state)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct scenario s;
        struct forecast *forecast;
        uint32_t number = seed;

        scenario_begin(&s, 1);
        s.settings.backfilling = BACKFILLING_OFF;
        s.settings.suspension = SUSPENSION_NONE;
        for (int64_t id = 1; id <= 25; id++) {
            number = number * 1103515245U + 12345U;
            ask(&s, (struct ask){.id = id,
                                 .vms = 1 + (number >> 16) % 3,
                                 .cpu = 10 + (number >> 18) % 23,
                                 .memory = 16,
                                 .duration = 5 + (number >> 20) % 50});
        }
        forecast = whole_forecast(&s, 50);
        assert_true(forecast_count(forecast) > 5);
        run_to_end(&s);
        for (size_t i = 0; i < forecast_count(forecast); i++) {
            int64_t start, id = forecast_lease(forecast, i, &start);

            assert_int_equal(lease_of(&s, id)->start_actual, start);
        }
        forecast_destroy(forecast);
        scenario_end(&s);
    }
}

static const uint64_t first_only[] = {0x1};
static const struct host_filter only_first = {.allowed = first_only};

/* Host 1 is taken until 100 and host 2 until `second`; reservation 10 is at 40000 on host 1. Plain
 * lease 3 waits. */
static void begin_behind_a_reservation(struct scenario *s, int64_t second,
                                       const struct host_filter *reservation,
                                       const struct host_filter *plain)
{
    scenario_begin(s, 2);
    s->settings.transfer_bandwidth = 100;
    s->settings.in_front_least = 3600;
    best_effort(s, 1, 1, 100);
    settle(s);
    best_effort(s, 2, 1, second);
    settle(s);
    ask(s, (struct ask){.id = 10,
                        .kind = LEASE_RESERVATION,
                        .start = 40000,
                        .duration = 600,
                        .hosts = reservation});
    settle(s);
    ask(s, (struct ask){.id = 3,
                        .kind = LEASE_BEST_EFFORT,
                        .duration = SPAN_UNLIMITED,
                        .non_preemptable = true,
                        .hosts = plain});
}

/* What is told comes true. */
static void expect_start(struct scenario *s, int64_t start)
{
    struct forecast *forecast = whole_forecast(s, 50);

    forecast_destroy(forecast);
    at(s, start);
    assert_int_equal(lease_of(s, 3)->start_actual, start);
    at(s, start > 40000 ? start + 1 : 40001);
    assert_int_equal(lease_of(s, 10)->start_actual, 40000);
    cancel(s, 3);
    run_to_end(s);
    scenario_end(s);
}

static void a_start_in_front_of_a_reservation_is_told(void **state)
{
    struct scenario s;

    begin_behind_a_reservation(&s, 30000, &only_first, NULL);
    expect_start(&s, 100); /* it moves to host 2 */
    begin_behind_a_reservation(&s, 100, NULL, &only_first);
    expect_start(&s, 100); /* the reservation moves there */
}

static void behind_a_reservation_that_stays_it_waits(void **state)
{
    struct scenario s;

    begin_behind_a_reservation(&s, 50000, &only_first, NULL);
    expect_start(&s, 40600);
    begin_behind_a_reservation(&s, 100, &only_first, &only_first);
    expect_start(&s, 40600);
}

static void a_stamp_changes_with_what_matters(void **state)
{
    struct scenario s;
    uint64_t one, two;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 100);
    settle(&s);
    assert_int_equal(forecast_stamp(s.engine), 0); /* nobody waits */
    best_effort(&s, 2, 1, 100);
    best_effort(&s, 3, 1, 100);
    settle(&s);
    one = forecast_stamp(s.engine);
    assert_true(one != 0);
    at(&s, 10);
    settle(&s);
    assert_true(forecast_stamp(s.engine) == one);
    best_effort(&s, 4, 1, 100);
    settle(&s);
    two = forecast_stamp(s.engine);
    assert_true(two != one);
    ends(&s, 1);
    settle(&s);
    assert_true(forecast_stamp(s.engine) != two);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_behind_the_first_get_an_estimate_that_comes_true),
        cmocka_unit_test(without_backfilling_nobody_is_told_to_overtake),
        cmocka_unit_test(no_planned_end_gives_no_start),
        cmocka_unit_test(kept_room_gives_no_start),
        cmocka_unit_test(requirements_count),
        cmocka_unit_test(vms_of_different_sizes_start_together),
        cmocka_unit_test(too_many_are_left_out),
        cmocka_unit_test(in_turns_it_is_the_same),
        cmocka_unit_test(on_one_host_it_is_exact),
        cmocka_unit_test(a_start_in_front_of_a_reservation_is_told),
        cmocka_unit_test(behind_a_reservation_that_stays_it_waits),
        cmocka_unit_test(a_stamp_changes_with_what_matters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
