/* The elements and attributes of LWF. */
#include "lwf_test.h"

static void test_site_and_best_effort(void **state)
{
    struct trace *trace =
        open_text(WORKLOAD(SITE_TEXT, BEST_EFFORT("00:01:00", "1:02:00:00")), NULL);
    const struct site *site = trace_site(trace);
    struct lease_request request;

    assert_non_null(site);
    assert_int_equal(site->n_hosts, 4);
    assert_int_equal(site->hosts[3].id, 4);
    assert_int_equal(site->hosts[0].capacity.of[RESOURCE_CPU], 100);
    assert_int_equal(site->hosts[0].capacity.of[RESOURCE_MEMORY], 1024);
    /* What the site does not name is ample. */
    assert_int_equal(site->hosts[0].capacity.of[RESOURCE_DISK], 1000000);
    assert_int_equal(site->hosts[0].capacity.of[RESOURCE_NET_OUT], 1000000);
    request = next_request(trace);
    assert_int_equal(request.id, 1);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.submit, 60);
    assert_int_equal(request.start, INSTANT_NONE);
    assert_int_equal(request.deadline, INSTANT_NONE);
    assert_int_equal(request.duration, 93600);
    assert_int_equal(request.duration_original, 93600);
    assert_int_equal(request.duration_known, SPAN_NONE);
    assert_true(request.preemptible);
    assert_int_equal(request.terms, TERMS_SUSPENDABLE);
    assert_int_equal(request.origin, ORIGIN_LOCAL);
    assert_int_equal(request.priority, 0);
    assert_int_equal(request.user, -1);
    assert_int_equal(request.n_node_sets, 1);
    assert_int_equal(request.node_sets[0].count, 2);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 512);
    assert_null(request.image);
    expect_end(trace);
    trace_destroy(trace);
}

static void test_kinds(void **state)
{
    static const char text[] = WORKLOAD(
        SITE_TEXT,
        REQUEST("00:00:00", "preemptible=\"false\"",
                NODES_TEXT "<start><now/></start><duration time=\"00:10\"/>" NO_SOFTWARE)
            REQUEST("00:00:00", "preemptible=\"FALSE\"",
                    NODES_TEXT
                    "<start><exact time=\"01:00\"/></start><duration time=\"00:10\"/>" NO_SOFTWARE)
                REQUEST("00:00:00", "preemptible=\"True\"",
                        NODES_TEXT
                        "<start><exact time=\"01:00\"/></start><duration time=\"00:10\"/>"
                        "<deadline time=\"03:00\"/>" NO_SOFTWARE)
                    REQUEST(
                        "00:00:00", "preemptible=\"true\"",
                        NODES_TEXT
                        "<start/><duration time=\"00:10\"/><deadline time=\"03:00\"/>" NO_SOFTWARE)
                        REQUEST("00:00:00", "preemptible=\"true\"",
                                NODES_TEXT "<start earliest=\"02:00\"/><duration "
                                           "time=\"unlimited\"/>" NO_SOFTWARE));
    struct trace *trace = open_text(text, NULL);
    struct lease_request request;

    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_IMMEDIATE);
    assert_int_equal(request.start, INSTANT_NONE);
    assert_false(request.preemptible);
    assert_int_equal(request.terms, TERMS_NON_PREEMPTABLE);
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_RESERVATION);
    assert_int_equal(request.start, 3600);
    assert_false(request.preemptible);
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_DEADLINE);
    assert_int_equal(request.start, 3600);
    assert_int_equal(request.deadline, 10800);
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.start, INSTANT_NONE);
    assert_int_equal(request.deadline, 10800);
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.start, 7200);
    assert_int_equal(request.duration, SPAN_UNLIMITED);
    expect_end(trace);
    trace_destroy(trace);
}

static void test_own_attributes(void **state)
{
    static const char text[] = WORKLOAD(
        SITE_TEXT,
        REQUEST("00:00:00",
                "id=\"77\" state=\"3\" preemptible=\"true\" user=\"12\" "
                "terms=\"cancelable\" origin=\"external\" priority=\"-3.25\"",
                NODES_TEXT "<start/><duration time=\"00:10\"/>"
                           "<extra><attr name=\"SWF_queue\" value=\"2\"/></extra>" NO_SOFTWARE));
    struct lwf_options compatible = {.quirks = LWF_QUIRKS_OF_HAIZEA_1_0};
    struct trace *trace = open_text(text, NULL);
    struct lease_request request = next_request(trace);

    assert_int_equal(request.id, 1);
    assert_int_equal(request.terms, TERMS_CANCELABLE);
    assert_int_equal(request.origin, ORIGIN_EXTERNAL);
    assert_int_equal(request.priority, -3250);
    assert_int_equal(request.user, 12);
    trace_destroy(trace);

    trace = open_text(text, &compatible);
    request = next_request(trace);
    assert_int_equal(request.terms, TERMS_SUSPENDABLE);
    assert_int_equal(request.origin, ORIGIN_LOCAL);
    assert_int_equal(request.priority, 0);
    trace_destroy(trace);
}

