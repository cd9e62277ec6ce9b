/* What the daemon answers, from a book and a daemon made for the purpose. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/answers.h"
#include "daemon/answers_json.h"
#include "test/daemon/directory.h"

/* 2026-11-21T15:00:00Z */
#define NOW INT64_C(1795273200)

struct fixture {
    char directory[DIRECTORY_NAME_MAX];
    struct book *book;
    struct answers *answers;
    struct answers_daemon daemon;
    struct control_peer peer;
    struct order order; /* the last one */
    int orders, trials, wakes, reloads;
    int64_t cancelled;
    char who[96];
    bool fails;
};

static int64_t now(void *context)
{
    (void)context;
    return NOW;
}

static void status(void *context, json_t *object)
{
    (void)context;
    json_object_set_new(object, "version", json_string("1"));
}

static void each_host(void *context, void (*visit)(void *visitor, const struct host_view *host),
                      void *visitor)
{
    (void)context;
    visit(visitor, &(struct host_view){4, "alpha", "default", "on", true, 800, 16384, 150, 512, 2});
    visit(visitor, &(struct host_view){7, "beta\xff", NULL, "error", false, 400, 8192, 0, 0, 0});
}

static int each_operation(void *context, int32_t host,
                          void (*visit)(void *visitor, const struct operation_view *operation),
                          void *visitor, struct error *err)
{
    const struct fixture *fixture = context;

    if (fixture->fails)
        return error_set(err, EAGAIN, "no plan yet");
    if (host == 4) {
        visit(visitor,
              &(struct operation_view){1, 1, "run", NOW - 60, INSTANT_NEVER, 100, 256, false});
        visit(visitor, &(struct operation_view){99, -1, "run", NOW + 60, NOW + 90, 50, 1, true});
    }
    return 0;
}

static int cancel(void *context, int64_t lease, const char *who, struct error *err)
{
    struct fixture *fixture = context;

    if (fixture->fails)
        return error_set(err, EIO, "the disk is full");
    fixture->cancelled = lease;
    snprintf(fixture->who, sizeof fixture->who, "%s", who);
    book_lease(fixture->book, lease)->phase = PHASE_ENDING;
    return 0;
}

static int dry_run(void *context, const struct order *order, struct order_trial *trial,
                   struct error *err)
{
    struct fixture *fixture = context;

    (void)err;
    fixture->order = *order;
    fixture->trials++;
    trial->accepted = order->count < 10;
    trial->start = order->count < 10 ? NOW + 5 : INSTANT_NONE;
    trial->contract = true;
    snprintf(trial->word, sizeof trial->word, "%s", order->count < 10 ? "" : "too-big");
    snprintf(trial->text, sizeof trial->text, "on host 4");
    return 0;
}

static int request(void *context, const struct order *order, const struct control_peer *peer,
                   struct error *err)
{
    struct fixture *fixture = context;

    (void)peer;
    if (fixture->fails)
        return error_set(err, ENOTSUP, "not here");
    fixture->order = *order;
    fixture->orders++;
    return 0;
}

static void wake(void *context)
{
    ((struct fixture *)context)->wakes++;
}

static int reload(void *context, struct error *err)
{
    struct fixture *fixture = context;

    fixture->reloads++;
    return fixture->fails ? error_set(err, EINVAL, "pack.so: wrong version") : 0;
}

static struct book_lease *add(struct fixture *fixture, int64_t id, enum lease_phase phase,
                              const char *user)
{
    struct book_lease *lease = book_add_lease(fixture->book, id);
    struct book_vm *vm = book_add_vm(fixture->book, (int32_t)id, id);

    lease->phase = phase;
    snprintf(lease->user, sizeof lease->user, "%s", user);
    lease->submit = NOW - 1000 + id;
    vm->cpu = 150;
    vm->memory = 512;
    return lease;
}

