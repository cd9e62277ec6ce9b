/* The check of traces: all errors and warnings, with their places. */
#include "lwf_test.h"

#include "lwf/trace_check.h"

static struct trace_check check_text(const char *text, size_t limit)
{
    struct trace_check check;
    struct error err = {0};
    struct source *source = source_open_memory("test", text, strlen(text));

    if (trace_check_source(&check, source, NULL, limit, &err) < 0)
        fail_msg("%s", err.text);
    return check;
}

static void expect_findings(const char *text, const char *const findings[], size_t n)
{
    struct trace_check check = check_text(text, 200);

    for (size_t i = 0; i < n && i < check.n_findings; i++) {
        const struct trace_finding *finding = &check.findings[i];
        char line[400];

        snprintf(line, sizeof line, "%ld:%ld: %s: %s", finding->place.line, finding->place.column,
                 finding->severity == LWF_ERROR ? "error" : "warning", finding->text);
        assert_string_equal(line, findings[i]);
    }
    assert_int_equal(check.n_findings, n);
    assert_int_equal(check.n_errors + check.n_warnings, n);
    trace_check_finish(&check);
}

static void test_sound_trace(void **state)
{
    struct trace_check check = check_text(WORKLOAD(SITE_TEXT, BEST_EFFORT("00:00", "00:10")), 200);

    assert_int_equal(check.format, TRACE_FORMAT_LWF);
    assert_int_equal(check.n_findings, 0);
    assert_int_equal(check.census.total, 1);
    trace_check_finish(&check);
}

static void test_all_errors_and_warnings(void **state)
{
    static const char text[] = WORKLOAD(
        SITE_TEXT,
        BEST_EFFORT("noon",
                    "00:10") REQUEST("00:05", "preemptible=\"maybe\" colour=\"red\"",
                                     "<start/><duration time=\"00:00\"/><mood/>" NO_SOFTWARE)
            BEST_EFFORT("00:10", "00:10") BEST_EFFORT("00:08", "00:10") REQUEST(
                "00:20", "preemptible=\"false\"",
                NODES_TEXT "<start><exact time=\"00:10\"/></start><duration time=\"00:10\"/>"
                           "<deadline time=\"00:29\"/>" NO_SOFTWARE)
                REQUEST(
                    "00:30", "preemptible=\"true\"",
                    "<nodes><node-set numnodes=\"9\"><res type=\"CPU\" amount=\"50\"/></node-set>"
                    "</nodes>"
                    "<start/><duration time=\"00:10\"/>" NO_SOFTWARE));
    static const char *const findings[] = {
        "4:25: error: \"noon\" is not a time: expected [DAYS:]HH:MM[:SS]",
        "5:32: error: the lease has no <nodes>",
        "5:52: error: preemptible is \"maybe\": expected true or false",
        "5:67: warning: unknown attribute colour of <lease> ignored",
        "5:96: error: the duration is 0: expected a second or more",
        "5:104: warning: unknown element <mood> ignored",
        "7:1: warning: lease 4 arrives at 480 s, before the one above it (600 s): a trace must be "
        "sorted by arrival",
        "8:1: warning: lease 5 starts at 600 s, before its request (1200 s)",
        "8:1: warning: the deadline of lease 5 cannot be met: 1740 s is before the end of its "
        "duration after its earliest start",
        "9:1: warning: lease 6 is larger than the site: it requests 9 equal VMs, and the empty "
        "site holds 8",
    };

    expect_findings(text, findings, sizeof findings / sizeof *findings);
}

static void test_site_behind_the_requests(void **state)
{
    static const char text[] = "<lease-workload><lease-requests>\n" BEST_EFFORT(
        "00:00", "0") "</lease-requests>\n<site><nodes/></site></lease-workload>";
    static const char *const findings[] = {
        "2:194: error: \"0\" is not a time: expected [DAYS:]HH:MM[:SS] or unlimited",
        "4:15: error: the site has no <resource-types>",
    };

    expect_findings(text, findings, 2);
}

static void test_error_before_the_requests(void **state)
{
    static const char text[] =
        "<lease-workload colour=\"red\"><site><nodes/></site><lease-requests>\n" BEST_EFFORT(
            "00:00", "00:10") "</lease-requests></lease-workload>";
    static const char *const findings[] = {
        "1:25: warning: unknown attribute colour of <lease-workload> ignored",
        "1:44: error: the site has no <resource-types>",
    };

    expect_findings(text, findings, 2);
}

#define WITH_ID(arrival, id)                                                                       \
    REQUEST(arrival, "preemptible=\"true\" id=\"" id "\"",                                         \
            NODES_TEXT "<start/><duration time=\"00:10\"/>" NO_SOFTWARE)

static void test_equal_ids(void **state)
{
    static const char text[] = WORKLOAD("", WITH_ID("00:00", "7") WITH_ID("00:01", "8")
                                                WITH_ID("00:02", "7") WITH_ID("00:03", "7"));
    static const char *const findings[] = {
        "5:62: warning: the lease of line 3 has the id 7, too; ids are ignored, leases are "
        "numbered in order",
    };

    expect_findings(text, findings, 1);
}

static void test_lines_of_swf(void **state)
{
    static const char text[] = "; SWF\n1 2 3\n1 0 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1\nx\n";
    static const char *const findings[] = {
        "2:6: error: the line ends after 3 fields: expected 18",
        "4:1: error: field 1 is not a number of at most 12 digits",
    };

    expect_findings(text, findings, 2);
}

static void test_places_and_jobs_of_a_log(void **state)
{
    static const char text[] = "; SWF\n"
                               "1 9 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                               "2 9 0 5 1 -1 -1 1 6 -1 2 -1 -1 -1 -1 -1 -1 -1\n"
                               "\n"
                               "3 1 0 5 1 -1 -1 1 6 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
    struct trace_check check = check_text(text, 200);

    assert_int_equal(check.n_warnings, 1);
    assert_int_equal(check.findings[0].place.line, 5);
    assert_int_equal(check.jobs.jobs, 3);
    assert_int_equal(check.jobs.partial, 1);
    trace_check_finish(&check);
}

static void test_no_leases(void **state)
{
    static const char *const findings[] = {"0:0: warning: the trace has no leases"};

    expect_findings("; SWF\n1 0 0 -1 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n", findings, 1);
}

static void test_broken_xml_ends_the_check(void **state)
{
    static const char text[] =
        "<lease-workload><lease-requests>\n" BEST_EFFORT("00:00", "0") "<a></b>";
    struct trace_check check = check_text(text, 200);

    assert_int_equal(check.n_errors, 2);
    assert_int_equal(check.n_findings, 3);
    assert_int_equal(check.findings[2].place.line, 3);
    assert_non_null(strstr(check.findings[2].text, "not well-formed XML"));
    trace_check_finish(&check);
}

static void test_limit(void **state)
{
    static const char text[] = "<lease-workload><lease-requests>"
                               "<lease-request/><lease-request/><lease-request/>";
    struct trace_check check = check_text(text, 2);

    assert_int_equal(check.n_findings, 2);
    assert_true(check.stopped);
    trace_check_finish(&check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_trace),
        cmocka_unit_test(test_no_leases),
        cmocka_unit_test(test_all_errors_and_warnings),
        cmocka_unit_test(test_site_behind_the_requests),
        cmocka_unit_test(test_error_before_the_requests),
        cmocka_unit_test(test_equal_ids),
        cmocka_unit_test(test_lines_of_swf),
        cmocka_unit_test(test_places_and_jobs_of_a_log),
        cmocka_unit_test(test_broken_xml_ends_the_check),
        cmocka_unit_test(test_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
