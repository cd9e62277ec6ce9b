/* What the daemon answers to those who look, from a store and a daemon made for the purpose. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "test/daemon/answers_fixture.h"
#include "test/daemon/change_records.h"

static void lists_are_filtered(void **state)
{
    struct answers_fixture *fixture = *state;
    static const char schema[] = "galerna-lease-list/1";

    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\"}", schema), "1 3 4 5 6");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"all\":true}", schema),
               "1 3 4 5 6 9 8");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"user\":\"anna\"}", schema),
               "1 4 5");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"user\":\"zoe\"}", schema), "");
    expect_ids(expect_answer(fixture,
                             "{\"command\":\"lease-list\",\"phase\":[\"waiting\",\"ended\"]}",
                             schema),
               "3 4 6 8");
    expect_ids(expect_answer(fixture,
                             "{\"command\":\"lease-list\",\"all\":true,\"user\":\"anna\","
                             "\"limit\":0}",
                             schema),
               "1 4 5");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"phase\":[\"dancing\"]}", "malformed",
                   "'dancing' is not a phase");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"phase\":\"waiting\"}", "malformed",
                   "array");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"user\":1}", "malformed", "user");
    snprintf(lease_to_change(fixture->store, 4)->series, TERM_TEXT_MAX, "lab");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"series\":\"lab\"}", schema),
               "4");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"series\":\"la\"}", schema),
               "");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"limit\":-1}", "malformed", "limit");
}

/* Whatever users wrote, lists are JSON and have what was written. */
static void usage_has_a_period(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture, "{\"command\":\"usage\",\"user\":\"anna\",\"since\":\"2026-11-21T00:00:00Z\"}",
        "galerna-usage/1");
    const json_t *row = json_array_get(json_object_get(answer, "usage"), 0);

    assert_int_equal(json_array_size(json_object_get(answer, "usage")), 1);
    assert_string_equal(json_string_value(json_object_get(answer, "until")),
                        "2026-11-21T15:00:00Z");
    assert_int_equal(json_integer_value(json_object_get(row, "leases")), 4);
    assert_true(json_is_null(json_object_get(row, "mean_wait")));
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"usage\",\"by\":\"host\"}", "malformed",
                   "user or group");
    expect_refusal(fixture, "{\"command\":\"usage\",\"by\":\"group\",\"user\":\"anna\"}",
                   "malformed", "only with by user");
    expect_refusal(fixture, "{\"command\":\"usage\",\"since\":\"2026-11-21T16:00:00Z\"}",
                   "malformed", "before until");
}

static void lists_hold_any_text(void **state)
{
    static const char *const names[] = {"a \"quoted\" \\ name",          "two\nlines\t\x01", "\x7f",
                                        "\xe4\xb8\xad \xf0\x9f\x98\x80", "</script>",        ""};
    struct answers_fixture *fixture = *state;
    struct lease_record *lease = lease_to_change(fixture->store, 4);

    lease->duration = SPAN_UNLIMITED;
    lease->end = INSTANT_NEVER;
    vm_to_change(fixture->store, 4)->cpu = 7;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *answer, *found, *reason;

        snprintf(lease->name, sizeof lease->name, "%s", names[i]);
        snprintf(lease->reason, sizeof lease->reason, "%s", names[i]);
        snprintf(lease->group, sizeof lease->group, "%s", names[i]);
        answer = expect_answer(fixture, "{\"command\":\"queue\"}", "galerna-queue/1");
        found = json_array_get(json_object_get(answer, "leases"), 0);
        reason = json_object_get(found, "reason");
        assert_string_equal(json_string_value(json_object_get(found, "name")), names[i]);
        assert_true(json_is_null(reason) == !*names[i]);
        assert_true(json_is_null(json_object_get(found, "group")) == !*names[i]);
        if (*names[i])
            assert_string_equal(json_string_value(json_object_get(reason, "text")), names[i]);
        assert_int_equal(json_integer_value(json_object_get(found, "position")), 1);
        assert_true(json_real_value(json_object_get(found, "cpu")) == 0.07);
        assert_string_equal(json_string_value(json_object_get(found, "left")), "unlimited");
        assert_string_equal(json_string_value(json_object_get(found, "end")), "never");
        json_decref(answer);
    }
}

