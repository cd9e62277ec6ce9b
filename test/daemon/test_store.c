/* The store: what is committed is there after a reopening, what is not is not. */
#include <errno.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/store/rows.h"
#include "daemon/store/store.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"
#include "util/memory.h"

static void fill_vm(struct vm_record *vm)
{
    vm->goal = GOAL_AGAIN;
    vm->host = 3;
    vm->datastore = 100;
    vm->cpu = 59;
    vm->memory = INT64_C(1) << 40;
    vm->suspended_by_us = vm->ran = vm->gone = true;
    vm->sequence = 4;
    vm->ran_for = 77;
    vm->command = COMMAND_DEPLOY;
    vm->sent = 2000;
    vm->attempts = 2;
    vm->next_try = 2010;
    vm->failed_record = 3;
    vm->pause_until = 2020;
    for (int i = 0; i < 8; i++) {
        store_avoided(vm)->host[i] = i - 1;
        store_avoided(vm)->until[i] = i == 7 ? INSTANT_NEVER : -i;
    }
    store_put_text(&vm->message, "waits", 5);
    store_put_text(&vm->asked, "{}", 2);
    store_put_text(&vm->stays, "3 100 200 5 200", 20);
}

/* By fields: padding between them has no value. */
static void assert_same_record(const struct store_table *table, const void *one, const void *two)
{
    static const size_t sizes[] = {
        [COLUMN_INT64] = sizeof(int64_t),      [COLUMN_INSTANT] = sizeof(int64_t),
        [COLUMN_INT32] = sizeof(int32_t),      [COLUMN_UINT32] = sizeof(uint32_t),
        [COLUMN_BOOL] = sizeof(bool),          [COLUMN_WORD] = sizeof(unsigned),
        [COLUMN_INT32_LIST] = sizeof(int32_t), [COLUMN_INT64_LIST] = sizeof(int64_t),
    };

    for (size_t i = 0; i < table->n_columns; i++) {
        const struct store_column *column = &table->columns[i];
        const char *a = store_rows_field(column, one), *b = store_rows_field(column, two);
        bool is_list = column->type == COLUMN_INT32_LIST || column->type == COLUMN_INT64_LIST;

        if (column->type == COLUMN_TEXT) {
            a = *(const char *const *)(const void *)a;
            b = *(const char *const *)(const void *)b;
        }
        if (column->type == COLUMN_TEXT
                ? strcmp(a, b) != 0
                : memcmp(a, b, (is_list ? column->count : 1) * sizes[column->type]) != 0)
            fail_msg("%s.%s differs", table->name, column->name);
    }
}

static void every_field_survives(void **state)
{
    struct store_fixture *fixture = *state;
    struct lease_record *lease = store_add_lease(fixture->store, 5), before;
    struct vm_record *vm = store_add_vm(fixture->store, 5, 5), vm_before;

    store_fill_lease(lease);
    fill_vm(vm);
    store_must_commit(fixture->store);
    assert_false(lease->marked);
    before = *lease;
    before.user = before.user_group = before.name = before.group = NULL;
    before.reason_word = before.reason = NULL;
    store_fill_lease(&before);
    vm_before = *vm;
    vm_before.message = memory_text(vm->message);
    vm_before.asked = memory_text(vm->asked);
    vm_before.stays = memory_text(vm->stays);
    vm_before.avoided = memory_copy(vm->avoided, sizeof *vm->avoided);
    store_reopen(fixture);
    assert_non_null(store_lease(fixture->store, 5));
    assert_non_null(store_vm(fixture->store, 5));
    assert_same_record(&store_lease_table, store_lease(fixture->store, 5), &before);
    assert_same_record(&store_vm_table, store_vm(fixture->store, 5), &vm_before);
    store_put_text(&before.user, "", 0);
    store_put_text(&before.user_group, "", 0);
    store_put_text(&before.name, "", 0);
    store_put_text(&before.group, "", 0);
    store_put_text(&before.reason_word, "", 0);
    store_put_text(&before.reason, "", 0);
    memory_free(vm_before.message);
    memory_free(vm_before.asked);
    memory_free(vm_before.stays);
    free(vm_before.avoided);
}

