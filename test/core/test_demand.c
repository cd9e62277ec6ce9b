/* What VMs demand of hosts beyond amounts: who gets which device, CPUs, memory and company when. */
#include <string.h>

#include "core/forecast.h"
#include "core/lease_plan.h"
#include "core/units.h"
#include "demand_checks.h"

/* --- hosts and demands ------------------------------------------------------------------------ */

enum { GPU = 0x0302, NIC = 0x0200, NVIDIA = 0x10de, INTEL = 0x8086, SMALL_PROFILE = 7 };

static const uint32_t profiles[] = {SMALL_PROFILE};
/* Two nodes of two cores with two threads: 0 1, 2 3 and 10 11, 12 13. */
static const uint32_t threads[] = {0, 1, 2, 3, 10, 11, 12, 13};
static const struct numa_core cores[] = {
    {threads, 2}, {threads + 2, 2}, {threads + 4, 2}, {threads + 6, 2}};
static const struct huge_pages pages[] = {{2048, 100}};
static const struct numa_node nodes[] = {
    {.id = 0, .cores = cores, .n_cores = 2, .memory_kb = 512 * 1024},
    {.id = 1,
     .cores = cores + 2,
     .n_cores = 2,
     .memory_kb = 512 * 1024,
     .pages = pages,
     .n_pages = 1}};
static const struct pci_device devices[] = {
    {NVIDIA, 1, GPU, .address = 50, .numa_node = 0},
    {NVIDIA, 1, GPU, .address = 51, .numa_node = 1, .profiles = profiles, .n_profiles = 1},
    {INTEL, 9, NIC, .address = 52, .numa_node = NODE_ANY}};
static const struct host_units two_gpus = {
    .nodes = nodes, .n_nodes = 2, .devices = devices, .n_devices = 3};
static const struct host_units one_gpu = {.devices = devices, .n_devices = 1};
static const struct host_units shared_threads = {.nodes = nodes, .n_nodes = 2, .vms_per_thread = 2};

static const struct pci_demand any_gpu = {DEMAND_ANY, DEMAND_ANY, GPU, DEMAND_ANY, DEMAND_ANY};
static const struct pci_demand both_gpus[] = {
    {NVIDIA, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY},
    {DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, 50, DEMAND_ANY}};
static const struct pci_demand small_gpu = {DEMAND_ANY, DEMAND_ANY, GPU, DEMAND_ANY, SMALL_PROFILE};

#define NO_COMPANY .node = NODE_ANY, .role = DEMAND_ANY
static const struct vm_demand wants_gpu = {NO_COMPANY, .devices = &any_gpu, .n_devices = 1};
static const struct vm_demand wants_both = {NO_COMPANY, .devices = both_gpus, .n_devices = 2};
static const struct vm_demand wants_small = {NO_COMPANY, .devices = &small_gpu, .n_devices = 1};

static const struct vm_node two_cpus = {2, 256 * 1024};

/* "1: d51 | 1: d50": the host of each VM of the last stretch, its threads (t), the NUMA nodes of
 * its memory (m), and the addresses of its devices (d). */
static const char *held_by(struct scenario *s, int64_t id)
{
    static char text[256];
    const struct lease *lease = lease_of(s, id);
    const struct held_list *list = lease_plan_current(lease)->vm->placement->held;
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; list && i < list->n; i++) {
        const struct held_units *held = list->items[i];

        length += (size_t)sprintf(text + length, "%s%u:", i ? " | " : "", held->host + 1);
        for (uint32_t k = 0; k < held->n_threads; k++)
            length += (size_t)sprintf(text + length, " t%u", threads[held_threads(held)[k]]);
        for (uint32_t k = 0; k < held->n_memory; k++)
            length += (size_t)sprintf(text + length, " m%u", held_memory(held)[k]);
        for (uint32_t k = 0; k < held->n_devices; k++)
            length +=
                (size_t)sprintf(text + length, " d%u", devices[held_devices(held)[k]].address);
    }
    return text;
}

/* --- devices ---------------------------------------------------------------------------------- */

