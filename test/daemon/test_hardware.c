/* VMs with PCI devices and NUMA topologies are placed as OpenNebula's own schedulers placed them
 * (hardware/README.md), over what running VMs really hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/memory.h"

enum { NOW = 100000, TEXT_MAX = 1 << 17 };

static char *read_text(const char *folder, const char *name, size_t *length)
{
    char path[512], *text = memory_new(TEXT_MAX, 1);
    FILE *file;

    snprintf(path, sizeof path, HARDWARE "/%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    *length = fread(text, 1, TEXT_MAX - 1, file);
    fclose(file);
    return text;
}

/* A best-effort lease without end of the VM that waits. */
static void add_waiting(struct store *store, const struct vm *vm)
{
    struct lease_record *lease = store_add_lease(store, vm->id + 1);
    struct vm_record *record = store_add_vm(store, vm->id, vm->id + 1);

    lease->phase = PHASE_WAITING;
    lease->kind = LEASE_BEST_EFFORT;
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease->submit = NOW - 1000 + vm->id;
    lease->duration = SPAN_UNLIMITED;
    record->cpu = vm->cpu;
    record->memory = vm->memory;
    record->host = -1;
}

static void plan(struct scene *scene, struct store *store)
{
    fake_cloud_has_datastore(scene->fake);
    scene_poll(scene);
    scene_renew_planner(scene);
    scene_plan(scene, true, NOW);
}

/* -1: it waits, with a reason. */
static int32_t host_of(const struct store *store, int32_t vm)
{
    const struct lease_record *lease = store_lease(store, vm + 1);

    if (lease->phase == PHASE_STARTING)
        return store_vm(store, vm)->host;
    assert_int_not_equal(lease->reason_id, REASON_NONE);
    return -1;
}

/* --- as stock places them --------------------------------------------------------------------- */

static bool is_listed(const char *hosts, int32_t host)
{
    int32_t id;
    int used;

    while (sscanf(hosts, " %d%n", &id, &used) == 1) {
        if (id == host)
            return true;
        hosts += used;
    }
    return false;
}

/* Hosts of equal rank were chosen before: no NUMA node has four free cores any more. */
static bool may_wait(const char *folder, int32_t vm)
{
    return strstr(folder, "numa-pinned") && vm == 14;
}

/* "vm ID hosts HOST ..." */
static void compare(const struct store *store, const char *folder, const char *line)
{
    const char *hosts = strstr(line, "hosts") + 5;
    int32_t vm, host;

    assert_int_equal(sscanf(line, "vm %d", &vm), 1);
    host = host_of(store, vm);
    if (host < 0 ? *hosts && !may_wait(folder, vm) : !is_listed(hosts, host))
        fail_msg("%s: VM %d is on host %d, not on%s (%s)", folder, vm, host,
                 *hosts ? hosts : " any", reason_name(store_lease(store, vm + 1)->reason_id));
}

static void place(struct store *store, const char *folder)
{
    struct host_pool hosts;
    struct vm_pool vms;
    struct scene scene;
    struct error err;
    size_t length;
    char *text = read_text(folder, "hosts.xml", &length), *rest, *line;

    assert_int_equal(host_pool_parse(&hosts, text, length, &err), 0);
    free(text);
    text = read_text(folder, "vms.xml", &length);
    assert_int_equal(vm_pool_parse(&vms, text, length, &err), 0);
    free(text);
    scene_open(&scene, store);
    for (size_t i = 0; i < hosts.n; i++)
        *fake_cloud_add_host(scene.fake, hosts.items[i].id, 0, 0) = hosts.items[i];
    for (size_t i = 0; i < vms.n; i++) {
        scene.fake->vms[scene.fake->n_vms++] = vms.items[i];
        add_waiting(store, &vms.items[i]);
    }
    plan(&scene, store);
    rest = text = read_text(folder, "expected.txt", &length);
    while ((line = strsep(&rest, "\n")))
        if (*line)
            compare(store, folder, line);
    free(text);
    scene_close(&scene);
    host_pool_finish(&hosts);
    vm_pool_finish(&vms);
}

