/* Leases that run are moved to better hosts when that gains enough. Host 2 is three times as fast
 * as host 1, host 3 a little faster; moves cost what the test says. 1024 MB at 100 Mbit/s take 82
 * s. */
#include <string.h>

#include "demand_checks.h"
#include "scenario.h"

struct speeds {
    int64_t of[4];    /* milliseconds for a second of work; 0: like 1000 */
    int64_t transfer; /* milliseconds that a move costs */
};

static int64_t pace(const struct speeds *speeds, uint32_t host)
{
    return host < 4 && speeds->of[host] ? speeds->of[host] : 1000;
}

static void score(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = 1000000 - pace(context, batch->hosts[i]);
}

/* The work that is left goes at the pace of the slowest host. */
static int64_t estimate(void *context, const struct lease_estimate *question)
{
    const struct lease *lease = question->lease;
    int64_t slowest = 0, ran = lease->accumulated, moved = 0;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM &&
            lease->reservations[i]->state == RESERVATION_ACTIVE)
            ran += question->at - lease->reservations[i]->from;
    for (uint32_t vm = 0; vm < lease->n_vms; vm++) {
        if (pace(context, question->hosts[vm]) > slowest)
            slowest = pace(context, question->hosts[vm]);
        if (question->hosts[vm] != question->from[vm])
            moved = ((const struct speeds *)context)->transfer + 1000 * question->overhead;
    }
    if (lease->request.duration == SPAN_UNLIMITED)
        return slowest;
    return 1000 * ran + (lease->request.duration - ran) * slowest + moved;
}

static void begin(struct scenario *s, size_t n_hosts, struct speeds *speeds)
{
    scenario_begin(s, n_hosts);
    s->settings.migration_interval = 1000;
    s->settings.transfer_bandwidth = 100;
    s->settings.migration = MIGRATION_YES;
    s->policies.context = speeds;
    s->policies.score_hosts = score;
    s->policies.estimate = estimate;
}

static void runs(struct scenario *s, int64_t id, uint32_t vms, int64_t duration, const char *terms)
{
    ask(s, (struct ask){.id = id, .vms = vms, .duration = duration, .terms = terms});
}