static void each_vm_gets_a_device_of_its_own(void **state)
{
    struct scenario s;

    begin_with_units(&s, 2, &one_gpu);
    ask(&s, one_vm(1, 100, &wants_gpu));
    ask(&s, one_vm(2, 100, &wants_gpu));
    ask(&s, one_vm(3, 100, &wants_gpu));
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: d50");
    assert_string_equal(held_by(&s, 2), "2: d50");
    assert_string_equal(plan_of(&s, 3), "VM 100-200 on 1; SHUTDOWN 200-200 on 1");
    finish_checked(&s);
}

static void a_device_reserved_for_later_is_kept_free(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    ask(&s, reserved_from(500, one_vm(1, 100, &wants_gpu)));
    settle(&s);
    ask(&s, (struct ask){.id = 2,
                         .kind = LEASE_IMMEDIATE,
                         .cpu = 10,
                         .memory = 64,
                         .duration = 600,
                         .demand = &wants_gpu});
    ask(&s, (struct ask){.id = 3,
                         .kind = LEASE_IMMEDIATE,
                         .cpu = 10,
                         .memory = 64,
                         .duration = 400,
                         .demand = &wants_gpu});
    ask(&s, reserved_from(550, one_vm(4, 100, &wants_gpu)));
    settle(&s);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_int_equal(state_of(&s, 3), LEASE_ACTIVE);
    assert_string_equal(reason_of(&s, 4),
                        "device-in-use: the required PCI devices (class 0302) are in use on all "
                        "hosts with enough room (1), at least until 600");
    finish_checked(&s);
}

static void devices_that_no_host_has_are_told_from_devices_in_use(void **state)
{
    struct scenario s;

    begin_with_units(&s, 2, &one_gpu);
    ask(&s, one_vm(1, 100, &wants_small));
    ask(&s, one_vm(2, 100, &wants_both));
    ask(&s, one_vm(3, SPAN_UNLIMITED, &wants_gpu));
    ask(&s, one_vm(4, SPAN_UNLIMITED, &wants_gpu));
    ask(&s, one_vm(5, 100, &wants_gpu));
    settle(&s);
    assert_string_equal(reason_of(&s, 1),
                        "no-device: refused: none of the hosts that it may use (2) has the PCI "
                        "device that a VM requires (class 0302, as named)");
    assert_string_equal(reason_of(&s, 2),
                        "no-device: refused: none of the hosts that it may use (2) has the PCI "
                        "device that a VM requires (as named)");
    assert_string_equal(reason_of(&s, 5),
                        "device-in-use: the required PCI devices (class 0302) are in use on all "
                        "hosts with enough room (2), without a known end");
    check_demands(&s);
    scenario_end(&s);
}

static void hosts_without_the_device_are_told_from_devices_in_use(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    add_hosts(&s, 2, 100, 1024);
    ask(&s, one_vm(1, SPAN_UNLIMITED, &wants_gpu));
    ask(&s, one_vm(2, 100, &wants_gpu));
    settle(&s);
    assert_string_equal(reason_of(&s, 2),
                        "device-in-use: the required PCI devices (class 0302) are in use on all "
                        "hosts with enough room (1), without a known end");
    check_demands(&s);
    scenario_end(&s);
}

/* It is the device that is missing, not the room on hosts without one. */
static void a_later_lease_on_hosts_without_the_device_is_not_in_the_way(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    add_hosts(&s, 1, 100, 1024);
    ask(&s, with_vms(1, (struct ask){.id = 1,
                                     .cpu = 100,
                                     .memory = 64,
                                     .demand = &wants_gpu,
                                     .duration = SPAN_UNLIMITED}));
    settle(&s);
    reservation(&s, 2, 1, 500, 100);
    settle(&s);
    ask(&s, one_vm(3, SPAN_UNLIMITED, &wants_gpu));
    settle(&s);
    assert_string_equal(reason_of(&s, 3),
                        "no-room-with-device: no host with the PCI devices that a VM requires "
                        "(class 0302) has room");
    check_demands(&s);
    scenario_end(&s);
}