static void fill_book(struct fixture *fixture)
{
    struct book_lease *lease = add(fixture, 1, PHASE_RUNNING, "anna");

    lease->since = NOW - 100;
    lease->accumulated = 50;
    lease->duration = 1000;
    lease->end = NOW + 850;
    book_add_vm(fixture->book, 2, 1);
    snprintf(lease->name, sizeof lease->name, "caf\xc3\xa9 \xff");
    lease = add(fixture, 3, PHASE_WAITING, "bert");
    lease->expected = NOW + 300;
    snprintf(lease->reason_word, sizeof lease->reason_word, "no-room-now");
    snprintf(lease->reason, sizeof lease->reason, "1 VM does not fit");
    snprintf(book_vm(fixture->book, 3)->message, BOOK_TEXT_MAX, "waits for room");
    add(fixture, 4, PHASE_WAITING, "anna")->priority = 5;
    lease = add(fixture, 5, PHASE_RESERVED, "anna");
    lease->kind = LEASE_RESERVATION;
    lease->start = lease->expected = NOW + 60;
    lease->contract = lease->accepted = true;
    add(fixture, 6, PHASE_WAITING, "carl");
    add(fixture, 8, PHASE_ENDED, "anna");
    book_vm(fixture->book, 8)->gone = true;
    add(fixture, 9, PHASE_REFUSED, "bert");
    book_history(fixture->book, 3, NOW - 10, "requested", "by bert");
    book_history(fixture->book, BOOK_NO_LEASE, NOW - 5, "begun", "the daemon");
    assert_int_equal(book_commit(fixture->book, NULL), 0);
    book_forget_lease(fixture->book, 8);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    directory_make(fixture->directory);
    fixture->book = book_open(fixture->directory, &err);
    if (!fixture->book)
        fail_msg("%s", err.text);
    fixture->daemon = (struct answers_daemon){
        .context = fixture,
        .now = now,
        .status = status,
        .each_host = each_host,
        .each_operation = each_operation,
        .cancel = cancel,
        .dry_run = dry_run,
        .request = request,
        .wake = wake,
        .reload_policies = reload,
    };
    fixture->peer = (struct control_peer){.uid = 0, .trusted = true, .ticket = 1};
    fixture->cancelled = -1;
    fill_book(fixture);
    fixture->answers = answers_create(fixture->book, &fixture->daemon);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    answers_destroy(fixture->answers);
    book_close(fixture->book);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

static json_t *ask(struct fixture *fixture, const char *text)
{
    json_error_t error;
    json_t *question = json_loads(text, 0, &error), *answer;
    char *written;

    if (!question)
        fail_msg("%s: %s", text, error.text);
    answer = answers_handle(fixture->answers, &fixture->peer, question);
    json_decref(question);
    /* Whatever is in the book, the answer can be written. */
    if (json_is_string(answer)) {
        json_t *decoded = json_loads(json_string_value(answer), JSON_REJECT_DUPLICATES, &error);

        if (!decoded)
            fail_msg("%s: the answer is no JSON: column %d: %s", text, error.column, error.text);
        json_decref(answer);
        answer = decoded;
    } else if (answer) {
        written = json_dumps(answer, 0);
        assert_non_null(written);
        free(written);
    }
    return answer;
}

static void expect_refusal(struct fixture *fixture, const char *text, const char *code,
                           const char *part)
{
    json_t *answer = ask(fixture, text);

    if (!answer)
        fail_msg("%s: expected a refusal", text);
    assert_true(json_is_false(json_object_get(answer, "ok")));
    if (strcmp(json_string_value(json_object_get(answer, "code")), code) != 0 ||
        !strstr(json_string_value(json_object_get(answer, "error")), part))
        fail_msg("%s: expected %s '%s', got %s", text, code, part, json_dumps(answer, 0));
    json_decref(answer);
}

static json_t *expect_answer(struct fixture *fixture, const char *text, const char *schema)
{
    json_t *answer = ask(fixture, text);

    if (!answer || !json_is_true(json_object_get(answer, "ok")))
        fail_msg("%s: refused: %s", text, answer ? json_dumps(answer, 0) : "later");
    assert_string_equal(json_string_value(json_object_get(answer, "schema")), schema);
    return answer;
}

static void expect_ids(json_t *answer, const char *expected)
{
    const json_t *lease;
    char ids[256] = "";
    size_t i, length = 0;

    json_array_foreach(json_object_get(answer, "leases"), i, lease) length +=
        (size_t)snprintf(ids + length, sizeof ids - length, "%s%lld", i ? " " : "",
                         json_integer_value(json_object_get(lease, "lease")));
    assert_string_equal(ids, expected);
    json_decref(answer);
}

/* Whatever users wrote, lists are JSON and have what was written. */
static void lists_hold_any_text(void **state)
{
    static const char *const names[] = {"a \"quoted\" \\ name",          "two\nlines\t\x01", "\x7f",
                                        "\xe4\xb8\xad \xf0\x9f\x98\x80", "</script>",        ""};
    struct fixture *fixture = *state;
    struct book_lease *lease = book_lease(fixture->book, 4);

    lease->duration = SPAN_UNLIMITED;
    lease->end = INSTANT_NEVER;
    book_vm(fixture->book, 4)->cpu = 7;
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

static void lists_are_filtered(void **state)
{
    struct fixture *fixture = *state;
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
                   "'dancing' is none of the phases");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"phase\":\"waiting\"}", "malformed",
                   "array");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"user\":1}", "malformed", "user");
    expect_refusal(fixture, "{\"command\":\"lease-list\",\"limit\":-1}", "malformed", "limit");
}

