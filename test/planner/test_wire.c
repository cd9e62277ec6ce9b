/* Numbers and texts come back as they went; what is cut, too large or out of range does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/planning.h"
#include "test/planner/frames.h"
#include "util/memory.h"

static void numbers_come_back(void **state)
{
    static const int64_t numbers[] = {0,
                                      1,
                                      -1,
                                      63,
                                      64,
                                      -64,
                                      -65,
                                      1 << 20,
                                      INT64_MAX,
                                      INT64_MIN,
                                      INT64_MAX - 1,
                                      INT64_MIN + 1,
                                      1795374381};
    struct wire_writer writer = {0};
    struct wire_reader reader;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        wire_put(&writer, numbers[i]);
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(wire_get(&reader, INT64_MIN, INT64_MAX), numbers[i]);
    assert_true(wire_is_at_end(&reader));
    wire_writer_finish(&writer);
}

static void times_that_are_not_set_take_a_byte(void **state)
{
    struct wire_writer writer = {0};

    wire_put(&writer, INSTANT_NONE);
    wire_put(&writer, INSTANT_NEVER);
    assert_int_equal(writer.n, 2);
    wire_writer_finish(&writer);
}

static void texts_come_back(void **state)
{
    struct wire_writer writer = {0};
    struct wire_reader reader;

    wire_put_text(&writer, "one\ttwo\n");
    wire_put_text(&writer, NULL);
    wire_put_text(&writer, "");
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    assert_string_equal(wire_get_text(&reader, 8), "one?two?");
    assert_null(wire_get_text(&reader, 8));
    assert_string_equal(wire_get_text(&reader, 8), "");
    assert_true(wire_is_at_end(&reader));
    wire_writer_finish(&writer);
}

static void moved_bytes_follow_what_is_there(void **state)
{
    struct wire_writer writer = {0}, other = {0};

    wire_put(&other, 1);
    wire_move(&writer, &other);
    assert_int_equal(writer.n, 1);
    assert_null(other.first);
    wire_put_raw(&other, "abc", 3);
    wire_move(&writer, &other);
    assert_int_equal(writer.n, 4);
    assert_memory_equal(wire_bytes(&writer) + 1, "abc", 3);
    assert_int_equal(other.n, 0);
    wire_writer_finish(&writer);
}

static void what_is_out_of_range_fails_for_good(void **state)
{
    struct wire_writer writer = {0};
    struct wire_reader reader;

    wire_put(&writer, 5);
    wire_put(&writer, 1);
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    assert_int_equal(wire_get(&reader, 0, 4), 0);
    assert_true(reader.failed);
    assert_int_equal(wire_get(&reader, -7, 4), -7);
    assert_false(wire_is_at_end(&reader));
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    assert_null(wire_get_text(&reader, 100)); /* five bytes are not there */
    assert_true(reader.failed);
    wire_writer_finish(&writer);
}

static void a_count_needs_the_bytes_for_it(void **state)
{
    struct wire_writer writer = {0};
    struct wire_reader reader;

    wire_put(&writer, 1000000);
    wire_put(&writer, 0);
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    assert_int_equal(wire_get_count(&reader, 1), 0);
    assert_true(reader.failed);
    wire_writer_finish(&writer);
}

static void a_number_ends(void **state)
{
    unsigned char endless[16];
    struct wire_reader reader;

    memset(endless, 0xff, sizeof endless);
    wire_reader_init(&reader, endless, sizeof endless);
    wire_get(&reader, INT64_MIN, INT64_MAX);
    assert_true(reader.failed);
}

/* --- a plan without a process ----------------------------------------------------------------- */

static void plan(struct planning *planning, const struct test_plan *what, struct wire_writer *reply)
{
    struct wire_writer frame = {0};

    test_plan_write(&frame, what);
    assert_int_equal(
        planning_handle(planning,
                        memory_copy(wire_bytes(&frame) + WIRE_HEADER, frame.n - WIRE_HEADER),
                        frame.n - WIRE_HEADER, reply),
        0);
    wire_writer_finish(&frame);
}

static void read_reply(struct wire_writer *frame, uint32_t n_hosts, struct plan_reply *reply)
{
    struct wire_reader reader;

    wire_reader_init(&reader, wire_bytes(frame) + WIRE_HEADER, frame->n - WIRE_HEADER);
    assert_int_equal(wire_get(&reader, 1, FRAMES - 1), FRAME_PLANNED);
    assert_true(wire_get_plan_reply(&reader, n_hosts, reply));
}

