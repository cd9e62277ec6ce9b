/* What the decision about a lease consists of is told: the questions to the policies, and why each
 * host does not fit. Nothing changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/drains.h"
#include "planner/tracer.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"

enum { VETOED = 3, HOSTS = 6 };

static bool admits(void *context, const struct lease *lease, int64_t now, struct reason *reason)
{
    return true;
}

static bool preempts(void *context, const struct lease *preemptor)
{
    return preemptor->request.kind == LEASE_RESERVATION;
}

static void score_all(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] = 1;
}

static void veto_one(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->hosts[i] == VETOED ? POLICY_VETO : 5;
}

struct told {
    bool accepted;
    int64_t start;
    struct victims victims;
    bool is_traced;
    struct plan_trace trace;
};

static void judged(void *context, const struct planner_change *change, const struct error *err)
{
    struct told *told = context;

    if (!change) {
        fail_msg("%s", err->text);
        return;
    }
    told->accepted = change->accepted;
    told->start = change->start;
    told->victims = change->victims;
    told->is_traced = change->trace != NULL;
    if (change->trace)
        told->trace = *change->trace;
    assert_int_equal(change->hosts->n, HOSTS);
}

static const struct told *trace(struct house *house, const struct lease_record *lease)
{
    static struct told told;
    struct error err = {0};

    told = (struct told){0};
    if (planner_trace(house->planner, lease, NOW, judged, &told, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house->planner);
    assert_true(told.is_traced);
    return &told;
}

static const struct traced_call *call_of(const struct told *told, enum policy_call question)
{
    for (int64_t i = 0; i < told->trace.n_calls; i++)
        if (told->trace.calls[i].question == question)
            return &told->trace.calls[i];
    return NULL;
}

static void put_running(struct store *store, int64_t id, int32_t host, int64_t duration)
{
    struct lease_record *lease = add_lease(store, id, PHASE_RUNNING, LEASE_BEST_EFFORT, duration);

    lease->since = NOW - 10;
    lease->end = NOW - 10 + duration;
    vm_to_change(store, (int32_t)id)->host = host;
    vm_to_change(store, (int32_t)id)->goal = GOAL_RUN;
}

static void reserve(struct store *store, int64_t id, int32_t host, int64_t duration)
{
    struct lease_record *lease = add_lease(store, id, PHASE_RESERVED, LEASE_RESERVATION, duration);

    lease->preemptible = false;
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease->start = lease->expected = NOW + 100;
    vm_to_change(store, (int32_t)id)->host = host;
}

/* Hosts 0 and 4 in use, 1 too small, 2 and 5 reserved soon, 3 vetoed. */
static void open_scene(struct house *house, struct store *store)
{
    put_running(store, 1, 0, 5000);
    put_running(store, 2, 4, 5000);
    reserve(store, 3, 2, 600);
    reserve(store, 6, 5, 6000);
    open_house(house, store, HOSTS);
    house->scene.fake->hosts[1].cpu = CPU / 2;
    scene_poll(&house->scene);
    house->scene.policies = (struct policy_hooks){.admit = admits,
                                                  .may_preempt = preempts,
                                                  .score_victims = score_all,
                                                  .score_hosts = veto_one};
}

static void each_host_is_told_with_its_reason(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease;
    struct picture_of_store before = {0}, after = {0};
    const struct told *told;
    struct house house;

    open_scene(&house, store);
    lease = add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, 1000);
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease->preemptible = false;
    rebuild(&house, NOW);
    look_at_store(store, &before);
    told = trace(&house, lease);
    look_at_store(store, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(told->trace.at, NOW);
    assert_int_equal(told->trace.hosts[FINDING_NO_CPU].n, 2);
    assert_int_equal(told->trace.hosts[FINDING_NO_CPU].places[0], 0);
    assert_int_equal(told->trace.hosts[FINDING_NO_CPU].places[1], 4);
    assert_int_equal(told->trace.hosts[FINDING_TOO_SMALL].n, 1);
    assert_int_equal(told->trace.hosts[FINDING_TOO_SMALL].places[0], 1);
    assert_int_equal(told->trace.hosts[FINDING_SHORT].n, 1);
    assert_int_equal(told->trace.hosts[FINDING_SHORT].places[0], 5);
    assert_int_equal(told->start, NOW + 700);
    assert_int_equal(told->trace.hosts[FINDING_PLANNED].places[0], 2);
    assert_int_equal(told->trace.hosts[FINDING_VETOED].n, 1);
    assert_int_equal(told->trace.hosts[FINDING_VETOED].places[0], VETOED);
    close_house(&house);
}

