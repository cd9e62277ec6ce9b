/* A store of seven leases and a daemon that keeps what it is told. */
#include "test/daemon/answers_fixture.h"
#include "test/daemon/change_records.h"
#include "test/daemon/described.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int64_t now(void *context)
{
    return NOW + ((const struct answers_fixture *)context)->later;
}

/* Tests change what is seen without further ado. */
static uint64_t readings(void *context)
{
    struct answers_fixture *fixture = context;

    return fixture->rests ? 0 : ++fixture->readings;
}

static uint64_t host_changes(void *context)
{
    return 7;
}

static void status(void *context, json_t *object)
{
    json_object_set_new(object, "version", json_string("1"));
}

static const char *outdated(void *context, char *text, size_t size, int64_t *since)
{
    const struct answers_fixture *fixture = context;

    snprintf(text, size, "no answer");
    *since = NOW - 300;
    return fixture->outdated ? "opennebula" : NULL;
}

static void change_field(struct host_view *host, int field)
{
    int64_t *const numbers[] = {
        &host->cpu,        &host->memory,        &host->cpu_used,         &host->memory_used,
        &host->unread_cpu, &host->unread_memory, &host->quarantined_until};
    const int n = sizeof numbers / sizeof *numbers;

    if (field >= 1 && field <= n)
        ++*numbers[field - 1];
    host->vms += field == n + 1;
    host->unread += field == n + 2;
    if (field == n + 3)
        host->usable = true;
    if (field == n + 4)
        host->cluster = "default";
    if (field == n + 5)
        host->name = "gamma";
}

static void each_host(void *context, int32_t which,
                      void (*visit)(void *visitor, const struct host_view *host), void *visitor)
{
    static const struct drain_times drain = {NOW - 60, INSTANT_NEVER, "course"};
    const struct answers_fixture *fixture = context;
    struct host_view other = {.id = 7,
                              .name = "beta\xff",
                              .state = fixture->host_is_off ? "offline" : "error",
                              .cpu = 400,
                              .memory = 8192,
                              .quarantined_until = NOW + 60};

    if (which != 7)
        visit(visitor, &(struct host_view){4, "alpha", "default", "on", true, 800, 16384, 150, 512,
                                           2, 1, 50, 1, INSTANT_NONE, &drain, 1});
    change_field(&other, fixture->host_field);
    if (!fixture->host_is_gone && (which == 7 || which == HOSTS_ALL))
        visit(visitor, &other);
}

static const char *host_name(void *context, const char *name, int64_t *id)
{
    const struct answers_fixture *fixture = context;

    if (name ? strcmp(name, "alpha") == 0 : *id == 4) {
        *id = 4;
        return "alpha";
    }
    return !name && *id == 7 && !fixture->host_is_gone ? "beta\xff" : NULL;
}

static int each_operation(void *context, int32_t host,
                          void (*visit)(void *visitor, const struct operation_view *operation),
                          void *visitor, struct error *err)
{
    const struct answers_fixture *fixture = context;

    if (fixture->fails)
        return error_set(err, EAGAIN, "no plan yet");
    if (host == 4) {
        visit(visitor,
              &(struct operation_view){1, 1, "run", NOW - 60, INSTANT_NEVER, 100, 256, false});
        visit(visitor, &(struct operation_view){99, -1, "run", NOW + 60, NOW + 90, 50, 1, true});
        visit(visitor, &(struct operation_view){-1, 8, "run", NOW, INSTANT_NEVER, 50, 1, false});
        visit(visitor, &(struct operation_view){1, -1, "hold", NOW, INSTANT_NONE, 50, 1, false});
        visit(visitor, &(struct operation_view){1, 1, "parked", NOW, INSTANT_NEVER, 50, 1, false});
    }
    return 0;
}

static struct awaited waits_for(void *context, const struct lease_record *lease, int64_t at)
{
    assert_int_equal(at, NOW);
    return (struct awaited){.what = lease->id == 5 ? AWAITED_LEAVES : AWAITED_NOTHING,
                            .vm = 1,
                            .host = 4,
                            .state = "SAVE_STOP",
                            .stuck = INSTANT_NONE,
                            .at = INSTANT_NONE};
}

static int change(void *context, const struct change_order *order, struct lease_trial *trial,
                  struct error *err)
{
    struct answers_fixture *fixture = context;
    int64_t lease = order->lease;