static const char *told(const json_t *lease, const char *field)
{
    const json_t *value = json_object_get(lease, field);

    return json_is_null(value) ? "null" : json_string_value(value);
}

/* As lease-show and lease-why tell it. */
static void expect_start(struct answers_fixture *fixture, int64_t id, const char *expected,
                         const char *passed, const char *promise)
{
    static const char *const commands[] = {"lease-show", "lease-why"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char text[96], schema[64];
        json_t *answer, *lease;

        snprintf(text, sizeof text, "{\"command\":\"%s\",\"lease\":%" PRId64 "}", commands[i], id);
        snprintf(schema, sizeof schema, "galerna-%s/1", i ? "lease-why" : "lease");
        answer = expect_answer(fixture, text, schema);
        lease = json_object_get(answer, "lease");
        assert_string_equal(told(lease, "expected"), expected);
        assert_string_equal(told(lease, "was_expected"), passed);
        assert_string_equal(told(lease, "promise"), promise);
        assert_string_equal(told(lease, "waits_for"), id == 5 ? "VM 1 to leave" : "null");
        json_decref(answer);
    }
}

static void no_start_is_expected_that_has_passed(void **state)
{
    struct answers_fixture *fixture = *state;

    expect_start(fixture, 3, "2026-11-21T15:05:00Z", "null", "estimate");
    expect_start(fixture, 5, "2026-11-21T15:01:00Z", "null", "contract");
    expect_start(fixture, 4, "null", "null", "null");
    lease_to_change(fixture->store, 3)->expected = NOW;
    expect_start(fixture, 3, "2026-11-21T15:00:00Z", "null", "estimate");
    lease_to_change(fixture->store, 3)->expected = lease_to_change(fixture->store, 5)->start =
        NOW - 1;
    expect_start(fixture, 3, "null", "2026-11-21T14:59:59Z", "estimate");
    expect_start(fixture, 5, "null", "2026-11-21T14:59:59Z", "contract");
    lease_to_change(fixture->store, 3)->phase = PHASE_STARTING;
    expect_start(fixture, 3, "null", "null", "null");
    lease_to_change(fixture->store, 3)->expected = INSTANT_NEVER;
    expect_start(fixture, 3, "never", "null", "estimate");
}

static void a_reason_tells_of_the_next_try(void **state)
{
    struct answers_fixture *fixture = *state;
    static const char question[] = "{\"command\":\"lease-show\",\"lease\":3}";
    json_t *answer;
    const json_t *reason;

    setenv("TZ", "UTC0", 1);
    tzset();
    lease_to_change(fixture->store, 3)->retry = NOW + 60;
    answer = expect_answer(fixture, question, "galerna-lease/1");
    reason = json_object_get(json_object_get(answer, "lease"), "reason");
    assert_string_equal(told(reason, "text"),
                        "1 VM does not fit; it is tried again at 2026-11-21 15:01:00");
    assert_string_equal(told(reason, "retry"), "2026-11-21T15:01:00Z");
    json_decref(answer);
    lease_to_change(fixture->store, 3)->retry = NOW;
    answer = expect_answer(fixture, question, "galerna-lease/1");
    reason = json_object_get(json_object_get(answer, "lease"), "reason");
    assert_string_equal(told(reason, "text"), "1 VM does not fit");
    assert_string_equal(told(reason, "retry"), "null");
    json_decref(answer);
}

