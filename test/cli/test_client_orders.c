/* What the commands that request and cancel leases send, and print. */
#include "test/cli/client_fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/store.h"

static void leases_are_cancelled(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease cancel 9", EXIT_DONE, "Lease 9 is cancelled; it is now ending.\n");
    expect_error(fixture, "lease cancel 9 10", EXIT_FAILED, "user 5 has read-only access");
    assert_string_equal(fixture->out, "Lease 9 is cancelled; it is now ending.\n");
    expect_error(fixture, "lease cancel 9 x", EXIT_USAGE, "'x' is not a lease number");
    assert_string_equal(fixture->out, "");
}

static void selected_leases_are_cancelled(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease cancel --user far --dry-run", EXIT_DONE,
           "Lease 9 would be cancelled.\n");
    expect(fixture, "lease cancel --user far --dry-run --json", EXIT_DONE,
           "{\"lease\": 9, \"dry_run\": true}\n");
    expect_error(fixture, "lease cancel 9 77 --dry-run", EXIT_FAILED, "lease 77 does not exist");
    assert_string_equal(fixture->out, "Lease 9 would be cancelled.\n");
    expect_error(fixture, "lease cancel --user nobody", EXIT_FAILED, "no lease is selected");
    expect_error(fixture, "lease cancel --name other --user far", EXIT_FAILED,
                 "no lease is selected");
    expect_error(fixture, "lease cancel 9 --user far", EXIT_USAGE, "not both");
}

static void leases_are_changed(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease change 9 --extend 1h", EXIT_DONE,
           "Lease 9 is changed: duration 2:00:00.\nLease 4 would be suspended\n");
    expect(fixture, "lease change 10 --extend 1h --dry-run", EXIT_REFUSED,
           "Lease 10 would stay as it is: lease 9 is promised.\n"
           "Longest possible duration: 1h30m.\n");
    expect_error(fixture, "lease change 9 --extend -1h", EXIT_USAGE, "expected a duration");
    expect_error(fixture, "lease change 9 --shift soon", EXIT_USAGE, "expected a duration");
}

static void expect_request(struct fixture *fixture, const char *words, const char *part)
{
    char seen[OUTPUT_MAX];

    if (run(fixture, words) != EXIT_DONE)
        fail_msg("%s: %s", words, fixture->err);
    read_file(fixture->seen, seen);
    if (!strstr(seen, part))
        fail_msg("galerna %s: sent %s", words, seen);
}

#define SERIES "lease request --template 3 --wait 0 --start 2126-11-21_15:00 --series lab "

static void a_series_is_a_request_for_each_occurrence(void **state)
{
    struct fixture *fixture = *state;

    expect_request(fixture, SERIES "--repeat weekly --times 3",
                   "\"kind\": \"reservation\", \"series\": \"lab\", "
                   "\"start\": \"2126-12-05T14:00:00Z\"");
    expect(fixture, SERIES "--repeat daily --until 2126-11-23_14:59", EXIT_DONE,
           "Series lab, 2 occurrences:\n"
           "Occurrence of 2126-11-21 15:00:00:\nLease 9 requested: VMs 9, 10.\n"
           "Occurrence of 2126-11-22 15:00:00:\nLease 9 requested: VMs 9, 10.\n");
    expect_request(fixture,
                   "lease request --template 3 --start 2126-11-21_15:00 --wait 0 --repeat hourly "
                   "--times 2",
                   "\"series\": \"hourly-2");
}

/* One that is refused does not keep the others from being asked for; another failure does. */
static void occurrences_are_refused_apart(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(run(fixture, "lease request --template 3 --start 2126-11-21_15:00 --repeat "
                                  "daily --times 2 --name refused"),
                     EXIT_REFUSED);
    assert_non_null(strstr(fixture->out, "Occurrence of 2126-11-22"));
    assert_int_equal(run(fixture, SERIES "--repeat daily --times 2 --name echo"), EXIT_USAGE);
    assert_null(strstr(fixture->out, "Occurrence of 2126-11-22"));
    assert_non_null(
        strstr(fixture->err, "No occurrences after 2126-11-21 15:00:00 were requested"));
}