static void devices_of_6_10(void **state)
{
    place(((struct store_fixture *)*state)->store, "6.10/pci");
}

static void devices_of_7_4(void **state)
{
    place(((struct store_fixture *)*state)->store, "7.4/pci");
}

static void topologies_of_6_10(void **state)
{
    place(((struct store_fixture *)*state)->store, "6.10/numa-pinned");
}

static void topologies_of_7_4(void **state)
{
    place(((struct store_fixture *)*state)->store, "7.4/numa-pinned");
}

/* --- what running VMs hold -------------------------------------------------------------------- */

static struct device_request gpu_request = {
    .vendor = 0x10de, .device = DEMAND_ANY, .class = DEMAND_ANY};
static const struct vm_hardware gpu = {.devices = &gpu_request, .n_devices = 1, .affinity = -1};

static void begin(struct scene *scene, struct store *store, struct host_hardware *hardware)
{
    scene_open(scene, store);
    fake_cloud_add_host(scene->fake, 0, 800, 65536)->hardware = hardware;
}

static void add_vm(struct scene *scene, struct store *store, int32_t id,
                   const struct vm_hardware *hardware)
{
    struct vm *vm = fake_cloud_add_vm(scene->fake, id, VM_PENDING, -1, 100, 1024);

    vm->hardware = hardware;
    add_waiting(store, vm);
}

/* A VM of another scheduler uses one of two GPUs; nothing is known of what it requested. */
static void devices_of_strangers(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct host_device devices[] = {{.vendor = 0x10de,
                                     .address = "a",
                                     .short_address = "",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = 9},
                                    {.vendor = 0x10de,
                                     .address = "b",
                                     .short_address = "",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = -1}};
    struct host_hardware hardware = {.devices = devices, .n_devices = 2, .vms_per_cpu = 1};
    struct scene scene;

    begin(&scene, store, &hardware);
    fake_cloud_add_vm(scene.fake, 9, VM_RUNNING, 0, 100, 1024);
    add_vm(&scene, store, 1, &gpu);
    add_vm(&scene, store, 2, &gpu);
    plan(&scene, store);
    assert_int_equal(host_of(store, 1), 0);
    assert_int_equal(host_of(store, 2), -1);
    scene_close(&scene);
}

/* The same VM, known with its request: it holds the GPU that the host says. */
static void devices_of_known_vms(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct host_device devices[] = {{.vendor = 0x10de,
                                     .address = "a",
                                     .short_address = "01:00.0",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = -1},
                                    {.vendor = 0x10de,
                                     .address = "b",
                                     .short_address = "02:00.0",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = 9}};
    struct host_hardware hardware = {.devices = devices, .n_devices = 2, .vms_per_cpu = 1};
    struct device_request by_address[] = {{.vendor = DEMAND_ANY,
                                           .device = DEMAND_ANY,
                                           .class = DEMAND_ANY,
                                           .short_address = "02:00.0"},
                                          {.vendor = DEMAND_ANY,
                                           .device = DEMAND_ANY,
                                           .class = DEMAND_ANY,
                                           .short_address = "01:00.0"}};
    struct vm_hardware second = {.devices = &by_address[0], .n_devices = 1, .affinity = -1};
    struct vm_hardware first = {.devices = &by_address[1], .n_devices = 1, .affinity = -1};
    struct scene scene;

    begin(&scene, store, &hardware);
    fake_cloud_add_vm(scene.fake, 9, VM_RUNNING, 0, 100, 1024)->hardware = &gpu;
    add_vm(&scene, store, 1, &second);
    add_vm(&scene, store, 2, &first);
    plan(&scene, store);
    assert_int_equal(host_of(store, 1), -1);
    assert_int_equal(store_lease(store, 2)->reason_id, REASON_DEVICE_IN_USE);
    assert_int_equal(host_of(store, 2), 0);
    scene_close(&scene);
}

static void is_on_its_way(struct store *store, int32_t id, enum lease_phase phase)
{
    struct lease_record *lease = lease_to_change(store, id + 1);

    lease->phase = phase;
    lease->since = NOW - 10;
    vm_to_change(store, id)->goal = GOAL_RUN;
    vm_to_change(store, id)->host = 0;
}

