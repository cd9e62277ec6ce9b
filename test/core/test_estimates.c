/* Estimates and thresholds, and the plan of a lease; an engine is needed for its settings only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine.h"
#include "core/estimates.h"
#include "core/lease_plan.h"
#include "core/leases.h"

static struct engine_settings settings; /* of the engine under test */

/* The engine with the settings as they are now; the one before is destroyed. Two hosts of 400 CPU
 * and 4096 MB. */
static struct engine *apply_settings(struct engine *before)
{
    struct amounts capacity = {{400, 4096, 1000, 1000, 1000}};
    static const struct policy_hooks nobody;
    struct engine *engine;
    struct site site;

    engine_destroy(before);
    site_init(&site);
    assert_int_equal(site_add_hosts(&site, 2, &capacity, NULL), 0);
    engine = engine_create(&site, &settings, &nobody, NULL);
    site_finish(&site);
    assert_non_null(engine);
    return engine;
}

/* With 32 MB/s. */
static struct engine *make_engine(bool haizea)
{
    engine_settings_init(&settings);
    if (haizea)
        behaviour_haizea_1_0(&settings.behaviour);
    return apply_settings(NULL);
}

static struct lease *make_lease(uint32_t vms, int64_t cpu, int64_t memory)
{
    struct node_set set = {.count = vms, .amounts = {{cpu, memory}}};
    struct lease_request request = {
        .id = 1, .duration = 1000, .terms = TERMS_SUSPENDABLE, .node_sets = &set, .n_node_sets = 1};

    return lease_create(&request, 0);
}

static void operations_take_memory_over_rate_rounded_up(void **state)
{
    struct engine *engine = make_engine(false);

    assert_int_equal(suspend_span_of_vm(engine, 0), 0);
    assert_int_equal(suspend_span_of_vm(engine, 32), 1);
    assert_int_equal(suspend_span_of_vm(engine, 33), 2);
    settings.resume_rate = 0.5;
    engine = apply_settings(engine);
    assert_int_equal(resume_span_of_vm(engine, 33), 66);
    settings.override_resume_time = 5;
    engine = apply_settings(engine);
    assert_int_equal(resume_span_of_vm(engine, 33), 5);
    engine_destroy(engine);
}

static void the_estimate_is_the_longest_that_it_can_take(void **state)
{
    struct engine *engine = make_engine(false);
    struct lease *lease = make_lease(6, 100, 1024); /* four fit on a host */

    settings.enactment_overhead = 2;
    engine = apply_settings(engine);
    assert_int_equal(suspend_estimate(engine, lease), 6 * 2 + 4 * 32);
    settings.exclusion = EXCLUSION_GLOBAL;
    engine = apply_settings(engine);
    assert_int_equal(suspend_estimate(engine, lease), 6 * 2 + 6 * 32);
    settings.override_suspend_time = 10;
    engine = apply_settings(engine);
    assert_int_equal(suspend_estimate(engine, lease), 6 * 2 + 6 * 10);
    settings.suspension = SUSPENSION_NONE;
    engine = apply_settings(engine);
    assert_int_equal(suspend_estimate(engine, lease), 0);
    assert_int_equal(resume_estimate(engine, lease), 0);
    lease_destroy(lease);
    engine_destroy(engine);
}

static void a_hopeless_rate_gives_the_longest_span(void **state)
{
    struct lease *lease = make_lease(1000000, 1, 4096);

    for (int haizea = 0; haizea <= 1; haizea++) {
        struct engine *engine = make_engine(haizea);

        settings.suspend_rate = settings.resume_rate = 1e-300;
        settings.scheduling_threshold_factor = 1e6;
        engine = apply_settings(engine);
        lease->state = LEASE_SUSPENDED_QUEUED;
        assert_int_equal(suspend_span_of_vm(engine, 4096), SPAN_LONGEST);
        assert_true(suspend_estimate(engine, lease) >= SPAN_LONGEST);
        assert_true(scheduling_threshold(engine, lease) >= suspend_estimate(engine, lease));
        engine_destroy(engine);
    }
    lease_destroy(lease);
}

static void haizea_estimates_n_times_all_of_the_memory(void **state)
{
    struct engine *engine = make_engine(true);
    struct lease *lease = make_lease(6, 100, 1024);

    settings.enactment_overhead = 2;
    engine = apply_settings(engine);
    assert_int_equal(suspend_estimate(engine, lease), 6 * (6 * 32 + 2));
    settings.override_suspend_time = 10;
    engine = apply_settings(engine);
    assert_int_equal(suspend_estimate(engine, lease), 10);
    lease_destroy(lease);
    engine_destroy(engine);
}

static void the_threshold_is_the_estimate_and_a_part_of_it(void **state)
{
    struct engine *engine = make_engine(false);
    struct lease *lease = make_lease(1, 100, 1024);

    assert_int_equal(scheduling_threshold(engine, lease), 64);
    settings.scheduling_threshold_factor = 0.5;
    engine = apply_settings(engine);
    assert_int_equal(scheduling_threshold(engine, lease), 48);
    lease->state = LEASE_SUSPENDED_QUEUED; /* and to resume it */
    assert_int_equal(scheduling_threshold(engine, lease), 96);
    lease->state = LEASE_SUSPENDED_SCHEDULED; /* when it is brought forward, too */
    assert_int_equal(scheduling_threshold(engine, lease), 96);
    settings.behaviour.threshold_without_resumption_of_planned = true;
    engine = apply_settings(engine);
    assert_int_equal(scheduling_threshold(engine, lease), 48);
    lease->state = LEASE_QUEUED; /* and to boot it, where that is known */
    assert_int_equal(scheduling_threshold(engine, lease), 48);
    settings.boot_rate = 128;
    engine = apply_settings(engine);
    assert_int_equal(scheduling_threshold(engine, lease), 60);
    lease->state = LEASE_ACTIVE;
    assert_int_equal(scheduling_threshold(engine, lease), 48);
    lease->state = LEASE_READY;
    assert_int_equal(scheduling_threshold(engine, lease), 60);
    settings.override_boot_time = 18;
    engine = apply_settings(engine);
    assert_int_equal(scheduling_threshold(engine, lease), 75);
    settings.force_scheduling_threshold = 7;
    engine = apply_settings(engine);
    assert_int_equal(scheduling_threshold(engine, lease), 7);
    lease_destroy(lease);
    engine_destroy(engine);
}