static void a_lease_is_told_with_its_numbers(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer =
        expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":1}", "galerna-lease/1");
    const json_t *lease = json_object_get(answer, "lease");

    assert_string_equal(json_string_value(json_object_get(answer, "now")), "2026-11-21T15:00:00Z");
    assert_string_equal(json_string_value(json_object_get(lease, "name")),
                        "caf\xc3\xa9 \xef\xbf\xbd");
    assert_string_equal(json_string_value(json_object_get(lease, "phase")), "running");
    assert_int_equal(json_integer_value(json_object_get(lease, "run")), 150);
    assert_int_equal(json_integer_value(json_object_get(lease, "left")), 850);
    assert_int_equal(json_integer_value(json_object_get(lease, "vms")), 2);
    assert_int_equal(json_array_size(json_object_get(lease, "members")), 2);
    assert_true(json_is_null(json_object_get(lease, "deadline")));
    assert_true(json_is_null(json_object_get(lease, "promise")));
    assert_string_equal(json_string_value(json_object_get(lease, "since")), "2026-11-21T14:58:20Z");
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":8}", "galerna-lease/1");
    lease = json_object_get(answer, "lease");
    assert_string_equal(json_string_value(json_object_get(lease, "phase")), "ended");
    assert_int_equal(json_integer_value(json_object_get(lease, "vms")), 1);
    assert_int_equal(json_array_size(json_object_get(lease, "members")), 1);
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":77}", "not-found",
                   "lease 77 does not exist");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":2}", "not-found",
                   "VM 2 belongs to lease 1");
    expect_refusal(fixture, "{\"command\":\"lease-show\"}", "malformed", "lease: missing");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":\"1\"}", "malformed", "lease");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":-3}", "malformed", "lease");
}

static const json_t *lease_in(const json_t *answer, int64_t id)
{
    const json_t *leases = json_object_get(answer, "leases");

    for (size_t i = 0; i < json_array_size(leases); i++) {
        const json_t *lease = json_array_get(leases, i);

        if (json_integer_value(json_object_get(lease, "lease")) == id)
            return lease;
    }
    fail_msg("lease %lld is not listed", (long long)id);
    return NULL;
}

static void what_is_over_keeps_its_times_and_hosts(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer;
    const json_t *lease, *hosts;

    store_history(fixture->store, 8, NOW - 400, "start", "as planned");
    store_history(fixture->store, 8, NOW - 390, "running", "2 VMs");
    store_history(fixture->store, 8, NOW - 90, "running", "2 VMs");
    answer =
        expect_answer(fixture, "{\"command\":\"lease-list\",\"all\":true}", "galerna-lease-list/1");
    lease = lease_in(answer, 8);
    hosts = json_object_get(lease, "hosts");
    assert_string_equal(json_string_value(json_object_get(lease, "began")), "2026-11-21T14:53:30Z");
    assert_int_equal(json_array_size(hosts), 1);
    assert_int_equal(json_integer_value(json_array_get(hosts, 0)), 4);
    assert_int_equal(json_integer_value(json_object_get(lease, "vms")), 1);
    assert_true(json_is_null(json_object_get(lease_in(answer, 1), "began")));
    /* A promise that was taken back is none. */
    assert_true(json_is_false(json_object_get(lease_in(answer, 9), "accepted")));
    assert_true(json_is_true(json_object_get(lease_in(answer, 5), "accepted")));
    json_decref(answer);
}

static void history_is_of_one_or_of_all(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"lease-history\",\"lease\":3}",
                                   "galerna-lease-history/1");

    assert_int_equal(json_array_size(json_object_get(answer, "events")), 1);
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"lease-history\"}", "galerna-lease-history/1");
    assert_int_equal(json_array_size(json_object_get(answer, "events")), 2);
    assert_true(json_is_null(
        json_object_get(json_array_get(json_object_get(answer, "events"), 1), "lease")));
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"lease-history\",\"lease\":77}", "not-found", "77");
}

