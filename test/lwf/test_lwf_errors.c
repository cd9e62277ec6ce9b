/* Errors in LWF traces, with their places. */
#include "lwf_test.h"

#define HEAD "<lease-workload>\n" SITE_TEXT "<lease-requests>\n"
#define TAIL "\n</lease-requests></lease-workload>\n"
#define LEASE(inside)                                                                              \
    HEAD "<lease-request arrival=\"00:00\"><lease preemptible=\"true\">\n" inside                  \
         "</lease></lease-request>" TAIL
#define REST "<start/><duration time=\"00:10\"/>" NO_SOFTWARE

/* What is wrong on which line and column; one fault per text. */
static const struct {
    const char *text, *error;
} cases[] = {
    {"", "1:1: the file is empty: expected <lease-workload>"},
    {"<workload/>", "1:1: the root is <workload>, not <lease-workload>"},
    {"<lease-workload></lease-workload>", "1:17: the <lease-workload> has no <lease-requests>"},
    {HEAD "<lease-request><lease preemptible=\"true\">" NODES_TEXT REST
          "</lease></lease-request>" TAIL,
     "4:1: <lease-request> has no attribute arrival"},
    {HEAD "<lease-request arrival=\"noon\">" TAIL,
     "4:25: \"noon\" is not a time: expected [DAYS:]HH:MM[:SS]"},
    {HEAD "<lease-request arrival=\"00:00\"/>" TAIL, "4:1: the <lease-request> has no <lease>"},
    {HEAD "<lease-request arrival=\"00:00\"><lease>" NODES_TEXT REST
          "</lease></lease-request>" TAIL,
     "4:32: <lease> has no attribute preemptible"},
    {HEAD
     "<lease-request arrival=\"00:00\">\n  <lease id=\"1\"\n     preemptible=\"perhaps\">" TAIL,
     "6:19: preemptible is \"perhaps\": expected true or false"},
    {HEAD "<lease-request arrival=\"00:00\"><lease preemptible=\"true\" terms=\"eternal\">" TAIL,
     "4:65: terms is \"eternal\": expected cancelable, suspendable, migratable, restartable or "
     "non-preemptable"},
    {HEAD "<lease-request arrival=\"00:00\"><lease preemptible=\"true\" origin=\"Mars\">" TAIL,
     "4:66: origin is \"Mars\": expected local or external"},
    {HEAD "<lease-request arrival=\"00:00\"><lease preemptible=\"true\" priority=\"high\">" TAIL,
     "4:68: priority is \"high\": expected a number from -1000000 to 1000000 with at most 3 "
     "decimals"},
    {HEAD "<lease-request arrival=\"00:00\"><lease preemptible=\"true\" user=\"me\">" TAIL,
     "4:64: user is \"me\": expected an integer from -1 to 1000000000000"},
    {LEASE(REST), "4:32: the lease has no <nodes>"},
    {LEASE("<nodes/>" REST), "4:32: the lease has no <node-set>"},
    {LEASE(NODES_TEXT "<duration time=\"00:10\"/>" NO_SOFTWARE), "4:32: the lease has no <start>"},
    {LEASE(NODES_TEXT "<start/>" NO_SOFTWARE), "4:32: the lease has no <duration>"},
    {LEASE(NODES_TEXT "<start/><duration time=\"00:10\"/>"), "4:32: the lease has no <software>"},
    {LEASE(NODES_TEXT "<start/><duration time=\"00:10\"/><software/>"),
     "4:32: the <software> of the lease contains neither <none/> nor <disk-image/>"},
    {LEASE("<start/><start/>"), "5:9: duplicate <start>"},
    {LEASE("<start><now/><exact time=\"00:00\"/></start>"),
     "5:14: <start> contains more than one of <now/> and <exact/>"},
    {LEASE("<start earliest=\"00:00\"><now/></start>" NODES_TEXT
           "<duration time=\"00:10\"/>" NO_SOFTWARE),
     "4:32: an earliest start is for best-effort leases, without <exact/> or <now/>"},
    {LEASE("<start><exact/></start>"), "5:8: <exact> has no attribute time"},
    {LEASE("<duration time=\"00:00:00\"/>"), "5:17: the duration is 0: expected a second or more"},
    {LEASE("<duration time=\"forever\"/>"),
     "5:17: \"forever\" is not a time: expected [DAYS:]HH:MM[:SS] or unlimited"},
    {LEASE("<deadline time=\"unlimited\"/>"),
     "5:17: \"unlimited\" is not a time: expected [DAYS:]HH:MM[:SS]"},
    {LEASE("<nodes><node-set numnodes=\"0\"/></nodes>"),
     "5:28: numnodes is \"0\": expected an integer from 1 to 1000000"},
    {LEASE("<nodes><node-set numnodes=\"99999999999999999999\"/></nodes>"),
     "5:28: numnodes is \"99999999999999999999\": expected an integer from 1 to 1000000"},
    {LEASE("<nodes><node-set numnodes=\"600000\"/><node-set numnodes=\"600000\"/></nodes>"),
     "5:37: the lease has more than 1000000 VMs or 16384 node sets"},
    {LEASE("<nodes><node-set numnodes=\"1\"><res type=\"CPU\"/></node-set></nodes>"),
     "5:31: <res> has neither an amount nor an <instance>"},
    {LEASE("<nodes><node-set numnodes=\"1\"><res amount=\"5\"/></node-set></nodes>"),
     "5:31: <res> has no attribute type"},
    {LEASE("<nodes><node-set numnodes=\"1\"><res type=\"CPU\" amount=\"-5\"/></node-set></nodes>"),
     "5:55: amount is \"-5\": expected an integer from 0 to 1000000000000"},
    {LEASE("<nodes><node-set numnodes=\"1\"><res type=\"CPU\" amount=\"0.5\"/></node-set></nodes>"),
     "5:55: amount is \"0.5\": expected an integer from 0 to 1000000000000"},
    {LEASE("<nodes><node-set numnodes=\"1\"><res type=\"GPU\" amount=\"1\"/></node-set></nodes>"),
     "5:42: the site has no resource type \"GPU\""},
    {LEASE("<nodes><node-set numnodes=\"1\"><res type=\"\" amount=\"1\"/></node-set></nodes>"),
     "5:42: the resource type \"\" has no name: expected 1 to 31 letters"},
    {LEASE("<nodes><node-set numnodes=\"1\"><res type=\"CPU\" amount=\"1\"/>"
           "<res type=\"CPU\" amount=\"1\"/></node-set></nodes>"),
     "5:70: duplicate amount of \"CPU\" in a node set"},
    {LEASE("<software><none/><none/></software>"),
     "5:18: <software> contains more than one of <none/> and <disk-image/>"},
    {LEASE("<software><disk-image id=\"\" size=\"1\"/></software>"),
     "5:27: the name of the disk image has 0 bytes: expected 1 to 1024"},
    {LEASE("<software><disk-image id=\"a\"/></software>"),
     "5:11: <disk-image> has no attribute size"},
    {LEASE("<site/>"), "5:1: <site> is not expected here; it belongs in <lease-workload>"},
    {LEASE("<exact time=\"00:00\"/>"), "5:1: <exact> is not expected here; it belongs in <start>"},
    {"<lease-workload>" SITE_TEXT SITE_TEXT "<lease-requests/></lease-workload>",
     "2:1: duplicate <site>"},
    {"<lease-workload>\n<site><nodes/></site><lease-requests/></lease-workload>",
     "2:15: the site has no <resource-types>"},
    {"<lease-workload>\n<site><resource-types names=\"CPU\"/></site></lease-workload>",
     "2:30: the resource types of a site must include CPU and Memory"},
    {"<lease-workload>\n<site><resource-types names=\"CPU Memory\"/></site></lease-workload>",
     "2:43: the site has no nodes"},
    {"<lease-workload>\n<site><resource-types names=\"CPU Memory\"/><nodes>"
     "<node-set numnodes=\"1\">\n<res type=\"Disk\" amount=\"1\"/></node-set></nodes></site>"
     "</lease-workload>",
     "3:49: a node set of the site has Disk, which <resource-types> does not name"},
    {"<lease-workload>\n<site><resource-types names=\"CPU Memory\"/><nodes>"
     "<node-set numnodes=\"1000000000\"/></nodes></site></lease-workload>",
     "2:70: numnodes is \"1000000000\": expected an integer from 1 to 262144"},
    /* The site's own faults are told, too, when it stands behind the requests. */
    {"<lease-workload>\n<lease-requests/>\n<site><nodes/></site></lease-workload>",
     "3:15: the site has no <resource-types>"},
};