static void a_lease_is_told_with_its_numbers(void **state)
{
    struct fixture *fixture = *state;
    json_t *answer =
        expect_answer(fixture, "{\"command\":\"lease-show\",\"lease\":1}", "galerna-lease/1");
    const json_t *lease = json_object_get(answer, "lease");

    assert_string_equal(json_string_value(json_object_get(answer, "now")), "2026-11-21T15:00:00Z");
    assert_string_equal(json_string_value(json_object_get(lease, "name")), "caf?? ?");
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
                   "there is no lease 77");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":2}", "not-found",
                   "VM 2 belongs to lease 1");
    expect_refusal(fixture, "{\"command\":\"lease-show\"}", "malformed", "lease: is missing");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":\"1\"}", "malformed", "lease");
    expect_refusal(fixture, "{\"command\":\"lease-show\",\"lease\":-3}", "malformed", "lease");
}

static size_t reversed_queue(void *context, int64_t *ids, size_t room)
{
    static const int64_t order[] = {6, 4711, 4, 3};

    (void)context;
    for (size_t i = 0; i < 4 && i < room; i++)
        ids[i] = order[i];
    return 4;
}

static void why_says_who_is_ahead(void **state)
{
    struct fixture *fixture = *state;
    json_t *answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":6}", "galerna-lease-why/1");

    /* 4 has the priority, 3 is older. */
    assert_int_equal(json_integer_value(json_object_get(answer, "position")), 3);
    assert_int_equal(json_integer_value(json_object_get(answer, "n_ahead")), 2);
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(json_object_get(answer, "ahead"), 0), "lease")),
                     4);
    json_decref(answer);
    /* The daemon knows its queue better, but not leases that are not in the book. */
    fixture->daemon.queue = reversed_queue;
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":3}", "galerna-lease-why/1");
    assert_int_equal(json_integer_value(json_object_get(answer, "position")), 3);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(answer, "messages"), 0), "text")),
                        "waits for room");
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(json_object_get(answer, "lease"), "reason"), "word")),
                        "no-room-now");
    json_decref(answer);
    expect_ids(expect_answer(fixture, "{\"command\":\"queue\"}", "galerna-queue/1"), "6 4 3");
    fixture->daemon.queue = NULL;
    expect_ids(expect_answer(fixture, "{\"command\":\"queue\"}", "galerna-queue/1"), "4 3 6");
    answer =
        expect_answer(fixture, "{\"command\":\"lease-why\",\"lease\":5}", "galerna-lease-why/1");
    assert_true(json_is_null(json_object_get(answer, "position")));
    json_decref(answer);
}

static void history_is_of_one_or_of_all(void **state)
{
    struct fixture *fixture = *state;
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
    struct fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"host-list\"}", "galerna-host-list/1");

    assert_int_equal(json_array_size(json_object_get(answer, "hosts")), 2);
    json_decref(answer);
    answer = expect_answer(fixture, "{\"command\":\"host-timeline\",\"host\":\"alpha\"}",
                           "galerna-host-timeline/1");
    assert_int_equal(json_integer_value(json_object_get(answer, "host")), 4);
    assert_int_equal(json_array_size(json_object_get(answer, "operations")), 2);
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

static void status_counts_phases(void **state)
{
    struct fixture *fixture = *state;
    json_t *answer = expect_answer(fixture, "{\"command\":\"status\"}", "galerna-status/1");
    const json_t *leases = json_object_get(answer, "leases");

    assert_int_equal(json_integer_value(json_object_get(leases, "waiting")), 3);
    assert_int_equal(json_integer_value(json_object_get(leases, "refused")), 1);
    assert_int_equal(json_integer_value(json_object_get(leases, "stopping")), 0);
    assert_int_equal(json_integer_value(json_object_get(answer, "vms")), 7);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "daemon"), "version")), "1");
    json_decref(answer);
}

