/* Reads the state file when it is opened, and later the records that are no longer in memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/store/private.h"
#include "daemon/store/rows.h"
#include "util/memory.h"

/* The leases to load. A finished lease is loaded while one of its VMs exists: a user who resumes
 * that VM must find its lease. */
#define UNFINISHED                                                                                 \
    "(phase NOT IN " STORE_FINAL_PHASES                                                            \
    " OR EXISTS (SELECT 1 FROM vm WHERE vm.lease = lease.id AND vm.gone = 0))"

typedef int row_reader(void *context, sqlite3_stmt *statement, struct error *err);

static const char *sum_of(const struct store *store, const struct store_table *table)
{
    return store->sums[table == &store_lease_table ? SUMMED_LEASE : SUMMED_VM];
}

/* Reads every row of a table that meets the condition. */
static int each_row(const struct store *store, const struct store_table *table,
                    const char *condition, row_reader *read, void *context, struct error *err)
{
    char *text = store_rows_get_text(table, sum_of(store, table), condition);
    sqlite3_stmt *statement = store_prepare(store, text, err);
    struct error why = {0};
    int code = SQLITE_DONE, result = statement ? 0 : -1;

    free(text);
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        if (read(context, statement, &why) < 0)
            result = store_damaged(store, err, "%.200s", why.text);
    if (result == 0 && code != SQLITE_DONE)
        result = store_sqlite_error(store, "read", err);
    sqlite3_finalize(statement);
    return result;
}

static int read_lease(void *context, sqlite3_stmt *statement, struct error *err)
{
    struct store *store = context;
    struct lease_entry *record = memory_new(1, sizeof *record);

    if (store_rows_read(statement, &store_lease_table, &record->lease, err) < 0) {
        store_lease_entry_free(record);
        return -1;
    }
    record->lease.has_victims = true;
    store_index_add(&store->leases, record->lease.id, record);
    store_note_entry(store, record);
    return 0;
}

static int read_vm(void *context, sqlite3_stmt *statement, struct error *err)
{
    struct store *store = context;
    struct vm_record *vm = memory_new(1, sizeof *vm);
    struct lease_entry *record;

    if (store_rows_read(statement, &store_vm_table, vm, err) < 0) {
        store_vm_free(vm);
        return -1;
    }
    record = store_index_find(&store->leases, vm->lease);
    if (!record) {
        error_set(err, EBADMSG, "table vm, row %d belongs to lease %lld, which does not exist",
                  vm->id, (long long)vm->lease);
        store_vm_free(vm);
        return -1;
    }
    store_attach_vm(store, record, vm);
    store_index_add(&store->vms, vm->id, vm);
    return 0;
}

static int load_facts(struct store *store, struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, "SELECT name, value FROM fact", err);
    int code, result = 0;

    if (!statement)
        return -1;
    /* Checksums were compared when the file was opened, so they are not checked again. */
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        store_set_fact(store, (const char *)sqlite3_column_text(statement, 0),
                       (const char *)sqlite3_column_text(statement, 1));
    for (size_t i = 0; i < store->n_facts; i++)
        store->facts[i].marked = false;
    store->n_marked_facts = 0;
    if (code != SQLITE_DONE)
        result = store_sqlite_error(store, "read", err);
    sqlite3_finalize(statement);
    return result;
}

static int load_number(const struct store *store, const char *text, int64_t *number,
                       struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, text, err);
    int code;

    if (!statement)
        return -1;
    if ((code = sqlite3_step(statement)) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        store_sqlite_error(store, "read", err);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 0 : -1;
}

int store_load(struct store *store, struct error *err)
{
    if (each_row(store, &store_lease_table, "WHERE " UNFINISHED " ORDER BY id", read_lease, store,
                 err) < 0 ||
        each_row(store, &store_vm_table,
                 "WHERE gone = 0 OR lease IN (SELECT id FROM lease WHERE " UNFINISHED
                 ") ORDER BY id",
                 read_vm, store, err) < 0 ||
        load_number(store, "SELECT max(number) FROM event", &store->last_event, err) < 0 ||
        load_number(store,
                    "SELECT max(coalesce((SELECT max(id) FROM lease), -1),"
                    " coalesce((SELECT max(lease) FROM vm), -1))",
                    &store->last_lease, err) < 0 ||
        load_number(store, "SELECT coalesce(max(id), -1) FROM vm", &store->last_vm, err) < 0)
        return -1;
    return load_facts(store, err);
}