static void hosts_with_the_device_may_lack_room(void **state)
{
    struct ask large = one_vm(1, SPAN_UNLIMITED, &wants_gpu);
    struct scenario s;

    large.cpu = 95;
    begin_with_units(&s, 1, &one_gpu);
    add_hosts(&s, 2, 100, 1024);
    ask(&s, large);
    ask(&s, one_vm(2, 100, &wants_gpu));
    settle(&s);
    assert_string_equal(reason_of(&s, 2),
                        "no-room-with-device: no host with the PCI devices that a VM requires "
                        "(class 0302) has room");
    check_demands(&s);
    scenario_end(&s);
}

static void the_least_special_device_is_taken_and_exchanged_when_needed(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    ask(&s, one_vm(1, 100, &wants_gpu));
    ask(&s, one_vm(2, 100, &wants_small));
    at(&s, 200);
    ask(&s, one_vm(3, 100, &wants_both));
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: d50");
    assert_string_equal(held_by(&s, 2), "1: d51");
    assert_string_equal(held_by(&s, 3), "1: d51 d50");
    finish_checked(&s);
}

static void vms_of_a_lease_share_a_host_as_far_as_its_devices_go(void **state)
{
    struct scenario s;

    begin_with_units(&s, 2, &two_gpus);
    ask(&s, with_vms(3, one_vm(1, 100, &wants_gpu)));
    ask(&s, with_vms(5, one_vm(2, 100, &wants_gpu)));
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: d50 | 1: d51 | 2: d50");
    assert_string_equal(
        reason_of(&s, 2),
        "no-host-allowed: refused: 5 VMs requested, but the enabled hosts that meet "
        "its requirements (2) hold at most 4 when empty");
    finish_checked(&s);
}

static void the_lease_with_the_device_makes_room(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    reservations_preempt(&s);
    ask(&s, one_vm(1, 1000, NULL));
    ask(&s, one_vm(2, 1000, &wants_gpu));
    ask(&s, one_vm(3, 1000, NULL));
    at(&s, 10);
    ask(&s, reserved_from(100, one_vm(4, 50, &wants_gpu)));
    settle(&s);
    assert_string_equal(preemptions(&s), "10: 2 for 4 at 100 suspend");
    check_demands(&s);
    at(&s, 120);
    assert_string_equal(held_by(&s, 4), "1: d50");
    assert_int_equal(state_of(&s, 2), LEASE_SUSPENDED_SCHEDULED);
    check_demands(&s);
    at(&s, 160);
    assert_string_equal(held_by(&s, 2), "1: d50");
    finish_checked(&s);
}

/* Takes the first candidate that is enough. */
static size_t choose_one(void *context, const struct victim_batch *batch,
                         const struct victim_test *test, size_t *chosen)
{
    for (chosen[0] = 0; chosen[0] < batch->n; chosen[0]++)
        if (test->enough(test, chosen, 1))
            return 1;
    return 0;
}

static void policies_that_choose_victims_are_told_who_has_the_device(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    s.policies.choose_victims = choose_one;
    ask(&s, one_vm(1, 1000, NULL));
    ask(&s, one_vm(2, 1000, &wants_gpu));
    at(&s, 10);
    ask(&s, reserved_from(100, one_vm(3, 50, &wants_gpu)));
    settle(&s);
    assert_string_equal(preemptions(&s), "10: 2 for 3 at 100 suspend");
    finish_checked(&s);
}

/* VMs that demand one device would take each that becomes free, and the lease that demands two
 * would never start. */
static void devices_are_held_for_a_lease_of_higher_priority(void **state)
{
    struct ask first = one_vm(3, 100, &wants_both);
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    ask(&s, one_vm(1, 100, &wants_gpu));
    ask(&s, one_vm(2, SPAN_UNLIMITED, &wants_small));
    settle(&s);
    first.priority = 1;
    ask(&s, first);
    at(&s, 150);
    ask(&s, one_vm(4, 100, &wants_gpu));
    settle(&s);
    assert_int_equal(state_of(&s, 4), LEASE_QUEUED);
    ends(&s, 2);
    settle(&s);
    assert_string_equal(held_by(&s, 3), "1: d51 d50");
    finish_checked(&s);
}

