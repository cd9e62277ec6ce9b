/* What the daemon answers about its state and about the queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/daemon/answers_fixture.h"
#include "test/daemon/change_records.h"

/* Bert, user 2, has used a CPU-hour and has two shares. */
static struct fair_share *shares_of(void *context, int64_t now)
{
    struct fair_share_settings settings = {
        .by = FAIR_SHARE_USERS, .half_life = 86400, .weights = {{false, 2, 2}}, .n_weights = 1};
    struct fair_share *shares = fair_share_create(&settings);

    share_use(shares, fair_share_of(shares, 2, 0), 360000, now);
    return shares;
}

static void with_fair_share_usage_orders_the_queue(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer, *lease;

    lease_to_change(fixture->store, 3)->uid = 2;
    fixture->daemon.shares = shares_of;
    expect_ids(expect_answer(fixture, "{\"command\":\"queue\"}", "galerna-queue/1"), "4 6 3");
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":3}", "galerna-lease-why/1");
    lease = json_object_get(answer, "lease");
    assert_true(json_number_value(json_object_get(lease, "used")) == 1);
    assert_int_equal(json_integer_value(json_object_get(lease, "shares")), 2);
    assert_null(json_object_get(lease, "group_used"));
    assert_int_equal(json_integer_value(json_object_get(answer, "position")), 3);
    json_decref(answer);
}

static void why_says_who_is_ahead(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":6}", "galerna-lease-why/1");

    /* 4 has the priority, 3 is older. */
    assert_int_equal(json_integer_value(json_object_get(answer, "position")), 3);
    assert_int_equal(json_integer_value(json_object_get(answer, "n_ahead")), 2);
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(json_object_get(answer, "ahead"), 0), "lease")),
                     4);
    json_decref(answer);
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":3}", "galerna-lease-why/1");
    assert_int_equal(json_integer_value(json_object_get(answer, "position")), 2);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(answer, "messages"), 0), "text")),
                        "waits for room");
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(json_object_get(answer, "lease"), "reason"), "word")),
                        "no-room-now");
    json_decref(answer);
    expect_ids(expect_answer(fixture, "{\"command\":\"queue\"}", "galerna-queue/1"), "4 3 6");
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":5}", "galerna-lease-why/1");
    assert_true(json_is_null(json_object_get(answer, "position")));
    json_decref(answer);
}

/* No host can hold 4: others are not queued behind it, whatever its priority. */
static void what_no_host_can_hold_delays_nobody(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer;

    lease_to_change(fixture->store, 4)->reason_id = REASON_HOSTS_EXCLUDED;
    expect_ids(expect_answer(fixture, "{\"command\":\"queue\"}", "galerna-queue/1"), "3 6 4");
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":6}", "galerna-lease-why/1");
    assert_int_equal(json_integer_value(json_object_get(answer, "n_ahead")), 1);
    json_decref(answer);
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":4}", "galerna-lease-why/1");
    assert_true(json_is_null(json_object_get(answer, "position")));
    assert_int_equal(json_integer_value(json_object_get(answer, "n_ahead")), 0);
    json_decref(answer);
}

/* Its start stays what was promised while it cannot be planned, and it is not called refused. */
static void a_reservation_at_risk_keeps_its_start(void **state)
{
    struct answers_fixture *fixture = *state;
    struct lease_record *lease = lease_to_change(fixture->store, 5);
    json_t *answer, *shown;

    lease->expected = INSTANT_NONE;
    lease->reason_id = REASON_NO_HOST_ALLOWED;
    lease->reason_n[0] = 1;
    lease->at_risk = true;
    store_put_text(&lease->reason_word, "no-host-allowed", STORE_GROUP_MAX);
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":5}", "galerna-lease-why/1");
    shown = json_object_get(answer, "lease");
    assert_true(json_is_string(json_object_get(shown, "expected")));
    assert_string_equal(json_string_value(json_object_get(shown, "promise")), "contract");
    assert_int_equal(json_array_size(json_object_get(shown, "hosts")), 0);
    assert_non_null(strstr(json_string_value(json_object_get(shown, "activity")),
                           "(contract). At present: 1 VM requested, but no enabled host meets its "
                           "requirements"));
    assert_null(strstr(json_string_value(json_object_get(json_object_get(shown, "reason"), "text")),
                       "refused"));
    json_decref(answer);
}

