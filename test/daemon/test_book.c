/* The book: what is committed is there after a reopening, what is not is not. */
#include <errno.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/book.h"
#include "daemon/book_rows.h"
#include "test/daemon/book_fixture.h"

static void fill_vm(struct book_vm *vm)
{
    vm->goal = GOAL_AGAIN;
    vm->host = 3;
    vm->datastore = 100;
    vm->cpu = 59;
    vm->memory = INT64_C(1) << 40;
    vm->ours = vm->ran = vm->gone = true;
    vm->sequence = 4;
    vm->ran_for = 77;
    strcpy(vm->command, "deploy");
    vm->sent = 2000;
    vm->attempts = 2;
    vm->next_try = 2010;
    vm->failed_record = 3;
    vm->pause_until = 2020;
    for (int i = 0; i < 8; i++) {
        vm->avoid[i] = i - 1;
        vm->avoid_until[i] = i == 7 ? INSTANT_NEVER : -i;
    }
    strcpy(vm->message, "waits");
}

/* By fields: padding between them has no value. */
static void assert_same_record(const struct book_table *table, const void *one, const void *two)
{
    static const size_t sizes[] = {
        [COLUMN_INT64] = sizeof(int64_t),
        [COLUMN_INSTANT] = sizeof(int64_t),
        [COLUMN_INT32] = sizeof(int32_t),
        [COLUMN_UINT32] = sizeof(uint32_t),
        [COLUMN_BOOL] = sizeof(bool),
        [COLUMN_WORD] = sizeof(unsigned),
        [COLUMN_INT32_LIST] = 8 * sizeof(int32_t),
        [COLUMN_INT64_LIST] = 8 * sizeof(int64_t),
    };

    for (size_t i = 0; i < table->n_columns; i++) {
        const struct book_column *column = &table->columns[i];
        const char *a = (const char *)one + column->offset, *b = (const char *)two + column->offset;

        if (column->type == COLUMN_TEXT ? strcmp(a, b) != 0
                                        : memcmp(a, b, sizes[column->type]) != 0)
            fail_msg("%s.%s differs", table->name, column->name);
    }
}

static void every_field_survives(void **state)
{
    struct book_fixture *fixture = *state;
    struct book_lease *lease = book_add_lease(fixture->book, 5), before;
    struct book_vm *vm = book_add_vm(fixture->book, 5, 5), vm_before;

    book_fill_lease(lease);
    fill_vm(vm);
    book_must_commit(fixture->book);
    assert_false(lease->marked);
    before = *lease;
    vm_before = *vm;
    book_reopen(fixture);
    lease = book_lease(fixture->book, 5);
    vm = book_vm(fixture->book, 5);
    assert_non_null(lease);
    assert_non_null(vm);
    assert_same_record(&book_lease_table, lease, &before);
    assert_same_record(&book_vm_table, vm, &vm_before);
}

static void empty_fields_survive(void **state)
{
    struct book_fixture *fixture = *state;
    struct book_lease before = *book_add_lease(fixture->book, 0);
    struct book_vm vm_before = *book_add_vm(fixture->book, 0, 0);

    book_must_commit(fixture->book);
    book_reopen(fixture);
    assert_same_record(&book_lease_table, book_lease(fixture->book, 0), &before);
    assert_same_record(&book_vm_table, book_vm(fixture->book, 0), &vm_before);
    assert_int_equal(before.start, INSTANT_NONE);
    assert_int_equal(vm_before.avoid[7], -1);
}

/* Columns of the file, of the table of columns, and nothing else. */
static void columns_agree(const struct book_fixture *fixture, const struct book_table *table)
{
    char path[128], text[64];
    sqlite3 *database;
    sqlite3_stmt *statement;
    size_t n = 0;

    book_path_in(fixture, "book.db", path);
    snprintf(text, sizeof text, "PRAGMA table_info(%s)", table->name);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        bool known = false;

        for (size_t i = 0; i < table->n_columns; i++)
            known = known || strcmp(table->columns[i].name, name) == 0;
        if (!known)
            fail_msg("column %s of table %s is written by nobody", name, table->name);
        n++;
    }
    assert_int_equal(n, table->n_columns);
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

static void the_file_has_the_columns_that_are_written(void **state)
{
    columns_agree(*state, &book_lease_table);
    columns_agree(*state, &book_vm_table);
}

static void what_is_not_committed_is_lost(void **state)
{
    struct book_fixture *fixture = *state;

    book_add_lease(fixture->book, 1);
    book_must_commit(fixture->book);
    book_add_lease(fixture->book, 2);
    book_lease(fixture->book, 1)->priority = 9;
    book_mark_lease(fixture->book, book_lease(fixture->book, 1));
    book_history(fixture->book, 1, 5, "requested", "lost");
    book_set_fact(fixture->book, "lost", "too");
    assert_true(book_has_changes(fixture->book));
    book_reopen(fixture);
    assert_false(book_has_changes(fixture->book));
    assert_null(book_lease(fixture->book, 2));
    assert_int_equal(book_lease(fixture->book, 1)->priority, 0);
    assert_null(book_fact(fixture->book, "lost"));
}

