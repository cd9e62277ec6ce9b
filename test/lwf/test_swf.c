/* Jobs of SWF as requests. */
#include "lwf_test.h"

#include <errno.h>

#include "lwf/swf_reader.h"

static struct trace *open_swf_bytes(const void *bytes, size_t size,
                                    const struct swf_options *options, struct error *err)
{
    return swf_open_source(source_open_memory("test.swf", bytes, size), options, err);
}

static struct trace *open_swf(const char *text, const struct swf_options *options)
{
    struct error err = {0};
    struct trace *trace = open_swf_bytes(text, strlen(text), options, &err);

    if (!trace)
        fail_msg("%s", err.text);
    return trace;
}

static struct swf_options usual(void)
{
    struct swf_options options;

    swf_options_init(&options);
    return options;
}

/* number submit wait run allocated cpu used-memory requested time memory status user group program
 * queue partition before think */
static void test_job(void **state)
{
    struct trace *trace = open_swf("; a comment\n\n"
                                   "  7 100 5 50 16 1.5e+01 -1 8 600 -1 1 42 -1 -1 1 -1 -1 -1\r\n",
                                   NULL);
    struct lease_request request = next_request(trace);

    assert_null(trace_site(trace));
    assert_int_equal(request.id, 1);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.submit, 100);
    assert_int_equal(request.duration, 600);
    assert_int_equal(request.duration_original, 600);
    assert_int_equal(request.duration_known, 50);
    assert_int_equal(request.user, 42);
    assert_true(request.preemptible);
    assert_int_equal(request.terms, TERMS_SUSPENDABLE);
    assert_int_equal(request.n_node_sets, 1);
    assert_int_equal(request.node_sets[0].count, 8);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], 100);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 1024);
    expect_end(trace);
    trace_destroy(trace);
}

static void expect_job(const char *job, const struct swf_options *options, int64_t duration,
                       int64_t known)
{
    struct trace *trace = open_swf(job, options);
    struct lease_request request = next_request(trace);

    assert_int_equal(request.duration, duration);
    assert_int_equal(request.duration_known, known);
    expect_end(trace);
    trace_destroy(trace);
}

static void expect_no_job(const char *job, const struct swf_options *options)
{
    struct trace *trace = open_swf(job, options);

    expect_end(trace);
    trace_destroy(trace);
}

#define JOB(run, allocated, requested, time, status)                                               \
    "1 0 0 " run " " allocated " -1 -1 " requested " " time " -1 " status " -1 -1 -1 -1 -1 -1 "    \
    "-1\n"

static void test_times(void **state)
{
    struct swf_options skip = usual(), limit = usual();

    skip.missing_time = SWF_MISSING_TIME_SKIP;
    limit.missing_time = SWF_MISSING_TIME_LIMIT;
    expect_job(JOB("0", "1", "1", "60", "1"), NULL, 60, 1);
    expect_job(JOB("60", "1", "1", "60", "1"), NULL, 60, SPAN_NONE);
    expect_job(JOB("99", "1", "1", "60", "1"), NULL, 60, SPAN_NONE);
    expect_job(JOB("12.25", "1", "1", "60", "1"), NULL, 60, 13);
    expect_job(JOB("1.225e+1", "1", "1", "1e5", "1"), NULL, 100000, 13);
    expect_job("\xef\xbb\xbf" JOB("-1", "1", "1", "60", "1"), NULL, 60, SPAN_NONE);
    expect_job(JOB("-1", "1", "1", "60", "1"), NULL, 60, SPAN_NONE);
    expect_job(JOB("50", "1", "1", "-1", "1"), NULL, 50, SPAN_NONE);
    expect_job(JOB("0", "1", "1", "-1", "1"), NULL, 1, SPAN_NONE);
    expect_no_job(JOB("-1", "1", "1", "-1", "1"), NULL);
    expect_no_job(JOB("50", "1", "1", "-1", "1"), &skip);
    expect_job("; MaxRuntime: 900\n" JOB("50", "1", "1", "-1", "1"), &limit, 900, 50);
    expect_job(JOB("50", "1", "1", "-1", "1"), &limit, 50, SPAN_NONE);
}