static void test_error_and_its_place(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(cases[i].text, cases[i].error, NULL);
}

static void test_errors_of_compatibility(void **state)
{
    struct lwf_options compatible = {.quirks = LWF_QUIRKS_OF_HAIZEA_1_0};

    expect_error(LEASE("<nodes><node-set numnodes=\"1\"><res type=\"GPU\" amount=\"1\"/></node-set>"
                       "</nodes>"),
                 "5:42: the site has no resource type \"GPU\"", &compatible);
    expect_error(LEASE(REST), "4:32: the lease has no <nodes>", &compatible);
}

/* The requests in front of an error are given first. */
static void test_sound_requests_come_first(void **state)
{
    struct trace *trace = open_text(HEAD BEST_EFFORT("00:00", "00:10")
                                        BEST_EFFORT("00:00", "00:20") "<lease-request/>" TAIL,
                                    NULL);
    struct error err = {0};
    struct lease_request request;

    assert_int_equal(next_request(trace).duration, 600);
    assert_int_equal(next_request(trace).duration, 1200);
    assert_int_equal(trace_next(trace, &request, &err), -1);
    assert_string_equal(err.text, "test.lwf:6:1: <lease-request> has no attribute arrival");
    assert_int_equal(trace_next(trace, &request, &err), -1);
    trace_destroy(trace);
}

static void test_place_of_a_value_with_an_entity(void **state)
{
    expect_error(LEASE("<duration\n  time=\"&lt;5&gt;\"/>"),
                 "5:1: \"<5>\" is not a time: expected [DAYS:]HH:MM[:SS] or unlimited", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_and_its_place),
        cmocka_unit_test(test_errors_of_compatibility),
        cmocka_unit_test(test_sound_requests_come_first),
        cmocka_unit_test(test_place_of_a_value_with_an_entity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