struct past_visit {
    const struct store *store;
    size_t left;
    void (*visit)(void *context, const struct lease_record *lease);
    void *context;
};

static int visit_past(struct past_visit *past, sqlite3_stmt *statement, struct error *err)
{
    struct lease_record lease = {0};
    struct error why = {0};
    int result;

    if (store_lease(past->store, sqlite3_column_int64(statement, 0)))
        return 0;
    result = store_rows_read(statement, &store_lease_table, &lease, &why);
    if (result == 0)
        past->visit(past->context, &lease);
    else
        store_damaged(past->store, err, "%.200s", why.text);
    store_lease_finish(&lease);
    past->left--;
    return result;
}

int store_each_past_lease(struct store *store, const struct store_past *past,
                          void (*visit)(void *context, const struct lease_record *lease),
                          void *context, struct error *err)
{
    struct past_visit visits = {store, past->limit, visit, context};
    char *text = store_rows_get_text(&store_lease_table, store->sums[SUMMED_LEASE],
                                     "WHERE phase IN " STORE_FINAL_PHASES
                                     " AND (?1 IS NULL OR user = ?1) AND (?2 IS NULL OR id < ?2)"
                                     " ORDER BY id DESC");
    sqlite3_stmt *statement = store_prepare(store, text, err);
    int code = SQLITE_DONE, result = statement ? 0 : -1;

    free(text);
    if (statement) {
        sqlite3_bind_text(statement, 1, past->user, -1, SQLITE_STATIC);
        if (past->below)
            sqlite3_bind_int64(statement, 2, *past->below);
    }
    while (result == 0 && visits.left > 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        result = visit_past(&visits, statement, err);
    if (result == 0 && code != SQLITE_DONE && code != SQLITE_ROW)
        result = store_sqlite_error(store, "read", err);
    sqlite3_finalize(statement);
    return result;
}

static int read_one(void *context, sqlite3_stmt *statement, struct error *err)
{
    return store_rows_read(statement, &store_lease_table, context, err);
}

int store_past_lease(struct store *store, int64_t id, const struct lease_record **lease,
                     struct error *err)
{
    char condition[64];

    store_lease_finish(&store->past);
    store->past = (struct lease_record){.id = -1};
    *lease = &store->past;
    snprintf(condition, sizeof condition, "WHERE id = %lld", (long long)id);
    if (each_row(store, &store_lease_table, condition, read_one, &store->past, err) < 0)
        return -1;
    return store->past.id >= 0 ? 1 : 0;
}

struct past_vms {
    void (*visit)(void *context, const struct vm_record *vm);
    void *context;
};

static int visit_vm(void *context, sqlite3_stmt *statement, struct error *err)
{
    const struct past_vms *past = context;
    struct vm_record *vm = memory_new(1, sizeof *vm);
    int result = store_rows_read(statement, &store_vm_table, vm, err);

    if (result == 0)
        past->visit(past->context, vm);
    store_vm_free(vm);
    return result;
}

int store_each_past_vm(struct store *store, int64_t lease,
                       void (*visit)(void *context, const struct vm_record *vm), void *context,
                       struct error *err)
{
    struct past_vms past = {visit, context};
    char condition[64];

    snprintf(condition, sizeof condition, "WHERE lease = %lld ORDER BY id", (long long)lease);
    return each_row(store, &store_vm_table, condition, visit_vm, &past, err);
}

int store_next_past_vms(struct store *store, int32_t after, size_t limit,
                        void (*visit)(void *context, const struct vm_record *vm), void *context,
                        struct error *err)
{
    struct past_vms past = {visit, context};
    char condition[192];

    snprintf(condition, sizeof condition,
             "WHERE id > %d AND (SELECT phase FROM lease WHERE lease.id = vm.lease)"
             " IN " STORE_FINAL_PHASES " ORDER BY id LIMIT %zu",
             (int)after, limit);
    return each_row(store, &store_vm_table, condition, visit_vm, &past, err);
}