static void records_are_found_and_in_order(void **state)
{
    static const int64_t ids[] = {50, 3, 1000000, 7, 8, 9, 0, 999};
    struct book_fixture *fixture = *state;
    struct book_lease *const *leases;
    struct book_vm *const *vms;
    size_t n;

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_non_null(book_add_lease(fixture->book, ids[i]));
        assert_non_null(book_add_vm(fixture->book, (int32_t)ids[i], ids[i]));
    }
    assert_non_null(book_add_vm(fixture->book, 60, 50));
    assert_non_null(book_add_vm(fixture->book, 55, 50));
    for (int turn = 0; turn < 2; turn++) {
        leases = book_leases(fixture->book, &n);
        assert_int_equal(n, 8);
        for (size_t i = 1; i < n; i++)
            assert_true(leases[i - 1]->id < leases[i]->id);
        vms = book_vms(fixture->book, &n);
        assert_int_equal(n, 10);
        for (size_t i = 1; i < n; i++)
            assert_true(vms[i - 1]->id < vms[i]->id);
        vms = book_vms_of(fixture->book, 50, &n);
        assert_int_equal(n, 3);
        assert_int_equal(vms[0]->id, 50);
        assert_int_equal(vms[1]->id, 55);
        assert_int_equal(vms[2]->id, 60);
        assert_null(book_vms_of(fixture->book, 51, &n));
        assert_int_equal(n, 0);
        book_must_commit(fixture->book);
        book_reopen(fixture);
    }
}

static void many_records_come_and_go(void **state)
{
    struct book_fixture *fixture = *state;
    size_t n;

    for (int i = 0; i < 5000; i++) {
        assert_non_null(book_add_lease(fixture->book, i * 64));
        assert_non_null(book_add_vm(fixture->book, i * 64, i * 64));
    }
    book_must_commit(fixture->book);
    for (int i = 0; i < 5000; i++)
        if (i % 3)
            book_forget_lease(fixture->book, i * 64);
    book_leases(fixture->book, &n);
    assert_int_equal(n, 1667);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(book_lease(fixture->book, i * 64) != NULL, i % 3 == 0);
        assert_int_equal(book_vm(fixture->book, i * 64) != NULL, i % 3 == 0);
        assert_null(book_lease(fixture->book, i * 64 + 1));
    }
}

static void ids_are_taken_once(void **state)
{
    struct book_fixture *fixture = *state;

    book_add_lease(fixture->book, 1);
    assert_null(book_add_lease(fixture->book, 1));
    assert_int_equal(errno, EEXIST);
    assert_null(book_add_lease(fixture->book, -1));
    assert_int_equal(errno, EINVAL);
    assert_non_null(book_add_vm(fixture->book, 1, 1));
    assert_null(book_add_vm(fixture->book, 1, 1));
    assert_int_equal(errno, EEXIST);
    assert_null(book_add_vm(fixture->book, 2, 77));
    assert_int_equal(errno, ENOENT);
}

static void count_lease(void *context, const struct book_lease *lease)
{
    *(int64_t *)context = *(int64_t *)context % 1000000 * 100 + lease->id;
}

static void forgotten_leases_stay_in_the_file(void **state)
{
    struct book_fixture *fixture = *state;
    const struct book_past all = {NULL, 100}, newest = {NULL, 1}, of_anna = {"anna", 100};
    struct book_lease past;
    int64_t ids = 0;

    for (int id = 1; id <= 3; id++) {
        struct book_lease *lease = book_add_lease(fixture->book, id);
        struct book_vm *vm = book_add_vm(fixture->book, id, id);

        lease->phase = PHASE_ENDED;
        strcpy(lease->user, id == 1 ? "anna" : "bert");
        vm->gone = id != 3;
    }
    /* Not written yet: forgetting must not lose it. */
    book_forget_lease(fixture->book, 1);
    assert_null(book_lease(fixture->book, 1));
    assert_null(book_vm(fixture->book, 1));
    book_must_commit(fixture->book);
    book_forget_lease(fixture->book, 2);
    book_forget_lease(fixture->book, 4711);
    assert_int_equal(book_each_past_lease(fixture->book, &all, count_lease, &ids, NULL), 0);
    assert_int_equal(ids, 201);
    ids = 0;
    assert_int_equal(book_each_past_lease(fixture->book, &newest, count_lease, &ids, NULL), 0);
    assert_int_equal(ids, 2);
    ids = 0;
    assert_int_equal(book_each_past_lease(fixture->book, &of_anna, count_lease, &ids, NULL), 0);
    assert_int_equal(ids, 1);
    assert_int_equal(book_past_lease(fixture->book, 1, &past, NULL), 1);
    assert_int_equal(past.phase, PHASE_ENDED);
    assert_int_equal(book_past_lease(fixture->book, 9, &past, NULL), 0);
    book_reopen(fixture);
    assert_null(book_lease(fixture->book, 1));
    assert_null(book_lease(fixture->book, 2));
    /* Its VM is still there: the lease is needed. */
    assert_non_null(book_lease(fixture->book, 3));
    assert_non_null(book_vm(fixture->book, 3));
}

