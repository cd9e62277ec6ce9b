/* How long suspending and resuming take: Sotomayor et al., section 4. With N VMs, enactment
 * overhead e, memory m and rate s: global exclusion N (e + m / s); local exclusion N e + max n_i m
 * / s, with n_i VMs on host i. */
#include "scenario.h"

/* Lease 1 runs on its hosts until a reservation of the whole site begins at 1000. */
static void suspended_for_the_whole_site(struct scenario *s, uint32_t vms, int64_t memory)
{
    int64_t n_hosts = (int64_t)s->site.n_hosts;
    struct amounts whole = s->site.hosts[0].capacity;

    ask(s, (struct ask){.id = 2,
                        .kind = LEASE_RESERVATION,
                        .vms = (uint32_t)n_hosts,
                        .cpu = whole.of[RESOURCE_CPU],
                        .memory = whole.of[RESOURCE_MEMORY],
                        .start = 1000,
                        .duration = 100});
    settle(s);
    ask(s, (struct ask){.id = 1, .vms = vms, .memory = memory, .duration = 5000});
    settle(s);
}

static void one_vm_takes_memory_over_rate_rounded_up(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.resume_rate = 64;
    suspended_for_the_whole_site(&s, 1, 1000); /* 31.25 s, 15.6 s */
    assert_string_equal(plan_of(&s, 1), "VM 0-968 on 1; SUSPEND 968-1000 on 1");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1),
                        "VM 0-968 on 1; SUSPEND 968-1000 on 1; RESUME 1100-1116 on 1; "
                        "VM 1116-5148 on 1; SHUTDOWN 5148-5148 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void local_exclusion_suspends_hosts_side_by_side(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    suspended_for_the_whole_site(&s, 3, 1024);
    assert_string_equal(plan_of(&s, 1), "VM 0-968 on 1,2,3; SUSPEND 968-1000 on 1,2,3");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void overhead_is_added_once_for_each_vm_of_the_lease(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    s.settings.enactment_overhead = 2;
    suspended_for_the_whole_site(&s, 3, 1024);
    /* N e + m / s = 3 x 2 + 32; resumed likewise; the shutdown takes N e. */
    assert_string_equal(plan_of(&s, 1), "VM 0-962 on 1,2,3; SUSPEND 962-1000 on 1,2,3");
    at(&s, 1101);
    assert_string_equal(plan_of(&s, 1), "VM 0-962 on 1,2,3; SUSPEND 962-1000 on 1,2,3; "
                                        "RESUME 1106-1144 on 1,2,3; VM 1144-5182 on 1,2,3; "
                                        "SHUTDOWN 5182-5188 on 1,2,3");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 5000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void global_exclusion_suspends_one_vm_after_the_other(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    s.settings.exclusion = EXCLUSION_GLOBAL;
    s.settings.enactment_overhead = 2;
    suspended_for_the_whole_site(&s, 3, 1024);
    /* N (e + m / s) = 3 x 34; hosts that wait for their turn hold their VMs. */
    assert_int_equal(lease_of(&s, 1)->reservations[0]->until, 1000 - 102);
    for (uint32_t host = 0; host < 3; host++) {
        assert_int_equal(engine_free(s.engine, host, RESOURCE_CPU, 1000 - 34 * host - 1), 0);
        assert_int_equal(engine_free(s.engine, host, RESOURCE_CPU, 898), 0);
    }
    assert_int_equal(engine_free(s.engine, 2, RESOURCE_CPU, 932), 100);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->end, 1106 + 102 + (5000 - 898) + 6);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* VMs 1 and 3 share a host; with global exclusion VM 2 comes between them. */
static void a_host_holds_its_vms_between_their_turns(void **state)
{
    struct scenario s;
    struct node_set sets[] = {{.count = 2, .amounts = {{50, 256}}},
                              {.count = 1, .amounts = {{150, 512}}}};
    const struct placement *placement;

    scenario_begin(&s, 0);
    add_hosts(&s, 2, 200, 1024);
    s.settings.exclusion = EXCLUSION_GLOBAL;
    ask(&s, (struct ask){.id = 2,
                         .kind = LEASE_RESERVATION,
                         .vms = 2,
                         .cpu = 200,
                         .start = 1000,
                         .duration = 100});
    settle(&s);
    ask(&s, (struct ask){.id = 1, .duration = 5000, .sets = sets, .n_sets = 2});
    placement = lease_of(&s, 1)->reservations[0]->placement;
    assert_int_equal(placement->vms[0].host, 0);
    assert_int_equal(placement->vms[1].host, 1);
    assert_int_equal(placement->vms[2].host, 0);
    /* 16 s for VM 3, 8 s for VM 2, 8 s for VM 1. */
    assert_int_equal(lease_of(&s, 1)->reservations[0]->until, 968);
    assert_in_range(engine_free(s.engine, 0, RESOURCE_MEMORY, 984), 0, 1024 - 256);
    assert_in_range(engine_free(s.engine, 0, RESOURCE_MEMORY, 991), 0, 1024 - 256);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void vms_of_one_host_follow_each_other(void **state)
{
    struct scenario s;
    const struct lease *lease;

    scenario_begin(&s, 0);
    add_hosts(&s, 2, 300, 3072);
    s.settings.enactment_overhead = 1;
    suspended_for_the_whole_site(&s, 5, 1024); /* three on host 1, two on host 2 */
    lease = lease_of(&s, 1);
    /* N e + max n_i m / s = 5 + 3 x 32 */
    assert_int_equal(lease->reservations[0]->until, 1000 - 101);
    for (size_t i = 1; i < lease->n_reservations; i++) {
        assert_int_equal(lease->reservations[i]->kind, RESERVATION_SUSPEND);
        assert_in_range(lease->reservations[i]->until, 899, 1000);
    }
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void override_takes_the_place_of_memory_over_rate(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.override_suspend_time = 7;
    s.settings.override_resume_time = 3;
    suspended_for_the_whole_site(&s, 2, 1024);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-993 on 1,2; SUSPEND 993-1000 on 1,2; "
                                        "RESUME 1100-1103 on 1,2; VM 1103-5110 on 1,2; "
                                        "SHUTDOWN 5110-5110 on 1,2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void suspension_may_take_no_time_at_all(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.override_suspend_time = 0;
    s.settings.override_resume_time = 0;
    suspended_for_the_whole_site(&s, 1, 1024);
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_int_equal(lease_of(&s, 1)->end, 5100);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Haizea: n operations of a host follow each other, then each window grows by its overhead. */
static void haizea_adds_the_overhead_to_each_window(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    as_haizea(&s);
    s.settings.enactment_overhead = 2;
    suspended_for_the_whole_site(&s, 2, 1024);
    assert_string_equal(plan_of(&s, 1), "VM 0-964 on 1,2; SUSPEND 964-1000 on 1,2");
    /* No CPU, and the memory of the VM on each host, as memory and as disk. */
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_CPU, 970), 100);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_MEMORY, 970), 0);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_DISK, 970), 1000000 - 1024);
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    scenario_end(&s);
}

