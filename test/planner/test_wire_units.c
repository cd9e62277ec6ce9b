/* Units of hosts, demands and holdings of VMs as bytes: what is read is what was written, and what
 * is cut or too much is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "planner/wire_units.h"
#include "util/memory.h"

static const uint32_t threads[] = {0, 16, 1, 17};
static const struct numa_core cores[] = {{threads, 2}, {threads + 2, 2}};
static const struct huge_pages pages[] = {{2048, 1024}, {1048576, 8}};
static const int32_t nearest[] = {3, 0};
static const struct numa_node nodes[] = {
    {.id = 0, .memory_kb = INT64_C(1) << 40, .cores = cores, .n_cores = 2},
    {.id = 3, .pages = pages, .n_pages = 2, .nearest = nearest},
};
static const uint32_t profiles[] = {7, 9};
static const struct pci_device devices[] = {
    {.vendor = 0x10de, .device = 0x20f1, .class_id = 0x302, .address = 0, .numa_node = NODE_ANY},
    {.address = 5, .numa_node = 3, .profiles = profiles, .n_profiles = 2},
};
static const struct host_units host = {
    .nodes = nodes, .n_nodes = 2, .vms_per_thread = 4, .devices = devices, .n_devices = 2};

static const struct vm_node vm_nodes[] = {{2, 1024}, {4, 2048}};
static const struct pci_demand wanted[] = {{0x10de, DEMAND_ANY, 0, DEMAND_ANY, 7},
                                           {DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, 5, DEMAND_ANY}};
static const struct company_rule rules[] = {
    {.role = 3, .apart = true, .level = COMPANY_CLUSTER, .weight = -5}, {.role = DEMAND_ANY - 1}};
static const struct amounts rest = {{100, 2048}};
static const struct vm_demand demand = {.pin = PIN_SHARED,
                                        .nodes = vm_nodes,
                                        .n_nodes = 2,
                                        .threads_per_core = 2,
                                        .page_kb = 2048,
                                        .node = NODE_ANY,
                                        .devices = wanted,
                                        .n_devices = 2,
                                        .devices_near = true,
                                        .role = DEMAND_ANY,
                                        .rules = rules,
                                        .n_rules = 2,
                                        .rest = &rest};

static const uint32_t held_devices[] = {5};
static const struct vm_units held = {.threads = threads,
                                     .n_threads = 4,
                                     .memory_nodes = nearest,
                                     .devices = held_devices,
                                     .n_devices = 1};

/* Each kind of structure: written; read and written again, with false if it cannot be read. */
static void put_host(struct wire_writer *writer)
{
    wire_put_host_units(writer, &host);
}

static void again_host(struct wire_reader *reader, struct kept_list *kept,
                       struct wire_writer *writer)
{
    const struct host_units *read = wire_get_host_units(reader, kept);

    wire_put_host_units(writer, read);
}

static void put_demand(struct wire_writer *writer)
{
    wire_put_demand(writer, &demand);
}

static void again_demand(struct wire_reader *reader, struct kept_list *kept,
                         struct wire_writer *writer)
{
    wire_put_demand(writer, wire_get_demand(reader, kept));
}

static void put_held(struct wire_writer *writer)
{
    wire_put_vm_units(writer, &held, 2);
}

static void again_held(struct wire_reader *reader, struct kept_list *kept,
                       struct wire_writer *writer)
{
    struct vm_units read;

    wire_get_vm_units(reader, kept, &read, 2);
    wire_put_vm_units(writer, &read, read.memory_nodes ? 2 : 0);
}

static const struct kind {
    void (*put)(struct wire_writer *writer);
    void (*again)(struct wire_reader *reader, struct kept_list *kept, struct wire_writer *writer);
} kinds[] = {{put_host, again_host}, {put_demand, again_demand}, {put_held, again_held}};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

static void round_trip(void **state)
{
    for (size_t i = 0; i < N_KINDS; i++) {
        struct wire_writer writer = {0}, second = {0};
        struct kept_list kept = {0};
        struct wire_reader reader;

        kinds[i].put(&writer);
        wire_reader_init(&reader, wire_bytes(&writer), writer.n);
        kinds[i].again(&reader, &kept, &second);
        assert_true(wire_is_at_end(&reader));
        assert_int_equal(second.n, writer.n);
        assert_memory_equal(wire_bytes(&second), wire_bytes(&writer), writer.n);
        kept_finish(&kept);
        wire_writer_finish(&writer);
        wire_writer_finish(&second);
    }
}

static void cut_anywhere(void **state)
{
    for (size_t i = 0; i < N_KINDS; i++) {
        struct wire_writer writer = {0};

        kinds[i].put(&writer);
        for (size_t n = 0; n < writer.n; n++) {
            struct wire_writer second = {0};
            struct kept_list kept = {0};
            unsigned char *part = memory_copy(wire_bytes(&writer), n);
            struct wire_reader reader;

            wire_reader_init(&reader, part, n);
            kinds[i].again(&reader, &kept, &second);
            assert_true(reader.failed);
            kept_finish(&kept);
            wire_writer_finish(&second);
            free(part);
        }
        wire_writer_finish(&writer);
    }
}

/* The engine would read as many memory nodes as the VM has virtual nodes. */
static void other_number_of_nodes(void **state)
{
    struct wire_writer writer = {0};
    struct kept_list kept = {0};
    struct wire_reader reader;
    struct vm_units read;

    put_held(&writer);
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    wire_get_vm_units(&reader, &kept, &read, 3);
    assert_true(reader.failed);
    kept_finish(&kept);
    wire_writer_finish(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(other_number_of_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
