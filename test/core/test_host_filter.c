/* Leases that may use some hosts only, or like some better, and hosts that are closed. */
#include "scenario.h"

#include <string.h>

static const uint64_t only_second[] = {0x2};
static const uint64_t last_two[] = {0xc};
static const uint64_t none[] = {0x0};
static const struct host_filter on_second = {.allowed = only_second};
static const struct host_filter on_last_two = {.allowed = last_two};
static const struct host_filter nowhere = {.allowed = none};

static struct ask small(int64_t id, uint32_t vms, const struct host_filter *hosts)
{
    return (struct ask){.id = id,
                        .vms = vms,
                        .cpu = SCENARIO_CPU / 4,
                        .memory = SCENARIO_MEMORY / 4,
                        .duration = 100,
                        .hosts = hosts};
}

/* "1 1 3": the hosts of the VMs of the lease's last stretch. */
static const char *hosts_of(struct scenario *s, int64_t id)
{
    const struct lease *lease = lease_of(s, id);
    const struct reservation *vm = NULL;
    size_t length = 0;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM)
            vm = lease->reservations[i];
    s->answer[0] = '\0';
    for (uint32_t i = 0; vm && i < vm->placement->n_vms; i++)
        length += (size_t)snprintf(s->answer + length, sizeof s->answer - length, "%s%d",
                                   i ? " " : "", s->site.hosts[vm->placement->vms[i].host].id);
    return s->answer;
}

static void vms_go_to_allowed_hosts_only(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, small(1, 6, &on_last_two));
    ask(&s, small(2, 1, &on_second));
    assert_string_equal(hosts_of(&s, 1), "3 3 3 3 4 4");
    assert_string_equal(hosts_of(&s, 2), "2");
    scenario_end(&s);
}

static void they_wait_for_an_allowed_host(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, (struct ask){.id = 1, .duration = 50, .hosts = &on_second});
    ask(&s, (struct ask){.id = 2, .duration = 50, .hosts = &on_second});
    ask(&s, (struct ask){.id = 3, .duration = 50, .hosts = &on_second});
    assert_string_equal(plan_of(&s, 2), "VM 50-100 on 2; SHUTDOWN 100-100 on 2");
    assert_string_equal(reason_of(&s, 3),
                        "no-room-now: waits for room: 1 VM requested, room for 0 now");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->end, 150);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void what_no_allowed_host_could_hold_is_refused(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, (struct ask){.id = 1, .duration = 50, .hosts = &nowhere});
    ask(&s, (struct ask){.id = 2, .vms = 3, .duration = 50, .hosts = &on_last_two});
    ask(&s, (struct ask){.id = 3,
                         .kind = LEASE_RESERVATION,
                         .start = 70,
                         .vms = 3,
                         .duration = 50,
                         .hosts = &on_last_two});
    ask(&s, (struct ask){.id = 4, .vms = 5, .duration = 50, .hosts = &on_last_two});
    assert_string_equal(reason_of(&s, 1),
                        "no-host-allowed: refused: 1 VM requested, but no enabled host meets its "
                        "requirements");
    assert_string_equal(
        reason_of(&s, 2),
        "no-host-allowed: refused: 3 VMs requested, but the enabled hosts that meet "
        "its requirements (2) hold at most 2 when empty");
    assert_int_equal(lease_of(&s, 3)->reason.id, REASON_NO_HOST_ALLOWED);
    assert_int_equal(lease_of(&s, 4)->reason.id, REASON_TOO_BIG);
    scenario_end(&s);
}

static void a_refused_reservation_is_told_how_many_would_fit(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, (struct ask){.id = 1, .duration = 100, .hosts = &on_last_two});
    settle(&s);
    ask(&s, (struct ask){.id = 2,
                         .kind = LEASE_RESERVATION,
                         .start = 70,
                         .vms = 2,
                         .duration = 50,
                         .hosts = &on_last_two});
    assert_string_equal(
        reason_of(&s, 2),
        "no-room-at-start: refused: no room for 2 VMs from 70 until 120, only for 1");
    scenario_end(&s);
}

