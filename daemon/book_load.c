/* Reading the state file when it is opened, and what is no longer in memory later. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/book_private.h"
#include "daemon/book_rows.h"
#include "util/memory.h"

/* Leases that still matter. A lease that is over matters while one of its VMs is there: whoever
 * resumes that VM must find its lease. */
#define UNFINISHED                                                                                 \
    "(phase NOT IN ('ended', 'refused', 'failed')"                                                 \
    " OR EXISTS (SELECT 1 FROM vm WHERE vm.lease = lease.id AND vm.gone = 0))"

typedef int row_reader(void *context, sqlite3_stmt *statement, struct error *err);

/* Every row of a table that meets the condition. */
static int each_row(const struct book *book, const struct book_table *table, const char *condition,
                    row_reader *read, void *context, struct error *err)
{
    char *text = book_rows_get_text(table, condition);
    sqlite3_stmt *statement = book_prepare(book, text, err);
    int code = SQLITE_DONE, result = statement ? 0 : -1;

    free(text);
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        if (read(context, statement, err) < 0)
            result = error_prefix(err, "%s is damaged", book->path);
    if (result == 0 && code != SQLITE_DONE)
        result = book_sqlite_error(book, "read", err);
    sqlite3_finalize(statement);
    return result;
}

static int read_lease(void *context, sqlite3_stmt *statement, struct error *err)
{
    struct book *book = context;
    struct lease_record *record = memory_new(1, sizeof *record);

    if (book_rows_read(statement, &book_lease_table, &record->lease, err) < 0) {
        free(record);
        return -1;
    }
    book_index_add(&book->leases, record->lease.id, record);
    return 0;
}

static int read_vm(void *context, sqlite3_stmt *statement, struct error *err)
{
    struct book *book = context;
    struct book_vm *vm = memory_new(1, sizeof *vm);
    struct lease_record *record;

    if (book_rows_read(statement, &book_vm_table, vm, err) < 0) {
        free(vm);
        return -1;
    }
    record = book_index_find(&book->leases, vm->lease);
    if (!record) {
        error_set(err, EPROTO, "vm %d belongs to lease %lld, which is not there", vm->id,
                  (long long)vm->lease);
        free(vm);
        return -1;
    }
    book_attach_vm(record, vm);
    book_index_add(&book->vms, vm->id, vm);
    return 0;
}

static int load_facts(struct book *book, struct error *err)
{
    sqlite3_stmt *statement = book_prepare(book, "SELECT name, value FROM fact", err);
    int code, result = 0;

    if (!statement)
        return -1;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        book_set_fact(book, (const char *)sqlite3_column_text(statement, 0),
                      (const char *)sqlite3_column_text(statement, 1));
    for (size_t i = 0; i < book->n_facts; i++)
        book->facts[i].marked = false;
    book->n_marked_facts = 0;
    if (code != SQLITE_DONE)
        result = book_sqlite_error(book, "read", err);
    sqlite3_finalize(statement);
    return result;
}

int book_load(struct book *book, struct error *err)
{
    if (each_row(book, &book_lease_table, "WHERE " UNFINISHED " ORDER BY id", read_lease, book,
                 err) < 0 ||
        each_row(book, &book_vm_table,
                 "WHERE gone = 0 OR lease IN (SELECT id FROM lease WHERE " UNFINISHED
                 ") ORDER BY id",
                 read_vm, book, err) < 0)
        return -1;
    return load_facts(book, err);
}

struct past_visit {
    const struct book *book;
    size_t left;
    void (*visit)(void *context, const struct book_lease *lease);
    void *context;
};

static int visit_past(struct past_visit *past, sqlite3_stmt *statement, struct error *err)
{
    struct book_lease lease = {0};

    if (book_lease(past->book, sqlite3_column_int64(statement, 0)))
        return 0;
    if (book_rows_read(statement, &book_lease_table, &lease, err) < 0)
        return error_prefix(err, "%s is damaged", past->book->path);
    past->left--;
    past->visit(past->context, &lease);
    return 0;
}

int book_each_past_lease(struct book *book, const struct book_past *past,
                         void (*visit)(void *context, const struct book_lease *lease),
                         void *context, struct error *err)
{
    struct past_visit visits = {book, past->limit, visit, context};
    char *text =
        book_rows_get_text(&book_lease_table, "WHERE phase IN ('ended', 'refused', 'failed')"
                                              " AND (?1 IS NULL OR user = ?1) ORDER BY id DESC");
    sqlite3_stmt *statement = book_prepare(book, text, err);
    int code = SQLITE_DONE, result = statement ? 0 : -1;

    free(text);
    if (statement)
        sqlite3_bind_text(statement, 1, past->user, -1, SQLITE_STATIC);
    while (result == 0 && visits.left > 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        result = visit_past(&visits, statement, err);
    if (result == 0 && code != SQLITE_DONE && code != SQLITE_ROW)
        result = book_sqlite_error(book, "read", err);
    sqlite3_finalize(statement);
    return result;
}

struct one_past {
    struct book_lease *lease;
    bool found;
};

static int read_one(void *context, sqlite3_stmt *statement, struct error *err)
{
    struct one_past *one = context;

    one->found = true;
    return book_rows_read(statement, &book_lease_table, one->lease, err);
}

int book_past_lease(struct book *book, int64_t id, struct book_lease *lease, struct error *err)
{
    struct one_past one = {.lease = lease};
    char condition[64];

    memset(lease, 0, sizeof *lease);
    snprintf(condition, sizeof condition, "WHERE id = %lld", (long long)id);
    if (each_row(book, &book_lease_table, condition, read_one, &one, err) < 0)
        return -1;
    return one.found ? 1 : 0;
}

struct past_vms {
    void (*visit)(void *context, const struct book_vm *vm);
    void *context;
};

static int visit_vm(void *context, sqlite3_stmt *statement, struct error *err)
{
    const struct past_vms *past = context;
    struct book_vm vm = {0};

    if (book_rows_read(statement, &book_vm_table, &vm, err) < 0)
        return -1;
    past->visit(past->context, &vm);
    return 0;
}

int book_each_past_vm(struct book *book, int64_t lease,
                      void (*visit)(void *context, const struct book_vm *vm), void *context,
                      struct error *err)
{
    struct past_vms past = {visit, context};
    char condition[64];

    snprintf(condition, sizeof condition, "WHERE lease = %lld ORDER BY id", (long long)lease);
    return each_row(book, &book_vm_table, condition, visit_vm, &past, err);
}
