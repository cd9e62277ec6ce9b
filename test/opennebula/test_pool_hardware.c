/* PCI devices and NUMA nodes in the documents of hosts and VMs: recorded, and hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "test/opennebula/recordings.h"
#include "util/memory.h"

static struct host_pool recorded_hosts(const char *version, const char *name)
{
    struct host_pool pool;
    struct error err;
    size_t length;
    char *document = recorded_document(version, name, &length);

    if (host_pool_parse(&pool, document, length, &err) < 0)
        fail_msg("%s", err.text);
    memset(document, 'x', length);
    free(document);
    return pool;
}

static struct vm_pool recorded_vms(const char *version, const char *name)
{
    struct vm_pool pool;
    struct error err;
    size_t length;
    char *document = recorded_document(version, name, &length);

    if (vm_pool_parse(&pool, document, length, &err) < 0)
        fail_msg("%s", err.text);
    memset(document, 'x', length);
    free(document);
    return pool;
}

static struct vm_pool vm_with(const char *template)
{
    static const char frame[] = "<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>"
                                "<STATE>1</STATE><TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY>%s"
                                "</TEMPLATE></VM>";
    char *document = memory_new(sizeof frame + strlen(template), 1);
    struct vm_pool pool;
    struct error err;
    int length = sprintf(document, frame, template);

    if (vm_pool_parse(&pool, document, (size_t)length, &err) < 0)
        fail_msg("%s", err.text);
    free(document);
    assert_int_equal(pool.n, 1);
    return pool;
}

static struct host_pool host_with(const char *share)
{
    static const char frame[] = "<HOST><ID>1</ID><STATE>2</STATE><HOST_SHARE><MAX_CPU>100"
                                "</MAX_CPU>%s</HOST_SHARE></HOST>";
    char *document = memory_new(sizeof frame + strlen(share), 1);
    struct host_pool pool;
    struct error err;
    int length = sprintf(document, frame, share);

    if (host_pool_parse(&pool, document, (size_t)length, &err) < 0)
        fail_msg("%s", err.text);
    free(document);
    assert_int_equal(pool.n, 1);
    return pool;
}

/* --- recorded --------------------------------------------------------------------------------- */

static void check_gpu(const struct host_device *gpu)
{
    assert_int_equal(gpu->vendor, 0x10de);
    assert_int_equal(gpu->device, 0x0863);
    assert_int_equal(gpu->class, 0x0300);
    assert_string_equal(gpu->address, "0000:02:00:0");
    assert_string_equal(gpu->short_address, "02:00.0");
    assert_string_equal(gpu->profiles, "");
    assert_int_equal(gpu->node, 1);
    assert_int_equal(gpu->vm, -1);
}

static void host_recorded(void **state)
{
    for (size_t v = 0; v < 2; v++) {
        struct host_pool pool = recorded_hosts(recorded_versions[v], "host.info.numa-pci");
        const struct host_hardware *hardware = pool.items[0].hardware;
        const struct host_node *node;

        assert_non_null(hardware);
        assert_int_equal(hardware->n_devices, 3);
        assert_string_equal(hardware->devices[0].address, "0000:00:06:0");
        assert_string_equal(hardware->devices[1].address, "0000:00:06:1");
        check_gpu(&hardware->devices[2]);
        assert_int_equal(hardware->n_nodes, 2);
        assert_int_equal(hardware->vms_per_cpu, 1);
        node = &hardware->nodes[1];
        assert_int_equal(node->id, 1);
        assert_true(node->n_cores > 0);
        assert_int_equal(node->cores[0].n_cpus, 2);
        assert_int_equal(node->cpus[node->cores[1].first_cpu], 9);
        assert_int_equal(node->cpus[node->cores[1].first_cpu + 1], 25);
        assert_int_equal(node->n_pages, 2);
        assert_int_equal(node->pages[0].size, 2048);
        assert_int_equal(node->pages[0].count, 1024);
        assert_int_equal(node->pages[1].size, 1048576);
        assert_int_equal(node->n_distances, 2);
        assert_int_equal(node->distance[0], 1);
        assert_int_equal(node->distance[1], 0);
        host_pool_finish(&pool);

        pool = recorded_hosts(recorded_versions[v], "host.info.plain");
        assert_null(pool.items[0].hardware);
        host_pool_finish(&pool);
    }
}

