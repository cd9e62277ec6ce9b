/* The simulation with an engine that does what the test says: what it is told, and in which order.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapters/simulation/simulation.h"
#include "lwf/trace_combine.h"
#include "util/instant.h"

enum { TOLD_MAX = 50, LEASES_MAX = 4 };

/* The engine of this test: it starts each lease it is told of, as planned by the test. */
struct engine {
    struct lease leases[LEASES_MAX];
    struct reservation vms[LEASES_MAX], *places[LEASES_MAX];
    size_t n_leases;
    int64_t vm_length[LEASES_MAX]; /* of the reservation of the i-th lease */
    int64_t accumulated[LEASES_MAX];
    int64_t planned; /* engine_next_time() */
    bool idle;
    char told[TOLD_MAX][40];
    size_t n_told;
    struct engine_output outputs[LEASES_MAX];
    char images[LEASES_MAX][20];
    uint32_t vms_asked[LEASES_MAX];
};

static struct engine engine;
static const struct node_set one_vm = {.count = 1};

int engine_step(struct engine *it, int64_t now, const struct engine_input *inputs, size_t n_inputs,
                struct engine_outputs *outputs, struct error *err)
{
    static const char *const kinds[] = {"request", "cancel", "ended"};

    outputs->items = it->outputs;
    outputs->n_items = 0;
    for (size_t i = 0; i < n_inputs; i++) {
        assert_in_range(it->n_told, 0, TOLD_MAX - 1);
        snprintf(it->told[it->n_told++], sizeof *it->told, "%d: %s %d", (int)now,
                 kinds[inputs[i].kind], (int)inputs[i].lease);
        if (inputs[i].kind == INPUT_REQUEST) {
            size_t n = it->n_leases++;

            snprintf(it->images[n], sizeof *it->images, "%s",
                     inputs[i].request->image ? inputs[i].request->image : "none");
            for (size_t j = 0; j < inputs[i].request->n_node_sets; j++)
                it->vms_asked[n] += inputs[i].request->node_sets[j].count;
            it->leases[n] = (struct lease){.request = *inputs[i].request,
                                           .state = LEASE_ACTIVE,
                                           .accumulated = it->accumulated[n],
                                           .reservations = &it->places[n],
                                           .n_reservations = 1};
            it->vms[n] = (struct reservation){
                .kind = RESERVATION_VM, .from = now, .until = instant_add(now, it->vm_length[n])};
            it->places[n] = &it->vms[n];
            outputs->items[outputs->n_items++] = (struct engine_output){.kind = OUTPUT_VM_INTERVAL,
                                                                        .time = now,
                                                                        .lease = &it->leases[n],
                                                                        .reservation = &it->vms[n]};
        }
    }
    return 0;
}

int64_t engine_next_time(const struct engine *it)
{
    return it->planned;
}

bool engine_is_idle(const struct engine *it)
{
    return it->idle;
}

bool engine_queues_too_big(const struct engine *it)
{
    (void)it;
    return false;
}

size_t engine_queue_length(const struct engine *it)
{
    return 0;
}

size_t engine_unfinished(const struct engine *it, enum lease_kind kind)
{
    return kind == LEASE_BEST_EFFORT ? it->n_leases : 0;
}

const struct lease *engine_lease(const struct engine *it, int64_t id)
{
    for (size_t i = 0; i < it->n_leases; i++)
        if (it->leases[i].request.id == id)
            return &it->leases[i];
    return NULL;
}

int engine_forget(struct engine *it, int64_t id, struct error *err)
{
    fail_msg("nothing was finished");
    return 0;
}

void engine_outputs_init(struct engine_outputs *outputs)
{
    *outputs = (struct engine_outputs){0};
}

void engine_outputs_finish(struct engine_outputs *outputs)
{
    *outputs = (struct engine_outputs){0};
}

static struct lease_request request(int64_t id, int64_t submit, int64_t duration, int64_t known)
{
    return (struct lease_request){.id = id,
                                  .kind = LEASE_BEST_EFFORT,
                                  .submit = submit,
                                  .start = INSTANT_NONE,
                                  .deadline = INSTANT_NONE,
                                  .duration = duration,
                                  .duration_known = known,
                                  .node_sets = &one_vm,
                                  .n_node_sets = 1};
}

static int run(const struct lease_request *requests, size_t n, const struct simulation *wishes,
               struct simulation_result *result, struct error *err)
{
    struct simulation simulation = *wishes;
    int outcome;

    simulation.engine = &engine;
    simulation.trace = trace_from_requests(requests, n, NULL);
    assert_non_null(simulation.trace);
    outcome = simulation_run(&simulation, result, err);
    trace_destroy(simulation.trace);
    return outcome;
}

static int begin(void **state)
{
    engine = (struct engine){.planned = INSTANT_NEVER};
    for (size_t i = 0; i < LEASES_MAX; i++)
        engine.vm_length[i] = 100;
    return 0;
}

/* When the only lease ends, or "" when it does not. The engine never becomes idle by itself. */
static const char *end_of(const struct lease_request *lease, bool one_day)
{
    const struct behaviour behaviour = {.premature_end_plus_one_day = one_day};
    struct simulation_result result;

    assert_int_equal(run(lease, 1, &(struct simulation){.behaviour = &behaviour}, &result, NULL),
                     0);
    assert_true(result.stuck);
    return engine.n_told > 1 ? engine.told[1] : "";
}

