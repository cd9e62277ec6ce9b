/* The figures of a trace. */
#include "lwf_test.h"

#include "lwf/trace_combine.h"
#include "lwf/trace_stats.h"

static void test_figures(void **state)
{
    struct lease_request requests[4];
    struct trace_stats stats;
    struct error err = {0};
    struct site site;
    struct trace *trace;

    site_init(&site);
    site_add_hosts(&site, 4, &(struct amounts){{100, 1024}}, &err);
    for (int i = 0; i < 4; i++)
        requests[i] = simple_request(i + 1, 100 * i, 10 * (i + 1));
    requests[1].kind = LEASE_RESERVATION;
    requests[1].start = 500;
    requests[1].terms = TERMS_NON_PREEMPTABLE;
    requests[2].duration_known = 15;
    requests[2].user = 7;
    requests[3].duration = SPAN_UNLIMITED;
    requests[3].image = "a";
    trace = trace_from_requests(requests, 4, &site);
    assert_int_equal(trace_stats_take(&stats, trace, NULL, &err), 0);
    trace_destroy(trace);
    site_finish(&site);

    assert_int_equal(stats.census.total, 4);
    assert_int_equal(stats.census.leases[LEASE_BEST_EFFORT], 3);
    assert_int_equal(stats.census.leases[LEASE_RESERVATION], 1);
    assert_int_equal(stats.preemptible, 3);
    assert_int_equal(stats.unlimited, 1);
    assert_int_equal(stats.with_image, 1);
    assert_int_equal(stats.users, 1);
    assert_int_equal(stats.duration.n, 3);
    assert_int_equal(stats.duration.minimum, 10);
    assert_int_equal(stats.duration.median, 20);
    assert_int_equal(stats.duration.p95, 30);
    assert_int_equal(stats.duration.maximum, 30);
    assert_true(stats.duration.mean == 20);
    assert_int_equal(stats.real_duration.n, 1);
    assert_int_equal(stats.interarrival.n, 3);
    assert_int_equal(stats.interarrival.median, 100);
    assert_int_equal(stats.hosts, 4);
    assert_int_equal(stats.cpu_total, 400);
    /* 100 CPU for 10 + 20 + 30 s of 400 CPU for 300 s; 15 s of the 30 really used. */
    assert_true(stats.requested_load == 6000.0 / 120000);
    assert_true(stats.real_load == 4500.0 / 120000);
}

static void test_empty_trace(void **state)
{
    struct trace_stats stats;
    struct error err = {0};
    struct trace *trace = trace_from_requests(NULL, 0, NULL);

    assert_int_equal(trace_stats_take(&stats, trace, NULL, &err), 0);
    assert_int_equal(stats.census.total, 0);
    assert_int_equal(stats.duration.n, 0);
    assert_true(stats.requested_load < 0);
    trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_empty_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