static void changes_are_passed_on(void **state)
{
    struct fixture *fixture = *state;

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
                   "no unfinished lease 8");
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":9}", "not-found",
                   "refused already");
    fixture->fails = true;
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":4}", "failed", "disk is full");
    expect_refusal(fixture, "{\"command\":\"reload-policies\"}", "malformed", "wrong version");
    fixture->daemon.reload_policies = NULL;
    expect_refusal(fixture, "{\"command\":\"reload-policies\"}", "unsupported",
                   "no policy modules");
}

static void strangers_may_only_look(void **state)
{
    struct fixture *fixture = *state;

    fixture->peer = (struct control_peer){.uid = 1234};
    json_decref(expect_answer(fixture, "{\"command\":\"lease-list\"}", "galerna-lease-list/1"));
    expect_refusal(fixture, "{\"command\":\"lease-cancel\",\"lease\":3}", "denied", "1234");
    expect_refusal(fixture, "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":1}", "denied",
                   "may only look");
    expect_refusal(fixture, "{\"command\":\"wake\"}", "denied", "control-group");
    expect_refusal(fixture, "{\"command\":\"reload-policies\"}", "denied", "");
    assert_int_equal(fixture->cancelled, -1);
    assert_int_equal(fixture->orders + fixture->wakes + fixture->reloads, 0);
}

static void unknown_commands_are_named(void **state)
{
    expect_refusal(*state, "{\"command\":\"lease-lst\"}", "unsupported",
                   "did you mean 'lease-list'");
    expect_refusal(*state, "{}", "malformed", "command: is missing");
    expect_refusal(*state, "{\"command\":7}", "malformed", "command: is missing");
}

static void orders_are_checked_before_anything_is_done(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *fields, *part;
    } cases[] = {
        {"\"memory\":1", "cpu: is missing"},
        {"\"cpu\":1", "memory: is missing"},
        {"\"cpu\":0,\"memory\":1", "cpu: expected"},
        {"\"cpu\":1,\"memory\":1.5", "memory: expected"},
        {"\"cpu\":1,\"memory\":1,\"count\":0", "count: expected a whole number from 1"},
        {"\"cpu\":1,\"memory\":1,\"count\":100000", "count"},
        {"\"cpu\":1,\"memory\":1,\"color\":1", "unknown field 'color'"},
        {"\"cpu\":1,\"memory\":1,\"durration\":1", "did you mean 'duration'"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"ar\"", "kind: 'ar' is none of best-effort"},
        {"\"cpu\":1,\"memory\":1,\"terms\":7", "terms"},
        {"\"cpu\":1,\"memory\":1,\"duration\":0", "duration"},
        {"\"cpu\":1,\"memory\":1,\"duration\":\"long\"", "neither seconds nor"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"reservation\"", "start: is missing"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"reservation\",\"start\":\"2026-11-21T14:59:00Z\"",
         "start: is 60 s ago"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"reservation\",\"start\":\"tomorrow\"", "is no time"},
        {"\"cpu\":1,\"memory\":1,\"start\":\"2026-11-21T15:59:00Z\"", "only a reservation has one"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"deadline\":\"2026-11-21T15:01:00Z\"",
         "must say how long"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"deadline\",\"deadline\":\"2026-11-21T15:01:00Z\","
         "\"duration\":61",
         "too early for a duration of 61 s"},
        {"\"cpu\":1,\"memory\":1,\"deadline\":\"2026-11-21T15:01:00Z\"",
         "only a lease of the kind"},
        {"\"cpu\":1,\"memory\":1,\"kind\":\"immediate\",\"earliest\":\"2026-11-21T15:01:00Z\"",
         "now or never"},
        {"\"cpu\":1,\"memory\":1,\"name\":\"a\\\"]\"", "name: quotes"},
        {"\"cpu\":1,\"memory\":1,\"name\":\"\"", "name: expected"},
        {"\"cpu\":1,\"memory\":1,\"template\":-1", "template"},
        {"\"cpu\":1,\"memory\":1,\"priority\":5000000", "priority"},
        {"\"cpu\":1,\"memory\":1,\"dry_run\":\"yes\"", "dry_run"},
        {"\"template\":1,\"dry_run\":true", "a dry run must know it"},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "{\"command\":\"lease-request\",%s}", cases[i].fields);
        expect_refusal(fixture, text, "malformed", cases[i].part);
    }
    assert_int_equal(fixture->orders + fixture->trials, 0);
}