static void a_series_that_cannot_be_is_not_asked_for(void **state)
{
    struct fixture *fixture = *state;

    expect_error(fixture, SERIES "--repeat daily", EXIT_USAGE, "either --times or --until");
    expect_error(fixture, SERIES "--repeat daily --times 2 --until +1h", EXIT_USAGE, "either");
    expect_error(fixture, SERIES "--repeat daily --until +1h", EXIT_USAGE, "before the first");
    expect_error(fixture, SERIES "--repeat daily --times 1001", EXIT_USAGE, "1000");
    expect_error(fixture, SERIES "--repeat hourly --until 2127-11-21_15:00", EXIT_USAGE,
                 "at most 1000");
    expect_error(fixture, SERIES "--times 2", EXIT_USAGE, "require --repeat");
    expect_error(fixture, SERIES "--repeat monthly --times 2", EXIT_USAGE, "weekdays");
    expect_error(fixture, "lease request --template 3 --repeat daily --times 2", EXIT_USAGE,
                 "--start TIME");
}

static void requests_are_sent_as_they_are_meant(void **state)
{
    struct fixture *fixture = *state;

    expect_request(fixture, "lease request --cpu 0.5 --memory 2G --wait 0",
                   "{\"command\": \"lease-request\", \"cpu\": 0.5, \"kind\": \"best-effort\", "
                   "\"memory\": 2048}");
    expect_request(fixture,
                   "lease request --template 3 --start 2126-11-21_15:00 --duration 1h30m "
                   "--preemptible --count 4 --priority -0.25 --name web --wait 0",
                   "{\"command\": \"lease-request\", \"count\": 4, \"duration\": 5400, "
                   "\"kind\": \"reservation\", \"name\": \"web\", \"preemptible\": true, "
                   "\"priority\": -0.25, \"start\": \"2126-11-21T14:00:00Z\", \"template\": 3}");
    expect_request(fixture,
                   "lease request --cpu 4 --memory 8G --also 3x0.5/2G --also 1x1/64 --wait 0",
                   "{\"also\": [{\"count\": 3, \"cpu\": 0.5, \"memory\": 2048}, "
                   "{\"count\": 1, \"cpu\": 1.0, \"memory\": 64}], "
                   "\"command\": \"lease-request\", \"cpu\": 4.0, ");
    expect_request(fixture, "lease change 9 --shift=-90s --duration unlimited",
                   "{\"command\": \"lease-change\", \"duration\": \"unlimited\", \"lease\": 9, "
                   "\"shift\": -90}");
    expect_request(fixture, "lease change 9 --shift +1h",
                   "{\"command\": \"lease-change\", \"lease\": 9, \"shift\": 3600}");
    expect_request(fixture,
                   "lease request --template 3 --terms cancelable --origin external --wait 0",
                   "\"origin\": \"external\", \"template\": 3, \"terms\": \"cancelable\"}");
    expect_request(fixture, "lease request --template 3 --start now --duration 2:30 --wait 0",
                   "\"duration\": 9000, \"kind\": \"immediate\", \"template\": 3}");
    expect_request(fixture,
                   "lease request --template 3 --earliest 2126-11-21T15:00:00Z --deadline "
                   "2126-11-22T15:00:00-02:00 --duration 1d --wait 0",
                   "\"deadline\": \"2126-11-22T17:00:00Z\", \"duration\": 86400, "
                   "\"earliest\": \"2126-11-21T15:00:00Z\", \"kind\": \"deadline\"");
    expect_request(
        fixture, "lease request --template 3 --latest 2126-11-21T15:00:00Z --duration 1d --wait 0",
        "\"kind\": \"deadline\", \"latest\": \"2126-11-21T15:00:00Z\"");
    expect_request(fixture, "lease request --template 3 --duration unlimited --wait 0",
                   "\"duration\": \"unlimited\"");
}