static void it_moves_when_a_better_host_is_free(void **state)
{
    struct speeds speeds = {.of = {1000, 300}};
    struct scenario s;

    begin(&s, 2, &speeds);
    reservation(&s, 2, 1, 0, 100); /* the fast host */
    settle(&s);
    runs(&s, 1, 1, 1000, "migratable");
    at(&s, 99);
    assert_string_equal(plan_of(&s, 1), "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-182 on 1; MEM_MIGRATION 100-182 on 2,1; "
                                        "VM 182-1000 on 2; SHUTDOWN 1000-1000 on 2");
    assert_string_equal(states_of(&s, 1), "0 Pending Queued Scheduled Ready Active | "
                                          "100 Migrating | 182 Active | 1000 Done");
    assert_string_equal(reason_of(&s, 1),
                        "moved: moved to better hosts at 100: total time 16m40s without the "
                        "move, 6m10s with it (63 percent less)");
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Two leases leave one host for another; each is sent at 100 Mbit/s. */
static void moves_share_the_network(void **state)
{
    for (int64_t capacity = 199; capacity <= 200; capacity++) {
        struct speeds speeds = {.of = {1000, 300}};
        struct scenario s;
        bool together = capacity == 200;

        begin(&s, 2, &speeds);
        for (int host = 0; host < 2; host++) {
            s.site.hosts[host].capacity.of[RESOURCE_NET_IN] = capacity;
            s.site.hosts[host].capacity.of[RESOURCE_NET_OUT] = capacity;
        }
        reservation(&s, 9, 1, 0, 100);
        settle(&s);
        for (int64_t id = 1; id <= 2; id++)
            ask(&s,
                (struct ask){
                    .id = id, .cpu = 50, .memory = 512, .duration = 5000, .terms = "migratable"});
        run_to_end(&s);
        assert_string_equal(plan_of(&s, 1), "VM 0-141 on 1; MEM_MIGRATION 100-141 on 2,1; "
                                            "VM 141-5000 on 2; SHUTDOWN 5000-5000 on 2");
        assert_true(strstr(plan_of(&s, 2), "MEM_MIGRATION"));
        assert_true(!strstr(plan_of(&s, 2), "MEM_MIGRATION 100-141 on 2,1") == !together);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void below_the_threshold_it_stays(void **state)
{
    for (int64_t threshold = 62; threshold <= 64; threshold++) {
        struct speeds speeds = {.of = {1000, 300}};
        struct scenario s;

        begin(&s, 2, &speeds);
        s.settings.migration_threshold = (double)threshold; /* the gain is 63 percent */
        reservation(&s, 2, 1, 0, 100);
        settle(&s);
        runs(&s, 1, 1, 1000, "migratable");
        at(&s, 500);
        settle(&s);
        assert_int_equal(lease_of(&s, 1)->n_reservations, threshold > 63 ? 2 : 4);
        scenario_end(&s);
    }
}

static void what_the_move_costs_counts(void **state)
{
    struct speeds speeds = {.of = {1000, 300}, .transfer = 540 * 1000}; /* leaves 9 percent */
    struct scenario s;

    begin(&s, 2, &speeds);
    reservation(&s, 2, 1, 0, 100);
    settle(&s);
    runs(&s, 1, 1, 1000, "migratable");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
    scenario_end(&s);
}

/* Terms, kind, an interval of 0, and Haizea's way forbid it. */
static void only_those_that_may_are_moved(void **state)
{
    static const struct {
        const char *terms;
        enum lease_kind kind;
        int64_t interval;
    } cases[] = {{"suspendable", LEASE_BEST_EFFORT, 1000},
                 {"non-preemptable", LEASE_BEST_EFFORT, 1000},
                 {"migratable", LEASE_RESERVATION, 1000},
                 {"migratable", LEASE_BEST_EFFORT, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct speeds speeds = {.of = {1000, 300}};
        struct scenario s;

        begin(&s, 2, &speeds);
        s.settings.migration_interval = cases[i].interval;
        reservation(&s, 2, 1, 0, 100);
        settle(&s);
        ask(&s, (struct ask){
                    .id = 1, .kind = cases[i].kind, .duration = 1000, .terms = cases[i].terms});
        run_to_end(&s);
        assert_int_equal(lease_of(&s, 1)->n_reservations, 2);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* The fast host is free from 100 on, but promised to another from 600 on. */
static void promises_are_in_the_way(void **state)
{
    struct speeds speeds = {.of = {1000, 300}};
    struct scenario s;

    begin(&s, 2, &speeds);
    reservation(&s, 2, 1, 0, 100);
    reservation(&s, 3, 1, 600, 300);
    settle(&s);
    runs(&s, 1, 1, 1000, "migratable");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
    assert_string_equal(plan_of(&s, 3), "VM 600-900 on 2; SHUTDOWN 900-900 on 2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Nothing ends at 1000, but a host became faster before: the interval finds it. */
static void the_interval_finds_what_changed_meanwhile(void **state)
{
    struct speeds speeds = {.of = {1000, 1000}};
    struct scenario s;

    begin(&s, 2, &speeds);
    runs(&s, 1, 1, 5000, "migratable");
    at(&s, 500);
    speeds.of[1] = 300;
    assert_int_equal(engine_next_time(s.engine), 1000);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-1082 on 1; MEM_MIGRATION 1000-1082 on 2,1; "
                                        "VM 1082-5000 on 2; SHUTDOWN 5000-5000 on 2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Of two VMs one stays, as there is only one better host. */
static void vms_that_need_not_move_stay(void **state)
{
    struct speeds speeds = {.of = {1000, 300, 500}};
    struct scenario s;

    begin(&s, 3, &speeds);
    reservation(&s, 2, 1, 0, 100); /* host 2 */
    settle(&s);
    runs(&s, 1, 2, 1000, "migratable"); /* hosts 3 and 1 */
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-182 on 3,1; MEM_MIGRATION 100-182 on 2,1; "
                                        "VM 182-1000 on 3,2; SHUTDOWN 1000-1000 on 3,2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void cold_it_is_suspended_and_resumed(void **state)
{
    struct speeds speeds = {.of = {1000, 300}};
    struct scenario s;

    begin(&s, 2, &speeds);
    s.settings.migration_mode = MOVING_COLD;
    reservation(&s, 2, 1, 0, 100);
    settle(&s);
    runs(&s, 1, 1, 1000, "migratable");
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1),
                        "VM 0-100 on 1; SUSPEND 100-132 on 1; MEM_MIGRATION 132-214 on 1,2; "
                        "RESUME 214-246 on 2; VM 246-1146 on 2; SHUTDOWN 1146-1146 on 2");
    assert_string_equal(states_of(&s, 1),
                        "0 Pending Queued Scheduled Ready Active | 100 Suspending | "
                        "132 Suspended-Pending Suspended-Scheduled | 214 Resuming | "
                        "246 Resumed-Ready Active | 1146 Done");
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* A deadline lease that would be late after a cold move stays where it is. */
static void deadlines_are_kept(void **state)
{
    for (int64_t deadline = 1146; deadline >= 1145; deadline--) {
        struct speeds speeds = {.of = {1000, 300}};
        struct scenario s;

        begin(&s, 2, &speeds);
        s.settings.migration_mode = MOVING_COLD;
        reservation(&s, 2, 1, 0, 100);
        settle(&s);
        ask(&s, (struct ask){.id = 1,
                             .kind = LEASE_DEADLINE,
                             .duration = 1000,
                             .deadline = deadline,
                             .terms = "migratable"});
        run_to_end(&s);
        assert_int_equal(state_of(&s, 1), LEASE_DONE);
        assert_int_equal(lease_of(&s, 1)->end, deadline == 1146 ? 1146 : 1000);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* Whenever it is given up or ends by itself, nothing is left. */
static void it_may_end_at_any_time(void **state)
{
    for (int64_t time = 95; time < 1000; time += 7) {
        for (int how = 0; how < 4; how++) {
            struct speeds speeds = {.of = {1000, 300}};
            struct scenario s;

            begin(&s, 2, &speeds);
            s.settings.migration_mode = how < 2 ? MOVING_LIVE : MOVING_COLD;
            reservation(&s, 2, 1, 0, 100);
            settle(&s);
            runs(&s, 1, 1, 1000, "migratable");
            at(&s, time);
            if (how % 2 == 0)
                cancel(&s, 1);
            else if (state_of(&s, 1) == LEASE_ACTIVE || state_of(&s, 1) == LEASE_MIGRATING)
                ends(&s, 1);
            run_to_end(&s);
            assert_int_equal(state_of(&s, 1), how % 2 ? LEASE_DONE : LEASE_CANCELLED);
            expect_nothing_left(&s);
            scenario_end(&s);
        }
    }
}

/* A lease without end is moved, too, and has none on its new host. */
static void without_end(void **state)
{
    struct speeds speeds = {.of = {1000, 300}};
    struct scenario s;

    begin(&s, 2, &speeds);
    reservation(&s, 2, 1, 0, 100);
    settle(&s);
    ask(&s, (struct ask){.id = 1, .duration = SPAN_UNLIMITED, .terms = "migratable"});
    at(&s, 1000);
    assert_int_equal(lease_of(&s, 1)->n_reservations, 3);
    assert_int_equal(lease_of(&s, 1)->reservations[2]->placement->hosts[0], 1);
    assert_int_equal(lease_of(&s, 1)->reservations[2]->until, INSTANT_NEVER);
    cancel(&s, 1);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void nobody_estimates(void **state)
{
    struct speeds speeds = {.of = {1000, 300}};
    struct scenario s;

    begin(&s, 2, &speeds);
    s.policies.estimate = NULL;
    reservation(&s, 2, 1, 0, 100);
    settle(&s);
    runs(&s, 1, 1, 5000, "migratable");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->n_reservations, 2);
    scenario_end(&s);
}

/* --- demands ---------------------------------------------------------------------------------- */

static const uint32_t only_thread[] = {0};
static const struct numa_core core = {only_thread, 1};
static const struct numa_node node = {.cores = &core, .n_cores = 1, .memory_kb = 1 << 20};
static const struct pci_device device = {.vendor = 1, .numa_node = NODE_ANY};
static const struct host_units one_of_each = {
    .nodes = &node, .n_nodes = 1, .devices = &device, .n_devices = 1};

/* The lease runs on host 1, and host 2 is better from 100 on, but another lease uses it while the
 * memory is copied; what becomes of it, by the demands of both. */
static const char *plan_with_demands(struct scenario *s, const struct vm_demand *mover,
                                     const struct vm_demand *other)
{
    static struct speeds speeds = {.of = {1000, 300}};

    begin(s, 2, &speeds);
    for (int host = 0; host < 2; host++)
        s->site.hosts[host].units = &one_of_each;
    reservation(s, 2, 1, 0, 100);
    ask(s, (struct ask){.id = 3,
                        .kind = LEASE_RESERVATION,
                        .start = 110,
                        .cpu = 10,
                        .memory = 64,
                        .duration = 20,
                        .demand = other});
    settle(s);
    ask(s, (struct ask){.id = 1,
                        .cpu = 50,
                        .memory = 512,
                        .duration = 1000,
                        .terms = "migratable",
                        .demand = mover});
    at(s, 101);
    check_demands(s);
    return plan_of(s, 1);
}

static void end_with_demands(struct scenario *s)
{
    run_to_end(s);
    expect_nothing_left(s);
    scenario_end(s);
}

static void a_pinned_vm_moves_where_its_cpus_are_free_all_the_time(void **state)
{
    static const struct vm_node one = {1, 1024};
    static const struct vm_demand pinned = {
        .pin = PIN_THREAD, .nodes = &one, .n_nodes = 1, .node = NODE_ANY, .role = DEMAND_ANY};
    struct scenario s;

    assert_string_equal(plan_with_demands(&s, &pinned, NULL),
                        "VM 0-141 on 1; MEM_MIGRATION 100-141 on 2,1; "
                        "VM 141-1000 on 2; SHUTDOWN 1000-1000 on 2");
    end_with_demands(&s);
    assert_string_equal(plan_with_demands(&s, &pinned, &pinned),
                        "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
    end_with_demands(&s);
}

static void a_vm_with_a_device_stays(void **state)
{
    static const struct pci_demand any = {1, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY};
    static const struct vm_demand device_demand = {
        .devices = &any, .n_devices = 1, .node = NODE_ANY, .role = DEMAND_ANY};
    struct scenario s;

    assert_string_equal(plan_with_demands(&s, &device_demand, NULL),
                        "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
    end_with_demands(&s);
}

static void a_vm_moves_only_where_its_company_allows(void **state)
{
    static const struct company_rule apart = {.role = 1, .apart = true};
    static const struct vm_demand alone = {
        .node = NODE_ANY, .role = 1, .rules = &apart, .n_rules = 1};
    struct scenario s;

    assert_string_equal(plan_with_demands(&s, &alone, NULL),
                        "VM 0-141 on 1; MEM_MIGRATION 100-141 on 2,1; "
                        "VM 141-1000 on 2; SHUTDOWN 1000-1000 on 2");
    end_with_demands(&s);
    assert_string_equal(plan_with_demands(&s, &alone, &alone),
                        "VM 0-1000 on 1; SHUTDOWN 1000-1000 on 1");
    end_with_demands(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_when_a_better_host_is_free),
        cmocka_unit_test(moves_share_the_network),
        cmocka_unit_test(below_the_threshold_it_stays),
        cmocka_unit_test(what_the_move_costs_counts),
        cmocka_unit_test(only_those_that_may_are_moved),
        cmocka_unit_test(promises_are_in_the_way),
        cmocka_unit_test(the_interval_finds_what_changed_meanwhile),
        cmocka_unit_test(vms_that_need_not_move_stay),
        cmocka_unit_test(cold_it_is_suspended_and_resumed),
        cmocka_unit_test(deadlines_are_kept),
        cmocka_unit_test(it_may_end_at_any_time),
        cmocka_unit_test(without_end),
        cmocka_unit_test(nobody_estimates),
        cmocka_unit_test(a_pinned_vm_moves_where_its_cpus_are_free_all_the_time),
        cmocka_unit_test(a_vm_with_a_device_stays),
        cmocka_unit_test(a_vm_moves_only_where_its_company_allows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