/* --- what runs already ------------------------------------------------------------------------ */

static void an_adopted_vm_holds_what_it_reports(void **state)
{
    static const uint32_t second[] = {51}, unknown[] = {99};
    static const uint32_t hosts[] = {0};
    const struct vm_units has_second = {.devices = second, .n_devices = 1};
    const struct vm_units has_unknown = {.devices = unknown, .n_devices = 1};
    struct adoption running = {
        .as = ADOPTED_RUNNING, .vm_host = hosts, .since = 0, .until = 100, .vm_units = &has_second};
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    assert_int_equal(adopt(&s, one_vm(1, 100, &wants_gpu), running), 0);
    running.vm_units = &has_unknown;
    assert_int_equal(adopt(&s, one_vm(2, 100, &wants_gpu), running), 0);
    ask(&s, one_vm(3, 50, &wants_gpu));
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: d51");
    assert_string_equal(held_by(&s, 2), "1: d50");
    assert_string_equal(plan_of(&s, 3), "VM 100-150 on 1; SHUTDOWN 150-150 on 1");
    finish_checked(&s);
}

/* It has been given nothing yet: the device is still with the VM that leaves. */
static void an_adopted_vm_gets_what_another_one_leaves(void **state)
{
    static const uint32_t first[] = {50}, hosts[] = {0};
    const struct vm_units has_first = {.devices = first, .n_devices = 1};
    const struct vm_units has_none = {.n_devices = 0};
    struct adoption leaves = {
        .as = ADOPTED_RUNNING, .vm_host = hosts, .until = 30, .vm_units = &has_first};
    struct adoption starts = {
        .as = ADOPTED_RUNNING, .vm_host = hosts, .until = 200, .vm_units = &has_none};
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    assert_int_equal(adopt(&s, one_vm(1, 30, &wants_gpu), leaves), 0);
    assert_int_equal(adopt(&s, one_vm(2, 200, &wants_gpu), starts), 0);
    ask(&s, one_vm(3, 50, &wants_gpu));
    settle(&s);
    assert_string_equal(held_by(&s, 2), "1: d50");
    assert_string_equal(plan_of(&s, 3), "VM 200-250 on 1; SHUTDOWN 250-250 on 1");
    run_to_end(&s);
    scenario_end(&s);
}

/* The next engine adopts reservations by start, not in the order of acceptance. */
static void reservations_are_rearranged_when_they_are_adopted(void **state)
{
    static const struct pci_demand first = {DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, 50, DEMAND_ANY};
    static const struct vm_demand named = {NO_COMPANY, .devices = &first, .n_devices = 1};
    static const uint32_t hosts[] = {0};
    const struct adoption promised = {.as = ADOPTED_RESERVED, .vm_host = hosts};
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    assert_int_equal(adopt(&s, reserved_from(100, one_vm(1, 100, &wants_gpu)), promised), 0);
    assert_int_equal(adopt(&s, reserved_from(150, one_vm(2, 100, &named)), promised), 0);
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: d51");
    assert_string_equal(held_by(&s, 2), "1: d50");
    finish_checked(&s);
}

static void a_vm_being_suspended_holds_its_device_until_then(void **state)
{
    static const uint32_t hosts[] = {0};
    const struct adoption suspended = {
        .as = ADOPTED_SUSPENDED, .vm_host = hosts, .until = 30, .not_before = 500};
    struct scenario s;

    begin_with_units(&s, 1, &one_gpu);
    assert_int_equal(adopt(&s, one_vm(1, 100, &wants_gpu), suspended), 0);
    ask(&s, one_vm(2, 50, &wants_gpu));
    settle(&s);
    assert_string_equal(plan_of(&s, 2), "VM 30-80 on 1; SHUTDOWN 80-80 on 1");
    finish_checked(&s);
}

