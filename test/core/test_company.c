/* Where VMs of roles that attract and repel each other are placed, and who makes room for them. */
#include "demand_checks.h"

static const struct company_rule self_apart = {.role = 1, .apart = true};
static const struct company_rule self_together = {.role = 1};
static const struct company_rule clusters_apart = {
    .role = 1, .apart = true, .level = COMPANY_CLUSTER};
static const struct company_rule rather_together = {.role = 1, .weight = 5};
static const struct company_rule rather_apart = {.role = 1, .apart = true, .weight = 5};

static struct vm_demand role_with(const struct company_rule *rule)
{
    return (struct vm_demand){.node = NODE_ANY, .role = 1, .rules = rule, .n_rules = 1};
}

static void vms_that_repel_each_other_are_apart(void **state)
{
    const struct vm_demand demand = role_with(&self_apart);
    struct scenario s;

    begin_with_units(&s, 3, NULL);
    ask(&s, with_vms(2, one_vm(1, 100, &demand)));
    ask(&s, one_vm(2, 50, &demand));
    settle(&s);
    ask(&s, reserved_from(20, one_vm(3, 50, &demand)));
    ask(&s, reserved_from(50, one_vm(5, 50, &demand)));
    ask(&s, with_vms(4, one_vm(4, 50, &demand)));
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-100 on 1,2; SHUTDOWN 100-100 on 1,2");
    assert_int_equal(host_of(&s, 2), 3);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_int_equal(host_of(&s, 5), 3);
    assert_string_equal(
        reason_of(&s, 4),
        "no-host-allowed: refused: 4 VMs requested, but the enabled hosts that meet its "
        "requirements (3) hold at most 3 when empty");
    finish_checked(&s);
}

static void a_repelling_vm_in_the_way_is_named(void **state)
{
    const struct vm_demand demand = role_with(&self_apart);
    struct scenario s;

    begin_with_units(&s, 2, NULL);
    s.settings.backfilling = BACKFILLING_OFF;
    ask(&s, with_vms(2, one_vm(1, 100, &demand)));
    ask(&s, one_vm(2, 100, &demand));
    settle(&s);
    assert_string_equal(reason_of(&s, 2), "kept-apart: all hosts with enough room (2) run VMs from "
                                          "which it must be kept apart (lease 1)");
    finish_checked(&s);
}

static void a_repelling_vm_makes_room(void **state)
{
    const struct vm_demand demand = role_with(&self_apart);
    struct scenario s;

    begin_with_units(&s, 1, NULL);
    reservations_preempt(&s);
    ask(&s, one_vm(1, 1000, NULL));
    ask(&s, one_vm(2, 1000, &demand));
    at(&s, 10);
    ask(&s, reserved_from(100, one_vm(3, 50, &demand)));
    settle(&s);
    assert_string_equal(preemptions(&s), "10: 2 for 3 at 100 suspend");
    finish_checked(&s);
}

static void the_first_of_vms_that_are_together_goes_where_all_have_room(void **state)
{
    const struct amounts rest = {{80, 600}};
    struct vm_demand demand = role_with(&self_together);
    struct scenario s;

    begin_with_units(&s, 2, NULL);
    ask(&s, (struct ask){.id = 9, .cpu = 50, .memory = 64, .duration = 500});
    settle(&s);
    demand.rest = &rest;
    ask(&s, one_vm(1, 200, &demand));
    settle(&s);
    assert_int_equal(host_of(&s, 1), 2);
    ask(&s, (struct ask){.id = 2, .cpu = 80, .memory = 600, .duration = 100, .demand = &demand});
    settle(&s);
    assert_int_equal(host_of(&s, 2), 2);
    ask(&s, (struct ask){.id = 3, .cpu = 30, .memory = 64, .duration = 50, .demand = &demand});
    settle(&s);
    assert_int_equal(host_of(&s, 3), 2);
    assert_string_equal(plan_of(&s, 3), "VM 100-150 on 2; SHUTDOWN 150-150 on 2");
    finish_checked(&s);
}

static void others_leave_room_for_vms_that_must_be_together(void **state)
{
    const struct amounts rest = {{80, 600}};
    struct vm_demand demand = role_with(&self_together);
    struct scenario s;

    begin_with_units(&s, 2, NULL);
    demand.rest = &rest;
    ask(&s, one_vm(1, 200, &demand));
    ask(&s, (struct ask){.id = 2, .cpu = 50, .memory = 64, .duration = 500});
    ask(&s, (struct ask){.id = 3, .cpu = 80, .memory = 600, .duration = 100, .demand = &demand});
    settle(&s);
    assert_int_equal(host_of(&s, 1), 1);
    assert_int_equal(host_of(&s, 2), 2);
    assert_int_equal(host_of(&s, 3), 1);
    finish_checked(&s);
}

static void vms_of_a_lease_that_must_be_together_are(void **state)
{
    struct vm_demand demand = role_with(&self_together);
    struct scenario s;

    begin_with_units(&s, 2, NULL);
    ask(&s, (struct ask){.id = 9, .cpu = 50, .memory = 64, .duration = 500});
    settle(&s);
    ask(&s, (struct ask){
                .id = 1, .vms = 3, .cpu = 30, .memory = 64, .duration = 100, .demand = &demand});
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-100 on 2; SHUTDOWN 100-100 on 2");
    finish_checked(&s);
}

static void clusters_count_as_places(void **state)
{
    const struct vm_demand demand = role_with(&clusters_apart);
    struct scenario s;

    begin_with_units(&s, 3, NULL);
    s.site.hosts[2].cluster = 100;
    ask(&s, with_vms(2, one_vm(1, 100, &demand)));
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-100 on 1,3; SHUTDOWN 100-100 on 1,3");
    finish_checked(&s);
}

static void preferences_change_the_order_of_hosts(void **state)
{
    const struct vm_demand near = role_with(&rather_together), away = role_with(&rather_apart);
    static const int64_t numbers[] = {0, 1, 0};
    static const struct host_rank rank = {.preferences = numbers};
    static const struct host_filter second_first = {.rank = &rank};
    struct ask what;
    struct scenario s;

    begin_with_units(&s, 3, NULL);
    what = one_vm(1, 100, &near);
    what.hosts = &second_first;
    ask(&s, what);
    settle(&s);
    ask(&s, one_vm(2, 100, &near));
    ask(&s, one_vm(3, 100, &away));
    settle(&s);
    ask(&s, with_vms(2, one_vm(4, 100, &away)));
    settle(&s);
    assert_int_equal(host_of(&s, 1), 2);
    assert_int_equal(host_of(&s, 2), 2);
    assert_int_equal(host_of(&s, 3), 1);
    assert_string_equal(plan_of(&s, 4), "VM 0-100 on 3,1; SHUTDOWN 100-100 on 3,1");
    finish_checked(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vms_that_repel_each_other_are_apart),
        cmocka_unit_test(a_repelling_vm_in_the_way_is_named),
        cmocka_unit_test(a_repelling_vm_makes_room),
        cmocka_unit_test(the_first_of_vms_that_are_together_goes_where_all_have_room),
        cmocka_unit_test(others_leave_room_for_vms_that_must_be_together),
        cmocka_unit_test(vms_of_a_lease_that_must_be_together_are),
        cmocka_unit_test(clusters_count_as_places),
        cmocka_unit_test(preferences_change_the_order_of_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