static void hosts_are_told(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    const json_t *hosts = json_object_get(answer, "hosts");

    assert_int_equal(json_array_size(hosts), 2);
    assert_true(json_is_null(json_object_get(json_array_get(hosts, 0), "quarantined_until")));
    assert_true(json_is_string(json_object_get(json_array_get(hosts, 1), "quarantined_until")));
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"host-timeline\",\"host\":\"alpha\"}",
                           "galerna-host-timeline/1");
    assert_int_equal(json_integer_value(json_object_get(answer, "host")), 4);
    assert_int_equal(json_integer_value(json_object_get(answer, "unread_vms")), 1);
    assert_int_equal(json_integer_value(json_object_get(answer, "unread_memory")), 1);
    assert_int_equal(json_array_size(json_object_get(answer, "operations")), 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(json_string_value(json_object_get(
                                json_array_get(json_object_get(answer, "operations"), i), "use")),
                            ((const char *[]){"running", "planned", "other", "held"})[i]);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(answer, "operations"), 0), "until")),
                        "never");
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"host-timeline\",\"host\":7}",
                           "galerna-host-timeline/1");
    assert_int_equal(json_array_size(json_object_get(answer, "operations")), 0);
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"host-timeline\",\"host\":5}", "not-found", "host 5");
    expect_refusal(fixture, "{\"command\":\"host-timeline\",\"host\":\"x\"}", "not-found", "'x'");
    expect_refusal(fixture, "{\"command\":\"host-timeline\"}", "malformed", "host");
    fixture->fails = true;
    expect_refusal(fixture, "{\"command\":\"host-timeline\",\"host\":4}", "not-ready", "no plan");
}

static void hosts_are_released(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"host-release\",\"host\":7}",
                                   "galerna-host-release/1");

    assert_int_equal(json_integer_value(json_object_get(answer, "host")), 7);
    assert_true(fixture->who[0] != '\0');
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"host-release\",\"host\":\"alpha\"}", "conflict",
                   "not quarantined");
    expect_refusal(fixture, "{\"command\":\"host-release\",\"host\":5}", "not-found", "host 5");
}

static const char booked[] =
    "{\"command\":\"host-drain\",\"hosts\":[7],\"until\":\"2026-11-21T16:00:00Z\","
    "\"booking\":%s}";

static void expect_no_booking(struct answers_fixture *fixture, const char *booking,
                              const char *text)
{
    char request[512];

    snprintf(request, sizeof request, booked, booking);
    expect_refusal(fixture, request, "malformed", text);
}

static void hosts_are_booked_for_users_and_groups(void **state)
{
    struct answers_fixture *fixture = *state;
    char request[512];
    json_t *answer;

    snprintf(request, sizeof request, booked,
             "{\"name\":\"course\",\"users\":[\"ann\",\"Bob Smith\"],\"groups\":[\"students\"],"
             "\"magnetic\":true}");
    answer = expect_answer(fixture, request, "galerna-host-drain/1");
    assert_string_equal(fixture->who, "course magnetic ann,Bob Smith|students|");
    assert_string_equal(json_string_value(json_object_get(answer, "booking")), "course");
    json_decref(answer);
    expect_no_booking(fixture, "{\"users\":[\"ann\"]}", "booking.name");
    expect_no_booking(fixture, "{\"name\":\"a b\",\"users\":[\"ann\"]}", "booking.name");
    expect_no_booking(fixture, "{\"name\":\"course\"}", "would admit no leases");
    expect_no_booking(fixture, "{\"name\":\"course\",\"users\":\"ann\"}", "booking.users");
    expect_no_booking(fixture, "{\"name\":\"course\",\"groups\":[\"a,b\"]}", "booking.groups");
    expect_no_booking(fixture, "{\"name\":\"course\",\"groups\":[\"a\\nb\"]}", "booking.groups");
    expect_no_booking(fixture, "{\"name\":\"course\",\"users\":[\"ann\"],\"magnetic\":1}",
                      "booking.magnetic");
    expect_no_booking(fixture, "{\"name\":\"course\",\"owner\":\"a,b\"}", "booking.owner");
    expect_no_booking(fixture, "{\"name\":\"course\",\"owner\":7}", "booking.owner");
    expect_refusal(fixture,
                   "{\"command\":\"host-drain\",\"hosts\":[7],\"booking\":{\"name\":\"course\","
                   "\"users\":[\"ann\"]}}",
                   "malformed", "until");
    fixture->peer.trusted = false;
    expect_refusal(fixture, request, "denied", "has read-only access");
    expect_refusal(fixture, "{\"command\":\"host-unbook\",\"booking\":\"course\"}", "denied",
                   "has read-only access");
}