static void test_waiting_for_ever(void **state)
{
    struct lease_request lease = request(1, 5, 100, SPAN_NONE);
    struct simulation_result result;

    assert_int_equal(run(&lease, 1, &(struct simulation){0}, &result, NULL), 0);
    assert_true(result.stuck);
    assert_false(result.interrupted);
    assert_int_equal(result.unfinished, 1);
    assert_int_equal(result.end_time, 5);
}

static void test_time_that_does_not_advance(void **state)
{
    struct lease_request lease = request(1, 5, 100, SPAN_NONE);
    struct simulation_result result;
    struct error err = {0};

    engine.planned = 0;
    assert_int_equal(run(&lease, 1, &(struct simulation){0}, &result, &err), -1);
    assert_int_equal(err.code, EDEADLK);
}

static void test_known_durations(void **state)
{
    struct lease_request lease = request(1, 10, 100, 30);

    assert_string_equal(end_of(&lease, false), "40: ended 1");
    begin(NULL);
    lease.duration_known = 100;
    assert_string_equal(end_of(&lease, false), "");
    begin(NULL);
    lease.duration_known = 0;
    assert_string_equal(end_of(&lease, false), "11: ended 1");
    begin(NULL);
    engine.accumulated[0] = 20;
    lease.duration_known = 30;
    assert_string_equal(end_of(&lease, false), "20: ended 1");
    begin(NULL);
    engine.vm_length[0] = SPAN_UNLIMITED;
    lease.duration = SPAN_UNLIMITED;
    assert_string_equal(end_of(&lease, false), "40: ended 1");
}

/* Work that is complete when a suspension is planned ends there, in the default mode only. */
static void test_complete_at_a_planned_suspension(void **state)
{
    struct lease_request lease = request(1, 10, 500, 100);

    assert_string_equal(end_of(&lease, false), "110: ended 1");
    begin(NULL);
    assert_string_equal(end_of(&lease, true), "");
}

static void test_one_day_later(void **state)
{
    struct lease_request lease = request(1, 10, 200000, 50);

    engine.accumulated[0] = 50;
    engine.vm_length[0] = 100000;
    assert_string_equal(end_of(&lease, true), "86410: ended 1");
    begin(NULL);
    engine.accumulated[0] = 50;
    engine.vm_length[0] = 86400;
    assert_string_equal(end_of(&lease, true), "86410: ended 1");
    begin(NULL);
    engine.accumulated[0] = 50;
    engine.vm_length[0] = 86399;
    assert_string_equal(end_of(&lease, true), "");
    begin(NULL);
    engine.accumulated[0] = 60;
    engine.vm_length[0] = 100000;
    assert_string_equal(end_of(&lease, true), "");
}

static void test_order_within_a_second(void **state)
{
    const struct lease_request requests[] = {request(1, 0, 500, 30), request(2, 0, 500, 30),
                                             request(3, 0, 500, SPAN_NONE),
                                             request(4, 30, 500, SPAN_NONE)};
    const struct cancellation cancellations[] = {{.lease = 3, .at = 30}};
    static const char *const told[] = {"0: request 1", "0: request 2", "0: request 3",
                                       "30: cancel 3", "30: ended 2",  "30: ended 1",
                                       "30: request 4"};
    struct simulation_result result;

    engine.vm_length[0] = 200; /* lease 2 was planned to end first */
    assert_int_equal(run(requests, 4,
                         &(struct simulation){.cancellations = cancellations, .n_cancellations = 1},
                         &result, NULL),
                     0);
    assert_int_equal(engine.n_told, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(engine.told[i], told[i]);
    assert_int_equal(result.steps, 2);
}

static void test_requests_of_one_second_keep_their_parts(void **state)
{
    struct node_set sets[2] = {{.count = 3}, {.count = 5}};
    struct lease_request requests[] = {request(1, 0, 9, SPAN_NONE), request(2, 0, 9, SPAN_NONE),
                                       request(3, 0, 9, SPAN_NONE)};
    struct simulation_result result;

    requests[0].image = "first";
    requests[1].node_sets = sets;
    requests[1].n_node_sets = 2;
    requests[2].image = "third";
    engine.idle = true;
    assert_int_equal(run(requests, 3, &(struct simulation){0}, &result, NULL), 0);
    assert_int_equal(engine.n_leases, 3);
    assert_string_equal(engine.images[0], "first");
    assert_string_equal(engine.images[1], "none");
    assert_string_equal(engine.images[2], "third");
    assert_int_equal(engine.vms_asked[0], 1);
    assert_int_equal(engine.vms_asked[1], 8);
    assert_int_equal(engine.vms_asked[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_waiting_for_ever, begin),
        cmocka_unit_test_setup(test_time_that_does_not_advance, begin),
        cmocka_unit_test_setup(test_known_durations, begin),
        cmocka_unit_test_setup(test_complete_at_a_planned_suspension, begin),
        cmocka_unit_test_setup(test_one_day_later, begin),
        cmocka_unit_test_setup(test_order_within_a_second, begin),
        cmocka_unit_test_setup(test_requests_of_one_second_keep_their_parts, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