static void empty_fields_survive(void **state)
{
    struct store_fixture *fixture = *state;
    struct lease_record before = *store_add_lease(fixture->store, 0);
    struct vm_record vm_before = *store_add_vm(fixture->store, 0, 0);

    store_must_commit(fixture->store);
    store_reopen(fixture);
    assert_same_record(&store_lease_table, store_lease(fixture->store, 0), &before);
    assert_same_record(&store_vm_table, store_vm(fixture->store, 0), &vm_before);
    assert_int_equal(before.start, INSTANT_NONE);
    assert_null(store_vm(fixture->store, 0)->avoided);
}

/* Columns of the file, of the table of columns, and nothing else. */
static void columns_agree(const struct store_fixture *fixture, const struct store_table *table)
{
    char path[128], text[64];
    sqlite3 *database;
    sqlite3_stmt *statement;
    size_t n = 0;

    store_path_in(fixture, "store.db", path);
    snprintf(text, sizeof text, "PRAGMA table_info(%s)", table->name);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        bool known = strcmp(name, "sum") == 0;

        for (size_t i = 0; i < table->n_columns; i++)
            known = known || strcmp(table->columns[i].name, name) == 0;
        if (!known)
            fail_msg("column %s of table %s is written by nobody", name, table->name);
        n++;
    }
    assert_int_equal(n, table->n_columns + 1);
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

static void the_file_has_the_columns_that_are_written(void **state)
{
    columns_agree(*state, &store_lease_table);
    columns_agree(*state, &store_vm_table);
}

static void what_is_not_committed_is_lost(void **state)
{
    struct store_fixture *fixture = *state;

    store_add_lease(fixture->store, 1);
    store_must_commit(fixture->store);
    store_add_lease(fixture->store, 2);
    lease_to_change(fixture->store, 1)->priority = 9;
    store_history(fixture->store, 1, 5, "requested", "lost");
    store_set_fact(fixture->store, "lost", "too");
    assert_true(store_has_changes(fixture->store));
    store_reopen(fixture);
    assert_false(store_has_changes(fixture->store));
    assert_null(store_lease(fixture->store, 2));
    assert_int_equal(store_lease(fixture->store, 1)->priority, 0);
    assert_null(store_fact(fixture->store, "lost"));
}

static void records_are_found_and_in_order(void **state)
{
    static const int64_t ids[] = {50, 3, 1000000, 7, 8, 9, 0, 999};
    struct store_fixture *fixture = *state;
    const struct lease_record *const *leases;
    const struct vm_record *const *vms;
    size_t n;

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_non_null(store_add_lease(fixture->store, ids[i]));
        assert_non_null(store_add_vm(fixture->store, (int32_t)ids[i], ids[i]));
    }
    assert_non_null(store_add_vm(fixture->store, 60, 50));
    assert_non_null(store_add_vm(fixture->store, 55, 50));
    for (int turn = 0; turn < 2; turn++) {
        leases = store_leases(fixture->store, &n);
        assert_int_equal(n, 8);
        for (size_t i = 1; i < n; i++)
            assert_true(leases[i - 1]->id < leases[i]->id);
        vms = store_vms(fixture->store, &n);
        assert_int_equal(n, 10);
        for (size_t i = 1; i < n; i++)
            assert_true(vms[i - 1]->id < vms[i]->id);
        vms = store_vms_of(fixture->store, 50, &n);
        assert_int_equal(n, 3);
        assert_int_equal(vms[0]->id, 50);
        assert_int_equal(vms[1]->id, 55);
        assert_int_equal(vms[2]->id, 60);
        assert_null(store_vms_of(fixture->store, 51, &n));
        assert_int_equal(n, 0);
        store_must_commit(fixture->store);
        store_reopen(fixture);
    }
}

