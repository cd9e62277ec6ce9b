/* Traces that are merged, cut and ordered. */
#include "lwf_test.h"

#include <errno.h>

#include "lwf/trace_combine.h"

enum { MANY = 16 };

/* A trace of requests with these submissions; ids 1, 2, ... */
static struct trace *trace_of(const int64_t *submits, size_t n)
{
    struct lease_request requests[MANY];
    struct trace *trace;

    for (size_t i = 0; i < n; i++)
        requests[i] = simple_request((int64_t)i + 1, submits[i], 100);
    trace = trace_from_requests(requests, n, NULL);
    assert_non_null(trace);
    return trace;
}

static void expect_ids(struct trace *trace, const int64_t *ids, size_t n)
{
    struct trace_census census;
    struct error err = {0};

    assert_non_null(trace);
    assert_int_equal(trace_take_census(trace, &census, &err), 0);
    assert_int_equal(census.total, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(next_request(trace).id, ids[i]);
    expect_end(trace);
    trace_destroy(trace);
}

static void test_merge(void **state)
{
    static const int64_t main_submits[] = {0, 10, 10, 30}, injected[] = {0, 10, 20, 40};
    static const int64_t expected[] = {1, 5, 2, 3, 6, 7, 4, 8};
    struct error err = {0};

    expect_ids(trace_merge(trace_of(main_submits, 4), trace_of(injected, 4), &err), expected, 8);
    expect_ids(trace_merge(trace_of(NULL, 0), trace_of(injected, 4), &err),
               (const int64_t[]){1, 2, 3, 4}, 4);
    expect_ids(trace_merge(trace_of(main_submits, 4), trace_of(NULL, 0), &err),
               (const int64_t[]){1, 2, 3, 4}, 4);
}

static void test_merge_of_unsorted_traces(void **state)
{
    static const int64_t main_submits[] = {30, 10, 0, 10}, injected[] = {10, 0};
    static const int64_t expected[] = {3, 6, 2, 4, 5, 1};
    struct error err = {0};

    expect_ids(trace_merge(trace_of(main_submits, 4), trace_of(injected, 2), &err), expected, 6);
}

static void test_merge_of_files(void **state)
{
    char *first = write_temporary(
        WORKLOAD(SITE_TEXT, BEST_EFFORT("00:10", "00:01") BEST_EFFORT("00:20", "00:02")));
    char *second = write_temporary(WORKLOAD("", BEST_EFFORT("00:15", "00:03")));
    struct error err = {0};
    struct trace *trace = lwf_open_source(source_open(first, &err), NULL, &err), *injection;
    struct lwf_options options = {.types = &trace_site(trace)->types};

    injection = lwf_open_source(source_open(second, &err), &options, &err);
    trace = trace_merge(trace, injection, &err);
    assert_non_null(trace);
    assert_int_equal(trace_site(trace)->n_hosts, 4);
    assert_int_equal(next_request(trace).duration, 60);
    assert_int_equal(next_request(trace).duration, 180);
    assert_int_equal(next_request(trace).duration, 120);
    expect_end(trace);
    trace_destroy(trace);
    remove_file(first);
    remove_file(second);
}

static void test_merge_with_an_error(void **state)
{
    static const int64_t submits[] = {0, 1000000};
    struct error err = {0};

    assert_null(trace_merge(
        trace_of(submits, 2),
        open_text(WORKLOAD("", BEST_EFFORT("00:00", "00:01") "<lease-request/>"), NULL), &err));
    assert_string_equal(err.text, "test.lwf:4:1: <lease-request> has no attribute arrival");
}

static void test_order(void **state)
{
    static const int64_t submits[] = {10, 30, 5, 20, 30, 25, 40};
    struct error err = {0};

    static const int64_t ids[] = {3, 1, 4, 6, 2, 5, 7}, stops[] = {10, 10, 30, 30, 30, 30, 40};
    struct trace *trace = trace_ordered(trace_of(submits, 7), &err);

    for (size_t i = 0; i < 7; i++) {
        struct lease_request request = next_request(trace);

        assert_int_equal(request.id, ids[i]);
        assert_int_equal(trace_stop(trace, &request), stops[i]);
    }
    expect_end(trace);
    trace_destroy(trace);
}

static void test_images(void **state)
{
    static const int64_t submits[] = {0, 1, 2};
    char *path = write_temporary("one.img 800\n two.img\t400 \n# use\ntwo.img\n\n"
                                 "# again\none.img\n");
    struct error err = {0};
    struct trace *trace = trace_with_images(trace_of(submits, 3), path, &err);
    struct lease_request request;

    assert_non_null(trace);
    request = next_request(trace);
    assert_string_equal(request.image, "two.img");
    assert_int_equal(request.image_size, 400);
    request = next_request(trace);
    assert_string_equal(request.image, "one.img");
    assert_int_equal(request.image_size, 800);
    assert_null(next_request(trace).image);
    trace_destroy(trace);
    remove_file(path);
}

static void expect_image_error(const char *content, const char *error)
{
    static const int64_t submits[] = {0};
    char *path = write_temporary(content);
    struct error err = {0};

    assert_null(trace_with_images(trace_of(submits, 1), path, &err));
    assert_int_equal(err.code, EINVAL);
    assert_memory_equal(err.text, path, strlen(path));
    assert_string_equal(err.text + strlen(path), error);
    remove_file(path);
}

static void test_wrong_image_files(void **state)
{
    struct error err = {0};

    expect_image_error("a 1\nb\n#\na\n", ":2: \"b\": expected an image and its size in MB");
    expect_image_error("a -1\n", ":1: \"a -1\": expected an image and its size in MB");
    expect_image_error("a 1\n#\na\nc\n", ":4: the image \"c\" is not among those with a size above "
                                         "the line with #");
    assert_null(trace_with_images(trace_of(NULL, 0), "/nonexistent", &err));
    assert_int_equal(err.code, ENOENT);
}

static struct lease_request with_overheads(struct lease_request request,
                                           struct trace_overheads overheads)
{
    struct error err = {0};
    struct trace *trace =
        trace_with_overheads(trace_from_requests(&request, 1, NULL), &overheads, &err);
    struct lease_request result;

    assert_non_null(trace);
    result = next_request(trace);
    trace_destroy(trace);
    assert_int_equal(result.duration_original, request.duration_original);
    return result;
}

static void test_overheads_as_haizea(void **state)
{
    struct trace_overheads overheads = {OVERHEAD_ALL, 10, 20, true, true};
    struct lease_request request = simple_request(1, 0, 3000);

    /* 3000 x 1.1 is a little more than 3300 in IEEE doubles. */
    assert_int_equal(with_overheads(request, overheads).duration, 3321);
    request.duration_known = 1000;
    assert_int_equal(with_overheads(request, overheads).duration, 1100 + 20);
    assert_int_equal(with_overheads(request, overheads).duration_known, 1020);
}

static void test_overheads(void **state)
{
    struct trace_overheads overheads = {OVERHEAD_ALL, 10, 20, false, false};
    struct lease_request request = simple_request(1, 0, 3000);

    assert_int_equal(with_overheads(request, overheads).duration, 3320);
    request.duration_known = 1001;
    assert_int_equal(with_overheads(request, overheads).duration, 3320);
    assert_int_equal(with_overheads(request, overheads).duration_known, 1102 + 20);
    request.duration = request.duration_original = SPAN_UNLIMITED;
    assert_int_equal(with_overheads(request, overheads).duration, SPAN_UNLIMITED);
    request = simple_request(1, 0, 3000);
    overheads.slowdown_percent = 0;
    assert_int_equal(with_overheads(request, overheads).duration, 3020);
    overheads.leases = OVERHEAD_BEST_EFFORT;
    assert_int_equal(with_overheads(request, overheads).duration, 3020);
    request.kind = LEASE_IMMEDIATE;
    assert_int_equal(with_overheads(request, overheads).duration, 3000);
    overheads.leases = OVERHEAD_NONE;
    assert_int_equal(with_overheads(simple_request(1, 0, 3000), overheads).duration, 3000);
}

static void test_wrong_overheads(void **state)
{
    static const struct trace_overheads wrong[] = {
        {OVERHEAD_ALL, -1, 0, false, false},
        {OVERHEAD_ALL, 0, -1, false, false},
        {OVERHEAD_ALL, 0, INT64_MAX, false, false},
    };
    struct error err = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(trace_with_overheads(trace_of(NULL, 0), &wrong[i], &err));
}

static void test_memory(void **state)
{
    static const int64_t submits[] = {0};
    struct error err = {0};
    struct trace *trace = trace_with_memory(trace_of(submits, 1), 77, &err);
    struct lease_request request = next_request(trace);

    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 77);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], 100);
    trace_destroy(trace);
    assert_null(trace_with_memory(trace_of(submits, 1), -1, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_of_unsorted_traces),
        cmocka_unit_test(test_merge_of_files),
        cmocka_unit_test(test_merge_with_an_error),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_wrong_image_files),
        cmocka_unit_test(test_overheads_as_haizea),
        cmocka_unit_test(test_overheads),
        cmocka_unit_test(test_wrong_overheads),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