static void the_shutdown_grows_with_the_vms(void **state)
{
    struct engine *engine = make_engine(false);
    struct lease *lease = make_lease(3, 100, 1024);

    settings.shutdown_time = 10;
    settings.enactment_overhead = 2;
    engine = apply_settings(engine);
    assert_int_equal(shutdown_span(engine, lease), 16);
    lease->request.duration = SPAN_UNLIMITED;
    assert_int_equal(shutdown_span(engine, lease), 0);
    assert_true(remaining_span(lease) == SPAN_UNLIMITED);
    lease->request.duration = 100;
    lease->accumulated = 40;
    assert_int_equal(remaining_span(lease), 60);
    lease_destroy(lease);
    engine_destroy(engine);
}

static void who_may_be_suspended(void **state)
{
    struct engine *engine = make_engine(false);
    struct lease *one = make_lease(1, 100, 100), *two = make_lease(2, 100, 100);

    assert_true(may_be_suspended(engine, two));
    two->request.terms = TERMS_NON_PREEMPTABLE;
    assert_false(may_be_suspended(engine, two));
    two->request.terms = TERMS_MIGRATABLE;
    assert_true(may_be_suspended(engine, two));
    settings.suspension = SUSPENSION_SERIAL_ONLY;
    engine = apply_settings(engine);
    assert_true(may_be_suspended(engine, one));
    assert_false(may_be_suspended(engine, two));
    settings.suspension = SUSPENSION_NONE;
    engine = apply_settings(engine);
    assert_false(may_be_suspended(engine, one));
    lease_destroy(one);
    lease_destroy(two);
    engine_destroy(engine);
}

/* --- the plan of a lease ---------------------------------------------------------------------- */

static void node_sets_are_ordered_by_relative_size(void **state)
{
    /* Of the largest CPU and memory: 1/4 + 1, 1 + 1/4, 1 + 1/2, 1/4 + 1. */
    struct node_set sets[] = {{.count = 2, .amounts = {{100, 1024}}},
                              {.count = 1, .amounts = {{400, 256}}},
                              {.count = 3, .amounts = {{400, 512}}},
                              {.count = 1, .amounts = {{100, 1024}}}};
    struct lease_request request = {.id = 1, .node_sets = sets, .n_node_sets = 4};
    struct lease *lease = lease_create(&request, 0);
    static const uint32_t order[] = {2, 0, 1, 3}, first_vm[] = {0, 2, 3, 6};

    for (int i = 0; i < 4; i++) {
        assert_int_equal(lease->plan->set_order[i], order[i]);
        assert_int_equal(lease->plan->set_first_vm[i], first_vm[i]);
    }
    assert_int_equal(lease->n_vms, 7);
    assert_int_equal(lease->plan->total_memory, 2 * 1024 + 256 + 3 * 512 + 1024);
    lease_destroy(lease);
}

static void stretches_are_found_by_their_reservations(void **state)
{
    struct lease *lease = make_lease(1, 100, 100);
    struct reservation *r[5];
    struct vm_plan *stretch;

    assert_null(lease_plan_current(lease));
    for (int i = 0; i < 5; i++)
        r[i] = reservation_create(lease, RESERVATION_VM, i, i + 1, NULL);
    reservation_list_append(&lease->plan->preparation, r[0]);
    lease_plan_add(lease)->vm = r[1];
    stretch = lease_plan_add(lease);
    reservation_list_append(&stretch->before, r[2]);
    stretch->vm = r[3];
    reservation_list_append(&stretch->after, r[4]);
    lease_plan_publish(lease);
    assert_ptr_equal(lease_plan_current(lease), stretch);
    assert_null(lease_plan_of(r[0]));
    assert_ptr_equal(lease_plan_of(r[1]), &lease->plan->vms[0]);
    assert_ptr_equal(lease_plan_of(r[2]), stretch);
    assert_ptr_equal(lease_plan_of(r[4]), stretch);
    assert_null(lease_plan_running(lease));
    r[1]->state = RESERVATION_ACTIVE;
    assert_ptr_equal(lease_plan_running(lease), &lease->plan->vms[0]);
    assert_int_equal(lease->n_reservations, 5);
    for (size_t i = 0; i < 5; i++)
        assert_ptr_equal(lease->reservations[i], r[i]);
    lease_destroy(lease); /* with all five */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_take_memory_over_rate_rounded_up),
        cmocka_unit_test(the_estimate_is_the_longest_that_it_can_take),
        cmocka_unit_test(a_hopeless_rate_gives_the_longest_span),
        cmocka_unit_test(haizea_estimates_n_times_all_of_the_memory),
        cmocka_unit_test(the_threshold_is_the_estimate_and_a_part_of_it),
        cmocka_unit_test(the_shutdown_grows_with_the_vms),
        cmocka_unit_test(who_may_be_suspended),
        cmocka_unit_test(node_sets_are_ordered_by_relative_size),
        cmocka_unit_test(stretches_are_found_by_their_reservations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
