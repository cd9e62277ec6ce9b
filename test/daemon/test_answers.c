/* What the daemon answers to those who look, from a store and a daemon made for the purpose. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/store/stays.h"
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
                   "'dancing' is not a phase of a lease (gathering, waiting, ");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"phase\":\"waiting\"}", "malformed",
                   "array");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"user\":1}", "malformed", "user");
    snprintf(lease_to_change(fixture->store, 4)->series, TERM_TEXT_MAX, "lab");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"series\":\"lab\"}", schema),
               "4");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"series\":\"la\"}", schema),
               "");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"limit\":-1}", "malformed", "limit");
    vm_to_change(fixture->store, 1)->host = vm_to_change(fixture->store, 4)->host = 4;
    vm_to_change(fixture->store, 4)->ran = true;
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"host\":4}", schema), "1 4");
    expect_ids(expect_answer(fixture, "{\"command\":\"lease-list\",\"host\":\"alpha\"}", schema),
               "1 4");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"host\":5}", "not-found",
                   "host 5 does not exist");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"host\":\"no\"}", "not-found",
                   "host 'no' does not exist");
}

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
                   "malformed", "only allowed with by user");
    expect_refusal(fixture, "{\"command\":\"usage\",\"since\":\"2026-11-21T16:00:00Z\"}",
                   "malformed", "before until");
}

/* Whatever users wrote, lists are JSON and have what was written. */
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

        store_put_text(&lease->name, names[i], STORE_NAME_MAX);
        store_put_text(&lease->reason, names[i], STORE_TEXT_MAX);
        store_put_text(&lease->group, names[i], STORE_GROUP_MAX - 1);
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
        assert_string_equal(told(lease, "waits_for"),
                            id == 5 ? "VM 1 (SAVE_STOP) to leave host 4" : "null");
        if (id == 5)
            assert_string_equal(told(json_object_get(lease, "awaited"), "what"), "leaves");
        else
            assert_true(json_is_null(json_object_get(lease, "awaited")));
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

static void a_reason_has_details(void **state)
{
    struct answers_fixture *fixture = *state;
    struct lease_record *lease = lease_to_change(fixture->store, 3);
    const json_t *reason, *detail;
    json_t *answer;

    lease->reason_id = REASON_HOSTS_EXCLUDED;
    store_put_text(&lease->reason, "\nnone-left 2\nrequirements 2 2 0 RACK=r9", STORE_TEXT_MAX);
    answer = expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":3}", "galerna-lease/1");
    reason = json_object_get(json_object_get(answer, "lease"), "reason");
    assert_string_equal(
        told(reason, "text"),
        "none of the 2 hosts can be used: 2 do not meet SCHED_REQUIREMENTS RACK=r9");
    assert_int_equal(json_array_size(json_object_get(reason, "details")), 2);
    detail = json_array_get(json_object_get(reason, "details"), 1);
    assert_string_equal(told(detail, "word"), "requirements");
    assert_string_equal(told(detail, "name"), "RACK=r9");
    assert_int_equal(json_array_size(json_object_get(detail, "numbers")), 3);
    json_decref(answer);
}

/* It began before its time, to be ready then, and ends at its time. */
static void a_reservation_has_left_what_is_left_until_its_end(void **state)
{
    struct answers_fixture *fixture = *state;
    struct lease_record *lease = lease_to_change(fixture->store, 1);
    json_t *answer;

    lease->kind = LEASE_RESERVATION;
    lease->start = NOW - 50;
    answer = expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":1}", "galerna-lease/1");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(answer, "lease"), "run")),
                     150);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(answer, "lease"), "left")),
                     950);
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
    vm_to_change(fixture->store, 2)->gone = true; /* its user terminated it */
    answer = expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":1}", "galerna-lease/1");
    lease = json_object_get(answer, "lease");
    assert_int_equal(json_integer_value(json_object_get(lease, "vms")), 1);
    assert_int_equal(json_array_size(json_object_get(lease, "members")), 2);
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":77}", "not-found",
                   "lease 77 does not exist");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":2}", "not-found",
                   "VM 2 belongs to lease 1");
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":2}", "not-found",
                   "VM 2 belongs to lease 1");
    expect_refusal(fixture, "{\"command\":\"lease-hold\",\"lease\":2}", "not-found",
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

    store_add_lease(fixture->store, 11)->phase = PHASE_ENDED; /* cancelled before its start */
    store_add_vm(fixture->store, 11, 11)->host = 4;
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
    assert_int_equal(json_array_size(json_object_get(lease_in(answer, 9), "hosts")), 0);
    assert_true(json_is_true(json_object_get(lease_in(answer, 5), "accepted")));
    assert_int_equal(json_array_size(json_object_get(lease_in(answer, 11), "hosts")), 0);
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":11}", "galerna-lease/1");
    lease = json_array_get(json_object_get(json_object_get(answer, "lease"), "members"), 0);
    assert_true(json_is_null(json_object_get(lease, "host")));
    json_decref(answer);
}

