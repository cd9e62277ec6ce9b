/* Gangs: VMs of different sizes, several on a host, resources of other types. */
#include "scenario.h"

static void several_vms_share_a_host(void **state)
{
    struct scenario s;

    scenario_begin(&s, 0);
    add_hosts(&s, 2, 400, 4096);
    ask(&s, (struct ask){.id = 1, .vms = 6, .cpu = 100, .memory = 512, .duration = 10});
    assert_string_equal(plan_of(&s, 1), "VM 0-10 on 1,2; SHUTDOWN 10-10 on 1,2");
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_CPU, 5), 0);
    assert_int_equal(engine_free(s.engine, 1, RESOURCE_CPU, 5), 200);
    assert_int_equal(engine_free(s.engine, 1, RESOURCE_MEMORY, 5), 4096 - 2 * 512);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void memory_limits_the_vms_of_a_host(void **state)
{
    struct scenario s;

    scenario_begin(&s, 0);
    add_hosts(&s, 2, 400, 1024);
    ask(&s, (struct ask){.id = 1, .vms = 2, .cpu = 100, .memory = 600, .duration = 10});
    settle(&s);
    ask(&s,
        (struct ask){.id = 2, .kind = LEASE_IMMEDIATE, .cpu = 100, .memory = 600, .duration = 10});
    ask(&s,
        (struct ask){
            .id = 3, .kind = LEASE_IMMEDIATE, .vms = 2, .cpu = 100, .memory = 424, .duration = 10});
    assert_string_equal(plan_of(&s, 1), "VM 0-10 on 1,2; SHUTDOWN 10-10 on 1,2");
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void the_largest_vms_are_placed_first(void **state)
{
    struct scenario s;
    struct node_set sets[] = {{.count = 2, .amounts = {{50, 512}}},
                              {.count = 1, .amounts = {{100, 1024}}}};
    const struct placement *placement;

    scenario_begin(&s, 2);
    ask(&s, (struct ask){.id = 1, .duration = 10, .sets = sets, .n_sets = 2});
    placement = lease_of(&s, 1)->reservations[0]->placement;
    assert_int_equal(placement->n_vms, 3);
    assert_int_equal(placement->vms[0].host, 1);
    assert_int_equal(placement->vms[1].host, 1);
    assert_int_equal(placement->vms[2].host, 0);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_MEMORY, 5), 0);
    assert_int_equal(engine_free(s.engine, 1, RESOURCE_MEMORY, 5), 0);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void hosts_of_different_sizes_take_what_fits_them(void **state)
{
    struct scenario s;
    struct node_set sets[] = {{.count = 1, .amounts = {{400, 4096}}},
                              {.count = 1, .amounts = {{100, 1024}}}};

    scenario_begin(&s, 1);
    add_hosts(&s, 1, 400, 4096);
    ask(&s, (struct ask){.id = 1, .duration = 10, .sets = sets, .n_sets = 2});
    assert_string_equal(plan_of(&s, 1), "VM 0-10 on 2,1; SHUTDOWN 10-10 on 2,1");
    assert_int_equal(lease_of(&s, 1)->reservations[0]->placement->vms[0].host, 1);
    assert_int_equal(lease_of(&s, 1)->reservations[0]->placement->vms[1].host, 0);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_gpu_is_a_resource_like_any_other(void **state)
{
    struct scenario s;
    struct amounts with_gpu = {{400, 4096, 1000, 1000, 1000, 2}};
    struct node_set one_gpu = {.count = 1, .amounts = {{100, 512, 0, 0, 0, 1}}};
    int gpu;

    scenario_begin(&s, 0);
    gpu = resource_types_add(&s.site.types, "GPU", NULL);
    assert_int_equal(gpu, RESOURCE_TYPES_FIXED);
    add_hosts(&s, 1, 400, 4096);
    assert_int_equal(site_add_hosts(&s.site, 1, &with_gpu, NULL), 0);
    for (int id = 1; id <= 3; id++)
        ask(&s,
            (struct ask){
                .id = id, .kind = LEASE_IMMEDIATE, .duration = 10, .sets = &one_gpu, .n_sets = 1});
    ask(&s,
        (struct ask){.id = 4, .kind = LEASE_IMMEDIATE, .cpu = 400, .memory = 512, .duration = 10});
    assert_string_equal(plan_of(&s, 1), "VM 0-10 on 2; SHUTDOWN 10-10 on 2");
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 4), LEASE_ACTIVE);
    assert_int_equal(engine_free(s.engine, 1, gpu, 5), 0);
    assert_int_equal(engine_free(s.engine, 1, gpu, 10), 2);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void more_gpus_than_there_are_is_too_big(void **state)
{
    struct scenario s;
    struct node_set many = {.count = 1, .amounts = {{100, 512, 0, 0, 0, 3}}};
    struct amounts with_gpu = {{400, 4096, 1000, 1000, 1000, 2}};

    scenario_begin(&s, 0);
    resource_types_add(&s.site.types, "GPU", NULL);
    assert_int_equal(site_add_hosts(&s.site, 2, &with_gpu, NULL), 0);
    ask(&s, (struct ask){.id = 1, .duration = 10, .sets = &many, .n_sets = 1});
    assert_string_equal(reason_of(&s, 1),
                        "too-big: refused: 1 VM requested, but no host is large enough for one");
    scenario_end(&s);
}

static void an_amount_of_a_type_the_site_has_not_is_too_big(void **state)
{
    struct scenario s;
    struct node_set unknown = {.count = 1, .amounts = {{100, 512, 0, 0, 0, 1}}};

    scenario_begin(&s, 1);
    ask(&s, (struct ask){.id = 1, .duration = 10, .sets = &unknown, .n_sets = 1});
    assert_int_equal(state_of(&s, 1), LEASE_REJECTED);
    assert_int_equal(lease_of(&s, 1)->reason.id, REASON_TOO_BIG);
    scenario_end(&s);
}

static void a_gang_starts_and_stops_together(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    reservation(&s, 1, 1, 50, 50);
    settle(&s);
    ask(&s, (struct ask){.id = 2, .kind = LEASE_IMMEDIATE, .vms = 3, .duration = 60});
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    ask(&s, (struct ask){.id = 3, .kind = LEASE_IMMEDIATE, .vms = 3, .duration = 50});
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_vms_share_a_host),
        cmocka_unit_test(memory_limits_the_vms_of_a_host),
        cmocka_unit_test(the_largest_vms_are_placed_first),
        cmocka_unit_test(hosts_of_different_sizes_take_what_fits_them),
        cmocka_unit_test(a_gpu_is_a_resource_like_any_other),
        cmocka_unit_test(more_gpus_than_there_are_is_too_big),
        cmocka_unit_test(an_amount_of_a_type_the_site_has_not_is_too_big),
        cmocka_unit_test(a_gang_starts_and_stops_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