static void many_records_come_and_go(void **state)
{
    struct store_fixture *fixture = *state;
    size_t n;

    for (int i = 0; i < 5000; i++) {
        assert_non_null(store_add_lease(fixture->store, i * 64));
        assert_non_null(store_add_vm(fixture->store, i * 64, i * 64));
    }
    store_must_commit(fixture->store);
    for (int i = 0; i < 5000; i++)
        if (i % 3)
            store_forget_lease(fixture->store, i * 64);
    store_leases(fixture->store, &n);
    assert_int_equal(n, 1667);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(store_lease(fixture->store, i * 64) != NULL, i % 3 == 0);
        assert_int_equal(store_vm(fixture->store, i * 64) != NULL, i % 3 == 0);
        assert_null(store_lease(fixture->store, i * 64 + 1));
    }
}

static void ids_are_taken_once(void **state)
{
    struct store_fixture *fixture = *state;

    store_add_lease(fixture->store, 1);
    assert_null(store_add_lease(fixture->store, 1));
    assert_int_equal(errno, EEXIST);
    assert_null(store_add_lease(fixture->store, -1));
    assert_int_equal(errno, EINVAL);
    assert_non_null(store_add_vm(fixture->store, 1, 1));
    assert_null(store_add_vm(fixture->store, 1, 1));
    assert_int_equal(errno, EEXIST);
    assert_null(store_add_vm(fixture->store, 2, 77));
    assert_int_equal(errno, ENOENT);
}

static void count_lease(void *context, const struct lease_record *lease)
{
    *(int64_t *)context = *(int64_t *)context % 1000000 * 100 + lease->id;
}

static void forgotten_leases_stay_in_the_file(void **state)
{
    struct store_fixture *fixture = *state;
    const struct store_past all = {.limit = 100}, newest = {.limit = 1},
                            of_anna = {.user = "anna", .limit = 100};
    const struct lease_record *past;
    int64_t ids = 0;

    for (int id = 1; id <= 3; id++) {
        struct lease_record *lease = store_add_lease(fixture->store, id);
        struct vm_record *vm = store_add_vm(fixture->store, id, id);

        lease->phase = PHASE_ENDED;
        store_put_text(&lease->user, id == 1 ? "anna" : "bert", STORE_NAME_MAX);
        vm->gone = id != 3;
    }
    /* Not written yet: forgetting must not lose it. */
    store_forget_lease(fixture->store, 1);
    assert_null(store_lease(fixture->store, 1));
    assert_null(store_vm(fixture->store, 1));
    store_must_commit(fixture->store);
    store_forget_lease(fixture->store, 2);
    store_forget_lease(fixture->store, 4711);
    assert_int_equal(store_each_past_lease(fixture->store, &all, count_lease, &ids, NULL), 0);
    assert_int_equal(ids, 201);
    ids = 0;
    assert_int_equal(store_each_past_lease(fixture->store, &newest, count_lease, &ids, NULL), 0);
    assert_int_equal(ids, 2);
    ids = 0;
    assert_int_equal(store_each_past_lease(fixture->store, &of_anna, count_lease, &ids, NULL), 0);
    assert_int_equal(ids, 1);
    assert_int_equal(store_past_lease(fixture->store, 1, &past, NULL), 1);
    assert_int_equal(past->phase, PHASE_ENDED);
    assert_int_equal(store_past_lease(fixture->store, 9, &past, NULL), 0);
    store_reopen(fixture);
    assert_null(store_lease(fixture->store, 1));
    assert_null(store_lease(fixture->store, 2));
    /* Its VM is still there: the lease is needed. */
    assert_non_null(store_lease(fixture->store, 3));
    assert_non_null(store_vm(fixture->store, 3));
}