static void decisions_are_waited_for(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease request --template 3", EXIT_DONE,
           "Lease 9 requested: VMs 9, 10.\n"
           "Lease 9: Waiting: 2 VMs asked for.\n");
    expect(fixture, "lease request --template 3 --name refused", EXIT_REFUSED,
           "Lease 20 requested: VM 20.\n"
           "Lease 20: Refused: never fits.\n");
    expect(fixture, "lease request --cpu 1 --memory 1 --dry-run", EXIT_DONE,
           "The lease would be accepted and start at 2026-11-21 16:00:05 (in 5s, contract).\n"
           "on host 4\n"
           "nobody makes room\n");
    expect(fixture, "lease request --cpu 1 --memory 1 --name patient --dry-run", EXIT_DONE,
           "The lease would be accepted and start at 2026-11-21 16:00:05 (in 5s, contract).\n"
           "on host 4\n"
           "nobody makes room\n");
    expect_error(fixture, "lease request --template 3 --name echo", EXIT_USAGE,
                 "start: 1m00s in the past");
}

static void wrong_wishes_are_not_sent(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *words, *part;
    } cases[] = {
        {"lease request", "--cpu is required without --template"},
        {"lease request --cpu 1", "--memory is required without --template"},
        {"lease request --cpu none --memory 1", "--cpu none"},
        {"lease request --cpu nan --memory 1", "--cpu nan"},
        {"lease request --cpu 1 --memory 1K", "--memory 1K"},
        {"lease request --template 1 --count 0", "--count 0"},
        {"lease request --template 1 --also 2x1", "--also 2x1: expected COUNTxCPU/SIZE"},
        {"lease request --template 1 --also 0x1/64", "--also 0x1/64: expected COUNTxCPU/SIZE"},
        {"lease request --template 1 --also 2x1/64K", "--also 2x1/64K: expected COUNTxCPU/SIZE"},
        {"lease request --template 1x", "--template 1x"},
        {"lease request --template 1 --start yesterday", "--start yesterday: expected a time"},
        {"lease request --template 1 --start 2026-02-30_10:00", "invalid date or time"},
        {"lease request --template 1 --duration 1:99:00", "--duration 1:99:00"},
        {"lease request --template 1 --duration 5", "--duration 5: expected a duration"},
        {"lease request --template 1 --duration -5s", "--duration -5s"},
        {"lease request --template 1 --start now --deadline +1h", "cannot be combined"},
        {"lease request --template 1 --start now --earliest +1h", "cannot be combined"},
        {"lease request --template 1 --start now --latest +1h", "cannot be combined"},
        {"lease request --template 1 --deadline +2h --latest +1h", "cannot be combined"},
        {"lease request --template 1 --preemptible --terms non-preemptable",
         "--terms non-preemptable conflicts with --preemptible"},
        {"lease request --template 1 --origin Mars", "--origin Mars: expected local or external"},
        {"lease request --template 1 --priority 1000001",
         "expected a number from -1000000 to 1000000 with at most 3 decimals"},
        {"lease request --template 1 --wait long", "--wait long"},
        {"lease request --template 1 9", "unexpected argument '9'"},
        {"lease list --limit x", "--limit x"},
        {"lease list 5", "unexpected argument '5'"},
        {"lease list --phases x --bad", "Try 'galerna lease list --help'"},
        {"lease history 1 2", "unexpected argument '2'"},
        {"lease history --limit 0", "--limit 0"},
        {"lease cancel", "give lease numbers, or options that select"},
        {"host timeline", "missing argument: HOST"},
        {"queue x", "unexpected argument"},
        {"status x", "unexpected argument"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(fixture, cases[i].words, EXIT_USAGE, cases[i].part);
    assert_int_equal(access(fixture->seen, F_OK), -1);
}

static void leases_can_be_selected_by_each_phase(void **state)
{
    struct fixture *fixture = *state;

    for (int phase = 0; phase < PHASES; phase++) {
        char words[64];

        snprintf(words, sizeof words, "lease list --phase %s 5", phase_name(phase));
        expect_error(fixture, words, EXIT_USAGE, "unexpected argument '5'");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, client_set_up, client_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(leases_can_be_selected_by_each_phase),
        TEST(leases_are_cancelled),
        TEST(selected_leases_are_cancelled),
        TEST(leases_are_changed),
        TEST(requests_are_sent_as_they_are_meant),
        TEST(a_series_is_a_request_for_each_occurrence),
        TEST(occurrences_are_refused_apart),
        TEST(a_series_that_cannot_be_is_not_asked_for),
        TEST(decisions_are_waited_for),
        TEST(wrong_wishes_are_not_sent),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