static void vm_recorded(void **state)
{
    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];
        struct vm_pool pool = recorded_vms(version, "vm.info.pending-pci");
        const struct vm_hardware *hardware = pool.items[0].hardware;

        assert_int_equal(hardware->n_devices, 1);
        assert_int_equal(hardware->devices[0].vendor, 0x10de);
        assert_int_equal(hardware->devices[0].device, 0x0863);
        assert_int_equal(hardware->devices[0].class, 0x0300);
        assert_null(hardware->devices[0].address);
        assert_int_equal(hardware->n_nodes, 0);
        assert_null(hardware->fault);
        vm_pool_finish(&pool);

        pool = recorded_vms(version, "vm.info.pci-running");
        hardware = pool.items[0].hardware;
        assert_string_equal(hardware->devices[0].address, "0000:02:00:0");
        assert_null(hardware->devices[0].short_address);
        vm_pool_finish(&pool);

        pool = recorded_vms(version, "vm.info.pending-numa");
        hardware = pool.items[0].hardware;
        assert_int_equal(hardware->policy, PIN_CORE);
        assert_int_equal(hardware->n_nodes, 1);
        assert_int_equal(hardware->nodes[0].cpus, 1);
        assert_int_equal(hardware->nodes[0].memory, 4194304);
        assert_int_equal(hardware->nodes[0].node, -1);
        assert_int_equal(hardware->affinity, -1);
        vm_pool_finish(&pool);

        pool = recorded_vms(version, "vm.info.numa-running");
        hardware = pool.items[0].hardware;
        assert_int_equal(hardware->nodes[0].node, 1);
        assert_int_equal(hardware->nodes[0].memory_node, 1);
        vm_pool_finish(&pool);

        pool = recorded_vms(version, "vm.info.running");
        assert_null(pool.items[0].hardware);
        vm_pool_finish(&pool);
    }
}

/* --- made ------------------------------------------------------------------------------------- */

/* Who uses which core, as oned writes it: several VMs on a thread, threads kept from VMs, cores
 * dedicated to one VM. */
static void core_uses(void **state)
{
    struct host_pool pool = host_with(
        "<VMS_THREAD>2</VMS_THREAD><NUMA_NODES><NODE>"
        "<CORE><ID>0</ID><CPUS>0:5,0:6,4:5</CPUS><DEDICATED>NO</DEDICATED><FREE>1</FREE></CORE>"
        "<CORE><ID>1</ID><CPUS>1:-2,5:-1</CPUS><DEDICATED>NO</DEDICATED></CORE>"
        "<CORE><ID>2</ID><CPUS>2:7,6:-1</CPUS><DEDICATED>YES</DEDICATED></CORE>"
        "<NODE_ID>3</NODE_ID></NODE></NUMA_NODES>");
    const struct host_hardware *hardware = pool.items[0].hardware;
    const struct host_node *node = hardware->nodes;

    assert_int_equal(hardware->vms_per_cpu, 2);
    assert_int_equal(node->id, 3);
    assert_int_equal(node->n_cores, 3);
    assert_int_equal(node->n_uses, 4);
    assert_int_equal(node->uses[0].vm, 5);
    assert_int_equal(node->uses[0].cpu, 0);
    assert_int_equal(node->uses[1].vm, 6);
    assert_int_equal(node->uses[2].vm, 5);
    assert_int_equal(node->uses[2].cpu, 4);
    assert_int_equal(node->uses[3].vm, 7);
    assert_int_equal(node->uses[3].cpu, 2);
    assert_int_equal(node->cores[0].n_cpus, 2);
    assert_int_equal(node->cores[1].n_cpus, 1);
    assert_int_equal(node->cpus[node->cores[1].first_cpu], 5);
    host_pool_finish(&pool);
}

static void address_requests(void **state)
{
    struct vm_pool pool = vm_with(
        "<PCI><SHORT_ADDRESS>02:00.0</SHORT_ADDRESS></PCI>"
        "<PCI><SHORT_ADDRESS>02:00.0</SHORT_ADDRESS><VENDOR>10de</VENDOR></PCI>"
        "<PCI><TYPE>NIC</TYPE><CLASS>0x0200</CLASS><PROFILE>1145 (NVIDIA L40S-1B)</PROFILE></PCI>"
        "<PCI><VENDOR/><DEVICE>1db4</DEVICE></PCI>");
    const struct vm_hardware *hardware = pool.items[0].hardware;

    assert_int_equal(hardware->n_devices, 4);
    assert_string_equal(hardware->devices[0].short_address, "02:00.0");
    assert_int_equal(hardware->devices[0].vendor, DEMAND_ANY);
    assert_null(hardware->devices[1].short_address);
    assert_int_equal(hardware->devices[1].vendor, 0x10de);
    assert_int_equal(hardware->devices[2].class, 0x200);
    assert_string_equal(hardware->devices[2].profile, "1145 (NVIDIA L40S-1B)");
    assert_int_equal(hardware->devices[3].vendor, DEMAND_ANY);
    assert_int_equal(hardware->devices[3].device, 0x1db4);
    assert_null(hardware->fault);
    vm_pool_finish(&pool);
}

