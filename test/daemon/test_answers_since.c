/* Readers of lists are told what has changed since they read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "test/daemon/answers_fixture.h"
#include "test/daemon/change_records.h"

enum { TEXT = 64 };

/* A reader of a list. */
struct reader {
    const char *request; /* without its end */
    const char *schema;
    char revision[TEXT]; /* of the last answer; "": none yet */
};

#define ALL_LEASES(more)                                                                           \
    {                                                                                              \
        "{\"command\":\"lease-list\"" more, "galerna-lease-list/1", ""                             \
    }

static json_t *read_on(struct answers_fixture *fixture, struct reader *reader)
{
    char text[256];
    json_t *answer;
    const json_t *since;

    snprintf(text, sizeof text, "%s,\"since\":\"%s\"}", reader->request, reader->revision);
    answer = expect_answer(fixture, text, reader->schema);
    since = json_object_get(answer, "since");
    if (json_is_string(since))
        assert_string_equal(json_string_value(since), reader->revision);
    assert_true(json_is_string(since) == (json_object_get(answer, "gone") != NULL));
    snprintf(reader->revision, sizeof reader->revision, "%s",
             json_string_value(json_object_get(answer, "revision")));
    return answer;
}

static void expect_numbers(const json_t *list, const char *expected)
{
    char numbers[TEXT] = "";
    const json_t *number;
    size_t i, length = 0;

    json_array_foreach(list, i, number) {
        length += (size_t)snprintf(numbers + length, sizeof numbers - length, "%s%lld",
                                   i ? " " : "", json_integer_value(number));
    }
    assert_string_equal(numbers, expected);
}

/* The leases that have changed, and those that are no longer in the list. */
static void expect_news(struct answers_fixture *fixture, struct reader *reader, const char *leases,
                        const char *gone)
{
    json_t *answer = read_on(fixture, reader);

    assert_true(json_is_string(json_object_get(answer, "since")));
    expect_numbers(json_object_get(answer, "gone"), gone);
    expect_ids(answer, leases);
}

static void only_what_has_changed_is_told(void **state)
{
    struct answers_fixture *fixture = *state;
    struct reader reader = ALL_LEASES(""), other = ALL_LEASES(",\"user\":\"anna\"");
    json_t *answer = read_on(fixture, &reader);

    assert_true(json_is_null(json_object_get(answer, "since")));
    expect_numbers(json_object_get(answer, "queue"), "4 3 6");
    expect_ids(answer, "1 3 4 5 6");
    expect_ids(read_on(fixture, &other), "1 4 5");
    expect_news(fixture, &reader, "", "");
    store_put_text(&lease_to_change(fixture->store, 4)->name, "simulation", STORE_NAME_MAX);
    expect_news(fixture, &reader, "4", "");
    expect_news(fixture, &reader, "", "");
    vm_to_change(fixture->store, 2)->host = 7; /* a VM of lease 1 */
    lease_to_change(fixture->store, 5);        /* it is as it was */
    expect_news(fixture, &reader, "1", "");
    expect_news(fixture, &other, "1 4", "");
    store_put_text(&lease_to_change(fixture->store, 4)->user, "bert", STORE_NAME_MAX);
    expect_news(fixture, &reader, "4", "");
    expect_news(fixture, &other, "", "4");
}

static void time_changes_what_is_told(void **state)
{
    struct answers_fixture *fixture = *state;
    struct reader reader = ALL_LEASES("");

    json_decref(read_on(fixture, &reader));
    fixture->later = 60; /* the reservation's start: a running lease has run for longer */
    expect_news(fixture, &reader, "", "");
    fixture->later = 61;
    expect_news(fixture, &reader, "5", "");
    fixture->later = 299;
    expect_news(fixture, &reader, "", "");
    fixture->later = 500;
    expect_news(fixture, &reader, "3", "");
    fixture->later = 60; /* the clock was set back */
    expect_news(fixture, &reader, "3 5", "");
}

static void the_order_of_the_queue_is_told(void **state)
{
    struct answers_fixture *fixture = *state;
    struct reader reader = ALL_LEASES("");
    json_t *answer;

    json_decref(read_on(fixture, &reader));
    lease_to_change(fixture->store, 6)->priority = 9;
    answer = read_on(fixture, &reader);
    expect_numbers(json_object_get(answer, "queue"), "6 4 3");
    expect_ids(answer, "6");
    answer = read_on(fixture, &reader);
    assert_null(json_object_get(answer, "queue"));
    json_decref(answer);
}

