/* What the engine refuses to do, that it always does the same, and that it forgets. */
#include "scenario.h"

#include <errno.h>
#include <string.h>

/* --- creating --------------------------------------------------------------------------------- */

static void expect_no_engine(void (*spoil)(struct scenario *s), const char *text)
{
    struct scenario s;
    struct error err = {0};

    scenario_begin(&s, 1);
    spoil(&s);
    assert_null(engine_create(&s.site, &s.settings, &s.policies, &err));
    assert_int_equal(err.code, EINVAL);
    assert_non_null(strstr(err.text, text));
    scenario_end(&s);
}

static void no_hosts(struct scenario *s)
{
    site_finish(&s->site);
}

static void no_suspend_rate(struct scenario *s)
{
    s->settings.suspend_rate = 0;
}

static void negative_resume_rate(struct scenario *s)
{
    s->settings.resume_rate = -1;
}

static void negative_shutdown(struct scenario *s)
{
    s->settings.shutdown_time = -1;
}

static void no_bandwidth(struct scenario *s)
{
    s->settings.preparation = PREPARATION_IMAGE_TRANSFER;
    s->settings.transfer_bandwidth = 0;
}

static void senseless_settings_are_refused_by_name(void **state)
{
    expect_no_engine(no_hosts, "no hosts");
    expect_no_engine(no_suspend_rate, "suspend-rate");
    expect_no_engine(negative_resume_rate, "resume-rate");
    expect_no_engine(negative_shutdown, "shutdown-time");
    expect_no_engine(no_bandwidth, "imagetransfer-bandwidth");
}