#define UNTIL "\"until\":\"2026-11-21T16:00:00Z\""

static void a_user_books_within_limits(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture,
        "{\"command\":\"host-book\",\"caller\":{\"user\":\"ann\"},\"hosts\":[7]," UNTIL
        ",\"booking\":{\"name\":\"course\"}}",
        "galerna-host-drain/1");
    const json_t *instead = json_object_get(answer, "alternative");

    assert_string_equal(fixture->who, "course ann||ann");
    assert_true(json_is_false(json_object_get(answer, "accepted")));
    assert_string_equal(json_string_value(json_object_get(answer, "text")), "VM 10 is there");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(instead, "hosts"), 0)), 4);
    json_decref(answer);
    answer =
        expect_answer(fixture,
                      "{\"command\":\"host-book\",\"caller\":{\"user\":\"ann\"},\"count\":1," UNTIL
                      ",\"booking\":{\"name\":\"course\",\"groups\":[\"students\"]}}",
                      "galerna-host-drain/1");
    assert_string_equal(fixture->who, "course |students|ann");
    assert_true(json_is_true(json_object_get(answer, "accepted")));
    assert_int_equal(json_integer_value(json_array_get(json_object_get(answer, "hosts"), 0)), 4);
    json_decref(answer);
    expect_refusal(fixture,
                   "{\"command\":\"host-book\",\"caller\":{\"user\":\"ann\"},\"hosts\":[7]," UNTIL
                   ",\"booking\":{\"name\":\"course\",\"owner\":\"bob\"}}",
                   "malformed", "only operators");
    expect_refusal(fixture,
                   "{\"command\":\"host-drain\",\"caller\":{\"user\":\"ann\"},\"hosts\":[7]," UNTIL
                   "}",
                   "denied", "only operators");
    expect_refusal(fixture, "{\"command\":\"host-book\",\"hosts\":[7]," UNTIL "}", "malformed",
                   "booking");
}

static void operators_book_for_others(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture,
        "{\"command\":\"host-book\",\"caller\":{\"user\":\"root\",\"operator\":true},"
        "\"hosts\":[7]," UNTIL ",\"booking\":{\"name\":\"course\",\"owner\":\"bob\"}}",
        "galerna-host-drain/1");

    assert_string_equal(fixture->who, "course bob||bob");
    assert_int_equal(json_array_size(json_object_get(answer, "vms")), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(answer, "unplaced"), 0)), 5);
    json_decref(answer);
    expect_refusal(fixture,
                   "{\"command\":\"host-book\",\"caller\":{\"user\":\"ann\",\"operator\":1}}",
                   "malformed", "operator");
}

static void hosts_are_named_or_counted(void **state)
{
    static const char *const wrong[] = {"\"hosts\":[7],\"count\":1",
                                        "\"count\":0",
                                        "\"x\":0",
                                        "\"hosts\":[7],\"cluster\":\"default\"",
                                        "\"count\":20000",
                                        "\"count\":1,\"cluster\":4"};
    static const char *const part[] = {"hosts or count", "from 1", "unknown field",
                                       "needs count",    "10000",  "expected a string"};
    struct answers_fixture *fixture = *state;
    char request[512];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(request, sizeof request,
                 "{\"command\":\"host-book\",%s," UNTIL
                 ",\"booking\":{\"name\":\"course\",\"users\":[\"ann\"]}}",
                 wrong[i]);
        expect_refusal(fixture, request, "malformed", part[i]);
    }
    expect_refusal(fixture, "{\"command\":\"host-drain\",\"count\":1}", "malformed", "until");
}

