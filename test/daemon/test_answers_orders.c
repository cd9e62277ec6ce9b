/* What the daemon answers to those who want something changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/daemon/answers_fixture.h"

static void changes_are_passed_on(void **state)
{
    struct answers_fixture *fixture = *state;

    json_decref(expect_answer(fixture, "{\"command\":\"wake\"}", "galerna-wake/1"));
    json_decref(
        expect_answer(fixture, "{\"command\":\"reload-policies\"}", "galerna-reload-policies/1"));
    json_decref(expect_answer(fixture, "{\"command\":\"lease-cancel\",\"lease\":3}",
                              "galerna-lease-cancel/1"));
    assert_int_equal(fixture->wakes, 1);
    assert_int_equal(fixture->reloads, 1);
    assert_int_equal(fixture->cancelled, 3);
    assert_non_null(strstr(fixture->who, "uid 0"));
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":8}", "not-found",
                   "lease 8 does not exist or has ended");
    json_decref(expect_answer(fixture, "{\"command\":\"lease-cancel\",\"lease\":9}",
                              "galerna-lease-cancel/1")); /* refused: its VMs are held */
    assert_int_equal(fixture->cancelled, 9);
    fixture->fails = true;
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":4}", "failed", "disk is full");
    expect_refusal(fixture, "{\"command\":\"reload-policies\"}", "malformed", "wrong version");
    fixture->daemon.reload_policies = NULL;
    expect_refusal(fixture, "{\"command\":\"reload-policies\"}", "unsupported",
                   "no policy modules");
}

static void levels_of_the_log_are_set(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"log-set\",\"level\":\"debug\"}",
                                   "galerna-log-levels/1");

    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "levels"), "planner")), "debug");
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"log-set\"}", "malformed", "level: missing");
    expect_refusal(fixture, "{\"command\":\"log-set\",\"level\":3}", "malformed", "a string");
    expect_refusal(fixture, "{\"command\":\"log-set\",\"level\":\"info\",\"subsystem\":\"x\"}",
                   "malformed", "unknown level or subsystem 'x'");
    fixture->peer = (struct control_peer){.uid = 1234};
    expect_refusal(fixture, "{\"command\":\"log-set\",\"level\":\"info\"}", "denied", "1234");
    json_decref(expect_answer(fixture, "{\"command\":\"log-levels\"}", "galerna-log-levels/1"));
    assert_string_equal(fixture->log_level, "debug");
}

static void strangers_may_only_look(void **state)
{
    struct answers_fixture *fixture = *state;

    fixture->peer = (struct control_peer){.uid = 1234};
    json_decref(expect_answer(fixture, "{\"command\":\"lease-list\"}", "galerna-lease-list/1"));
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":3}", "denied", "1234");
    expect_refusal(fixture, "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":1}", "denied",
                   "has read-only access");
    expect_refusal(fixture, "{\"command\":\"wake\"}", "denied", "control-group");
    expect_refusal(fixture, "{\"command\":\"reload-policies\"}", "denied", "");
    assert_int_equal(fixture->cancelled, -1);
    assert_int_equal(fixture->orders + fixture->wakes + fixture->reloads, 0);
}

static void misspelt_fields_are_not_ignored(void **state)
{
    static const char *const requests[] = {
        "{\"command\":\"host-drain\",\"hosts\":[0],\"form\":\"2126-11-21T15:00:00Z\"}",
        "{\"command\":\"lease-change\",\"lease\":3,\"extend\":60,\"dryrun\":true}",
        "{\"command\":\"lease-list\",\"users\":\"anna\"}",
        "{\"command\":\"lease-cancel\",\"lease\":3,\"dry_run\":true}",
        "{\"command\":\"wake\",\"vms\":3}",
    };
    struct answers_fixture *fixture = *state;

    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        expect_refusal(fixture, requests[i], "malformed", "unknown field");
    expect_refusal(fixture, requests[0], "malformed", "did you mean 'from'");
    expect_refusal(fixture, requests[1], "malformed", "did you mean 'dry_run'");
    assert_int_equal(fixture->cancelled, -1);
    assert_int_equal(fixture->wakes, 0);
}