static void orders_are_passed_on(void **state)
{
    struct fixture *fixture = *state;
    json_t *answer;
    char text[ORDER_TEXT_MAX];
    size_t length;

    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"kind\":\"reservation\",\"cpu\":0.59,"
                             "\"memory\":512,\"count\":3,\"start\":\"2026-11-21T16:30:00+01:00\","
                             "\"duration\":360000,\"terms\":\"suspendable\",\"priority\":-2,"
                             "\"name\":\"web\"}"));
    assert_int_equal(fixture->orders, 1);
    assert_int_equal(fixture->order.cpu, 59);
    assert_int_equal(fixture->order.start, NOW + 1800);
    length = order_template(&fixture->order, "g7", 1, text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "NAME=\"web-2\"\nCPU=\"0.59\"\nMEMORY=\"512\"\n"
                              "GALERNA=[PRIORITY=\"-2\", START=\"2026-11-21T15:30:00+00:00\", "
                              "DURATION=\"100:00:00\", PREEMPTIBLE=\"yes\", TERMS=\"suspendable\", "
                              "GROUP=\"g7\", GROUP_SIZE=\"3\"]");
    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"template\":12,\"kind\":\"deadline\","
                             "\"earliest\":\"2026-11-21T15:00:10Z\",\"duration\":50,"
                             "\"deadline\":\"2026-11-21T15:01:00Z\"}"));
    order_template(&fixture->order, "", 0, text);
    assert_string_equal(text, "GALERNA=[PRIORITY=\"0\", START=\"best_effort\", "
                              "EARLIEST=\"2026-11-21T15:00:10+00:00\", "
                              "DEADLINE=\"2026-11-21T15:01:00+00:00\", DURATION=\"00:00:50\", "
                              "PREEMPTIBLE=\"no\", TERMS=\"non-preemptable\"]");
    assert_null(ask(fixture, "{\"command\":\"lease-request\",\"template\":12,"
                             "\"kind\":\"immediate\",\"duration\":\"unlimited\"}"));
    order_template(&fixture->order, "", 0, text);
    assert_non_null(strstr(text, "START=\"now\", DURATION=\"unlimited\""));
    answer = answers_requested((const int32_t[]){9, 7, 8}, 3);
    assert_int_equal(json_integer_value(json_object_get(answer, "lease")), 7);
    json_decref(answer);
    fixture->fails = true;
    expect_refusal(fixture, "{\"command\":\"lease-request\",\"template\":12}", "unsupported",
                   "not here");
}

static void dry_runs_change_nothing(void **state)
{
    struct fixture *fixture = *state;
    json_t *answer = expect_answer(
        fixture, "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":2,\"dry_run\":true}",
        "galerna-dry-run/1");

    assert_true(json_is_true(json_object_get(answer, "accepted")));
    assert_string_equal(json_string_value(json_object_get(answer, "promise")), "contract");
    json_decref(answer);
    answer = expect_answer(fixture,
                           "{\"command\":\"lease-request\",\"cpu\":1,\"memory\":2,\"count\":10,"
                           "\"dry_run\":true}",
                           "galerna-dry-run/1");
    assert_true(json_is_false(json_object_get(answer, "accepted")));
    assert_string_equal(json_string_value(json_object_get(answer, "word")), "too-big");
    json_decref(answer);
    assert_int_equal(fixture->trials, 2);
    assert_int_equal(fixture->orders, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_are_filtered),
        TEST(lists_hold_any_text),
        TEST(a_lease_is_told_with_its_numbers),
        TEST(why_says_who_is_ahead),
        TEST(history_is_of_one_or_of_all),
        TEST(hosts_are_told),
        TEST(status_counts_phases),
        TEST(changes_are_passed_on),
        TEST(strangers_may_only_look),
        TEST(unknown_commands_are_named),
        TEST(orders_are_checked_before_anything_is_done),
        TEST(orders_are_passed_on),
        TEST(dry_runs_change_nothing),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
