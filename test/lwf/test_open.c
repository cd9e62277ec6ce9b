/* How the format of a trace is recognized. */
#include "lwf_test.h"

#include <errno.h>

#include "lwf/trace_open.h"

static int format_of(const char *text, struct error *err)
{
    struct source *source = source_open_memory("trace", text, strlen(text));
    int format = trace_format_of(source, err);

    source_close(source);
    return format;
}

static void test_formats(void **state)
{
    struct error err = {0};

    assert_int_equal(format_of(" \n<?xml version=\"1.0\"?>", &err), TRACE_FORMAT_LWF);
    assert_int_equal(format_of("\xef\xbb\xbf<lease-workload/>", &err), TRACE_FORMAT_LWF);
    assert_int_equal(format_of("; UnixStartTime: 0\n", &err), TRACE_FORMAT_SWF);
    assert_int_equal(format_of("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n", &err),
                     TRACE_FORMAT_SWF);
    assert_int_equal(format_of("# comment\n1 -1 3 4 5 6 7 8 image 10", &err), TRACE_FORMAT_OLD);
    assert_int_equal(format_of("# nothing else\n", &err), TRACE_FORMAT_OLD);
}

static void test_no_format(void **state)
{
    static const char *const texts[] = {"hello", "1 2 3\n", "[general]\n", "{\"a\": 1}"};
    struct error err = {0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(format_of(texts[i], &err), -1);
        assert_int_equal(err.code, EINVAL);
        assert_non_null(strstr(err.text, "trace: not a trace: expected LWF"));
    }
    assert_int_equal(format_of(" \n", &err), -1);
    assert_non_null(strstr(err.text, "trace: is empty"));
    assert_int_equal(format_of("1 2 3\n4 5\n", &err), -1);
    assert_non_null(strstr(err.text, "of ten columns); its first line has 3 columns"));
    assert_int_equal(format_of("\x1f\x8b\x08", &err), -1);
    assert_string_equal(err.text, "trace: is compressed; decompress it with gunzip");
    assert_int_equal(format_of("\x28\xb5\x2f\xfd", &err), -1);
    assert_string_equal(err.text, "trace: is compressed; decompress it with unzstd");
}

/* No byte behind the end is looked at. */
static void test_short_beginnings(void **state)
{
    static const char bytes[] = "\xef\xbb\xbf<?xml";
    struct error err = {0};

    for (size_t n = 0; n < sizeof bytes; n++) {
        char *copy = malloc(n ? n : 1);
        struct source *source;

        memcpy(copy, bytes, n);
        source = source_open_memory("trace", copy, n);
        assert_int_equal(trace_format_of(source, &err), n > 3 ? TRACE_FORMAT_LWF : -1);
        source_close(source);
        free(copy);
    }
}

static void expect_census(const char *content, int64_t leases)
{
    char *path = write_temporary(content);
    struct trace_census census;
    struct error err = {0};
    struct trace *trace = trace_open(path, NULL, &err);

    if (!trace || trace_take_census(trace, &census, &err) < 0)
        fail_msg("%s", err.text);
    trace_destroy(trace);
    assert_int_equal(census.total, leases);
    remove_file(path);
}

static void test_each_format_opens(void **state)
{
    struct error err = {0};

    expect_census(WORKLOAD("", BEST_EFFORT("00:00", "00:10")), 1);
    expect_census("1 0 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1\n", 1);
    expect_census("0 -1 5 5 1 1 1 0 a 1\n0 -1 5 5 1 1 1 0 a 1\n", 2);
    assert_null(trace_open("/nonexistent", NULL, &err));
    assert_int_equal(err.code, ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_no_format),
        cmocka_unit_test(test_short_beginnings),
        cmocka_unit_test(test_each_format_opens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