static void orders_are_checked_before_anything_is_done(void **state)
{
    struct answers_fixture *fixture = *state;
    static const struct {
        const char *fields, *part;
    } cases[] = {
        {"\"memory\":1", "cpu: missing"},
        {"\"cpu\":1", "memory: missing"},
        {"\"cpu\":0,\"memory\":1", "cpu: expected"},
        {"\"cpu\":1,\"memory\":1.5", "memory: expected"},
        {"\"cpu\":1,\"memory\":1,\"count\":0", "count: expected a whole number from 1"},
        {"\"cpu\":1,\"memory\":1,\"count\":100000", "count"},
        {"\"cpu\":1,\"memory\":1,\"color\":1", "unknown field 'color'"},
        {"\"cpu\":1,\"memory\":1,\"durration\":1", "did you mean 'duration'"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"ar\"", "kind: 'ar' is not one of best-effort"},
        {"\"cpu\":1,\"memory\":1,\"terms\":7", "terms"},
        {"\"cpu\":1,\"memory\":1,\"duration\":0", "duration"},
        {"\"cpu\":1,\"memory\":1,\"duration\":\"long\"", "expected seconds or"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"reservation\"", "start: missing"},
        {"\"cpu\":1,\"memory\":1,\"latest\":\"2126-11-21T15:00:00Z\"",
         "latest: only allowed for leases of kind \"deadline\""},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"latest\":\"2126-11-21T15:00:00Z\"",
         "duration: required"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"latest\":\"2126-11-21T15:00:00Z\","
         "\"deadline\":\"2126-11-21T16:00:00Z\"",
         "latest: cannot be combined with `deadline`"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"reservation\",\"start\":\"2026-11-21T14:59:00Z\"",
         "start: 1m00s in the past"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"reservation\",\"start\":\"tomorrow\"", "is not a time"},
        {"\"cpu\":1,\"memory\":1,\"start\":\"2026-11-21T15:59:00Z\"",
         "only allowed for reservations"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"deadline\":\"2026-11-21T15:01:00Z\"",
         "required with a deadline"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"deadline\":\"2026-11-21T15:01:00Z\","
         "\"duration\":61",
         "deadline: only 1m from now, too early for a duration of 1m01s"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"deadline\":\"2026-11-21T14:01:00Z\","
         "\"duration\":61",
         "deadline: in the past"},
        {"\"cpu\":1,\"memory\":1,\"deadline\":\"2026-11-21T15:01:00Z\"",
         "deadline: only allowed for leases of kind"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"immediate\",\"earliest\":\"2026-11-21T15:01:00Z\"",
         "earliest: not allowed"},
        {"\"cpu\":1,\"memory\":1,\"name\":\"a\\\"]\"", "name: quotes"},
        {"\"cpu\":1,\"memory\":1,\"name\":\"\"", "name: expected"},
        {"\"cpu\":1,\"memory\":1,\"template\":-1", "template"},
        {"\"cpu\":1,\"memory\":1,\"priority\":5000000", "priority"},
        {"\"cpu\":1,\"memory\":1,\"priority\":0.0005", "priority"},
        {"\"cpu\":1,\"memory\":1,\"priority\":\"1\"", "priority"},
        {"\"cpu\":1,\"memory\":1,\"dry_run\":\"yes\"", "dry_run"},
        {"\"template\":1,\"dry_run\":true", "required in a dry run"},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "{\"command\":\"lease-request\",%s}", cases[i].fields);
        expect_refusal(fixture, text, "malformed", cases[i].part);
    }
    assert_int_equal(fixture->orders + fixture->trials, 0);
}

static void expect_change(const struct lease_change *change, const struct lease_change *expected)
{
    assert_int_equal(change->duration, expected->duration);
    assert_int_equal(change->start, expected->start);
    assert_int_equal(change->deadline, expected->deadline);
    assert_int_equal(change->releases, expected->releases);
    assert_int_equal(change->changes_kind, expected->changes_kind);
    assert_int_equal(change->kind, expected->kind);
    assert_int_equal(change->given, expected->given);
    assert_int_equal(change->term_values.priority, expected->term_values.priority);
}

static void expect_preempted(const json_t *answer)
{
    const json_t *list = json_object_get(answer, "preempted");
    const json_t *first = json_array_get(list, 0);

    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "lease")), 7);
    assert_string_equal(json_string_value(json_object_get(first, "fate")), "suspended");
    assert_string_equal(json_string_value(json_object_get(answer, "victims")),
                        "Lease 7 would be suspended at 2026-11-21 15:00:00.\n"
                        "Lease 8 would start later: this lease gets its hosts at "
                        "2026-11-21 15:00:00.");
}