    fixture->change = *order->change;
    fixture->dry_run = order->dry_run;
    fixture->changes++;
    snprintf(fixture->who, sizeof fixture->who, "%s", order->who);
    *trial = (struct lease_trial){
        .accepted = lease != 3,
        .in_the_way = lease == 3 ? 4 : -1,
        .start = INSTANT_NONE,
        .duration = lease == 3 ? 5400 : SPAN_NONE,
        .victims = {.n = lease == 3 ? 0 : 2,
                    .shown = {{7, VICTIM_SUSPENDED, NOW}, {8, VICTIM_LATER, NOW}}}};
    snprintf(trial->word, sizeof trial->word, "%s", lease == 3 ? "in-the-way" : "");
    snprintf(trial->text, sizeof trial->text, "%s", lease == 3 ? "lease 4 is promised" : "longer");
    return 0;
}

static int cancel(void *context, int64_t lease, const char *who, struct error *err)
{
    struct answers_fixture *fixture = context;

    if (fixture->fails)
        return error_set(err, EIO, "the disk is full");
    fixture->cancelled = lease;
    snprintf(fixture->who, sizeof fixture->who, "%s", who);
    lease_to_change(fixture->store, lease)->phase = PHASE_ENDING;
    return 0;
}

static int dry_run(void *context, const struct order *order, struct planner_trial *trial,
                   struct error *err)
{
    struct answers_fixture *fixture = context;

    fixture->order = *order;
    fixture->trials++;
    trial->accepted = order->count < 10;
    trial->start = order->count < 10 ? NOW + 5 : INSTANT_NONE;
    trial->contract = true;
    trial->n_hosts = trial->accepted ? order->count : 0;
    for (size_t i = 0; i < trial->n_hosts && i < TRIAL_HOSTS; i++)
        trial->hosts[i] = (struct trial_host){4, "four"};
    if (!trial->accepted)
        store_tell_reason(&trial->reason, &(struct reason){.id = REASON_TOO_BIG, .n = {10, 9}});
    return 0;
}

static int request(void *context, const struct order *order, const struct control_peer *peer,
                   struct error *err)
{
    struct answers_fixture *fixture = context;

    if (fixture->fails)
        return error_set(err, ENOTSUP, "not here");
    fixture->order = *order;
    fixture->orders++;
    return 0;
}

static int release_host(void *context, int32_t host, const char *who, struct error *err)
{
    struct answers_fixture *fixture = context;

    if (host == 4)
        return error_set(err, EALREADY, "host 4 is not quarantined");
    snprintf(fixture->who, sizeof fixture->who, "%s", who);
    return 0;
}

/* Host 7 has a VM that moves and one that stays, so a user may not book it, but host 4. */
static int drain(void *context, const struct drain_order *order, const char *who,
                 const struct drain_viewer *viewer, struct error *err)
{
    const struct drained_vm vms[] = {
        {.how = DRAINED_MOVES,
         .vm = 10,
         .host = 7,
         .to = 4,
         .lease = 10,
         .at = order->from,
         .starts = true,
         .cause = {"live-failed", "cold, since its live migration failed"},
         .for_lease = -1},
        {.how = DRAINED_STAYS,
         .vm = 11,
         .host = 7,
         .to = -1,
         .lease = 11,
         .at = INSTANT_NONE,
         .reason = {REASON_NO_OTHER_HOST, {11, 7}, "no-other-host", "no room"},
         .for_lease = 12,
         .leaves = NOW + 60},
    };
    static const int32_t other = 4;
    static const int64_t unplaced = 5;
    struct drain_result result = {.accepted = true,
                                  .hosts = order->hosts,
                                  .n_hosts = order->n_hosts,
                                  .vms = vms,
                                  .n_vms = 2,
                                  .unplaced = &unplaced,
                                  .n_unplaced = 1,
                                  .instead_from = INSTANT_NONE};
    struct answers_fixture *fixture = context;

    if (fixture->fails)
        return error_set(err, EAGAIN, "the planner is busy");
    snprintf(fixture->who, sizeof fixture->who, "%s %zu %lld %lld %s", order->dry_run ? "dry" : "",
             order->n_hosts, (long long)(order->from - NOW),
             order->until == INSTANT_NEVER ? -1 : (long long)(order->until - NOW), who);
    if (order->booking)
        snprintf(fixture->who, sizeof fixture->who, "%s%s %s|%s|%s", order->booking->name,
                 order->booking->magnetic ? " magnetic" : "", order->booking->users,
                 order->booking->groups, order->booking->owner);
    if (order->any)
        result.hosts = &other;
    if (order->user && !order->any) {
        result = (struct drain_result){.instead_from = NOW + 60, .instead = &other, .n_instead = 1};
        snprintf(result.word, sizeof result.word, "host-in-use");
        snprintf(result.text, sizeof result.text, "VM 10 is there");
    }
    viewer->show(viewer->context, &result);
    return 0;
}