/* --- CPUs, memory and pages of NUMA nodes ----------------------------------------------------- */

static const struct vm_demand two_cores = {NO_COMPANY, .pin = PIN_CORE, .nodes = &two_cpus,
                                           .n_nodes = 1};
static const struct vm_demand two_threads = {NO_COMPANY, .pin = PIN_THREAD, .nodes = &two_cpus,
                                             .n_nodes = 1};
static const struct vm_demand two_apart = {NO_COMPANY, .pin = PIN_SHARED, .nodes = &two_cpus,
                                           .n_nodes = 1, .threads_per_core = 1};

static void cores_and_threads_are_taken_as_oned_takes_them(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    ask(&s, one_vm(1, 100, &two_cores));   /* the highest of equal nodes */
    ask(&s, one_vm(2, 100, &two_threads)); /* both threads of one core */
    ask(&s, one_vm(3, 100, &two_apart));   /* no cores left with one thread each */
    ask(&s, one_vm(4, 100, &two_threads));
    ask(&s, one_vm(5, 100, &two_threads));
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: t10 t12 m1");
    assert_string_equal(held_by(&s, 2), "1: t0 t1 m0");
    assert_string_equal(held_by(&s, 3), "1: t2 t3 m0");
    assert_string_equal(reason_of(&s, 5),
                        "topology-in-use: the required CPUs, memory or pages of NUMA nodes are "
                        "in use on all hosts with enough room (1), at least until 100");
    finish_checked(&s);
}

static void hosts_with_such_nodes_may_lack_room(void **state)
{
    struct ask large = one_vm(1, SPAN_UNLIMITED, &two_threads);
    struct scenario s;

    large.cpu = 95;
    begin_with_units(&s, 1, &two_gpus);
    add_hosts(&s, 2, 100, 1024);
    ask(&s, large);
    ask(&s, one_vm(2, 100, &two_threads));
    settle(&s);
    assert_string_equal(reason_of(&s, 2), "no-room-with-topology: no host with the NUMA nodes "
                                          "that a VM requires has room");
    check_demands(&s);
    scenario_end(&s);
}

static void threads_are_shared_as_far_as_the_host_allows(void **state)
{
    struct scenario s;

    begin_with_units(&s, 1, &shared_threads);
    for (int id = 1; id <= 4; id++)
        ask(&s, one_vm(id, 100, &two_threads));
    settle(&s);
    /* Memory for two VMs on each node. */
    assert_string_equal(held_by(&s, 1), "1: t10 t11 m1");
    assert_string_equal(held_by(&s, 2), "1: t0 t1 m0");
    for (int id = 1; id <= 4; id++)
        assert_int_equal(state_of(&s, id), LEASE_ACTIVE);
    finish_checked(&s);
}

static void pages_are_counted_and_the_node_with_most_of_them_is_taken(void **state)
{
    static const struct vm_node big = {1, 150 * 1024}, huge = {1, 300 * 1024};
    static const struct vm_demand demand = {NO_COMPANY, .nodes = &big, .n_nodes = 1,
                                            .page_kb = 2048};
    static const struct vm_demand never = {NO_COMPANY, .nodes = &huge, .n_nodes = 1,
                                           .page_kb = 2048};
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    ask(&s, one_vm(1, 100, &demand));
    ask(&s, one_vm(2, 100, &demand));
    ask(&s, one_vm(3, 100, &never));
    settle(&s);
    assert_string_equal(held_by(&s, 1), "1: m1");
    assert_string_equal(plan_of(&s, 2), "VM 100-200 on 1; SHUTDOWN 200-200 on 1");
    assert_string_equal(reason_of(&s, 3),
                        "no-topology: refused: none of the hosts that it may use (1) has NUMA "
                        "nodes with the CPUs, memory and pages that a VM requires");
    finish_checked(&s);
}