static void an_answer_says_since_when_it_may_be_outdated(void **state)
{
    static const char *const commands[][2] = {{"lease-list", "galerna-lease-list/1"},
                                              {"queue", "galerna-queue/1"},
                                              {"host-list", "galerna-host-list/1"}};
    struct answers_fixture *fixture = *state;
    char request[64];
    json_t *answer, *outdated;

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(request, sizeof request, "{\"command\":\"%s\"}", commands[i][0]);
        fixture->outdated = false;
        answer = expect_answer(fixture, request, commands[i][1]);
        assert_null(json_object_get(answer, "outdated"));
        json_decref(answer);
        fixture->outdated = true;
        answer = expect_answer(fixture, request, commands[i][1]);
        outdated = json_object_get(answer, "outdated");
        assert_string_equal(json_string_value(json_object_get(outdated, "word")), "opennebula");
        assert_string_equal(json_string_value(json_object_get(outdated, "text")), "no answer");
        assert_non_null(json_string_value(json_object_get(outdated, "since")));
        json_decref(answer);
    }
}

/* It is made once in a second, unless a lease changes or something is ordered. */
static void a_list_that_is_asked_for_again_is_the_same(void **state)
{
    static const char all[] = "{\"command\":\"lease-list\"}";
    struct answers_fixture *fixture = *state;
    json_t *first, *again, *other;

    fixture->rests = true;
    first = expect_answer(fixture, all, "galerna-lease-list/1");
    again = expect_answer(fixture, all, "galerna-lease-list/1");
    assert_true(json_equal(first, again));
    other = expect_answer(fixture, "{\"command\":\"lease-list\",\"phase\":[\"reserved\"]}",
                          "galerna-lease-list/1");
    assert_false(json_equal(first, other));
    json_decref(again);
    store_change_lease(fixture->store, store_lease(fixture->store, 3))->priority = 500;
    again = expect_answer(fixture, all, "galerna-lease-list/1");
    assert_false(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    json_decref(other);
}

static void expect_host_state(struct answers_fixture *fixture, const char *state)
{
    json_t *answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");
    const json_t *host = json_array_get(json_object_get(answer, "hosts"), 1);

    assert_string_equal(json_string_value(json_object_get(host, "state")), state);
    json_decref(answer);
}

static void the_state_follows_changes_and_orders(void **state)
{
    struct answers_fixture *fixture = *state;
    uint64_t before;

    fixture->rests = true;
    before = answers_state(fixture->answers);
    expect_host_state(fixture, "error");
    assert_int_equal(answers_state(fixture->answers), before);
    json_decref(expect_answer(fixture, "{\"command\":\"wake\"}", "galerna-wake/1"));
    assert_int_not_equal(answers_state(fixture->answers), before);
    before = answers_state(fixture->answers);
    store_history(fixture->store, 1, NOW, "late", "late");
    assert_int_not_equal(answers_state(fixture->answers), before);
    fixture->rests = false;
    before = answers_state(fixture->answers);
    assert_int_not_equal(answers_state(fixture->answers), before);
}

static void status_counts_phases(void **state)
{
    struct answers_fixture *fixture = *state;
    json_t *answer;
    const json_t *leases;

    lease_to_change(fixture->store, 3)->accumulated = 60; /* it began, and was suspended */
    answer = expect_answer(fixture, "{\"command\":\"status\"}", "galerna-status/1");
    leases = json_object_get(answer, "leases");
    assert_int_equal(json_integer_value(json_object_get(leases, "waiting")), 3);
    assert_int_equal(json_integer_value(json_object_get(answer, "suspended")), 1);
    assert_int_equal(json_integer_value(json_object_get(leases, "refused")), 1);
    assert_int_equal(json_integer_value(json_object_get(leases, "stopping")), 0);
    assert_int_equal(json_integer_value(json_object_get(answer, "vms")), 7);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "daemon"), "version")), "1");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(answer, "far_reservations"), "count")),
        0);
    json_decref(answer);
}