static void a_new_lease_replaces_a_past_one_of_its_id(void **state)
{
    struct book_fixture *fixture = *state;
    struct book_lease *lease = book_add_lease(fixture->book, 1);
    size_t n;

    lease->phase = PHASE_ENDED;
    book_add_vm(fixture->book, 1, 1)->gone = true;
    book_add_vm(fixture->book, 2, 1)->gone = true;
    book_must_commit(fixture->book);
    book_forget_lease(fixture->book, 1);
    assert_non_null(book_add_lease(fixture->book, 1));
    assert_non_null(book_add_vm(fixture->book, 1, 1));
    book_must_commit(fixture->book);
    book_reopen(fixture);
    assert_int_equal(book_lease(fixture->book, 1)->phase, PHASE_GATHERING);
    book_vms_of(fixture->book, 1, &n);
    assert_int_equal(n, 1);
    assert_null(book_vm(fixture->book, 2));
}

struct heard {
    char text[256];
};

static void hear(void *context, const struct book_event *event)
{
    struct heard *heard = context;
    size_t length = strlen(heard->text);

    snprintf(heard->text + length, sizeof heard->text - length, "%lld@%lld %s:%s|",
             (long long)event->lease, (long long)event->at, event->event, event->text);
}

static void assert_history(struct book *book, int64_t lease, size_t limit, const char *expected)
{
    struct heard heard = {""};

    assert_int_equal(book_each_event(book, lease, limit, hear, &heard, NULL), 0);
    assert_string_equal(heard.text, expected);
}

static void history_is_told_in_order(void **state)
{
    struct book_fixture *fixture = *state;

    book_add_lease(fixture->book, 0);
    book_history(fixture->book, 0, 10, "requested", "by %s", "anna");
    book_history(fixture->book, BOOK_NO_LEASE, 11, "begun", "daemon");
    book_history(fixture->book, 1, 12, "refused", "no");
    book_must_commit(fixture->book);
    book_history(fixture->book, 0, 9, "accepted", "clock went back");
    assert_history(fixture->book, 0, 0, "0@10 requested:by anna|0@9 accepted:clock went back|");
    assert_history(fixture->book, 0, 1, "0@9 accepted:clock went back|");
    assert_history(fixture->book, 1, 0, "1@12 refused:no|");
    assert_history(fixture->book, BOOK_NO_LEASE, 0,
                   "0@10 requested:by anna|-1@11 begun:daemon|1@12 refused:no|"
                   "0@9 accepted:clock went back|");
    assert_history(fixture->book, BOOK_NO_LEASE, 2,
                   "1@12 refused:no|0@9 accepted:clock went back|");
    book_must_commit(fixture->book);
    book_reopen(fixture);
    assert_history(fixture->book, 0, 0, "0@10 requested:by anna|0@9 accepted:clock went back|");
    assert_history(fixture->book, 7, 0, "");
}

static void old_leases_expire(void **state)
{
    struct book_fixture *fixture = *state;
    struct book_lease past;

    for (int id = 1; id <= 4; id++) {
        book_add_lease(fixture->book, id)->phase = id == 3 ? PHASE_RUNNING : PHASE_REFUSED;
        book_add_vm(fixture->book, id, id)->gone = true;
        book_history(fixture->book, id, 100 * id, "told", "%d", id);
    }
    book_history(fixture->book, BOOK_NO_LEASE, 50, "begun", "x");
    book_must_commit(fixture->book);
    book_forget_lease(fixture->book, 1);
    book_forget_lease(fixture->book, 4);
    assert_int_equal(book_expire(fixture->book, 350, NULL), 0);
    assert_int_equal(book_past_lease(fixture->book, 1, &past, NULL), 0);
    assert_int_equal(book_past_lease(fixture->book, 2, &past, NULL), 1); /* in memory */
    assert_int_equal(book_past_lease(fixture->book, 3, &past, NULL), 1); /* runs */
    assert_int_equal(book_past_lease(fixture->book, 4, &past, NULL), 1); /* too young */
    assert_history(fixture->book, BOOK_NO_LEASE, 0, "2@200 told:2|3@300 told:3|4@400 told:4|");
}