/* --- hostile ---------------------------------------------------------------------------------- */

/* The planner reads no larger numbers: it would end for all users. */
static void numbers_beyond_any_host(void **state)
{
    struct vm_pool pool = vm_with("<TOPOLOGY><THREADS>2147483648</THREADS></TOPOLOGY>");

    assert_non_null(strstr(pool.items[0].hardware->fault, "more than 1024 threads of a core"));
    vm_pool_finish(&pool);
    pool = vm_with("<NUMA_NODE><TOTAL_CPUS>1</TOTAL_CPUS></NUMA_NODE>"
                   "<TOPOLOGY><NODE_AFFINITY>2147483647</NODE_AFFINITY></TOPOLOGY>");
    assert_int_equal(pool.items[0].hardware->affinity, -1);
    vm_pool_finish(&pool);
}

/* What an owner writes never hides the VM: it is listed, with the fault of its request. */
static void unreadable_topologies(void **state)
{
    static const char *const cases[] = {
        "<TOPOLOGY><THREADS>-1</THREADS></TOPOLOGY>",
        "<TOPOLOGY><THREADS>two</THREADS></TOPOLOGY>",
        "<TOPOLOGY><HUGEPAGE_SIZE>99999999999999999999</HUGEPAGE_SIZE></TOPOLOGY>",
        "<TOPOLOGY><HUGEPAGE_SIZE>9223372036854775807</HUGEPAGE_SIZE></TOPOLOGY>",
        "<NUMA_NODE><TOTAL_CPUS>1e3</TOTAL_CPUS></NUMA_NODE>",
        "<NUMA_NODE><MEMORY>-5</MEMORY></NUMA_NODE>",
        "<PCI><VENDOR>nvidia</VENDOR></PCI>",
        "<PCI><CLASS>0300</CLASS><DEVICE>ffffffff</DEVICE></PCI>",
        "<PCI><PROFILE>"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</PROFILE></PCI>",
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vm_pool pool = vm_with(cases[i]);

        assert_int_equal(pool.errors.n, 0);
        assert_non_null(pool.items[0].hardware);
        assert_non_null(strstr(pool.items[0].hardware->fault, "cannot be read"));
        vm_pool_finish(&pool);
    }
}

/* Their owner is told which value it is. */
static void unreadable_ids_and_sizes(void **state)
{
    static const char *const cases[][2] = {
        {"DISK/SIZE", "<DISK><SIZE>10G</SIZE></DISK>"},
        {"DISK/SIZE", "<DISK><SIZE>-1</SIZE></DISK>"},
        {"DISK/DATASTORE_ID", "<DISK><DATASTORE_ID>default</DATASTORE_ID></DISK>"},
        {"DISK/DATASTORE_ID", "<DISK><DATASTORE_ID>2147483648</DATASTORE_ID></DISK>"},
        {"VMGROUP/VMGROUP_ID", "<VMGROUP><VMGROUP_ID>web</VMGROUP_ID></VMGROUP>"},
        {"NIC/NIC_ID", "<NIC><NIC_ID>x</NIC_ID></NIC>"},
        {"NIC/NETWORK_ID", "<NIC><NETWORK_ID>lan</NETWORK_ID></NIC>"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vm_pool pool = vm_with(cases[i][1]);

        assert_int_equal(pool.errors.n, 0);
        assert_int_equal(pool.n, 1);
        assert_non_null(pool.items[0].hardware);
        assert_non_null(strstr(pool.items[0].hardware->fault, cases[i][0]));
        assert_non_null(strstr(pool.items[0].hardware->fault, "correct the template"));
        vm_pool_finish(&pool);
    }
}

/* A request that names no device at all. */
static void any_device(void **state)
{
    struct vm_pool pool = vm_with("<PCI><PCI_ID>0</PCI_ID></PCI>");

    assert_non_null(strstr(pool.items[0].hardware->fault, "none of VENDOR"));
    vm_pool_finish(&pool);
}

static char *repeated(const char *begin, const char *middle, const char *end, int n)
{
    char *text = memory_new(strlen(begin) + strlen(middle) * (size_t)n + strlen(end) + 1, 1);
    char *at = stpcpy(text, begin);

    for (int i = 0; i < n; i++)
        at = stpcpy(at, middle);
    strcpy(at, end);
    return text;
}

static void too_many_requests(void **state)
{
    char *text = repeated("", "<PCI><CLASS>0300</CLASS></PCI>", "", 20000);
    struct vm_pool pool = vm_with(text);

    assert_int_equal(pool.items[0].hardware->n_devices, VM_DEVICES_MOST);
    assert_non_null(strstr(pool.items[0].hardware->fault, "more than 64 PCI devices"));
    vm_pool_finish(&pool);
    free(text);

    text = repeated("", "<NUMA_NODE><TOTAL_CPUS>1</TOTAL_CPUS></NUMA_NODE>", "", 20000);
    pool = vm_with(text);
    assert_int_equal(pool.items[0].hardware->n_nodes, VM_NODES_MOST);
    assert_non_null(strstr(pool.items[0].hardware->fault, "more than 16 NUMA nodes"));
    vm_pool_finish(&pool);
    free(text);
}

/* Only what OpenNebula itself keeps of a VM counts, not its owner's attributes; and empty elements
 * and single values request nothing. */
static void impostors(void **state)
{
    static const char outside[] =
        "<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE><TEMPLATE>"
        "<CPU>1</CPU><MEMORY>1</MEMORY><PCI/><PCI>10de</PCI><TOPOLOGY><SOCKETS>1</SOCKETS>"
        "</TOPOLOGY></TEMPLATE><USER_TEMPLATE><PCI><VENDOR>10de</VENDOR></PCI><NUMA_NODE>"
        "<TOTAL_CPUS>1</TOTAL_CPUS></NUMA_NODE></USER_TEMPLATE></VM>";
    struct vm_pool pool;
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, outside, sizeof outside - 1, &err), 0);
    assert_null(pool.items[0].hardware);
    vm_pool_finish(&pool);
}