/* The first device is that of a VM that runs, so a VM that was just sent there gets the second. */
static void devices_of_vms_on_their_way(struct store *store, bool runs_by_lease)
{
    struct host_device devices[] = {{.vendor = 0x10de,
                                     .address = "a",
                                     .short_address = "",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = 9},
                                    {.vendor = 0x10de,
                                     .address = "b",
                                     .short_address = "",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = -1}};
    struct host_hardware hardware = {.devices = devices, .n_devices = 2, .vms_per_cpu = 1};
    struct scene scene;

    begin(&scene, store, &hardware);
    add_vm(&scene, store, 1, &gpu);
    add_vm(&scene, store, 5, &gpu);
    is_on_its_way(store, 5, PHASE_STARTING);
    if (runs_by_lease) {
        add_vm(&scene, store, 9, &gpu);
        is_on_its_way(store, 9, PHASE_RUNNING);
        fake_cloud_put(scene.fake, 9, VM_RUNNING, 0);
    } else {
        fake_cloud_add_vm(scene.fake, 9, VM_RUNNING, 0, 100, 1024)->hardware = &gpu;
    }
    plan(&scene, store);
    assert_int_equal(host_of(store, 1), -1);
    assert_int_equal(store_lease(store, 2)->reason_id, REASON_DEVICE_IN_USE);
    scene_close(&scene);
}

static void devices_of_leases_and_vms_on_their_way(void **state)
{
    devices_of_vms_on_their_way(((struct store_fixture *)*state)->store, true);
}

static void devices_of_strangers_and_vms_on_their_way(void **state)
{
    devices_of_vms_on_their_way(((struct store_fixture *)*state)->store, false);
}

/* A VM is sent to its host when that is free of the VM that must leave, whatever the plan says. */
static void free_now(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct host_device device = {
        .vendor = 0x10de, .address = "a", .short_address = "", .profiles = "", .node = -1, .vm = 9};
    struct host_hardware hardware = {.devices = &device, .n_devices = 1, .vms_per_cpu = 1};
    struct scene scene;

    begin(&scene, store, &hardware);
    fake_cloud_add_vm(scene.fake, 9, VM_RUNNING, 0, 100, 1024)->hardware = &gpu;
    add_vm(&scene, store, 1, &gpu);
    add_vm(&scene, store, 2, NULL);
    plan(&scene, store);
    assert_false(planner_host_has_units(scene.daemon.planner, 1, 0));
    assert_true(planner_host_has_units(scene.daemon.planner, 2, 0));
    fake_cloud_put(scene.fake, 9, VM_STOPPED, 0);
    device.vm = -1;
    fake_cloud_wait_a_moment();
    scene_poll(&scene);
    assert_true(planner_host_has_units(scene.daemon.planner, 1, 0));
    scene_close(&scene);
}

/* A lease that is promised the host, for the device "a" if that has the number 1. */
static void add_promised(struct scene *scene, struct store *store,
                         const struct vm_hardware *hardware)
{
    struct lease_record *lease;

    add_vm(scene, store, 3, hardware);
    lease = lease_to_change(store, 4);
    lease->phase = PHASE_RESERVED;
    lease->kind = LEASE_RESERVATION;
    lease->start = lease->expected = NOW + 1000;
    lease->duration = 600;
    vm_to_change(store, 3)->host = 0;
}

/* OpenNebula gives the first device that has the identifiers: when a lease was promised just that
 * one, a VM that any would do for is not sent there, unless it can make room. */
