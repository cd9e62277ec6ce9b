/* What the daemon answers about hosts, bookings and drains, and who may order them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "test/daemon/answers_fixture.h"
#include "test/daemon/change_records.h"

static void expect_reason(const json_t *vm, const char *id, int64_t first, int64_t second)
{
    const json_t *reason = json_object_get(vm, "reason");
    const json_t *numbers = json_object_get(reason, "numbers");

    assert_string_equal(json_string_value(json_object_get(reason, "id")), id);
    assert_int_equal(json_integer_value(json_array_get(numbers, 0)), first);
    assert_int_equal(json_integer_value(json_array_get(numbers, 1)), second);
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
    assert_int_equal(json_array_size(json_object_get(answer, "operations")), 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(json_string_value(json_object_get(
                                json_array_get(json_object_get(answer, "operations"), i), "use")),
                            ((const char *[]){"running", "planned", "other", "held", "parked"})[i]);
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
                                       "requires count", "10000",  "expected a string"};
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
    store_put_text(&lease->reason, " (host 4 is drained)", STORE_TEXT_MAX);
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

    lease->preempted_for = 3; /* and leaves the host before it is drained */
    lease->preempted_at = NOW - 60;
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 0);
    json_decref(answer);

    lease->preempted_at = INSTANT_NONE;
    lease->reason_n[3] = 100; /* it will be suspended */
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 0);
    json_decref(answer);

    lease->reason_id = REASON_NO_OTHER_HOST; /* of another VM of the lease */
    lease->reason_n[0] = 2;
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    assert_int_equal(json_array_size(json_object_get(host, "staying")), 0);
    json_decref(answer);

    lease->reason_n[0] = 1;
    store_put_text(&lease->reason, "no other host", STORE_TEXT_MAX);
    answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    host = json_array_get(json_object_get(answer, "hosts"), 0);
    vm = json_array_get(json_object_get(host, "staying"), 0);
    assert_string_equal(json_string_value(json_object_get(vm, "why")), "no other host");
    expect_reason(vm, "no-other-host", 1, lease->reason_n[1]);
    json_decref(answer);
}

static void hosts_are_drained_by_those_who_may(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture, "{\"command\":\"host-drain\",\"hosts\":[7,\"alpha\",7],\"dry_run\":true}",
        "galerna-host-drain/1");
    const json_t *vms = json_object_get(answer, "vms"), *vm;

    assert_int_equal(json_array_size(json_object_get(answer, "hosts")), 2);
    assert_string_equal(json_string_value(json_object_get(answer, "until")), "never");
    assert_int_equal(json_array_size(vms), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(vms, 0), "to")), 4);
    vm = json_array_get(vms, 0);
    assert_true(json_is_true(json_object_get(vm, "when_it_runs")));
    assert_string_equal(json_string_value(json_object_get(vm, "cause")), "live-failed");
    assert_string_equal(json_string_value(json_object_get(vm, "why")),
                        "when it runs, cold, since its live migration failed");
    vm = json_array_get(vms, 1);
    assert_true(json_is_null(json_object_get(vm, "cause")));
    assert_int_equal(json_integer_value(json_object_get(vm, "for_lease")), 12);
    assert_non_null(strstr(json_string_value(json_object_get(vm, "why")), "no room; until "));
    assert_non_null(
        strstr(json_string_value(json_object_get(vm, "why")), ", when it makes room for lease 12"));
    expect_reason(vm, "no-other-host", 11, 7);
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, answers_set_up, answers_tear_down)
    const struct CMUnitTest tests[] = {
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
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