static int undrain(void *context, const struct undrain_order *order, const char *who,
                   struct error *err)
{
    struct answers_fixture *fixture = context;

    if (order->host == 4)
        return error_set(err, EALREADY, "host 4 is not drained");
    snprintf(fixture->who, sizeof fixture->who, "%lld %d",
             order->at == INSTANT_NONE ? -1 : (long long)(order->at - NOW), order->all);
    return 0;
}

static int unbook(void *context, const struct unbook_order *order, const char *who,
                  const struct drain_viewer *viewer, struct error *err)
{
    struct answers_fixture *fixture = context;

    if (strcmp(order->booking, "course") != 0)
        return error_set(err, ENOENT, "booking '%s' does not exist", order->booking);
    snprintf(fixture->who, sizeof fixture->who, "%s %lld %d %s", order->booking,
             order->at == INSTANT_NONE ? -1 : (long long)(order->at - NOW), order->dry_run,
             order->user ? order->user : "-");
    viewer->show(viewer->context, &(struct drain_result){.accepted = true});
    return 0;
}

static void each_booking(void *context, const char *user,
                         void (*visit)(void *visitor, const struct booking *booking), void *visitor)
{
    char users[] = "ann,Bob Smith", groups[] = "", owner[] = "teacher";

    if (!user || strcmp(user, "carl") != 0)
        visit(visitor, &(struct booking){
                           .name = "course", .users = users, .groups = groups, .owner = owner});
}

static void wake(void *context)
{
    ((struct answers_fixture *)context)->wakes++;
}

static void log_levels(void *context, json_t *object)
{
    json_object_set_new(object, "planner",
                        json_string(((struct answers_fixture *)context)->log_level));
}

static int log_set(void *context, const char *level, const char *subsystem, struct error *err)
{
    struct answers_fixture *fixture = context;

    if (subsystem && strcmp(subsystem, "planner") != 0)
        return error_set(err, EINVAL, "unknown level or subsystem '%s'", subsystem);
    snprintf(fixture->log_level, sizeof fixture->log_level, "%s", level);
    return 0;
}

static int reload(void *context, struct error *err)
{
    struct answers_fixture *fixture = context;

    fixture->reloads++;
    return fixture->fails ? error_set(err, EINVAL, "pack.so: wrong version") : 0;
}

static struct lease_record *add(struct answers_fixture *fixture, int64_t id, enum lease_phase phase,
                                const char *user)
{
    struct lease_record *lease = store_add_lease(fixture->store, id);
    struct vm_record *vm = store_add_vm(fixture->store, (int32_t)id, id);

    lease->phase = phase;
    store_put_text(&lease->user, user, STORE_NAME_MAX);
    lease->submit = NOW - 1000 + id;
    vm->cpu = 150;
    vm->memory = 512;
    return lease;
}