/* It is not the size of the VM that keeps it away. */
static void a_drained_host_takes_no_vms(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease;
    struct drains drains = {0};
    const struct told *told;
    struct house house;

    open_scene(&house, store);
    drains_put(&drains, &(struct drain){2, NOW - 10, INSTANT_NEVER, ""});
    house.scene.settings.drains = &drains;
    house.planner = scene_renew_planner(&house.scene);
    lease = add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, 1000);
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease->preemptible = false;
    rebuild(&house, NOW);
    told = trace(&house, lease);
    assert_int_equal(told->trace.hosts[FINDING_CLOSED].n, 1);
    assert_int_equal(told->trace.hosts[FINDING_CLOSED].places[0], 2);
    close_house(&house);
    drains_finish(&drains);
}

static void the_questions_to_the_policies_are_told(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct traced_call *call;
    const struct told *told;
    struct house house;

    open_scene(&house, store);
    rebuild(&house, NOW);
    told = trace(&house, store_lease(store, 3));
    assert_true(told->accepted);
    assert_int_equal(told->start, NOW + 100);
    call = call_of(told, POLICY_CALL_ADMIT);
    assert_non_null(call);
    assert_int_equal(call->answer, 1);
    call = call_of(told, POLICY_CALL_SCORE_HOSTS);
    assert_non_null(call);
    assert_int_equal(call->about, NOW + 100);
    assert_int_equal(call->asked - call->taken, 1);
    assert_int_equal(call->best, 2);
    assert_int_equal(told->trace.hosts[FINDING_PLANNED].n, 1);
    assert_int_equal(told->trace.hosts[FINDING_PLANNED].places[0], 2);
    close_house(&house);
}

static void who_makes_room_is_told(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct traced_call *call;
    const struct told *told;
    struct house house;

    open_scene(&house, store);
    rebuild(&house, NOW);
    reserve(store, 5, 4, 600);
    told = trace(&house, store_lease(store, 5));
    assert_true(told->accepted);
    call = call_of(told, POLICY_CALL_SCORE_LEASES);
    assert_non_null(call);
    assert_int_equal(call->asked, 2);
    assert_int_equal(call->taken, 2);
    assert_int_equal(call->best, 2);
    assert_int_equal(told->victims.n, 1);
    assert_int_equal(told->victims.shown[0].lease, 2);
    assert_int_equal(told->victims.shown[0].fate, VICTIM_SUSPENDED);
    close_house(&house);
}

static void only_leases_that_have_not_begun_are_traced(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct error err = {0};
    struct house house;
    struct told told;

    open_scene(&house, store);
    rebuild(&house, NOW);
    assert_int_equal(planner_trace(house.planner, store_lease(store, 1), NOW, judged, &told, &err),
                     -1);
    assert_string_equal(err.text,
                        "lease 1 is running: its start has already been decided; see its history");
    assert_int_equal(planner_try_change(house.planner,
                                        &(struct changed_lease){.lease = store_lease(store, 3)},
                                        NOW, judged, &told, &err),
                     0);
    planner_serve(house.planner);
    assert_false(told.is_traced);
    close_house(&house);
}

static void a_trace_is_bounded(void **state)
{
    const struct policy_hooks hooks = {.may_preempt = preempts};
    const struct lease asked = {.request.id = 7}, other = {.request.id = 8};
    struct tracer *tracer = tracer_create(7, &hooks);
    const struct plan_trace *trace;

    for (int i = 0; i < TRACE_CALLS + 50; i++) {
        tracer_hooks(tracer)->may_preempt(tracer_hooks(tracer)->context, &asked);
        tracer_hooks(tracer)->may_preempt(tracer_hooks(tracer)->context, &other);
    }
    trace = tracer_trace(tracer, NULL, NULL);
    assert_int_equal(trace->n_calls, TRACE_CALLS);
    assert_int_equal(trace->n_left_out, 50);
    tracer_destroy(tracer);
}

/* The planner process is not trusted. */
static void hosts_that_were_not_sent_are_not_believed(void **state)
{
    struct plan_trace trace = {.at = NOW, .hosts[FINDING_FITS] = {.n = 1, .places = {4}}}, *read;

    for (uint32_t n_hosts = 4; n_hosts <= 5; n_hosts++) {
        struct wire_writer writer = {0};
        struct wire_reader reader;

        wire_put_trace(&writer, &trace);
        wire_reader_init(&reader, wire_bytes(&writer), writer.n);
        read = wire_get_trace(&reader, n_hosts);
        assert_int_equal(wire_is_at_end(&reader), n_hosts == 5);
        free(read);
        wire_writer_finish(&writer);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_host_is_told_with_its_reason),
        TEST(the_questions_to_the_policies_are_told),
        TEST(a_drained_host_takes_no_vms),
        TEST(who_makes_room_is_told),
        TEST(only_leases_that_have_not_begun_are_traced),
        cmocka_unit_test(a_trace_is_bounded),
        cmocka_unit_test(hosts_that_were_not_sent_are_not_believed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
