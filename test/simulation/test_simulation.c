/* The simulation with the real engine: when leases run, and when a run ends. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapters/simulation/simulation.h"
#include "lwf/trace_combine.h"
#include "util/instant.h"

enum { LEASES_MAX = 10, STEPS_MAX = 100 };

/* What an observer saw. */
struct seen {
    enum lease_state states[LEASES_MAX];
    int64_t ends[LEASES_MAX], accumulated[LEASES_MAX];
    int64_t steps[STEPS_MAX];
    size_t n_steps;
    int64_t end_time;
    int n_ends;
    int64_t fail_at; /* 0: never */
};

static struct seen seen;
static const struct node_set one_vm = {
    .count = 1, .amounts = {.of = {[RESOURCE_CPU] = 100, [RESOURCE_MEMORY] = 64}}};

static int watch_step(void *context, const struct engine *engine, int64_t now,
                      const struct engine_outputs *outputs, struct error *err)
{
    struct seen *it = context;

    if (it->fail_at && now >= it->fail_at)
        return error_set(err, EIO, "the disk is full");
    assert_in_range(it->n_steps, 0, STEPS_MAX - 1);
    it->steps[it->n_steps++] = now;
    for (size_t i = 0; i < outputs->n_items; i++) {
        const struct engine_output *output = &outputs->items[i];

        if (output->kind == OUTPUT_FINISHED) {
            it->states[output->lease->request.id] = output->lease->state;
            it->ends[output->lease->request.id] = now;
            it->accumulated[output->lease->request.id] = output->lease->accumulated;
        }
    }
    return 0;
}

static int watch_end(void *context, const struct engine *engine, int64_t end_time,
                     struct error *err)
{
    struct seen *it = context;

    it->end_time = end_time;
    it->n_ends++;
    return 0;
}

static struct lease_request best_effort(int64_t id, int64_t submit, int64_t duration)
{
    return (struct lease_request){
        .id = id,
        .kind = LEASE_BEST_EFFORT,
        .submit = submit,
        .start = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration_original = duration,
        .duration = duration,
        .duration_known = SPAN_NONE,
        .preemptible = true,
        .terms = TERMS_SUSPENDABLE,
        .user = -1,
        .node_sets = &one_vm,
        .n_node_sets = 1,
    };
}

static struct lease_request reservation(int64_t id, int64_t submit, int64_t start, int64_t duration)
{
    struct lease_request request = best_effort(id, submit, duration);

    request.kind = LEASE_RESERVATION;
    request.start = start;
    return request;
}

/* Run requests on one host of one CPU; wishes says what else. */
static int run(const struct lease_request *requests, size_t n, const struct simulation *wishes,
               struct simulation_result *result, struct error *err)
{
    struct amounts capacity = {.of = {100, 1024, 1000000, 1000000, 1000000}};
    struct observer observer = {.context = &seen, .step = watch_step, .end = watch_end};
    struct simulation simulation = *wishes;
    struct policy_hooks policies = {0};
    struct engine_settings settings;
    struct site site;
    int outcome;

    engine_settings_init(&settings);
    site_init(&site);
    assert_int_equal(site_add_hosts(&site, 1, &capacity, err), 0);
    simulation.engine = engine_create(&site, &settings, &policies, err);
    assert_non_null(simulation.engine);
    simulation.trace = trace_from_requests(requests, n, &site);
    assert_non_null(simulation.trace);
    simulation.observers = &observer;
    simulation.n_observers = 1;
    outcome = simulation_run(&simulation, result, err);
    trace_destroy(simulation.trace);
    engine_destroy(simulation.engine);
    site_finish(&site);
    return outcome;
}

static void run_well(const struct lease_request *requests, size_t n,
                     const struct simulation *wishes, struct simulation_result *result)
{
    struct error err = {0};
    int64_t fail_at = seen.fail_at;

    seen = (struct seen){.fail_at = fail_at};
    if (run(requests, n, wishes, result, &err) < 0)
        fail_msg("%s", err.text);
}

static void test_empty_trace(void **state)
{
    struct simulation_result result;

    run_well(NULL, 0, &(struct simulation){0}, &result);
    assert_int_equal(result.end_time, 0);
    assert_int_equal(result.steps, 1);
    assert_int_equal(seen.n_ends, 1);
}

static void test_clock_jumps_from_event_to_event(void **state)
{
    const struct lease_request requests[] = {best_effort(1, 10, 100), best_effort(2, 10, 50),
                                             best_effort(3, 500, 5)};
    static const int64_t steps[] = {0, 10, 110, 160, 500, 505};
    struct simulation_result result;

    run_well(requests, 3, &(struct simulation){0}, &result);
    assert_int_equal(seen.n_steps, 6);
    assert_memory_equal(seen.steps, steps, sizeof steps);
    assert_int_equal(seen.ends[1], 110);
    assert_int_equal(seen.ends[2], 160);
    assert_int_equal(seen.ends[3], 505);
    assert_int_equal(result.end_time, 505);
    assert_int_equal(result.requests, 3);
    assert_int_equal(result.unfinished, 0);
    assert_int_equal(seen.end_time, 505);
}

static void test_early_end(void **state)
{
    struct lease_request requests[] = {best_effort(1, 0, 100), best_effort(2, 0, 100),
                                       best_effort(3, 0, 100)};
    struct simulation_result result;

    requests[0].duration_known = 30;
    requests[1].duration_known = 100;
    requests[2].duration_known = 400;
    run_well(requests, 3, &(struct simulation){0}, &result);
    assert_int_equal(seen.ends[1], 30);
    assert_int_equal(seen.ends[2], 130);
    assert_int_equal(seen.ends[3], 230);
    assert_int_equal(seen.accumulated[1], 30);
}