static void fill_store(struct answers_fixture *fixture)
{
    struct lease_record *lease = add(fixture, 1, PHASE_RUNNING, "anna");

    lease->since = NOW - 100;
    lease->accumulated = 50;
    lease->duration = 1000;
    lease->end = NOW + 850;
    store_add_vm(fixture->store, 2, 1);
    store_put_text(&lease->name, "caf\xc3\xa9 \xff", STORE_NAME_MAX);
    lease = add(fixture, 3, PHASE_WAITING, "bert");
    lease->expected = NOW + 300;
    store_put_text(&lease->reason_word, "no-room-now", STORE_GROUP_MAX);
    store_put_text(&lease->reason, "1 VM does not fit", STORE_TEXT_MAX);
    store_put_text(&vm_to_change(fixture->store, 3)->message, "waits for room", STORE_TEXT_MAX);
    add(fixture, 4, PHASE_WAITING, "anna")->priority = 5;
    lease = add(fixture, 5, PHASE_RESERVED, "anna");
    lease->kind = LEASE_RESERVATION;
    lease->start = lease->expected = NOW + 60;
    lease->contract = lease->accepted = true;
    add(fixture, 6, PHASE_WAITING, "carl");
    add(fixture, 8, PHASE_ENDED, "anna");
    vm_to_change(fixture->store, 8)->gone = true;
    vm_to_change(fixture->store, 8)->host = 4;
    vm_to_change(fixture->store, 8)->ran = true;
    add(fixture, 9, PHASE_REFUSED, "bert")->accepted = true;
    vm_to_change(fixture->store, 9)->host = 4; /* planned before it was refused */
    store_history(fixture->store, 3, NOW - 10, "requested", "by bert");
    store_history(fixture->store, STORE_NO_LEASE, NOW - 5, "begun", "the daemon");
    assert_int_equal(store_commit(fixture->store, NULL), 0);
    store_forget_lease(fixture->store, 8);
}

static struct account_row *usage(void *context, struct account_period *period, size_t *n,
                                 struct error *err)
{
    const struct answers_fixture *fixture = context;
    struct account *account = account_begin(fixture->store, period);
    struct account_row *rows = NULL;
    int more;

    while ((more = account_go_on(account, 100, err)) > 0)
        continue;
    if (more == 0)
        rows = account_rows(account, period, n);
    account_destroy(account);
    return rows;
}

int answers_set_up(void **state)
{
    struct answers_fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    directory_make(fixture->directory);
    fixture->store = store_open(fixture->directory, &err);
    if (!fixture->store)
        fail_msg("%s", err.text);
    fixture->daemon = (struct answers_daemon){
        .context = fixture,
        .now = now,
        .status = status,
        .outdated = outdated,
        .readings = readings,
        .host_changes = host_changes,
        .each_host = each_host,
        .host_name = host_name,
        .each_operation = each_operation,
        .waits_for = waits_for,
        .usage = usage,
        .cancel = cancel,
        .change = change,
        .hold = cancel,
        .dry_run = dry_run,
        .request = request,
        .drain = drain,
        .undrain = undrain,
        .unbook = unbook,
        .each_booking = each_booking,
        .release_host = release_host,
        .log_levels = log_levels,
        .log_set = log_set,
        .wake = wake,
        .reload_policies = reload,
    };
    fixture->peer = (struct control_peer){.uid = 0, .trusted = true, .ticket = 1};
    fixture->cancelled = -1;
    fill_store(fixture);
    fixture->answers = answers_create(fixture->store, &fixture->daemon);
    *state = fixture;
    return 0;
}

int answers_tear_down(void **state)
{
    struct answers_fixture *fixture = *state;

    answers_destroy(fixture->answers);
    store_close(fixture->store);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

json_t *ask(struct answers_fixture *fixture, const char *text)
{
    json_error_t error;
    json_t *question = json_loads(text, 0, &error), *answer;
    char *written;

    if (!question)
        fail_msg("%s: %s", text, error.text);
    answer = answers_handle(fixture->answers, &fixture->peer, question);
    json_decref(question);
    /* Whatever is in the store, the answer can be written. */
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

void expect_refusal(struct answers_fixture *fixture, const char *text, const char *code,
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

json_t *expect_answer(struct answers_fixture *fixture, const char *text, const char *schema)
{
    json_t *answer = ask(fixture, text);

    if (!answer || !json_is_true(json_object_get(answer, "ok")))
        fail_msg("%s: refused: %s", text, answer ? json_dumps(answer, 0) : "later");
    assert_string_equal(json_string_value(json_object_get(answer, "schema")), schema);
    expect_described(answer);
    return answer;
}

void expect_ids(json_t *answer, const char *expected)
{
    const json_t *lease;
    char ids[256] = "";
    size_t i, length = 0;

    json_array_foreach(json_object_get(answer, "leases"), i, lease)
        length += (size_t)snprintf(ids + length, sizeof ids - length, "%s%lld", i ? " " : "",
                                   json_integer_value(json_object_get(lease, "lease")));
    assert_string_equal(ids, expected);
    json_decref(answer);
}