static void devices_are_near_when_asked(void **state)
{
    static const struct vm_demand near = {
        NO_COMPANY,          .pin = PIN_THREAD, .nodes = &two_cpus,  .n_nodes = 1,
        .devices = &any_gpu, .n_devices = 1,    .devices_near = true};
    struct scenario s;

    begin_with_units(&s, 1, &two_gpus);
    ask(&s, one_vm(1, 100, &two_cores)); /* all of node 1 */
    ask(&s, one_vm(2, 100, &near));
    ask(&s, one_vm(3, 100, &near));
    settle(&s);
    assert_string_equal(held_by(&s, 2), "1: t0 t1 m0 d50");
    assert_string_equal(held_by(&s, 3), "1: t10 t11 m1 d51");
    assert_string_equal(plan_of(&s, 3), "VM 100-200 on 1; SHUTDOWN 200-200 on 1");
    finish_checked(&s);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void a_forecast_knows_about_devices(void **state)
{
    struct forecast *forecast;
    struct scenario s;
    int64_t start;

    begin_with_units(&s, 1, &one_gpu);
    s.settings.backfilling = BACKFILLING_OFF;
    for (int id = 1; id <= 3; id++)
        ask(&s, one_vm(id, 100, &wants_gpu));
    settle(&s);
    forecast = forecast_create(s.engine, 10);
    while (forecast_go_on(forecast, 1000))
        ;
    assert_int_equal(forecast_count(forecast), 2);
    assert_int_equal(forecast_lease(forecast, 1, &start), 3);
    assert_int_equal(start, 200);
    forecast_destroy(forecast);
    finish_checked(&s);
}

static void what_exceeds_the_limits_is_refused(void **state)
{
    static struct company_rule no_role = {.role = DEMAND_ANY};
    struct vm_demand pinned = {NO_COMPANY, .pin = PIN_CORE};
    struct vm_demand many = {NO_COMPANY, .n_devices = VM_DEVICES_MOST + 1};
    struct vm_demand for_no_role = {NO_COMPANY, .rules = &no_role, .n_rules = 1};

    assert_true(demand_is_sound(&wants_gpu));
    assert_false(demand_is_sound(&pinned));
    assert_false(demand_is_sound(&many));
    assert_false(demand_is_sound(&for_no_role));
    assert_true(host_units_are_sound(&two_gpus));
    assert_false(host_units_are_sound(
        &(struct host_units){.devices = devices, .n_devices = HOST_DEVICES_MOST + 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vm_gets_a_device_of_its_own),
        cmocka_unit_test(a_device_reserved_for_later_is_kept_free),
        cmocka_unit_test(devices_that_no_host_has_are_told_from_devices_in_use),
        cmocka_unit_test(hosts_without_the_device_are_told_from_devices_in_use),
        cmocka_unit_test(a_later_lease_on_hosts_without_the_device_is_not_in_the_way),
        cmocka_unit_test(hosts_with_the_device_may_lack_room),
        cmocka_unit_test(hosts_with_such_nodes_may_lack_room),
        cmocka_unit_test(the_least_special_device_is_taken_and_exchanged_when_needed),
        cmocka_unit_test(vms_of_a_lease_share_a_host_as_far_as_its_devices_go),
        cmocka_unit_test(the_lease_with_the_device_makes_room),
        cmocka_unit_test(policies_that_choose_victims_are_told_who_has_the_device),
        cmocka_unit_test(devices_are_held_for_a_lease_of_higher_priority),
        cmocka_unit_test(an_adopted_vm_holds_what_it_reports),
        cmocka_unit_test(an_adopted_vm_gets_what_another_one_leaves),
        cmocka_unit_test(reservations_are_rearranged_when_they_are_adopted),
        cmocka_unit_test(a_vm_being_suspended_holds_its_device_until_then),
        cmocka_unit_test(cores_and_threads_are_taken_as_oned_takes_them),
        cmocka_unit_test(threads_are_shared_as_far_as_the_host_allows),
        cmocka_unit_test(pages_are_counted_and_the_node_with_most_of_them_is_taken),
        cmocka_unit_test(devices_are_near_when_asked),
        cmocka_unit_test(a_forecast_knows_about_devices),
        cmocka_unit_test(what_exceeds_the_limits_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