/* Lease 1 has a duration of 1000 s, 5 is a reservation at NOW + 60. */
static void changes_are_read(void **state)
{
    struct answers_fixture *fixture = *state;
    static const struct {
        const char *fields;
        struct lease_change change;
    } cases[] = {
        {"\"lease\":1,\"extend\":60",
         {.duration = 1060, .start = INSTANT_NONE, .deadline = INSTANT_NONE}},
        {"\"lease\":1,\"shorten\":60",
         {.duration = 940, .start = INSTANT_NONE, .deadline = INSTANT_NONE}},
        {"\"lease\":1,\"duration\":\"unlimited\"",
         {.duration = SPAN_UNLIMITED, .start = INSTANT_NONE, .deadline = INSTANT_NONE}},
        {"\"lease\":5,\"shift\":-30",
         {.duration = SPAN_NONE, .start = NOW + 30, .deadline = INSTANT_NONE}},
        {"\"lease\":5,\"start\":\"2026-11-21T15:30:00Z\",\"duration\":9",
         {.duration = 9, .start = NOW + 1800, .deadline = INSTANT_NONE}},
        {"\"lease\":5,\"deadline\":\"2026-11-21T15:30:00Z\"",
         {.duration = SPAN_NONE, .start = INSTANT_NONE, .deadline = NOW + 1800}},
        {"\"lease\":1,\"kind\":\"reservation\"",
         {.duration = SPAN_NONE,
          .start = INSTANT_NONE,
          .deadline = INSTANT_NONE,
          .changes_kind = true,
          .kind = LEASE_RESERVATION}},
        {"\"lease\":1,\"priority\":7",
         {.duration = SPAN_NONE,
          .start = INSTANT_NONE,
          .deadline = INSTANT_NONE,
          .given = 1U << TERM_ID_priority,
          .term_values.priority = 7 * PRIORITY_ONE}},
    };
    char text[256];
    json_t *answer;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "{\"command\":\"lease-change\",%s}", cases[i].fields);
        answer = expect_answer(fixture, text, "galerna-lease-change/1");
        expect_preempted(answer);
        assert_true(json_is_true(json_object_get(answer, "accepted")));
        expect_change(&fixture->change, &cases[i].change);
        assert_false(fixture->dry_run);
        json_decref(answer);
    }
    assert_non_null(strstr(fixture->who, "uid 0"));
    answer = expect_answer(
        fixture, "{\"command\":\"lease-change\",\"lease\":3,\"duration\":9000,\"dry_run\":true}",
        "galerna-lease-change/1");
    assert_true(fixture->dry_run);
    assert_true(json_is_false(json_object_get(answer, "accepted")));
    assert_int_equal(json_integer_value(json_object_get(answer, "in_the_way")), 4);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(answer, "alternative"), "duration")),
        5400);
    json_decref(answer);
}

static void malformed_changes_are_refused(void **state)
{
    struct answers_fixture *fixture = *state;
    static const struct {
        const char *fields, *part;
    } cases[] = {
        {"\"extend\":60", "lease: missing"},
        {"\"lease\":1", "nothing to change"},
        {"\"lease\":1,\"extend\":0", "extend: expected seconds from 1"},
        {"\"lease\":1,\"extend\":60,\"duration\":60", "are mutually exclusive"},
        {"\"lease\":1,\"shorten\":1000", "is only 16m40s"},
        {"\"lease\":5,\"shift\":10,\"start\":\"2026-11-21T15:30:00Z\"", "are mutually exclusive"},
        {"\"lease\":5,\"start\":\"soon\"", "start: expected a time"},
        {"\"lease\":1,\"duration\":\"long\"", "duration: expected seconds"},
        {"\"lease\":1,\"extend\":6,\"dry_run\":1", "dry_run: expected true or false"},
    };
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "{\"command\":\"lease-change\",%s}", cases[i].fields);
        expect_refusal(fixture, text, "malformed", cases[i].part);
    }
    expect_refusal(fixture, "{\"command\":\"lease-change\",\"lease\":8,\"extend\":6}", "not-found",
                   "does not exist or has ended");
    expect_refusal(fixture, "{\"command\":\"lease-change\",\"lease\":1,\"shift\":10}", "conflict",
                   "has no start to shift");
    fixture->peer = (struct control_peer){.uid = 1234};
    expect_refusal(fixture, "{\"command\":\"lease-change\",\"lease\":1,\"extend\":6}", "denied",
                   "has read-only access");
    assert_int_equal(fixture->changes, 0);
}