static void test_early_end_after_suspension(void **state)
{
    struct lease_request requests[] = {best_effort(1, 0, 1000), reservation(2, 1, 500, 100)};
    struct simulation_result result;

    requests[0].duration_known = 600;
    run_well(requests, 2, &(struct simulation){0}, &result);
    assert_int_equal(seen.states[1], LEASE_DONE);
    assert_int_equal(seen.states[2], LEASE_REJECTED); /* nothing preempts without a policy */
    assert_int_equal(seen.accumulated[1], 600);
    requests[0] = reservation(1, 0, 500, 100);
    requests[1] = best_effort(2, 1, 1000);
    requests[1].duration_known = 600;
    run_well(requests, 2, &(struct simulation){0}, &result);
    assert_int_equal(seen.states[2], LEASE_DONE);
    assert_int_equal(seen.accumulated[2], 600);
    assert_in_range(seen.ends[2], 701, 720); /* suspended for the reservation in between */
}

static void test_cancellations(void **state)
{
    const struct lease_request requests[] = {best_effort(1, 0, 100), best_effort(2, 0, 100)};
    const struct cancellation cancellations[] = {
        {.lease = 7, .at = 5}, {.lease = 1, .at = 20}, {.lease = 1, .at = 60}};
    struct simulation_result result;

    run_well(requests, 2,
             &(struct simulation){.cancellations = cancellations, .n_cancellations = 3}, &result);
    assert_int_equal(seen.states[1], LEASE_CANCELLED);
    assert_int_equal(seen.ends[1], 20);
    assert_int_equal(seen.ends[2], 120);
    assert_int_equal(result.cancels_missed, 2);
}

static void test_cancelled_at_its_early_end(void **state)
{
    struct lease_request requests[] = {best_effort(1, 0, 100)};
    const struct cancellation cancellations[] = {{.lease = 1, .at = 40}, {.lease = 1, .at = 40}};
    struct simulation_result result;

    requests[0].duration_known = 40;
    run_well(requests, 1,
             &(struct simulation){.cancellations = cancellations, .n_cancellations = 2}, &result);
    assert_int_equal(seen.states[1], LEASE_CANCELLED);
    assert_int_equal(seen.ends[1], 40);
}

static void test_stop_rules(void **state)
{
    const struct lease_request requests[] = {best_effort(1, 0, 100), reservation(2, 10, 500, 100),
                                             best_effort(3, 20, 50), reservation(4, 30, 900, 10)};
    struct simulation_result result;

    run_well(requests, 4,
             &(struct simulation){.stop_when = STOP_BESTEFFORT_SUBMITTED, .best_effort_leases = 2},
             &result);
    assert_int_equal(result.requests, 3);
    assert_int_equal(result.end_time, 30);
    run_well(requests, 4,
             &(struct simulation){.stop_when = STOP_BESTEFFORT_DONE, .best_effort_leases = 2},
             &result);
    assert_int_equal(seen.ends[3], 150);
    assert_int_equal(result.end_time, 500);
    assert_int_equal(result.unfinished, 2);
    run_well(requests, 4, &(struct simulation){0}, &result);
    assert_int_equal(result.end_time, 910);
}

static void test_unsorted_requests_wait_for_those_in_front(void **state)
{
    const struct lease_request requests[] = {best_effort(1, 100, 10), best_effort(2, 50, 10),
                                             best_effort(3, 300, 10)};
    struct simulation_result result;

    run_well(requests, 3, &(struct simulation){0}, &result);
    /* Both come at 100; which of them is first is the engine's to say. */
    assert_int_equal(seen.ends[1] + seen.ends[2], 110 + 120);
    assert_int_equal(seen.ends[3], 310);
    assert_int_equal(seen.steps[1], 100);
    assert_int_equal(result.late_requests, 1);
}

static bool stop_after_three(void *context)
{
    int *calls = context;

    return ++*calls == 3;
}

static void note_ending(void *context, const struct simulation_result *result)
{
    assert_true(result->interrupted);
    assert_int_equal(seen.n_ends, 0);
    *(int *)context = 100;
}

static void test_interruption(void **state)
{
    const struct lease_request requests[] = {best_effort(1, 10, 100), best_effort(2, 10, 50),
                                             best_effort(3, 500, 5)};
    struct simulation_result result;
    int calls = 0;

    run_well(requests, 3,
             &(struct simulation){
                 .should_stop = stop_after_three, .ending = note_ending, .context = &calls},
             &result);
    assert_true(result.interrupted);
    assert_int_equal(calls, 100);
    assert_int_equal(result.end_time, 110);
    assert_int_equal(seen.n_ends, 1);
    assert_int_equal(result.unfinished, 1);
}

static void test_observer_ends_the_run(void **state)
{
    const struct lease_request requests[] = {best_effort(1, 10, 100)};
    struct simulation_result result;
    struct error err = {0};

    seen = (struct seen){.fail_at = 10};
    assert_int_equal(run(requests, 1, &(struct simulation){0}, &result, &err), -1);
    assert_string_equal(err.text, "the disk is full");
    assert_int_equal(seen.n_ends, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_trace),
        cmocka_unit_test(test_clock_jumps_from_event_to_event),
        cmocka_unit_test(test_early_end),
        cmocka_unit_test(test_early_end_after_suspension),
        cmocka_unit_test(test_cancellations),
        cmocka_unit_test(test_cancelled_at_its_early_end),
        cmocka_unit_test(test_stop_rules),
        cmocka_unit_test(test_unsorted_requests_wait_for_those_in_front),
        cmocka_unit_test(test_interruption),
        cmocka_unit_test(test_observer_ends_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