/* reopened: the past lease is only in the file. */
static void replace_past_lease(struct store_fixture *fixture, bool reopened)
{
    struct lease_record *lease = store_add_lease(fixture->store, 1);
    size_t n;

    lease->phase = PHASE_ENDED;
    store_add_vm(fixture->store, 1, 1)->gone = true;
    store_add_vm(fixture->store, 2, 1)->gone = true;
    store_must_commit(fixture->store);
    store_forget_lease(fixture->store, 1);
    if (reopened)
        store_reopen(fixture);
    assert_non_null(store_add_lease(fixture->store, 1));
    assert_non_null(store_add_vm(fixture->store, 1, 1));
    store_must_commit(fixture->store);
    store_reopen(fixture);
    assert_int_equal(store_lease(fixture->store, 1)->phase, PHASE_GATHERING);
    store_vms_of(fixture->store, 1, &n);
    assert_int_equal(n, 1);
    assert_null(store_vm(fixture->store, 2));
}

static void a_new_lease_replaces_a_past_one_of_its_id(void **state)
{
    replace_past_lease(*state, false);
}

static void a_new_lease_replaces_one_of_the_file(void **state)
{
    replace_past_lease(*state, true);
}

struct heard {
    char text[256];
};

static void hear(void *context, const struct store_event *event)
{
    struct heard *heard = context;
    size_t length = strlen(heard->text);

    snprintf(heard->text + length, sizeof heard->text - length, "%lld@%lld %s:%s|",
             (long long)event->lease, (long long)event->at, event->event, event->text);
}

static void assert_history(struct store *store, int64_t lease, size_t limit, const char *expected)
{
    struct heard heard = {""};

    assert_int_equal(store_each_event(store, lease, limit, hear, &heard, NULL), 0);
    assert_string_equal(heard.text, expected);
}

static void history_is_told_in_order(void **state)
{
    struct store_fixture *fixture = *state;

    store_add_lease(fixture->store, 0);
    store_history(fixture->store, 0, 10, "requested", "by %s", "anna");
    store_history(fixture->store, STORE_NO_LEASE, 11, "begun", "daemon");
    store_history(fixture->store, 1, 12, "refused", "no");
    store_must_commit(fixture->store);
    store_history(fixture->store, 0, 9, "accepted", "clock went back");
    assert_history(fixture->store, 0, 0, "0@10 requested:by anna|0@9 accepted:clock went back|");
    assert_history(fixture->store, 0, 1, "0@9 accepted:clock went back|");
    assert_history(fixture->store, 1, 0, "1@12 refused:no|");
    assert_history(fixture->store, STORE_NO_LEASE, 0,
                   "0@10 requested:by anna|-1@11 begun:daemon|1@12 refused:no|"
                   "0@9 accepted:clock went back|");
    assert_history(fixture->store, STORE_NO_LEASE, 2,
                   "1@12 refused:no|0@9 accepted:clock went back|");
    store_must_commit(fixture->store);
    store_reopen(fixture);
    assert_history(fixture->store, 0, 0, "0@10 requested:by anna|0@9 accepted:clock went back|");
    assert_history(fixture->store, 7, 0, "");
}

static void old_leases_expire(void **state)
{
    struct store_fixture *fixture = *state;
    const struct lease_record *past;

    for (int id = 1; id <= 4; id++) {
        store_add_lease(fixture->store, id)->phase = id == 3 ? PHASE_RUNNING : PHASE_REFUSED;
        store_add_vm(fixture->store, id, id)->gone = true;
        store_history(fixture->store, id, 100 * id, "told", "%d", id);
    }
    store_history(fixture->store, STORE_NO_LEASE, 50, "begun", "x");
    store_must_commit(fixture->store);
    store_forget_lease(fixture->store, 1);
    store_forget_lease(fixture->store, 4);
    assert_int_equal(store_expire(fixture->store, 350, NULL), 0);
    assert_int_equal(store_past_lease(fixture->store, 1, &past, NULL), 0);
    assert_int_equal(store_past_lease(fixture->store, 2, &past, NULL), 1); /* in memory */
    assert_int_equal(store_past_lease(fixture->store, 3, &past, NULL), 1); /* runs */
    assert_int_equal(store_past_lease(fixture->store, 4, &past, NULL), 1); /* too young */
    assert_history(fixture->store, STORE_NO_LEASE, 0, "2@200 told:2|3@300 told:3|4@400 told:4|");
}