static void orders_are_passed_on(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer;
    char text[ORDER_TEXT_MAX];
    size_t length;

    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"kind\":\"reservation\",\"cpu\":0.59,"
                             "\"memory\":512,\"count\":3,\"start\":\"2026-11-21T16:30:00+01:00\","
                             "\"duration\":360000,\"terms\":\"suspendable\",\"priority\":-2,"
                             "\"name\":\"web\"}"));
    assert_int_equal(fixture->orders, 1);
    assert_int_equal(fixture->order.sizes[0].cpu, 59);
    assert_int_equal(fixture->order.start, NOW + 1800);
    length = order_template(&fixture->order, "g7", 1, text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text,
                        "NAME=\"web-2\"\nCPU=\"0.59\"\nMEMORY=\"512\"\n"
                        "GALERNA=[PREEMPTIBLE=\"yes\", TERMS=\"suspendable\", ORIGIN=\"local\", "
                        "PRIORITY=\"-2\", KEEP=\"no\", START=\"2026-11-21T15:30:00+00:00\", "
                        "DURATION=\"100:00:00\", "
                        "GROUP=\"g7\", GROUP_SIZE=\"3\"]");
    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"template\":12,\"kind\":\"deadline\","
                             "\"earliest\":\"2026-11-21T15:00:10Z\",\"duration\":50,"
                             "\"deadline\":\"2026-11-21T15:01:00Z\"}"));
    order_template(&fixture->order, "", 0, text);
    assert_string_equal(text,
                        "GALERNA=[PREEMPTIBLE=\"no\", TERMS=\"non-preemptable\", ORIGIN=\"local\", "
                        "PRIORITY=\"0\", KEEP=\"no\", START=\"best_effort\", "
                        "EARLIEST=\"2026-11-21T15:00:10+00:00\", "
                        "DEADLINE=\"2026-11-21T15:01:00+00:00\", DURATION=\"00:00:50\"]");
    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"template\":12,"
                             "\"kind\":\"immediate\",\"duration\":\"unlimited\"}"));
    order_template(&fixture->order, "", 0, text);
    assert_non_null(strstr(text, "START=\"now\", DURATION=\"unlimited\""));
    answer = answers_requested((int32_t[]){9, 7, 8}, 3);
    assert_int_equal(json_integer_value(json_object_get(answer, "lease")), 7);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(answer, "vms"), 1)), 8);
    json_decref(answer);
    fixture->fails = true;
    expect_refusal(fixture, "{\"command\":\"lease-request\",\"template\":12}", "unsupported",
                   "not here");
}

static void vms_of_other_sizes_are_of_the_same_lease(void **state)
{
    struct answers_fixture *fixture = *state;
    char text[ORDER_TEXT_MAX];

    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"cpu\":4,\"memory\":512,"
                             "\"name\":\"web\",\"also\":[{\"count\":2,\"cpu\":0.5,\"memory\":64},"
                             "{\"cpu\":1,\"memory\":128}]}"));
    assert_int_equal(fixture->order.count, 4);
    order_template(&fixture->order, "g7", 0, text);
    assert_non_null(strstr(text, "NAME=\"web-1\"\nCPU=\"4.00\"\nMEMORY=\"512\"\n"));
    order_template(&fixture->order, "g7", 2, text);
    assert_non_null(strstr(text, "NAME=\"web-3\"\nCPU=\"0.50\"\nMEMORY=\"64\"\n"));
    order_template(&fixture->order, "g7", 3, text);
    assert_non_null(strstr(text, "NAME=\"web-4\"\nCPU=\"1.00\"\nMEMORY=\"128\"\n"));
    assert_non_null(strstr(text, "GROUP=\"g7\", GROUP_SIZE=\"4\"]"));
}