static void bookings_are_listed_with_their_times(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer =
        expect_answer(fixture, "{\"command\":\"booking-list\"}", "galerna-booking-list/1");
    const json_t *booking = json_array_get(json_object_get(answer, "bookings"), 0);
    const json_t *time = json_array_get(json_object_get(booking, "times"), 0);

    assert_string_equal(json_string_value(json_object_get(booking, "owner")), "teacher");
    assert_int_equal(json_array_size(json_object_get(booking, "times")), 1);
    assert_int_equal(json_integer_value(json_object_get(time, "host")), 4);
    assert_string_equal(json_string_value(json_object_get(time, "name")), "alpha");
    assert_string_equal(json_string_value(json_object_get(time, "until")), "never");
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"booking-list\",\"caller\":{\"user\":\"carl\"}}",
                           "galerna-booking-list/1");
    assert_int_equal(json_array_size(json_object_get(answer, "bookings")), 0);
    json_decref(answer);
}

static void a_booking_is_shown_and_ended(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"status\"}", "galerna-status/1");
    const json_t *booking = json_array_get(json_object_get(answer, "bookings"), 0);
    const json_t *host;

    assert_string_equal(json_string_value(json_object_get(booking, "name")), "course");
    assert_string_equal(json_string_value(json_array_get(json_object_get(booking, "users"), 1)),
                        "Bob Smith");
    assert_int_equal(json_array_size(json_object_get(booking, "groups")), 0);
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(host, "drains"), 0), "booking")),
                        "course");
    json_decref(answer);
    json_decref(expect_answer(fixture, "{\"command\":\"host-unbook\",\"booking\":\"course\"}",
                              "galerna-host-unbook/1"));
    assert_string_equal(fixture->who, "course -1 0 -");
    json_decref(
        expect_answer(fixture,
                      "{\"command\":\"host-unbook\",\"booking\":\"course\",\"dry_run\":true,"
                      "\"at\":\"2026-11-21T16:00:00Z\",\"caller\":{\"user\":\"teacher\"}}",
                      "galerna-host-unbook/1"));
    assert_non_null(strstr(fixture->who, " 1 teacher"));
    assert_null(strstr(fixture->who, " -1 "));
    expect_refusal(fixture, "{\"command\":\"host-unbook\",\"booking\":\"course\",\"at\":7}",
                   "malformed", "at");
    expect_refusal(fixture, "{\"command\":\"host-unbook\",\"booking\":\"curse\"}", "not-found",
                   "curse");
    expect_refusal(fixture, "{\"command\":\"host-unbook\"}", "malformed", "booking");
}

/* Host 4 is drained, host 7 is not. */
static void those_that_cannot_leave_are_named(void **state)
{
    struct answers_fixture *fixture = *state;
    struct lease_record *lease = lease_to_change(fixture->store, 1);
    const json_t *host, *vm;
    json_t *answer;

    vm_to_change(fixture->store, 1)->host = 4;
    lease->reason_id = REASON_LEAVES;
    answer = expect_answer(fixture, "{\"command\":\"status\"}", "galerna-status/1");
    assert_int_equal(json_array_size(json_object_get(answer, "drains")), 1);
    host = json_array_get(json_object_get(answer, "drains"), 0);
    assert_int_equal(json_integer_value(json_object_get(host, "host")), 4);
    assert_string_equal(json_string_value(json_object_get(host, "drain_until")), "never");
    assert_int_equal(json_array_size(json_object_get(host, "drains")), 1);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 0);
    json_decref(answer);

    lease->reason_id = REASON_CANNOT_LEAVE;
    snprintf(lease->reason, sizeof lease->reason, " (host 4 is drained)");
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    vm = json_array_get(json_object_get(host, "staying"), 0);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 1);
    assert_int_equal(json_integer_value(json_object_get(vm, "vm")), 1);
    assert_non_null(strstr(json_string_value(json_object_get(vm, "why")),
                           "(host 4 is drained), but no other host"));
    host = json_array_get(json_object_get(answer, "hosts"), 1);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 0);
    json_decref(answer);

    lease->reason_id = REASON_NO_OTHER_HOST; /* of another VM of the lease */
    lease->reason_n[0] = 2;
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 0);
    json_decref(answer);
}