static void leases_are_planned(void **state)
{
    static const struct policy_hooks hooks;
    struct planning *planning = planning_create(NULL, &hooks);
    struct wire_writer frame = {0};
    struct plan_reply reply;
    size_t started = 0, waiting = 0;

    plan(planning, &(struct test_plan){.n_hosts = 2, .n_leases = 3, .now = 1000, .cpu = 400},
         &frame);
    read_reply(&frame, 2, &reply);
    assert_string_equal(reply.error, "");
    for (size_t i = 0; i < reply.n_outputs; i++)
        if (reply.outputs[i].kind == OUTPUT_OPERATION_STARTED) {
            started++;
            assert_int_equal(reply.outputs[i].reservation.n_vms, 1);
            assert_in_range(reply.outputs[i].reservation.vms[0].host, 0, 1);
        }
    for (size_t i = 0; i < reply.n_views; i++)
        if (reply.views[i].stretch.there) {
            waiting++;
            assert_int_equal(reply.views[i].begin, reply.views[i].stretch.from);
            assert_in_range(reply.views[i].begin, 1100, 1200);
        }
    assert_int_equal(started, 2);
    assert_int_equal(waiting, 1);
    assert_true(reply.next_time > 1000);
    plan_reply_finish(&reply);
    wire_writer_finish(&frame);
    planning_destroy(planning);
}

/* Cut anywhere, or with any byte changed, a reply is refused or has values in range. */
static void a_damaged_reply_is_refused_or_in_range(void **state)
{
    static const struct policy_hooks hooks;
    struct planning *planning = planning_create(NULL, &hooks);
    struct wire_writer frame = {0};
    unsigned char *copy;

    plan(planning, &(struct test_plan){.n_hosts = 2, .n_leases = 3, .now = 1000, .cpu = 400},
         &frame);
    copy = malloc(frame.n);
    for (size_t at = WIRE_HEADER + 1; at < frame.n; at++)
        for (int bit = 0; bit < 9; bit++) {
            struct plan_reply reply;
            struct wire_reader reader;
            size_t n = bit == 8 ? at : frame.n;

            memcpy(copy, wire_bytes(&frame), frame.n);
            if (bit < 8)
                copy[at] ^= (unsigned char)(1 << bit);
            wire_reader_init(&reader, copy + WIRE_HEADER + 1, n - WIRE_HEADER - 1);
            if (wire_get_plan_reply(&reader, 2, &reply)) {
                assert_int_not_equal(bit, 8);
                for (size_t i = 0; i < reply.n_placed; i++)
                    assert_in_range(reply.placed[i].host, 0, 1);
            }
            plan_reply_finish(&reply);
        }
    free(copy);
    wire_writer_finish(&frame);
    planning_destroy(planning);
}

static bool operation_is_read(int64_t from, int64_t until)
{
    const struct planned_operation operation = {.lease = 3, .from = from, .until = until};
    struct planned_operation *read;
    struct wire_writer writer = {0};
    struct wire_reader reader;
    bool sound;
    size_t n;

    wire_put(&writer, 1);
    wire_put_operation(&writer, &operation);
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    sound = wire_get_operations(&reader, &read, &n);
    free(read);
    wire_writer_finish(&writer);
    return sound;
}

static bool trace_is_read(int64_t at, int64_t about)
{
    const struct plan_trace trace = {.n_calls = 1, .calls = {{.about = about}}, .at = at};
    struct wire_writer writer = {0};
    struct wire_reader reader;
    bool sound;

    wire_put_trace(&writer, &trace);
    wire_reader_init(&reader, wire_bytes(&writer), writer.n);
    free(wire_get_trace(&reader, 1));
    sound = wire_is_at_end(&reader);
    wire_writer_finish(&writer);
    return sound;
}

static void times_whose_sums_would_overflow_are_refused(void **state)
{
    assert_true(operation_is_read(1795374381, INSTANT_NEVER));
    assert_true(operation_is_read(INSTANT_NONE, 1795374381));
    assert_false(operation_is_read(INT64_MAX - 1, INSTANT_NEVER));
    assert_false(operation_is_read(1795374381, INT64_MAX - 1));
    assert_true(trace_is_read(INSTANT_NONE, 1795374381));
    assert_false(trace_is_read(INT64_MAX - 1, 1795374381));
    assert_false(trace_is_read(1795374381, INT64_MIN + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(times_that_are_not_set_take_a_byte),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(moved_bytes_follow_what_is_there),
        cmocka_unit_test(what_is_out_of_range_fails_for_good),
        cmocka_unit_test(a_count_needs_the_bytes_for_it),
        cmocka_unit_test(a_number_ends),
        cmocka_unit_test(leases_are_planned),
        cmocka_unit_test(a_damaged_reply_is_refused_or_in_range),
        cmocka_unit_test(times_whose_sums_would_overflow_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