static void wrong_sizes_are_refused(void **state)
{
    static const struct {
        const char *also, *part;
    } cases[] = {
        {"3", "also: expected an array of at most 15 sizes"},
        {"[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]", "at most 15 sizes"},
        {"[3]", "also: expected objects with count, cpu and memory"},
        {"[{\"cpu\":1,\"memory\":1,\"cuont\":1}]", "also: unknown field 'cuont'"},
        {"[{\"cpu\":1}]", "memory: missing; only a template can supply it"},
        {"[{\"cpu\":1,\"memory\":1,\"count\":10000}]", "also: more than 10000 VMs in all"},
        {"[{\"cpu\":1,\"memory\":1,\"count\":0}]", "count: expected a whole number from 1"},
    };
    struct answers_fixture *fixture = *state;
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":1,\"also\":%s}",
                 cases[i].also);
        expect_refusal(fixture, text, "malformed", cases[i].part);
    }
    assert_int_equal(fixture->orders, 0);
}

static void leases_are_held_and_released(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer =
        expect_answer(fixture, "{\"command\":\"lease-hold\",\"lease\":1}", "galerna-lease-hold/1");

    assert_int_equal(json_integer_value(json_object_get(answer, "lease")), 1);
    json_decref(answer);
    expect_refusal(fixture, "{\"command\":\"lease-hold\",\"lease\":8}", "not-found", "lease 8");
    answer = expect_answer(fixture, "{\"command\":\"lease-release\",\"lease\":3}",
                           "galerna-lease-change/1");
    assert_true(fixture->change.releases);
    assert_true(json_is_false(json_object_get(answer, "accepted")));
    json_decref(answer);
}

static void dry_runs_are_told(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture, "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":2,\"dry_run\":true}",
        "galerna-dry-run/1");

    assert_true(json_is_true(json_object_get(answer, "accepted")));
    assert_string_equal(json_string_value(json_object_get(answer, "promise")), "contract");
    assert_true(json_is_null(json_object_get(answer, "reason")));
    assert_int_equal(json_integer_value(json_array_get(json_object_get(answer, "hosts"), 0)), 4);
    assert_string_equal(json_string_value(json_object_get(answer, "text")),
                        "It would run on host four.");
    json_decref(answer);
    answer = expect_answer(fixture,
                           "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":2,\"count\":9,"
                           "\"dry_run\":true}",
                           "galerna-dry-run/1");
    assert_int_equal(json_array_size(json_object_get(answer, "hosts")), TRIAL_HOSTS);
    assert_int_equal(json_integer_value(json_object_get(answer, "host_count")), 9);
    assert_string_equal(json_string_value(json_object_get(answer, "text")),
                        "It would run on hosts four, four, four, four, four, four and 3 more.");
    json_decref(answer);
    answer = expect_answer(fixture,
                           "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":2,\"count\":10,"
                           "\"dry_run\":true}",
                           "galerna-dry-run/1");
    assert_true(json_is_false(json_object_get(answer, "accepted")));
    assert_string_equal(json_string_value(json_object_get(answer, "word")), "too-big");
    assert_int_equal(json_integer_value(json_array_get(
                         json_object_get(json_object_get(answer, "reason"), "numbers"), 1)),
                     9);
    json_decref(answer);
    assert_int_equal(fixture->trials, 3);
    assert_int_equal(fixture->orders, 0);
}

static void many_victims_are_counted(void **state)
{
    struct victims victims = {.n = VICTIMS_SHOWN + 2};
    char text[VICTIMS_TEXT_MAX] = "";

    for (int i = 0; i < VICTIMS_SHOWN; i++)
        victims.shown[i] = (struct victim_view){INT64_MAX, VICTIM_LATER, 0};
    answers_add_victims(text, sizeof text, &victims);
    assert_non_null(strstr(text, ".\n2 more leases would make room."));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, answers_set_up, answers_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(changes_are_passed_on),
        cmocka_unit_test(many_victims_are_counted),
        TEST(levels_of_the_log_are_set),
        TEST(strangers_may_only_look),
        TEST(orders_are_checked_before_anything_is_done),
        TEST(misspelt_fields_are_not_ignored),
        TEST(orders_are_passed_on),
        TEST(vms_of_other_sizes_are_of_the_same_lease),
        TEST(wrong_sizes_are_refused),
        TEST(changes_are_read),
        TEST(malformed_changes_are_refused),
        TEST(dry_runs_are_told),
        TEST(leases_are_held_and_released),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