static void hosts_are_drained_by_those_who_may(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture, "{\"command\":\"host-drain\",\"hosts\":[7,\"alpha\",7],\"dry_run\":true}",
        "galerna-host-drain/1");
    const json_t *vms = json_object_get(answer, "vms");

    assert_int_equal(json_array_size(json_object_get(answer, "hosts")), 2);
    assert_string_equal(json_string_value(json_object_get(answer, "until")), "never");
    assert_int_equal(json_array_size(vms), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(vms, 0), "to")), 4);
    assert_string_equal(json_string_value(json_object_get(json_array_get(vms, 1), "why")),
                        "no room");
    assert_int_equal(strncmp(fixture->who, "dry 2 0 -1 ", 11), 0);
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"host-drain\"}", "malformed", "hosts");
    expect_refusal(fixture, "{\"command\":\"host-drain\",\"hosts\":[5]}", "not-found", "host 5");
    expect_refusal(fixture, "{\"command\":\"host-drain\",\"hosts\":[7,null]}", "malformed", "host");
    expect_refusal(fixture, "{\"command\":\"host-drain\",\"hosts\":[7],\"from\":\"soon\"}",
                   "malformed", "from");
    expect_refusal(fixture,
                   "{\"command\":\"host-drain\",\"hosts\":[7],\"until\":\"2001-01-01T00:00:00Z\"}",
                   "malformed", "until");
    fixture->peer.trusted = false;
    expect_refusal(fixture, "{\"command\":\"host-drain\",\"hosts\":[7],\"dry_run\":true}", "denied",
                   "has read-only access");
    expect_refusal(fixture, "{\"command\":\"host-undrain\",\"host\":7}", "denied",
                   "has read-only access");
    fixture->peer.trusted = true;
    json_decref(expect_answer(fixture, "{\"command\":\"host-undrain\",\"host\":7}",
                              "galerna-host-undrain/1"));
    assert_string_equal(fixture->who, "-1 0");
    json_decref(expect_answer(
        fixture, "{\"command\":\"host-undrain\",\"host\":7,\"at\":\"2026-11-21T15:01:00Z\"}",
        "galerna-host-undrain/1"));
    assert_string_equal(fixture->who, "60 0");
    json_decref(expect_answer(fixture, "{\"command\":\"host-undrain\",\"host\":7,\"all\":true}",
                              "galerna-host-undrain/1"));
    assert_string_equal(fixture->who, "-1 1");
    expect_refusal(fixture, "{\"command\":\"host-undrain\",\"host\":4}", "conflict", "host 4");
    expect_refusal(fixture, "{\"command\":\"host-undrain\",\"host\":7,\"at\":\"soon\"}",
                   "malformed", "at");
    expect_refusal(fixture, "{\"command\":\"host-undrain\",\"host\":7,\"all\":1}", "malformed",
                   "all");
    expect_refusal(fixture,
                   "{\"command\":\"host-undrain\",\"host\":7,\"all\":true,"
                   "\"at\":\"2026-11-21T15:01:00Z\"}",
                   "malformed", "combined");
}

static void unknown_commands_are_named(void **state)
{
    expect_refusal(*state, "{\"command\":\"lease-lst\"}", "unsupported",
                   "did you mean 'lease-list'");
    expect_refusal(*state, "{}", "malformed", "command: missing");
    expect_refusal(*state, "{\"command\":7}", "malformed", "command: missing");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, answers_set_up, answers_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_are_filtered),
        TEST(usage_has_a_period),
        TEST(lists_hold_any_text),
        TEST(a_lease_is_told_with_its_numbers),
        TEST(what_is_over_keeps_its_times_and_hosts),
        TEST(no_start_is_expected_that_has_passed),
        TEST(a_reason_tells_of_the_next_try),
        TEST(history_is_of_one_or_of_all),
        TEST(hosts_are_told),
        TEST(hosts_are_released),
        TEST(those_that_cannot_leave_are_named),
        TEST(hosts_are_drained_by_those_who_may),
        TEST(hosts_are_booked_for_users_and_groups),
        TEST(a_user_books_within_limits),
        TEST(operators_book_for_others),
        TEST(hosts_are_named_or_counted),
        TEST(bookings_are_listed_with_their_times),
        TEST(a_booking_is_shown_and_ended),
        TEST(unknown_commands_are_named),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