/* Leases that are over stay in a list of all, from memory or from the archive. */
static void what_is_over_leaves_the_list(void **state)
{
    struct answers_fixture *fixture = *state;
    struct reader reader = ALL_LEASES(""), all = ALL_LEASES(",\"all\":true");

    json_decref(read_on(fixture, &reader));
    expect_ids(read_on(fixture, &all), "1 3 4 5 6 9 8");
    lease_to_change(fixture->store, 3)->phase = PHASE_ENDED;
    expect_news(fixture, &reader, "", "3");
    expect_news(fixture, &all, "3", "");
    assert_int_equal(store_commit(fixture->store, NULL), 0);
    store_forget_lease(fixture->store, 3);
    expect_news(fixture, &reader, "", "3");
    expect_news(fixture, &all, "3", ""); /* it may have ended since */
    expect_news(fixture, &all, "", "");
}

static void an_unknown_revision_is_answered_with_all(void **state)
{
    static const char *const revisions[] = {"yesterday", "0123456789abcdef.3", "-", "9"};
    struct answers_fixture *fixture = *state;

    for (size_t i = 0; i < sizeof revisions / sizeof *revisions; i++) {
        struct reader reader = ALL_LEASES("");
        json_t *answer;

        snprintf(reader.revision, sizeof reader.revision, "%s", revisions[i]);
        answer = read_on(fixture, &reader);
        assert_true(json_is_null(json_object_get(answer, "since")));
        expect_ids(answer, "1 3 4 5 6");
    }
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"since\":1}", "malformed", "since");
    expect_refusal(fixture, "{\"command\":\"host-list\",\"since\":1}", "malformed", "since");
}

/* What is gone is remembered for a while only. */
static void who_has_been_away_for_long_reads_all(void **state)
{
    struct answers_fixture *fixture = *state;
    struct reader reader = ALL_LEASES(""), late;

    for (int64_t id = 100; id < 5000; id++)
        store_add_lease(fixture->store, id);
    json_decref(read_on(fixture, &reader));
    late = reader;
    for (int64_t id = 100; id < 5000; id++) {
        lease_to_change(fixture->store, id)->phase = PHASE_ENDED;
        store_forget_lease(fixture->store, id);
    }
    json_decref(read_on(fixture, &reader));
    expect_news(fixture, &reader, "", "");
    expect_ids(read_on(fixture, &late), "1 3 4 5 6");
}

/* "4 7": the hosts that have changed. */
static void expect_hosts(struct answers_fixture *fixture, struct reader *reader, const char *hosts,
                         const char *gone)
{
    json_t *answer = read_on(fixture, reader), *ids = json_array();
    const json_t *host;
    size_t i;

    json_array_foreach(json_object_get(answer, "hosts"), i, host) {
        json_array_append(ids, json_object_get(host, "host"));
    }
    expect_numbers(ids, hosts);
    expect_numbers(json_object_get(answer, "gone"), gone);
    json_decref(ids);
    json_decref(answer);
}

static void hosts_that_have_changed_are_told(void **state)
{
    struct answers_fixture *fixture = *state;
    struct reader reader = {"{\"command\":\"host-list\"", "galerna-host-list/1", ""}, other;

    expect_hosts(fixture, &reader, "4 7", "");
    expect_hosts(fixture, &reader, "", "");
    fixture->host_is_off = true;
    other = reader;
    expect_hosts(fixture, &reader, "7", "");
    expect_hosts(fixture, &other, "7", "");
    fixture->host_is_gone = true;
    expect_hosts(fixture, &reader, "", "7");
    fixture->host_is_gone = false;
    expect_hosts(fixture, &reader, "7", "");
    expect_hosts(fixture, &reader, "", "");
    for (fixture->host_field = 1; fixture->host_field <= HOST_FIELDS; fixture->host_field++)
        expect_hosts(fixture, &reader, "7", "");
}

int main(void)
{
#define ANSWERS(test) cmocka_unit_test_setup_teardown(test, answers_set_up, answers_tear_down)
    const struct CMUnitTest tests[] = {
        ANSWERS(only_what_has_changed_is_told),
        ANSWERS(time_changes_what_is_told),
        ANSWERS(the_order_of_the_queue_is_told),
        ANSWERS(what_is_over_leaves_the_list),
        ANSWERS(an_unknown_revision_is_answered_with_all),
        ANSWERS(who_has_been_away_for_long_reads_all),
        ANSWERS(hosts_that_have_changed_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