static void many_old_leases_expire_little_by_little(void **state)
{
    struct book_fixture *fixture = *state;
    const struct book_past all = {NULL, 10000};
    int64_t left = 0;

    for (int id = 0; id < 1200; id++) {
        book_add_lease(fixture->book, id)->phase = PHASE_ENDED;
        book_forget_lease(fixture->book, id);
    }
    book_must_commit(fixture->book);
    for (int turn = 0; turn < 3; turn++) {
        left = 0;
        assert_int_equal(book_expire(fixture->book, 1, NULL), 0);
        assert_int_equal(book_each_past_lease(fixture->book, &all, count_lease, &left, NULL), 0);
        assert_int_equal(left != 0, turn < 2);
    }
}

static void a_vm_goes_to_another_lease(void **state)
{
    struct book_fixture *fixture = *state;
    struct book *book = fixture->book;
    struct book_vm *const *vms;
    size_t n;

    book_add_lease(book, 4);
    book_add_lease(book, 9);
    book_add_vm(book, 4, 4);
    book_add_vm(book, 5, 4);
    book_add_vm(book, 9, 9);
    book_must_commit(book);
    assert_int_equal(book_move_vm(book, book_vm(book, 4), 77), -1);
    assert_int_equal(book_move_vm(book, book_vm(book, 4), 9), 0);
    book_must_commit(book);
    for (int pass = 0; pass < 2; pass++) {
        vms = book_vms_of(fixture->book, 9, &n);
        assert_int_equal(n, 2);
        assert_int_equal(vms[0]->id, 4);
        assert_int_equal(vms[1]->id, 9);
        assert_int_equal(vms[0]->lease, 9);
        vms = book_vms_of(fixture->book, 4, &n);
        assert_int_equal(n, 1);
        assert_int_equal(vms[0]->id, 5);
        book_reopen(fixture);
    }
}

static void facts_are_kept(void **state)
{
    struct book_fixture *fixture = *state;
    char instance[32];

    snprintf(instance, sizeof instance, "%s", book_instance(fixture->book));
    assert_int_equal(strlen(instance), 16);
    book_set_fact(fixture->book, "b", "2");
    book_set_fact(fixture->book, "a", "1");
    book_set_fact(fixture->book, "c", "3");
    book_set_fact(fixture->book, "b", NULL);
    book_set_fact(fixture->book, "missing", NULL);
    assert_null(book_fact(fixture->book, "b"));
    book_must_commit(fixture->book);
    book_set_fact(fixture->book, "a", "1");
    assert_false(book_has_changes(fixture->book));
    book_set_fact(fixture->book, "c", "4");
    book_must_commit(fixture->book);
    book_reopen(fixture);
    assert_string_equal(book_fact(fixture->book, "a"), "1");
    assert_string_equal(book_fact(fixture->book, "c"), "4");
    assert_null(book_fact(fixture->book, "b"));
    assert_string_equal(book_instance(fixture->book), instance);
}

static void a_new_reason_forgets_the_old_one(void **state)
{
    struct book_fixture *fixture = *state;
    struct book_lease *lease = book_add_lease(fixture->book, 1);
    char text[BOOK_SENTENCE_MAX];

    assert_true(book_set_reason(fixture->book, lease, "start-failed", "VM 1 failed"));
    lease->retry = 1000;
    book_must_commit(fixture->book);
    assert_true(book_set_reason(fixture->book, lease, lease->reason_word, lease->reason));
    assert_true(lease->marked);
    assert_string_equal(lease->reason, "VM 1 failed");
    assert_true(lease->retry == INSTANT_NONE);
    book_must_commit(fixture->book);
    assert_false(book_set_reason(fixture->book, lease, "start-failed", "VM 1 failed"));
    assert_false(lease->marked);
    assert_true(book_set_reason(fixture->book, lease, "no-room-now", "VM 1 failed"));
    assert_string_equal(lease->reason_word, "no-room-now");
    book_reason_text(lease, 999, text, sizeof text);
    assert_string_equal(text, "VM 1 failed");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    book_set_reason(fixture->book, lease, "late", text);
    assert_int_equal(strlen(lease->reason), BOOK_TEXT_MAX - 1);
    lease->retry = 1000;
    book_reason_text(lease, 999, text, sizeof text);
    assert_int_equal(strlen(text),
                     BOOK_TEXT_MAX - 1 + strlen("; it is tried again at YYYY-mm-dd HH:MM:SS"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, book_set_up, book_tear_down)
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
        TEST(history_is_told_in_order),
        TEST(old_leases_expire),
        TEST(many_old_leases_expire_little_by_little),
        TEST(a_vm_goes_to_another_lease),
        TEST(a_new_reason_forgets_the_old_one),
        TEST(facts_are_kept),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