static void the_largest_rank_comes_first(void **state)
{
    static const int64_t numbers[] = {-5, 7, 7, 100};
    static const struct host_rank rank = {.preferences = numbers};
    static const uint64_t not_last[] = {0x7};
    static const struct host_filter filter = {.allowed = not_last, .rank = &rank};
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, small(1, 9, &filter));
    assert_string_equal(hosts_of(&s, 1), "2 2 2 2 3 3 3 3 1");
    scenario_end(&s);
}

static void score_by_place(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->hosts[i];
}

static void the_policy_decides_among_equals(void **state)
{
    static const int64_t numbers[] = {1, 0, 1, 0};
    static const struct host_rank rank = {.preferences = numbers};
    static const struct host_filter filter = {.rank = &rank};
    struct scenario s;

    scenario_begin(&s, 4);
    s.policies.score_hosts = score_by_place;
    ask(&s, small(1, 12, &filter));
    assert_string_equal(hosts_of(&s, 1), "3 3 3 3 1 1 1 1 4 4 4 4");
    scenario_end(&s);
}

static void veto_hosts_that_have_vms(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->leases_present[i] ? POLICY_VETO : 0;
}

static void a_veto_counts_more_than_a_rank(void **state)
{
    static const double column[16] = {[1] = 9, [3] = 9};
    static const struct rank_step step = {.operation = RANK_COLUMN, .column = column};
    struct rank_values *values = rank_values_create(column, 16);
    const struct host_rank rank = {.steps = &step, .n = 1, .depth = 1, .values = values};
    const struct host_filter filter = {.rank = &rank};
    struct scenario s;

    scenario_begin(&s, 16);
    s.policies.score_hosts = veto_hosts_that_have_vms;
    s.policies.host_columns = HOST_COLUMN_LEASES | HOST_COLUMNS_SUFFICE;
    for (int id = 1; id <= 3; id++) {
        ask(&s, small(id, 1, &filter));
        settle(&s);
    }
    assert_string_equal(hosts_of(&s, 1), "2");
    assert_string_equal(hosts_of(&s, 2), "4");
    assert_string_equal(hosts_of(&s, 3), "1");
    scenario_end(&s);
    rank_values_destroy(values);
}

static void packing_fills_hosts_that_have_vms(void **state)
{
    static const struct host_filter packing = {.rank_per_vm = 1};
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, small(1, 1, &on_second));
    settle(&s);
    ask(&s, small(2, 4, &packing));
    ask(&s, small(3, 2, &packing));
    assert_string_equal(hosts_of(&s, 2), "2 2 2 1");
    assert_string_equal(hosts_of(&s, 3), "1 1");
    scenario_end(&s);
}

static void striping_spreads_vms(void **state)
{
    static const struct host_filter striping = {.rank_per_vm = -1};
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, small(1, 2, &on_second));
    settle(&s);
    ask(&s, small(2, 5, &striping));
    ask(&s, small(3, 1, &striping));
    assert_string_equal(hosts_of(&s, 2), "1 3 4 1 3");
    assert_string_equal(hosts_of(&s, 3), "4");
    scenario_end(&s);
}

static void vms_that_have_gone_do_not_count(void **state)
{
    static const struct host_filter packing = {.rank_per_vm = 1};
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, small(1, 3, &on_second));
    ask(&s, small(2, 2, &on_last_two));
    at(&s, 10);
    cancel(&s, 1);
    settle(&s);
    ask(&s, small(3, 1, &packing));
    assert_string_equal(hosts_of(&s, 3), "3");
    at(&s, 300);
    ask(&s, small(4, 1, &packing));
    assert_string_equal(hosts_of(&s, 4), "1");
    scenario_end(&s);
}

static void each_node_set_has_its_own_hosts(void **state)
{
    const struct amounts quarter = {{25, 256}}, half = {{50, 512}};
    const struct node_set sets[] = {{.count = 2, .amounts = quarter, .hosts = &on_second},
                                    {.count = 1, .amounts = half, .hosts = &on_second},
                                    {.count = 1, .amounts = half},
                                    {.count = 2, .amounts = half, .hosts = &on_last_two}};
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, (struct ask){.id = 1, .duration = 100, .sets = sets, .n_sets = 4});
    assert_string_equal(hosts_of(&s, 1), "2 2 2 1 3 3");
    settle(&s);
    ask(&s, (struct ask){.id = 2, .duration = 100, .sets = sets, .n_sets = 4});
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 100);
    scenario_end(&s);
}