static void expect_stay(const json_t *lease, size_t i, int64_t host, const char *from,
                        const char *until)
{
    const json_t *stay = json_array_get(json_object_get(lease, "stays"), i);
    const char *end = json_string_value(json_object_get(stay, "until"));

    assert_int_equal(json_integer_value(json_object_get(stay, "host")), host);
    assert_string_equal(json_string_value(json_object_get(stay, "from")), from);
    assert_true(until ? end && strcmp(until, end) == 0
                      : json_is_null(json_object_get(stay, "until")));
}

/* Once a VM has left a host, in order of time; the VMs on a host count as one. */
static void a_lease_says_where_it_was(void **state)
{
    struct answers_fixture *fixture = *state;
    struct vm_record *vms[] = {store_change_vm(fixture->store, store_vm(fixture->store, 1)),
                               store_change_vm(fixture->store, store_vm(fixture->store, 2))};
    json_t *answer;
    const json_t *lease;
    char text[STORE_STAYS_MAX];
    int64_t t = NOW - 3600; /* 14:00:00 */

    snprintf(text, sizeof text, "3 %lld", (long long)t);
    store_put_text(&vms[0]->stays, text, sizeof text);
    store_put_text(&vms[1]->stays, text, sizeof text);
    answer = expect_answer(fixture, "{\"command\":\"lease-list\"}", "galerna-lease-list/1");
    assert_int_equal(json_array_size(json_object_get(lease_in(answer, 1), "stays")), 0);
    json_decref(answer);
    snprintf(text, sizeof text, "3 %lld %lld 2 %lld", (long long)t, (long long)t + 60,
             (long long)t + 60);
    store_put_text(&vms[0]->stays, text, sizeof text);
    snprintf(text, sizeof text, "3 %lld %lld 2 %lld", (long long)t + 5, (long long)t + 120,
             (long long)t + 120);
    store_put_text(&vms[1]->stays, text, sizeof text);
    answer = expect_answer(fixture, "{\"command\":\"lease-list\"}", "galerna-lease-list/1");
    lease = lease_in(answer, 1);
    assert_int_equal(json_array_size(json_object_get(lease, "stays")), 2);
    expect_stay(lease, 0, 3, "2026-11-21T14:00:00Z", "2026-11-21T14:02:00Z");
    expect_stay(lease, 1, 2, "2026-11-21T14:01:00Z", NULL);
    json_decref(answer);
    store_change_lease(fixture->store, store_lease(fixture->store, 1))->end = t + 600;
    store_change_lease(fixture->store, store_lease(fixture->store, 1))->phase = PHASE_ENDED;
    answer = expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":1}", "galerna-lease/1");
    lease = json_object_get(answer, "lease");
    expect_stay(lease, 1, 2, "2026-11-21T14:01:00Z", "2026-11-21T14:10:00Z");
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

static void unknown_commands_are_named(void **state)
{
    expect_refusal(*state, "{\"command\":\"lease-lst\"}", "unsupported",
                   "did you mean 'lease-list'");
    expect_refusal(*state, "{}", "malformed", "command: missing");
    expect_refusal(*state, "{\"command\":7}", "malformed", "command: missing");
}

/* galerna-web does not name the caller in these questions, and gives one answer to all, or to all
 * operators, who alone may see the status. */
static void what_serves_all_does_not_depend_on_the_caller(void **state)
{
    static const char *const questions[] = {
        "\"command\":\"lease-list\",\"all\":true",
        "\"command\":\"lease-list\",\"since\":\"\"",
        "\"command\":\"lease-show\",\"lease\":3",
        "\"command\":\"lease-why\",\"lease\":3",
        "\"command\":\"lease-history\",\"lease\":3",
        "\"command\":\"lease-history\"",
        "\"command\":\"queue\"",
        "\"command\":\"host-list\",\"since\":\"\"",
        "\"command\":\"host-timeline\",\"host\":7",
        "\"command\":\"status\"",
    };
    static const char *const carl = ",\"caller\":{\"user\":\"carl\"}",
                             *const boss = ",\"caller\":{\"user\":\"carl\",\"operator\":true}";

    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        json_t *answers[2];

        for (int by = 0; by < 2; by++) {
            const char *caller = strstr(questions[i], "status") ? boss : carl;
            char text[160];

            snprintf(text, sizeof text, "{%s%s}", questions[i], by ? caller : "");
            answers[by] = ask(*state, text);
        }
        assert_true(json_is_true(json_object_get(answers[0], "ok")));
        assert_true(json_equal(answers[0], answers[1]));
        json_decref(answers[0]);
        json_decref(answers[1]);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, answers_set_up, answers_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_are_filtered),
        TEST(usage_has_a_period),
        TEST(lists_hold_any_text),
        TEST(a_reservation_has_left_what_is_left_until_its_end),
        TEST(a_lease_is_told_with_its_numbers),
        TEST(what_is_over_keeps_its_times_and_hosts),
        TEST(a_lease_says_where_it_was),
        TEST(no_start_is_expected_that_has_passed),
        TEST(a_reason_tells_of_the_next_try),
        TEST(a_reason_has_details),
        TEST(history_is_of_one_or_of_all),
        TEST(unknown_commands_are_named),
        TEST(what_serves_all_does_not_depend_on_the_caller),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
