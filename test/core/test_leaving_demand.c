/* Leases that must leave their hosts, with PCI devices or rules of VM groups. */
#include <string.h>

#include "demand_checks.h"
#include "leaving_scene.h"

enum { GPU = 0x0302, FIRST_ADDRESS = 50 };

static const struct pci_device gpu[] = {
    {.vendor = 1, .device = 1, .class_id = GPU, .address = FIRST_ADDRESS, .numa_node = NODE_ANY}};
static const struct host_units one_gpu = {.devices = gpu, .n_devices = 1};
static const struct pci_demand any_gpu = {DEMAND_ANY, DEMAND_ANY, GPU, DEMAND_ANY, DEMAND_ANY};
static const struct company_rule apart = {.role = 1, .apart = true};
static const struct company_rule together = {.role = 1};
static const struct vm_demand keeps_together = {
    .node = NODE_ANY, .role = 1, .rules = &together, .n_rules = 1};
static const struct vm_demand wants_gpu = {
    .node = NODE_ANY, .role = DEMAND_ANY, .devices = &any_gpu, .n_devices = 1};
static const struct vm_demand keeps_apart = {
    .node = NODE_ANY, .role = 1, .rules = &apart, .n_rules = 1};

/* Its first VM must leave host 1, the second stays on host 2. */
static void runs_twice(struct scenario *s, int64_t id, const struct vm_demand *demand)
{
    static const uint32_t hosts[] = {0, 1};
    const struct node_set set = {
        .count = 1, .amounts = {{[RESOURCE_CPU] = 50, [RESOURCE_MEMORY] = 512}}, .demand = demand};
    struct node_set sets[] = {set, set};

    sets[0].hosts = &off_first;
    sets[1].hosts = &on_second;
    runs(s, (struct ask){.id = id, .duration = 2000, .sets = sets, .n_sets = 2}, hosts, 3000, 1000);
}

static void devices_are_had_on_the_new_host(void **state)
{
    struct ask what = half(1, 2000);
    struct scenario s;

    leaving_begin(&s, 3);
    s.site.hosts[0].units = s.site.hosts[2].units = &one_gpu;
    what.hosts = &off_first;
    what.demand = &wants_gpu;
    runs(&s, what, first, 3000, 1000);
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 1), "VM 1041-3000 on 3"));
    what.id = 2;
    what.hosts = NULL;
    ask(&s, what); /* host 1 is free of it then; the device of host 3 is taken already */
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 2), "VM 1041-3041 on 1"));
    check_demands(&s);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void vms_of_a_lease_have_theirs(void **state)
{
    struct scenario s;

    leaving_begin(&s, 3);
    for (size_t host = 0; host < 3; host++)
        s.site.hosts[host].units = &one_gpu;
    runs_twice(&s, 1, &wants_gpu);
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 900-1041 on 1,2; MEM_MIGRATION 1000-1041 on 3,1; "
                                        "VM 1041-3000 on 3,2; SHUTDOWN 3000-3000 on 3,2");
    check_demands(&s);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* The only other host with a device is that of the VM that stays. */
static void a_vm_that_stays_keeps_its_units(void **state)
{
    struct scenario s;

    leaving_begin(&s, 3);
    s.site.hosts[0].units = s.site.hosts[1].units = &one_gpu;
    runs_twice(&s, 1, &wants_gpu);
    settle(&s);
    assert_non_null(strstr(reason_of(&s, 1), "cannot-leave: "));
    check_demands(&s);
    scenario_end(&s);
}

static void vms_of_a_group_stay_apart(void **state)
{
    struct scenario s;

    leaving_begin(&s, 3);
    runs_twice(&s, 1, &keeps_apart);
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 1), "VM 1041-3000 on 3,2"));
    check_demands(&s);
    run_to_end(&s);
    scenario_end(&s);

    leaving_begin(&s, 2);
    runs_twice(&s, 1, &keeps_apart);
    settle(&s);
    assert_non_null(strstr(reason_of(&s, 1), "cannot-leave: "));
    check_demands(&s);
    scenario_end(&s);
}

/* Two leases that must be on one host leave it, although neither could alone. */
static void what_must_be_together_leaves_together(void **state)
{
    struct ask what = half(1, 2000);
    struct scenario s;

    leaving_begin(&s, 2);
    what.hosts = &off_first;
    what.demand = &keeps_together;
    runs(&s, what, first, 3000, 1000);
    what.id = 2;
    runs(&s, what, first, 3000, 1000);
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 1), "VM 1041-3000 on 2"));
    assert_non_null(strstr(plan_of(&s, 2), "VM 1041-3000 on 2"));
    check_demands(&s);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Those that leave together make way together. */
static void they_make_way_together(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct ask what = half(1, 5000);
        struct ask later = {.id = 3, .kind = LEASE_RESERVATION, .start = 4500, .duration = 300};
        struct scenario s;

        leaving_begin(&s, 3);
        close_host(&s, first, 4000, INSTANT_NEVER);
        what.hosts = &off_first;
        what.demand = &keeps_together;
        what.non_preemptable = later.non_preemptable = true;
        for (; what.id <= 2; what.id++)
            runs(&s, what, first, 5900, 4000);
        settle(&s);
        later.hosts = i ? &on_second : &on_third;
        ask(&s, later);
        run_to_end(&s);
        assert_int_equal(state_of(&s, 3), LEASE_DONE);
        for (int64_t id = 1; id <= 2; id++)
            assert_non_null(strstr(plan_of(&s, id), i ? "-5900 on 3" : "-5900 on 2"));
        check_demands(&s);
        scenario_end(&s);
    }
}

/* Neither host has room for both: they stay. */
static void or_not_at_all(void **state)
{
    struct ask what = half(1, 2000);
    struct scenario s;

    leaving_begin(&s, 3);
    what.hosts = &off_first;
    what.demand = &keeps_together;
    for (; what.id <= 2; what.id++)
        runs(&s, what, first, 3000, 1000);
    for (int64_t id = 3; id <= 4; id++)
        runs(&s, half(id, 2000), id == 3 ? second : third, 3000, 0);
    settle(&s);
    assert_string_equal(
        reason_of(&s, 1),
        "cannot-leave: must leave its host by 1000, but no other host that it may use has "
        "enough room and also meets its PCI device, CPU pinning and VM group requirements for the "
        "rest of its lifetime");
    assert_non_null(strstr(reason_of(&s, 2), "cannot-leave: "));
    check_demands(&s);
    run_to_end(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_had_on_the_new_host),
        cmocka_unit_test(vms_of_a_lease_have_theirs),
        cmocka_unit_test(a_vm_that_stays_keeps_its_units),
        cmocka_unit_test(vms_of_a_group_stay_apart),
        cmocka_unit_test(what_must_be_together_leaves_together),
        cmocka_unit_test(they_make_way_together),
        cmocka_unit_test(or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