static void without_suspension_no_rates_are_needed(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.suspension = SUSPENSION_NONE;
    s.settings.suspend_rate = s.settings.resume_rate = 0;
    best_effort(&s, 1, 1, 10);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* --- stepping --------------------------------------------------------------------------------- */

/* Steps at 100 with one input on an engine that has lease 1 and finished lease 2. */
static void expect_error(const struct engine_input *input, int64_t now, const char *text)
{
    struct scenario s;
    struct error err = {0};

    scenario_begin(&s, 2);
    best_effort(&s, 1, 1, 1000);
    best_effort(&s, 2, 1, 10);
    at(&s, 100);
    settle(&s);
    assert_int_equal(engine_step(s.engine, now, input, 1, &s.outputs, &err), -1);
    assert_int_equal(err.code, EINVAL);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    scenario_end(&s);
}

static void a_driver_that_errs_is_told(void **state)
{
    struct engine_input input = {.kind = INPUT_CANCEL, .lease = 1};

    expect_error(&input, 99, "time runs backwards: 99 after 100");
    input.lease = 77;
    expect_error(&input, 100, "lease 77 is unknown");
    input.lease = 2;
    expect_error(&input, 100, "lease 2 is already Done");
    input.kind = INPUT_ENDED;
    expect_error(&input, 100, "lease 2 is already Done");
    input.lease = 77;
    expect_error(&input, 100, "lease 77 is unknown");
}

static void a_request_that_makes_no_sense_is_an_error(void **state)
{
    struct node_set set = {.count = 1, .amounts = {{100, 100}}};
    struct lease_request request = {.id = 5,
                                    .start = INSTANT_NONE,
                                    .deadline = INSTANT_NONE,
                                    .duration = 10,
                                    .duration_original = 10,
                                    .duration_known = SPAN_NONE,
                                    .user = -1,
                                    .node_sets = &set,
                                    .n_node_sets = 1};
    struct engine_input input = {.kind = INPUT_REQUEST, .request = &request};

    request.id = 1;
    expect_error(&input, 100, "lease 1 already exists");
    request.id = 5;
    request.duration = -1;
    expect_error(&input, 100, "duration -1 is negative");
    request.duration = 10;
    request.kind = LEASE_DEADLINE;
    expect_error(&input, 100, "a deadline lease needs a deadline");
    request.kind = LEASE_BEST_EFFORT;
    request.n_node_sets = 0;
    expect_error(&input, 100, "requests no VMs");
    request.n_node_sets = 1;
    set.count = 0;
    expect_error(&input, 100, "node set 1 has no VMs");
    set.count = 1;
    set.amounts.of[RESOURCE_MEMORY] = -1;
    expect_error(&input, 100, "requests a negative amount");
}

static void an_early_end_of_a_lease_that_does_not_run_is_an_error(void **state)
{
    struct scenario s;
    struct engine_input input = {.kind = INPUT_ENDED, .lease = 1};
    struct error err = {0};

    scenario_begin(&s, 1);
    reservation(&s, 1, 1, 50, 10);
    settle(&s);
    assert_int_equal(engine_step(s.engine, 10, &input, 1, &s.outputs, &err), -1);
    assert_string_equal(err.text, "lease 1 is not running");
    scenario_end(&s);
}

static void the_same_instant_may_come_twice(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 10);
    settle(&s);
    best_effort(&s, 2, 1, 10);
    settle(&s);
    assert_int_equal(engine_step(s.engine, 0, NULL, 0, &s.outputs, NULL), 0);
    assert_int_equal(s.outputs.n_items, 0);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void time_may_begin_anywhere(void **state)
{
    struct scenario s;

    for (int64_t origin = -1000000; origin <= 2000000000; origin += 2001000000) {
        scenario_begin(&s, 1);
        s.now = origin;
        best_effort(&s, 1, 1, 10);
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 1)->end, origin + 10);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* --- determinism ------------------------------------------------------------------------------ */

/* A crowded day: all kinds, early ends, cancellations; the numbers come from a fixed sequence. */
static void play_a_day(struct scenario *s, uint32_t seed)
{
    uint32_t x = seed;

    scenario_begin(s, 4);
    reservations_preempt(s);
    s->settings.shutdown_time = 3;
    s->unchecked = seed % 4 != 0;
    for (int id = 1; id <= 120; id++) {
        enum lease_kind kind;
        int64_t duration;

        x = x * 1664525 + 1013904223;
        kind = (enum lease_kind)(x >> 16 & 3);
        duration = 50 + (x >> 8) % 400;
        at(s, id * 40);
        ask(s, (struct ask){.id = id,
                            .kind = kind,
                            .vms = 1 + (x >> 20) % 4,
                            .duration = duration,
                            .memory = 256 << (x >> 24 & 1),
                            .start = kind == LEASE_RESERVATION ? s->now + (x >> 10) % 600 : 0,
                            .deadline = kind == LEASE_DEADLINE ? s->now + 4 * duration : 0});
        if (id % 7 == 0 && state_of(s, id - 3) == LEASE_ACTIVE)
            cancel(s, id - 3);
    }
    run_to_end(s);
}

static void the_same_calls_give_the_same_outputs(void **state)
{
    for (uint32_t seed = 1; seed <= 8; seed++) {
        struct scenario a, b;

        play_a_day(&a, seed);
        play_a_day(&b, seed);
        assert_string_equal(log_of(&a), log_of(&b));
        assert_int_equal(engine_attempts(a.engine), engine_attempts(b.engine));
        expect_nothing_left(&a);
        for (int id = 1; id <= 120; id++)
            assert_true(lease_state_is_final(state_of(&a, id)));
        scenario_end(&a);
        scenario_end(&b);
    }
}

/* --- forgetting ------------------------------------------------------------------------------- */

static void count_lease(void *context, const struct lease *lease)
{
    ++*(int *)context;
}

static void only_finished_leases_are_forgotten(void **state)
{
    struct scenario s;
    struct error err = {0};

    scenario_begin(&s, 1);
    best_effort(&s, 1, 1, 10);
    settle(&s);
    assert_int_equal(engine_forget(s.engine, 1, &err), -1);
    assert_string_equal(err.text, "lease 1 is not finished");
    run_to_end(&s);
    assert_int_equal(engine_forget(s.engine, 1, &err), 0);
    assert_null(engine_lease(s.engine, 1));
    assert_int_equal(engine_forget(s.engine, 1, &err), -1);
    assert_string_equal(err.text, "lease 1 is unknown");
    scenario_end(&s);
}

static void thousands_come_and_go(void **state)
{
    struct scenario s;
    int count = 0, n = 5000;

    scenario_begin(&s, 2);
    s.unchecked = true;
    for (int id = 1; id <= n; id++) {
        best_effort(&s, id, 1 + id % 2, 5);
        at(&s, 10 * id);
        settle(&s);
        if (id % 100 == 0)
            continue; /* a few stay */
        assert_int_equal(engine_forget(s.engine, id, NULL), 0);
    }
    engine_each_lease(s.engine, count_lease, &count);
    assert_int_equal(count, n / 100);
    for (int id = 1; id <= n; id++)
        assert_true((engine_lease(s.engine, id) != NULL) == (id % 100 == 0));
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void ids_may_come_in_any_order(void **state)
{
    static const int64_t ids[] = {50, 3, -7, 1000000000000, 4, 49};
    struct scenario s;

    scenario_begin(&s, 6);
    for (size_t i = 0; i < 6; i++) {
        best_effort(&s, ids[i], 1, 10);
        settle(&s);
    }
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(state_of(&s, ids[i]), LEASE_ACTIVE);
    run_to_end(&s);
    assert_int_equal(engine_forget(s.engine, 4, NULL), 0);
    assert_null(engine_lease(s.engine, 4));
    assert_non_null(engine_lease(s.engine, 3));
    assert_non_null(engine_lease(s.engine, 49));
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senseless_settings_are_refused_by_name),
        cmocka_unit_test(without_suspension_no_rates_are_needed),
        cmocka_unit_test(a_driver_that_errs_is_told),
        cmocka_unit_test(a_request_that_makes_no_sense_is_an_error),
        cmocka_unit_test(an_early_end_of_a_lease_that_does_not_run_is_an_error),
        cmocka_unit_test(the_same_instant_may_come_twice),
        cmocka_unit_test(time_may_begin_anywhere),
        cmocka_unit_test(the_same_calls_give_the_same_outputs),
        cmocka_unit_test(only_finished_leases_are_forgotten),
        cmocka_unit_test(thousands_come_and_go),
        cmocka_unit_test(ids_may_come_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
