/* Host filters in a plan: what is sent is what the engine asks, and damaged ranks and bitmaps that
 * were not sent are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/host_filter.h"
#include "planner/plan.h"

enum { HOSTS = 24, NUMBERS = 3, STEPS_MAX = 4 };

/* An operation, and a column's number or a number. */
struct sent_step {
    int64_t operation, operand;
};

/* The only bitmap has the number 0. */
static void put_filter(struct wire_writer *writer, int64_t bitmap, const struct sent_step *steps,
                       size_t n)
{
    static const double numbers[NUMBERS] = {1, 2, 4};
    const uint64_t allowed = 5;
    double column[HOSTS];
    int64_t added[HOSTS];

    for (int i = 0; i < HOSTS; i++) {
        column[i] = numbers[i % NUMBERS];
        added[i] = 10 * (i + 1);
    }
    wire_put(writer, 2); /* columns */
    wire_put_raw(writer, column, sizeof column);
    wire_put_raw(writer, added, sizeof added);
    wire_put(writer, 1); /* bitmaps */
    wire_align(writer, 0);
    wire_put_raw(writer, &allowed, sizeof allowed);
    wire_put(writer, 1); /* filters */
    wire_put(writer, bitmap);
    wire_put(writer, true);
    wire_put(writer, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        double number = (double)steps[i].operand;

        wire_put(writer, steps[i].operation);
        if (steps[i].operation == RANK_NUMBER)
            wire_put_raw(writer, &number, sizeof number);
        else if (steps[i].operation == RANK_COLUMN)
            wire_put(writer, steps[i].operand);
    }
    wire_put(writer, 1);  /* added */
    wire_put(writer, -1); /* preferences */
    wire_put(writer, 7);  /* per VM */
    wire_put(writer, 0);  /* demands */
}

static bool is_read(struct plan *plan, struct wire_writer *writer, size_t n)
{
    struct wire_reader reader;

    *plan = (struct plan){.n_hosts = HOSTS, .n_places = HOSTS};
    wire_reader_init(&reader, wire_bytes(writer), n);
    plan_read_objects(plan, &reader);
    return wire_is_at_end(&reader);
}

static void filters_come_back(void **state)
{
    static const struct sent_step steps[] = {
        {RANK_NUMBER, 6}, {RANK_COLUMN, 0}, {RANK_NEGATE, 0}, {RANK_DIVIDE, 0}};
    struct wire_writer writer = {0};
    const struct host_filter *filter;
    struct plan plan;

    put_filter(&writer, 0, steps, 4);
    assert_true(is_read(&plan, &writer, writer.n));
    assert_int_equal(plan.objects.n_filters, 1);
    filter = plan.objects.filters[0];
    assert_true(host_filter_allows(filter, 0) && !host_filter_allows(filter, 1));
    assert_int_equal(host_rank_of(filter->rank, 0), -6 + 10);
    assert_int_equal(host_rank_of(filter->rank, 2), -1 + 30);
    assert_int_equal(filter->rank_per_vm, 7);
    assert_int_equal(filter->rank->values->n, NUMBERS);
    plan_finish(&plan);
    for (size_t n = 0; n < writer.n; n++) {
        assert_false(is_read(&plan, &writer, n));
        plan_finish(&plan);
    }
    wire_writer_finish(&writer);
}

static void ranks_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        struct sent_step steps[STEPS_MAX];
        size_t n;
    } ranks[] = {
        {{{RANK_ADD, 0}}, 1},                                  /* of nothing */
        {{{RANK_NEGATE, 0}}, 1},                               /* of nothing */
        {{{RANK_NUMBER, 1}, {RANK_DIVIDE, 0}}, 2},             /* by nothing */
        {{{RANK_COLUMN, 2}}, 1},                               /* not sent */
        {{{RANK_COLUMN, -1}}, 1},                              /* none */
        {{{RANK_OPERATIONS, 0}}, 1},                           /* unknown */
        {{{-1, 0}}, 1},                                        /* unknown */
        {{{RANK_NUMBER, 1}, {RANK_NUMBER, 1}}, 2},             /* two results */
        {{{RANK_NUMBER, 1}, {RANK_ADD, 0}, {RANK_ADD, 0}}, 3}, /* of nothing, twice */
    };

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        struct wire_writer writer = {0};
        struct plan plan;

        put_filter(&writer, 0, ranks[i].steps, ranks[i].n);
        if (is_read(&plan, &writer, writer.n))
            fail_msg("rank %zu is read", i);
        plan_finish(&plan);
        wire_writer_finish(&writer);
    }
}

static void bitmaps_that_were_not_sent_are_refused(void **state)
{
    static const struct sent_step steps[] = {{RANK_NUMBER, 1}};
    static const int64_t bitmaps[] = {-2, 1, INT64_MAX};

    for (size_t i = 0; i < sizeof bitmaps / sizeof *bitmaps; i++) {
        struct wire_writer writer = {0};
        struct plan plan;

        put_filter(&writer, bitmaps[i], steps, 1);
        assert_false(is_read(&plan, &writer, writer.n));
        plan_finish(&plan);
        wire_writer_finish(&writer);
    }
}

static void ranks_of_two_columns_have_no_values(void **state)
{
    static const struct sent_step steps[] = {{RANK_COLUMN, 0}, {RANK_COLUMN, 1}, {RANK_ADD, 0}};
    struct wire_writer writer = {0};
    struct plan plan;

    put_filter(&writer, 0, steps, 3);
    assert_true(is_read(&plan, &writer, writer.n));
    assert_null(plan.objects.filters[0]->rank->values);
    plan_finish(&plan);
    wire_writer_finish(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_come_back),
        cmocka_unit_test(ranks_of_two_columns_have_no_values),
        cmocka_unit_test(ranks_that_make_no_sense_are_refused),
        cmocka_unit_test(bitmaps_that_were_not_sent_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