static void test_elements_in_any_order(void **state)
{
    static const char text[] =
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- a comment -->\n"
        "<lease-workload><lease-requests>"
        "<lease-request arrival=\"00:00:05\"><lease preemptible=\"true\">"
        "<software><disk-image size=\"7\" id=\"b\xfc"
        "ro &amp; &lt;co&gt; &#38; &quot;\"/>"
        "</software>"
        "<duration time=\"00:10\"/><start></start>" NODES_TEXT
        "</lease><realduration time=\"00:05\"/></lease-request>"
        "</lease-requests><attributes><attr name=\"a\" value=\"b\"/></attributes>"
        "<site><nodes><node-set numnodes=\"1\"><res type=\"GPU\" amount=\"2\"/>"
        "<res type=\"CPU\"><instance amount=\"100\"/><instance amount=\"50\"/></res>"
        "<res type=\"Memory\" amount=\"9\"/></node-set></nodes>"
        "<resource-types names=\" Memory CPU\tGPU \"/></site><description>late</description>"
        "</lease-workload>";
    struct trace *trace = open_text(text, NULL);
    const struct site *site = trace_site(trace);
    struct lease_request request;

    assert_non_null(site);
    assert_int_equal(site->n_hosts, 1);
    assert_int_equal(site->types.count, RESOURCE_TYPES_FIXED + 1);
    assert_int_equal(site->hosts[0].capacity.of[RESOURCE_CPU], 150);
    assert_int_equal(site->hosts[0].capacity.of[RESOURCE_TYPES_FIXED], 2);
    request = next_request(trace);
    assert_int_equal(request.id, 1);
    assert_int_equal(request.submit, 5);
    assert_int_equal(request.duration_known, 300);
    assert_string_equal(request.image, "b\xc3\xbcro & <co> & \"");
    assert_int_equal(request.image_size, 7);
    expect_end(trace);
    trace_destroy(trace);
}

static void test_gang_of_different_vms(void **state)
{
    static const char text[] = WORKLOAD(
        "", REQUEST("00:00:00", "preemptible=\"true\"",
                    "<nodes><node-set numnodes=\"3\"><res type=\"CPU\" amount=\"50\"/></node-set>"
                    "<node-set numnodes=\"1\"><res type=\"Licence\" amount=\"1\"/></node-set>"
                    "</nodes>"
                    "<start/><duration time=\"00:10\"/>" NO_SOFTWARE));
    struct trace *trace = open_text(text, NULL);
    struct lease_request request = next_request(trace);

    assert_null(trace_site(trace));
    assert_int_equal(request.n_node_sets, 2);
    assert_int_equal(request.node_sets[0].count, 3);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], 50);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_MEMORY], 0);
    assert_int_equal(request.node_sets[1].count, 1);
    assert_int_equal(request.node_sets[1].amounts.of[RESOURCE_TYPES_FIXED], 1);
    assert_string_equal(lwf_types(trace)->names[RESOURCE_TYPES_FIXED], "Licence");
    trace_destroy(trace);
}

static void test_types_of_the_caller(void **state)
{
    static const char text[] = WORKLOAD(
        SITE_TEXT, REQUEST("00:00:00", "preemptible=\"true\"",
                           "<nodes><node-set numnodes=\"1\"><res type=\"GPU\" amount=\"3\"/>"
                           "</node-set></nodes><start/><duration time=\"00:10\"/>" NO_SOFTWARE));
    struct resource_types types;
    struct lwf_options options = {.types = &types};
    struct error err = {0};
    struct lease_request request;
    struct trace *trace;

    resource_types_init(&types);
    assert_int_equal(resource_types_add(&types, "FPGA", &err), RESOURCE_TYPES_FIXED);
    assert_int_equal(resource_types_add(&types, "GPU", &err), RESOURCE_TYPES_FIXED + 1);
    trace = open_text(text, &options);
    request = next_request(trace);
    assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_TYPES_FIXED + 1], 3);
    assert_int_equal(trace_site(trace)->types.count, RESOURCE_TYPES_FIXED);
    trace_destroy(trace);
}

#define REAL_DURATIONS                                                                             \
    "<lease-request arrival=\"00:00:00\"><realduration time=\"00:20\"/>"                           \
    "<lease preemptible=\"true\">" NODES_TEXT "<start/><duration time=\"00:10\"/>" NO_SOFTWARE     \
    "</lease></lease-request>"                                                                     \
    "<lease-request arrival=\"00:00:00\"><realduration time=\"00:00\"/>"                           \
    "<lease preemptible=\"true\">" NODES_TEXT "<start/><duration time=\"00:10\"/>" NO_SOFTWARE     \
    "</lease></lease-request>"