static void test_status(void **state)
{
    struct swf_options skip = usual();
    struct swf_counts counts;
    struct trace *trace;

    skip.skip_failed = skip.skip_cancelled = true;
    expect_job(JOB("10", "1", "1", "60", "0"), NULL, 60, 10);
    expect_job(JOB("10", "1", "1", "60", "5"), NULL, 60, 10);
    trace = open_swf(JOB("10", "1", "1", "60", "0") JOB("10", "1", "1", "60", "5")
                         JOB("10", "1", "1", "60", "2") JOB("10", "1", "1", "60", "3")
                             JOB("10", "1", "1", "60", "4") JOB("-1", "-1", "1", "60", "5")
                                 JOB("10", "-1", "-1", "60", "1") JOB("10", "1", "1", "60", "-1"),
                     &skip);
    assert_int_equal(next_request(trace).id, 1);
    expect_end(trace);
    swf_counts(trace, &counts);
    assert_int_equal(counts.jobs, 8);
    assert_int_equal(counts.leases, 1);
    assert_int_equal(counts.failed, 1);
    assert_int_equal(counts.cancelled, 1);
    assert_int_equal(counts.partial, 3);
    assert_int_equal(counts.never_started, 1);
    assert_int_equal(counts.without_processors, 1);
    trace_destroy(trace);
}

/* Without a run time, allocated too much, requested too much; the limits themselves stay. */
static void test_jobs_that_cannot_be_simulated(void **state)
{
    struct swf_options skip = usual();
    struct swf_counts counts;
    struct trace *trace;

    skip.skip_without_run_time = skip.skip_too_large = true;
    trace = open_swf("; MaxProcs: 8\n" JOB("0", "1", "1", "60", "1") JOB("-1", "1", "1", "60", "1")
                         JOB("10", "9", "8", "60", "1") JOB("10", "8", "9", "60", "1")
                             JOB("1", "8", "8", "60", "1"),
                     &skip);
    assert_int_equal(next_request(trace).duration_known, 1);
    expect_end(trace);
    swf_counts(trace, &counts);
    assert_int_equal(counts.leases, 1);
    assert_int_equal(counts.without_run_time, 2);
    assert_int_equal(counts.too_large, 2);
    trace_destroy(trace);
}

static void test_processors_and_memory(void **state)
{
    static const char text[] = "; MaxNodes: 16\n; MaxProcs: 128 (8 a node)\n"
                               "1 10 0 5 17 -1 3000 -1 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                               "2 11 0 5 17 -1 3000 16 60 2048 1 -1 -1 -1 -1 -1 -1 -1\n";
    struct swf_options options = usual();
    struct lease_request request;
    struct trace *trace;

    options.processors_per_node = options.cpu_per_node = 0;
    options.memory_from_log = options.from_zero = true;
    options.limit = 2;
    trace = open_swf(text, &options);
    assert_non_null(trace_site(trace));
    assert_int_equal(trace_site(trace)->n_hosts, 16);
    assert_int_equal(trace_site(trace)->hosts[0].capacity.of[RESOURCE_CPU], 800);
    request = next_request(trace);
    assert_int_equal(request.submit, 0);
    assert_int_equal(request.node_sets[0].count, 3);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], 800);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 24);
    request = next_request(trace);
    assert_int_equal(request.submit, 1);
    assert_int_equal(request.node_sets[0].count, 2);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 16);
    expect_end(trace);
    trace_destroy(trace);

    options = usual();
    options.limit = 1;
    options.hosts = 5;
    options.preemptible = false;
    trace = open_swf(text, &options);
    assert_int_equal(trace_site(trace)->n_hosts, 5);
    request = next_request(trace);
    assert_int_equal(request.submit, 10);
    assert_int_equal(request.node_sets[0].count, 17);
    assert_int_equal(request.terms, TERMS_NON_PREEMPTABLE);
    expect_end(trace);
    trace_destroy(trace);
}