/* Bounds of what a host reports; values that make no sense are left out. */
static void odd_hosts(void **state)
{
    char *text = repeated("<PCI_DEVICES>", "<PCI><ADDRESS>a</ADDRESS></PCI>", "</PCI_DEVICES>",
                          HOST_DEVICES_MOST + 10);
    struct host_pool pool = host_with(text);

    assert_int_equal(pool.items[0].hardware->n_devices, HOST_DEVICES_MOST);
    host_pool_finish(&pool);
    free(text);

    text = repeated("<NUMA_NODES><NODE><CORE><ID>0</ID><CPUS>0:1", ",0:1",
                    "</CPUS></CORE><NODE_ID>0</NODE_ID></NODE></NUMA_NODES>", HOST_USES_MAX / 8);
    pool = host_with(text);
    assert_int_equal(pool.items[0].hardware->nodes[0].cores[0].n_cpus, 1);
    assert_in_range(pool.items[0].hardware->nodes[0].n_uses, 1, HOST_USES_MAX);
    host_pool_finish(&pool);
    free(text);

    pool = host_with("<PCI_DEVICES><PCI><VENDOR>10de</VENDOR></PCI></PCI_DEVICES><NUMA_NODES>"
                     "<NODE><NODE_ID>x</NODE_ID></NODE><NODE><CORE><CPUS>::,-5:2,x</CPUS></CORE>"
                     "<HUGEPAGE><SIZE>-1</SIZE></HUGEPAGE><MEMORY><TOTAL>-9</TOTAL><DISTANCE>0 x"
                     "</DISTANCE></MEMORY><NODE_ID>0</NODE_ID></NODE></NUMA_NODES>");
    assert_int_equal(pool.items[0].hardware->n_devices, 0);
    assert_int_equal(pool.items[0].hardware->n_nodes, 1);
    assert_int_equal(pool.items[0].hardware->nodes[0].n_uses, 0);
    assert_int_equal(pool.items[0].hardware->nodes[0].n_cores, 0);
    assert_int_equal(pool.items[0].hardware->nodes[0].memory, 0);
    assert_int_equal(pool.items[0].hardware->nodes[0].n_distances, 1);
    host_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_recorded),
        cmocka_unit_test(vm_recorded),
        cmocka_unit_test(core_uses),
        cmocka_unit_test(address_requests),
        cmocka_unit_test(numbers_beyond_any_host),
        cmocka_unit_test(unreadable_topologies),
        cmocka_unit_test(unreadable_ids_and_sizes),
        cmocka_unit_test(too_many_requests),
        cmocka_unit_test(any_device),
        cmocka_unit_test(impostors),
        cmocka_unit_test(odd_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