static void only_leases_on_allowed_hosts_are_preempted(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    reservations_preempt(&s);
    for (int64_t id = 1; id <= 4; id++)
        best_effort(&s, id, 1, 1000);
    at(&s, 100);
    ask(&s,
        (struct ask){
            .id = 9, .kind = LEASE_RESERVATION, .start = 500, .duration = 50, .hosts = &on_second});
    assert_string_equal(preemptions(&s), "100: 2 for 9 at 500 suspend");
    assert_string_equal(hosts_of(&s, 9), "2");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_closed_host_takes_nothing_new(void **state)
{
    static const uint32_t first[] = {0};
    struct scenario s;

    scenario_begin(&s, 2);
    s.site.hosts[0].closed = true;
    adopt(&s, (struct ask){.id = 1, .cpu = 25, .memory = 256, .duration = 100},
          (struct adoption){.as = ADOPTED_RUNNING, .vm_host = first, .until = 100});
    ask(&s, small(2, 4, NULL));
    ask(&s, small(3, 2, NULL));
    assert_string_equal(hosts_of(&s, 2), "2 2 2 2");
    assert_string_equal(plan_of(&s, 3), "VM 100-200 on 2; SHUTDOWN 200-200 on 2");
    assert_string_equal(hosts_of(&s, 1), "1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Its memory is on a host that takes no VMs any more. */
static void memory_on_a_closed_host_waits(void **state)
{
    static const uint32_t first[] = {0};
    struct scenario s;

    scenario_begin(&s, 2);
    s.site.hosts[0].closed = true;
    adopt(&s, (struct ask){.id = 1, .duration = 100},
          (struct adoption){.as = ADOPTED_SUSPENDED, .vm_host = first, .accumulated = 10});
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_SUSPENDED_QUEUED);
    scenario_end(&s);
    scenario_begin(&s, 2);
    s.site.hosts[0].closed = true;
    s.settings.migration = MIGRATION_YES_NOTRANSFER;
    adopt(&s, (struct ask){.id = 1, .duration = 100},
          (struct adoption){.as = ADOPTED_SUSPENDED, .vm_host = first, .accumulated = 10});
    run_to_end(&s);
    assert_string_equal(hosts_of(&s, 1), "2");
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    scenario_end(&s);
}

static void a_deadline_lease_keeps_to_its_hosts(void **state)
{
    struct scenario s;

    scenario_begin(&s, 4);
    ask(&s, (struct ask){.id = 1, .duration = 300, .hosts = &on_second, .non_preemptable = true});
    settle(&s);
    ask(&s, (struct ask){.id = 2,
                         .kind = LEASE_DEADLINE,
                         .duration = 100,
                         .deadline = 1000,
                         .hosts = &on_second});
    ask(&s, (struct ask){.id = 3,
                         .kind = LEASE_DEADLINE,
                         .duration = 100,
                         .deadline = 350,
                         .hosts = &on_second});
    run_to_end(&s);
    assert_string_equal(hosts_of(&s, 2), "2");
    assert_int_equal(lease_of(&s, 2)->end, 400);
    assert_int_equal(lease_of(&s, 3)->reason.id, REASON_DEADLINE_UNREACHABLE);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vms_go_to_allowed_hosts_only),
        cmocka_unit_test(they_wait_for_an_allowed_host),
        cmocka_unit_test(what_no_allowed_host_could_hold_is_refused),
        cmocka_unit_test(a_refused_reservation_is_told_how_many_would_fit),
        cmocka_unit_test(the_largest_rank_comes_first),
        cmocka_unit_test(the_policy_decides_among_equals),
        cmocka_unit_test(a_veto_counts_more_than_a_rank),
        cmocka_unit_test(packing_fills_hosts_that_have_vms),
        cmocka_unit_test(striping_spreads_vms),
        cmocka_unit_test(vms_that_have_gone_do_not_count),
        cmocka_unit_test(each_node_set_has_its_own_hosts),
        cmocka_unit_test(only_leases_on_allowed_hosts_are_preempted),
        cmocka_unit_test(a_closed_host_takes_nothing_new),
        cmocka_unit_test(memory_on_a_closed_host_waits),
        cmocka_unit_test(a_deadline_lease_keeps_to_its_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