static void many_old_leases_expire_little_by_little(void **state)
{
    struct store_fixture *fixture = *state;
    const struct store_past all = {.limit = 10000};
    int64_t left = 0;

    for (int id = 0; id < 1200; id++) {
        store_add_lease(fixture->store, id)->phase = PHASE_ENDED;
        store_forget_lease(fixture->store, id);
    }
    store_must_commit(fixture->store);
    for (int turn = 0; turn < 3; turn++) {
        left = 0;
        assert_int_equal(store_expire(fixture->store, 1, NULL), 0);
        assert_int_equal(store_each_past_lease(fixture->store, &all, count_lease, &left, NULL), 0);
        assert_int_equal(left != 0, turn < 2);
    }
}

static void a_vm_goes_to_another_lease(void **state)
{
    struct store_fixture *fixture = *state;
    struct store *store = fixture->store;
    const struct vm_record *const *vms;
    size_t n;

    store_add_lease(store, 4);
    store_add_lease(store, 9);
    store_add_vm(store, 4, 4);
    store_add_vm(store, 5, 4);
    store_add_vm(store, 9, 9);
    store_must_commit(store);
    assert_int_equal(store_move_vm(store, store_vm(store, 4), 77), -1);
    assert_int_equal(store_move_vm(store, store_vm(store, 4), 9), 0);
    store_must_commit(store);
    for (int pass = 0; pass < 2; pass++) {
        vms = store_vms_of(fixture->store, 9, &n);
        assert_int_equal(n, 2);
        assert_int_equal(vms[0]->id, 4);
        assert_int_equal(vms[1]->id, 9);
        assert_int_equal(vms[0]->lease, 9);
        vms = store_vms_of(fixture->store, 4, &n);
        assert_int_equal(n, 1);
        assert_int_equal(vms[0]->id, 5);
        store_reopen(fixture);
    }
}

static void facts_are_kept(void **state)
{
    struct store_fixture *fixture = *state;
    char instance[32];

    snprintf(instance, sizeof instance, "%s", store_instance(fixture->store));
    assert_int_equal(strlen(instance), 16);
    store_set_fact(fixture->store, "b", "2");
    store_set_fact(fixture->store, "a", "1");
    store_set_fact(fixture->store, "c", "3");
    store_set_fact(fixture->store, "b", NULL);
    store_set_fact(fixture->store, "missing", NULL);
    assert_null(store_fact(fixture->store, "b"));
    store_must_commit(fixture->store);
    store_set_fact(fixture->store, "a", "1");
    assert_false(store_has_changes(fixture->store));
    store_set_fact(fixture->store, "c", "4");
    store_must_commit(fixture->store);
    store_reopen(fixture);
    assert_string_equal(store_fact(fixture->store, "a"), "1");
    assert_string_equal(store_fact(fixture->store, "c"), "4");
    assert_null(store_fact(fixture->store, "b"));
    assert_string_equal(store_instance(fixture->store), instance);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_field_survives),
        TEST(empty_fields_survive),
        TEST(the_file_has_the_columns_that_are_written),
        TEST(what_is_not_committed_is_lost),
        TEST(records_are_found_and_in_order),
        TEST(many_records_come_and_go),
        TEST(ids_are_taken_once),
        TEST(forgotten_leases_stay_in_the_file),
        TEST(a_new_lease_replaces_a_past_one_of_its_id),
        TEST(a_new_lease_replaces_one_of_the_file),
        TEST(history_is_told_in_order),
        TEST(old_leases_expire),
        TEST(many_old_leases_expire_little_by_little),
        TEST(a_vm_goes_to_another_lease),
        TEST(facts_are_kept),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