static void status_names_the_largest_reservations_far_ahead(void **state)
{
    enum { FIRST = 100, COUNT = 6, DAY = 24 * 3600 };
    struct answers_fixture *fixture = *state;
    struct lease_record *waiting = store_add_lease(fixture->store, FIRST - 1);
    json_t *answer, *far;

    waiting->phase = PHASE_WAITING; /* for lease FIRST + 4, which starts sooner */
    waiting->reason_id = REASON_ROOM_RESERVED;
    memcpy(waiting->reason_n, (const int64_t[]){1, FIRST + 4, 7, NOW + DAY / 2},
           4 * sizeof(int64_t));
    for (int32_t i = 0; i < COUNT; i++) {
        struct lease_record *lease = store_add_lease(fixture->store, FIRST + i);

        lease->phase = PHASE_RESERVED;
        lease->kind = LEASE_RESERVATION;
        lease->start = NOW + (i >= 4 ? DAY / 2 : 3 * DAY);
        store_add_vm(fixture->store, FIRST + i, FIRST + i)->cpu = 100 * (i % 3 + 1);
    }
    answer = expect_answer(fixture, "{\"command\":\"status\"}", "galerna-status/1");
    far = json_object_get(answer, "far_reservations");
    assert_int_equal(json_integer_value(json_object_get(far, "count")), 5);
    far = json_object_get(far, "largest");
    assert_int_equal(json_array_size(far), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *line = json_array_get(far, i);

        assert_int_equal(json_integer_value(json_object_get(line, "lease")),
                         FIRST + ((const int[]){4, 2, 1})[i]);
        assert_int_equal(json_integer_value(json_object_get(line, "waiting")), i == 0);
    }
    json_decref(answer);
}

static int64_t counted(struct answers_fixture *fixture, const char *phase)
{
    json_t *answer = expect_answer(fixture, "{\"command\":\"status\"}", "galerna-status/1");
    const json_t *leases = json_object_get(answer, "leases");
    int64_t n = json_integer_value(json_object_get(leases, phase));

    json_decref(answer);
    return n;
}

static void status_follows_every_change(void **state)
{
    enum { NEW = 100 };
    struct answers_fixture *fixture = *state;
    struct lease_record *lease;
    int64_t waiting = counted(fixture, "waiting"), reserved = counted(fixture, "reserved");

    lease = store_add_lease(fixture->store, NEW);
    lease->phase = PHASE_WAITING;
    assert_int_equal(counted(fixture, "waiting"), waiting + 1);
    store_change_lease(fixture->store, lease)->phase = PHASE_RESERVED; /* it is marked already */
    assert_int_equal(counted(fixture, "waiting"), waiting);
    assert_int_equal(counted(fixture, "reserved"), reserved + 1);
    store_forget_lease(fixture->store, NEW);
    assert_int_equal(counted(fixture, "reserved"), reserved);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, answers_set_up, answers_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(why_says_who_is_ahead),
        TEST(what_no_host_can_hold_delays_nobody),
        TEST(with_fair_share_usage_orders_the_queue),
        TEST(a_reservation_at_risk_keeps_its_start),
        TEST(an_answer_says_since_when_it_may_be_outdated),
        TEST(a_list_that_is_asked_for_again_is_the_same),
        TEST(the_state_follows_changes_and_orders),
        TEST(status_counts_phases),
        TEST(status_names_the_largest_reservations_far_ahead),
        TEST(status_follows_every_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