static void haizea_moves_unequal_windows_apart_over_the_site(void **state)
{
    struct scenario s;
    struct node_set sets[] = {{.count = 1, .amounts = {{100, 1024}}},
                              {.count = 1, .amounts = {{100, 512}}}};

    for (int haizea = 0; haizea < 2; haizea++) {
        scenario_begin(&s, 2);
        if (haizea)
            as_haizea(&s);
        reservation(&s, 2, 2, 1000, 100);
        settle(&s);
        ask(&s, (struct ask){.id = 1, .duration = 5000, .sets = sets, .n_sets = 2});
        /* Side by side: max(32, 16). Moved apart: 32 + 16. */
        assert_int_equal(lease_of(&s, 1)->reservations[0]->until, haizea ? 952 : 968);
        run_to_end(&s);
        assert_int_equal(state_of(&s, 1), LEASE_DONE);
        scenario_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_vm_takes_memory_over_rate_rounded_up),
        cmocka_unit_test(local_exclusion_suspends_hosts_side_by_side),
        cmocka_unit_test(overhead_is_added_once_for_each_vm_of_the_lease),
        cmocka_unit_test(global_exclusion_suspends_one_vm_after_the_other),
        cmocka_unit_test(a_host_holds_its_vms_between_their_turns),
        cmocka_unit_test(vms_of_one_host_follow_each_other),
        cmocka_unit_test(override_takes_the_place_of_memory_over_rate),
        cmocka_unit_test(suspension_may_take_no_time_at_all),
        cmocka_unit_test(haizea_adds_the_overhead_to_each_window),
        cmocka_unit_test(haizea_moves_unequal_windows_apart_over_the_site),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
