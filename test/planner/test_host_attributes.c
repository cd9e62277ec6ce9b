/* Hosts' attributes in the planner: modules find what was sent, and damaged frames are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planner/host_attributes.h"
#include "util/memory.h"

/* Two hosts; the first has RACK twice, the second has no attributes. `rack`: the number with which
 * it refers to that name. */
static void put_hosts(struct wire_writer *writer, int64_t rack)
{
    wire_put(writer, 2);
    wire_put_text(writer, "HYPERVISOR");
    wire_put_text(writer, "RACK");
    wire_put(writer, 2);
    wire_put_text(writer, "h0");
    wire_put(writer, 3);
    wire_put(writer, rack);
    wire_put_text(writer, "r1");
    wire_put(writer, 0);
    wire_put_text(writer, "");
    wire_put(writer, rack);
    wire_put_text(writer, "r2");
    wire_put_text(writer, "h1");
    wire_put(writer, 0);
}

static bool is_taken(struct host_attributes **attributes, struct wire_writer *writer, size_t n)
{
    unsigned char *frame = memory_copy(wire_bytes(writer), n);
    struct wire_reader reader;

    wire_reader_init(&reader, frame, n);
    host_attributes_take(attributes, frame, &reader);
    return wire_is_at_end(&reader);
}

static void modules_find_attributes(void **state)
{
    struct host_attributes *attributes = NULL;
    struct wire_writer writer = {0};

    put_hosts(&writer, 1);
    assert_true(is_taken(&attributes, &writer, writer.n));
    assert_string_equal(host_attributes_find(attributes, 0, "RACK"), "r1");
    assert_string_equal(host_attributes_find(attributes, 0, "HYPERVISOR"), "");
    assert_string_equal(host_attributes_find(attributes, 1, "NAME"), "h1");
    assert_null(host_attributes_find(attributes, 1, "RACK"));
    assert_null(host_attributes_find(attributes, 0, "CLUSTER"));
    assert_null(host_attributes_find(attributes, 2, "RACK"));
    for (size_t n = 0; n < writer.n; n++)
        assert_false(is_taken(&attributes, &writer, n));
    host_attributes_destroy(attributes);
    wire_writer_finish(&writer);
}

static void unknown_names_are_refused(void **state)
{
    struct host_attributes *attributes = NULL;
    struct wire_writer writer = {0};

    put_hosts(&writer, 2);
    assert_false(is_taken(&attributes, &writer, writer.n));
    host_attributes_destroy(attributes);
    wire_writer_finish(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_find_attributes),
        cmocka_unit_test(unknown_names_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