/* The excerpt gives the leases that the authors of Haizea made of it. */
static void test_blue_horizon(void **state)
{
    struct swf_options options = usual();
    struct error err = {0};
    struct trace *expected =
        lwf_open_source(source_open(LWF_TEST_DATA "/blue-excerpt.lwf", &err), NULL, &err);
    struct lease_request left, right;
    struct trace_census census;
    struct trace *trace;

    options.missing_time = SWF_MISSING_TIME_SKIP;
    options.hosts = 144;
    trace = swf_open_source(source_open(LWF_TEST_DATA "/blue-excerpt.swf", &err), &options, &err);
    assert_non_null(trace);
    assert_non_null(expected);
    assert_int_equal(trace_take_census(trace, &census, &err), 0);
    assert_int_equal(census.total, 105);
    assert_true(census.sorted);
    assert_int_equal(trace_site(trace)->n_hosts, trace_site(expected)->n_hosts);
    assert_memory_equal(&trace_site(trace)->hosts[0].capacity,
                        &trace_site(expected)->hosts[0].capacity, sizeof(struct amounts));
    while (trace_next(trace, &left, &err) > 0) {
        right = next_request(expected);
        right.user = left.user;
        expect_same_request(&left, &right);
    }
    expect_end(expected);
    trace_destroy(trace);
    trace_destroy(expected);
}

static void expect_swf_error(const void *bytes, size_t size, const char *error)
{
    struct error err = {0};
    struct trace *trace = open_swf_bytes(bytes, size, NULL, &err);
    struct lease_request request;

    while (trace && trace_next(trace, &request, &err) > 0)
        continue;
    assert_int_equal(err.code, EINVAL);
    assert_string_equal(err.text, error);
    trace_destroy(trace);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"1 2 3\n", "test.swf:1:6: the line ends after 3 fields: expected 18"},
        {";\n1 2 x\n", "test.swf:2:5: field 3 is not a number of at most 12 digits"},
        {"1 2 3x\n", "test.swf:1:5: field 3 is not a number of at most 12 digits"},
        {"1 2 - 4\n", "test.swf:1:5: field 3 is not a number of at most 12 digits"},
        {"1 2 99999999999999999999 4\n",
         "test.swf:1:5: field 3 is not a number of at most 12 digits"},
        {"1 0 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1 7\n",
         "test.swf:1:47: unexpected text after the 18th field"},
        {"1 -5 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
         "test.swf:1:1: the time of submission is not from 0 to 100000000000"},
        {"1 0 0 5 1 -1 -1 9999999 6 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
         "test.swf:1:1: the number of nodes is not from 0 to 1000000"},
        {"1 0 0 1e300 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
         "test.swf:1:1: the requested time is not from 0 to 100000000000"},
        {"1 0 0 1e 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
         "test.swf:1:7: field 4 is not a number of at most 12 digits"},
        {"; MaxProcs: 99999999\n",
         "test.swf: the header has 99999999 nodes, more than 262144; specify the "
         "number of processors of a node"},
    };
    static const char nul[] = "1 0 \0 5\n";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_swf_error(cases[i].text, strlen(cases[i].text), cases[i].error);
    expect_swf_error(nul, sizeof nul - 1,
                     "test.swf:1:5: field 3 is not a number of at most 12 digits");
}

static void test_truncated_everywhere(void **state)
{
    static const char text[] = "1 0 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1";
    struct error err = {0};
    struct lease_request request;

    for (size_t n = 1; n < sizeof text - 3; n++) {
        struct trace *trace = open_swf_bytes(text, n, NULL, &err);

        assert_non_null(trace);
        assert_int_equal(trace_next(trace, &request, &err), -1);
        trace_destroy(trace);
    }
}

static void test_wrong_options(void **state)
{
    struct swf_options options = usual();
    struct error err = {0};

    options.processors_per_node = -1;
    assert_null(open_swf_bytes("", 0, &options, &err));
    assert_int_equal(err.code, EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_jobs_that_cannot_be_simulated),
        cmocka_unit_test(test_processors_and_memory),
        cmocka_unit_test(test_blue_horizon),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_truncated_everywhere),
        cmocka_unit_test(test_wrong_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