static void test_real_duration(void **state)
{
    struct lwf_options compatible = {.quirks = LWF_QUIRKS_OF_HAIZEA_1_0};
    struct trace *trace = open_text(WORKLOAD("", REAL_DURATIONS), NULL);

    assert_int_equal(next_request(trace).duration_known, 600);
    assert_int_equal(next_request(trace).duration_known, 0);
    trace_destroy(trace);
    trace = open_text(WORKLOAD("", REAL_DURATIONS), &compatible);
    assert_int_equal(next_request(trace).duration_known, 1200);
    assert_int_equal(next_request(trace).duration_known, 0);
    trace_destroy(trace);
}

static void test_as_haizea_reads_it(void **state)
{
    static const char text[] = WORKLOAD(
        SITE_TEXT, "<nodes/><lease-request arrival=\"soon\"><lease preemptible=\"true\">" NODES_TEXT
                   "<start earliest=\"01:00\"/><start><now/></start><duration time=\"unlimited\"/>"
                   "<deadline time=\"never\"/>" NO_SOFTWARE "</lease></lease-request>" REQUEST(
                       "00:00:00", "preemptible=\"true\"",
                       NODES_TEXT "<start><exact time=\"01:00\"/></start><duration time=\"00:10\"/>"
                                  "<deadline time=\"03:00\"/>" NO_SOFTWARE));
    struct lwf_options compatible = {.quirks = LWF_QUIRKS_OF_HAIZEA_1_0};
    struct trace *trace = open_text(text, &compatible);
    struct lease_request request = next_request(trace);

    assert_int_equal(request.submit, 0);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.start, INSTANT_NONE);
    assert_int_equal(request.deadline, INSTANT_NONE);
    assert_int_equal(request.duration, 0);
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_RESERVATION);
    assert_int_equal(request.deadline, INSTANT_NONE);
    expect_end(trace);
    trace_destroy(trace);
}

static void test_unknown_things_are_ignored(void **state)
{
    static const char text[] = WORKLOAD(
        "<future><site/><lease-requests/></future>",
        REQUEST("00:00:00", "preemptible=\"true\" color=\"red\"",
                NODES_TEXT "<start/><duration time=\"00:10\"/><mood><start/></mood>" NO_SOFTWARE));
    struct trace *trace = open_text(text, NULL);

    assert_int_equal(next_request(trace).duration, 600);
    expect_end(trace);
    trace_destroy(trace);
}

/* Many chunks, leases over their borders, and a census that does not disturb. */
static void test_long_trace(void **state)
{
    enum { LEASES = 2000 };
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct trace_census census;
    struct error err = {0};
    struct trace *trace;
    double progress;

    fputs("<lease-workload>" SITE_TEXT "<lease-requests>", file);
    for (int i = 0; i < LEASES; i++)
        fprintf(file,
                "<lease-request arrival=\"00:%02d:%02d\"><lease preemptible=\"true\"><nodes>"
                "<node-set numnodes=\"%d\"><res type=\"CPU\" amount=\"%d\"/></node-set>"
                "<node-set numnodes=\"1\"><res type=\"Memory\" amount=\"5\"/></node-set></nodes>"
                "<start/><duration time=\"00:10\"/>"
                "<software><disk-image id=\"image-%d\" size=\"%d\"/></software></lease>"
                "</lease-request>",
                i / 60 % 60, i % 60, i + 1, i % 100, i, i);
    fputs("</lease-requests></lease-workload>", file);
    fclose(file);
    trace = open_bytes(text, size, NULL);
    assert_int_equal(trace_take_census(trace, &census, &err), 0);
    assert_int_equal(census.total, LEASES);
    assert_int_equal(census.leases[LEASE_BEST_EFFORT], LEASES);
    assert_true(census.sorted);
    assert_int_equal(census.last_submit, LEASES - 1);
    progress = trace_progress(trace);
    for (int i = 0; i < LEASES; i++) {
        struct lease_request request = next_request(trace);
        char name[32];

        snprintf(name, sizeof name, "image-%d", i);
        assert_int_equal(request.id, i + 1);
        assert_int_equal(request.submit, i);
        assert_int_equal(request.n_node_sets, 2);
        assert_int_equal(request.node_sets[0].count, i + 1);
        assert_int_equal(request.node_sets[0].amounts.of[RESOURCE_CPU], i % 100);
        assert_int_equal(request.node_sets[1].amounts.of[RESOURCE_MEMORY], 5);
        assert_string_equal(request.image, name);
        assert_int_equal(request.image_size, i);
        assert_true(trace_progress(trace) >= progress);
        progress = trace_progress(trace);
    }
    expect_end(trace);
    assert_true(trace_progress(trace) == 1);
    trace_destroy(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_site_and_best_effort),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_own_attributes),
        cmocka_unit_test(test_elements_in_any_order),
        cmocka_unit_test(test_gang_of_different_vms),
        cmocka_unit_test(test_types_of_the_caller),
        cmocka_unit_test(test_real_duration),
        cmocka_unit_test(test_as_haizea_reads_it),
        cmocka_unit_test(test_unknown_things_are_ignored),
        cmocka_unit_test(test_long_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