static void promised_devices(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct host_device devices[] = {{.vendor = 0x10de,
                                     .device = 1,
                                     .address = "a",
                                     .short_address = "",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = -1},
                                    {.vendor = 0x10de,
                                     .device = 2,
                                     .address = "b",
                                     .short_address = "",
                                     .profiles = "",
                                     .node = -1,
                                     .vm = -1}};
    struct host_hardware hardware = {.devices = devices, .n_devices = 2, .vms_per_cpu = 1};
    struct device_request first = {.vendor = 0x10de, .device = 1, .class = DEMAND_ANY};
    struct vm_hardware promised = {.devices = &first, .n_devices = 1, .affinity = -1};
    struct scene scene;

    begin(&scene, store, &hardware);
    add_vm(&scene, store, 1, &gpu);
    add_promised(&scene, store, &promised);
    scene_poll(&scene);
    assert_false(planner_host_has_units(scene.daemon.planner, 1, 0));
    lease_to_change(store, 2)->terms = TERMS_SUSPENDABLE;
    assert_true(planner_host_has_units(scene.daemon.planner, 1, 0));
    lease_to_change(store, 2)->terms = TERMS_NON_PREEMPTABLE;
    devices[1].device = 1;
    fake_cloud_wait_a_moment();
    scene_poll(&scene);
    assert_true(planner_host_has_units(scene.daemon.planner, 1, 0));
    scene_close(&scene);
}

/* Another holder of a device makes other hosts: the plan is rebuilt. */
static void another_holder(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct host_device device = {.vendor = 0x10de,
                                 .address = "a",
                                 .short_address = "",
                                 .profiles = "",
                                 .node = -1,
                                 .vm = -1};
    struct host_hardware hardware = {.devices = &device, .n_devices = 1, .vms_per_cpu = 1};
    struct scene scene;

    begin(&scene, store, &hardware);
    plan(&scene, store);
    scene_poll(&scene);
    assert_true(planner_sees_same_hosts(scene.daemon.planner));
    device.vm = 5;
    scene_poll(&scene);
    assert_false(planner_sees_same_hosts(scene.daemon.planner));
    scene_close(&scene);
}

/* A profile is a device's if the device lists it, by its number. */
static void profiles(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct host_device devices[] = {{.vendor = 0x10de,
                                     .address = "a",
                                     .short_address = "",
                                     .profiles = "1145 (NVIDIA L40S-1B),1146 (NVIDIA L40S-2B)",
                                     .node = -1,
                                     .vm = -1},
                                    {.vendor = 0x10de,
                                     .address = "b",
                                     .short_address = "",
                                     .profiles = "nvidia-63,nvidia-64",
                                     .node = -1,
                                     .vm = -1}};
    struct host_hardware hardware = {.devices = devices, .n_devices = 2, .vms_per_cpu = 1};
    struct device_request requests[] = {
        {.vendor = 0x10de, .device = DEMAND_ANY, .class = DEMAND_ANY, .profile = "1146"},
        {.vendor = 0x10de,
         .device = DEMAND_ANY,
         .class = DEMAND_ANY,
         .profile = "1145 (other text)"},
        {.vendor = 0x10de, .device = DEMAND_ANY, .class = DEMAND_ANY, .profile = "nvidia-64"},
        {.vendor = 0x10de, .device = DEMAND_ANY, .class = DEMAND_ANY, .profile = "114"}};
    struct vm_hardware vms[4];
    struct scene scene;

    begin(&scene, store, &hardware);
    for (int32_t i = 0; i < 4; i++) {
        vms[i] = (struct vm_hardware){.devices = &requests[i], .n_devices = 1, .affinity = -1};
        add_vm(&scene, store, i + 1, &vms[i]);
    }
    plan(&scene, store);
    assert_int_equal(host_of(store, 1), 0);
    assert_int_equal(host_of(store, 2), -1);
    assert_int_equal(store_lease(store, 3)->reason_id, REASON_DEVICE_IN_USE);
    assert_int_equal(host_of(store, 3), 0);
    assert_int_equal(host_of(store, 4), -1);
    assert_int_equal(store_lease(store, 5)->reason_id, REASON_NO_DEVICE);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(devices_of_6_10, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(devices_of_7_4, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(topologies_of_6_10, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(topologies_of_7_4, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(devices_of_strangers, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(devices_of_known_vms, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(devices_of_leases_and_vms_on_their_way, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(devices_of_strangers_and_vms_on_their_way, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(free_now, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(promised_devices, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(another_holder, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(profiles, store_set_up, store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
