/* Haizea's older columns. */
#include "lwf_test.h"

#include <errno.h>

#include "lwf/old_reader.h"

static struct trace *open_old(const char *text)
{
    return old_open_source(source_open_memory("test.old", text, strlen(text)));
}

static void test_lines(void **state)
{
    struct trace *trace = open_old("# submit start ...\n\n"
                                   "0 -1 3600 1800 4 1 512 0 base.img 600\n"
                                   "60\t7200 600 600 2 2 1024 0 - 0\n");
    struct lease_request request = next_request(trace);

    assert_int_equal(request.id, 1);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.start, INSTANT_NONE);
    assert_int_equal(request.duration, 3600);
    assert_int_equal(request.duration_known, 1800);
    assert_true(request.preemptible);
    assert_int_equal(request.node_sets[0].count, 4);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], 100);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 512);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_DISK], 0);
    assert_string_equal(request.image, "base.img");
    assert_int_equal(request.image_size, 600);
    request = next_request(trace);
    assert_int_equal(request.id, 2);
    assert_int_equal(request.kind, LEASE_RESERVATION);
    assert_int_equal(request.submit, 60);
    assert_int_equal(request.start, 7200);
    assert_int_equal(request.duration_known, SPAN_NONE);
    assert_int_equal(request.terms, TERMS_NON_PREEMPTABLE);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], 200);
    assert_null(request.image);
    expect_end(trace);
    trace_destroy(trace);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"0 -1 5 5 1 1 1 0 a\n", "test.old:1:19: the line has 9 columns: expected 10"},
        {"\n0 -1 5 5 1 1 1 0 a 1 2\n", "test.old:2:22: unexpected text after the 10th column"},
        {"0 -2 5 5 1 1 1 0 a 1\n",
         "test.old:1:3: column 2 (start) is \"-2\": expected an integer from -1 to 100000000000"},
        {"0 -1 0 5 1 1 1 0 a 1\n",
         "test.old:1:6: column 3 (duration) is \"0\": expected an integer from 1 to 100000000000"},
        {"0 -1 5 5 many 1 1 0 a 1\n",
         "test.old:1:10: column 5 (nodes) is \"many\": expected an integer from 1 to 1000000"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace *trace = open_old(cases[i].text);
        struct lease_request request;
        struct error err = {0};

        assert_int_equal(trace_next(trace, &request, &err), -1);
        assert_int_equal(err.code, EINVAL);
        assert_string_equal(err.text, cases[i].error);
        trace_destroy(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
