/* The pool in an SQLite file: changes are durable before a call is answered. */
#include "sandbox/state_file.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/host.h"
#include "sandbox/machine.h"
#include "sandbox/object_members.h"
#include "util/memory.h"

static void read_histories(struct oned_vm *vm, const struct oned_attributes *record)
{
    const struct oned_attributes *kept;

    for (size_t i = 0; (kept = oned_attributes_vector(record, "HISTORY", i)); i++) {
        MEMORY_GROW(vm->history, vm->history_allocated, vm->history_count + 1);
        vm->history[vm->history_count] = (struct oned_history){0};
        oned_members_read(oned_history_members, &vm->history[vm->history_count++], kept);
    }
}

static void note_action_ids(struct oned *oned, const struct oned_vm *vm)
{
    const struct oned_attributes *action;

    for (size_t i = 0; (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i)); i++) {
        int64_t id = oned_attributes_number(action, "ID", -1);

        if (id >= oned->next_action)
            oned->next_action = (int)id + 1;
    }
}

static void read_tokens(struct oned_user *user, const struct oned_attributes *record)
{
    const struct oned_attributes *kept;

    for (size_t i = 0; (kept = oned_attributes_vector(record, "TOKEN", i)); i++) {
        MEMORY_GROW(user->tokens, user->tokens_allocated, user->token_count + 1);
        user->tokens[user->token_count] = (struct oned_token){0};
        oned_members_read(oned_token_members, &user->tokens[user->token_count++], kept);
    }
}

static void write_clock(const struct oned *oned, struct oned_attributes *record)
{
    char rate[40];

    snprintf(rate, sizeof rate, "%.17g", oned->rate);
    oned_attributes_add(record, "RATE", rate);
    oned_attributes_add_number(record, "BASE_REAL", oned->base_real);
    oned_attributes_add_number(record, "BASE_OWN", oned->base_own);
}

static void read_clock(struct oned *oned, const struct oned_attributes *record)
{
    const char *rate = oned_attributes_get(record, "RATE");

    oned->rate = rate ? strtod(rate, NULL) : 1;
    oned->base_real = oned_attributes_number(record, "BASE_REAL", oned->base_real);
    oned->base_own = oned_attributes_number(record, "BASE_OWN", oned->base_own);
}

static void oned_record_write(const struct oned *oned, enum oned_kind kind, int id,
                              struct oned_attributes *record)
{
    const void *object = oned_pool_get(oned, kind, id);
    const struct oned_vm *vm = kind == KIND_VM ? object : NULL;
    const struct oned_user *user = kind == KIND_USER ? object : NULL;
    const struct oned_thing *thing = oned_is_thing(kind) ? object : NULL;

    if (kind == KIND_CLOCK) {
        write_clock(oned, record);
        return;
    }
    oned_members_write(oned_layouts[kind].members, object, record);
    for (size_t i = 0; vm && i < vm->history_count; i++)
        oned_members_write(oned_history_members, &vm->history[i],
                           oned_attributes_add_vector(record, "HISTORY"));
    for (size_t i = 0; user && i < user->token_count; i++)
        oned_members_write(oned_token_members, &user->tokens[i],
                           oned_attributes_add_vector(record, "TOKEN"));
    for (size_t i = 0; thing && i < thing->cluster_count; i++)
        oned_attributes_add_number(record, "CLUSTER", thing->clusters[i]);
}

/* Make the object of a record and put it into its pool. */
static void oned_record_read(struct oned *oned, enum oned_kind kind, int id,
                             const struct oned_attributes *record)
{
    void *object;

    if (kind == KIND_CLOCK) {
        read_clock(oned, record);
        return;
    }
    object = memory_new(1, oned_layouts[kind].size);
    oned_members_read(oned_layouts[kind].members, object, record);
    *(int *)object = id; /* the first member of each kind */
    oned_pool_add(oned, kind, object, id);
    if (kind == KIND_VM) {
        read_histories(object, record);
        note_action_ids(oned, object);
        oned_machine_adopt(oned, object);
    } else if (kind == KIND_USER) {
        read_tokens(object, record);
    }
    for (size_t i = 0; oned_is_thing(kind) && i < record->count; i++)
        if (!strcmp(record->items[i].name, "CLUSTER"))
            oned_clusters_add(object, atoi(record->items[i].value));
}

/* Of how objects are kept: raised if earlier ones cannot be read. */
enum { FORMAT = 1, VERSIONS = 10 };

static int file_version(const struct oned *oned)
{
    return FORMAT * VERSIONS + (int)oned->options.version;
}

struct oned_store {
    sqlite3 *database;
    sqlite3_stmt *write, *remove;
    bool empty;
};

static int complain(sqlite3 *database, const char *path, struct error *err)
{
    return error_set(err, EIO, "%s: the state file cannot be used: %s", path,
                     database ? sqlite3_errmsg(database) : "out of memory");
}

static int read_version(struct oned_store *store, const struct oned *oned, const char *path,
                        struct error *err)
{
    sqlite3_stmt *query;
    int version = -1;

    if (sqlite3_prepare_v2(store->database, "SELECT version FROM pool", -1, &query, NULL) !=
        SQLITE_OK)
        return complain(store->database, path, err);
    if (sqlite3_step(query) == SQLITE_ROW)
        version = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    store->empty = version < 0;
    if (version >= 0 && version != file_version(oned))
        return error_set(err, EINVAL,
                         "%s: the state is of another version of OpenNebula or of the sandbox",
                         path);
    return 0;
}

static int prepare(struct oned_store *store, const struct oned *oned, const char *path,
                   struct error *err)
{
    static const char schema[] =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA locking_mode = EXCLUSIVE;"
        "CREATE TABLE IF NOT EXISTS pool (version INTEGER NOT NULL);"
        "CREATE TABLE IF NOT EXISTS object (kind INTEGER NOT NULL, id INTEGER NOT NULL,"
        " body TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;";

    sqlite3_busy_timeout(store->database, 2000);
    if (sqlite3_exec(store->database, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(store->database, "INSERT OR REPLACE INTO object VALUES (?, ?, ?)", -1,
                           &store->write, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(store->database, "DELETE FROM object WHERE kind = ? AND id = ?", -1,
                           &store->remove, NULL) != SQLITE_OK)
        return complain(store->database, path, err);
    return read_version(store, oned, path, err);
}

struct oned_store *oned_store_open(const struct oned *oned, const char *path, struct error *err)
{
    struct oned_store *store = memory_new(1, sizeof *store);

    if (sqlite3_open(path, &store->database) != SQLITE_OK) {
        complain(store->database, path, err);
        oned_store_close(store);
        return NULL;
    }
    if (prepare(store, oned, path, err)) {
        oned_store_close(store);
        return NULL;
    }
    return store;
}

void oned_store_close(struct oned_store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->write);
    sqlite3_finalize(store->remove);
    sqlite3_close(store->database);
    free(store);
}

bool oned_store_is_empty(const struct oned_store *store)
{
    return store->empty;
}

static int load_row(struct oned *oned, sqlite3_stmt *query, struct error *err)
{
    struct oned_attributes record = {0};
    int kind = sqlite3_column_int(query, 0), id = sqlite3_column_int(query, 1);
    const char *body = (const char *)sqlite3_column_text(query, 2);
    int result = -1;

    if (kind < 0 || kind >= KINDS || id < 0 || !body)
        error_set(err, EINVAL, "the state file has an object of kind %d, id %d", kind, id);
    else
        result = oned_attributes_parse_xml(&record, body, err);
    if (result == 0)
        oned_record_read(oned, (enum oned_kind)kind, id, &record);
    oned_attributes_finish(&record);
    return result;
}

/* The usage of the hosts follows from the VMs. */
static void charge_hosts(struct oned *oned)
{
    for (int id = 0; id < oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(oned, id);

        if (vm && oned_host(oned, vm->charged))
            oned_host_charge(oned, oned_host(oned, vm->charged), vm);
        if (vm && oned_host(oned, vm->leaving))
            oned_host_charge(oned, oned_host(oned, vm->leaving), vm);
    }
}

int oned_store_load(struct oned *oned, struct error *err)
{
    struct oned_store *store = oned->store;
    sqlite3_stmt *query;
    int step, result = 0;

    if (sqlite3_prepare_v2(store->database, "SELECT kind, id, body FROM object ORDER BY kind, id",
                           -1, &query, NULL) != SQLITE_OK)
        return complain(store->database, oned->options.state, err);
    while (result == 0 && (step = sqlite3_step(query)) == SQLITE_ROW)
        result = load_row(oned, query, err);
    if (result == 0 && step != SQLITE_DONE)
        result = complain(store->database, oned->options.state, err);
    sqlite3_finalize(query);
    if (result == 0)
        charge_hosts(oned);
    return result;
}

static int by_object(const void *a, const void *b)
{
    const struct oned_change *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int run(sqlite3_stmt *statement, const struct oned_change *change, const char *body)
{
    int step;

    sqlite3_bind_int(statement, 1, (int)change->kind);
    sqlite3_bind_int(statement, 2, change->id);
    if (body)
        sqlite3_bind_text(statement, 3, body, -1, SQLITE_TRANSIENT);
    step = sqlite3_step(statement);
    sqlite3_reset(statement);
    return step == SQLITE_DONE ? 0 : -1;
}

static int write_change(const struct oned *oned, const struct oned_change *change)
{
    struct oned_attributes record = {0};
    struct oned_text text = {0};
    int result;

    if (change->kind != KIND_CLOCK && !oned_pool_get(oned, change->kind, change->id))
        return run(oned->store->remove, change, NULL);
    oned_record_write(oned, change->kind, change->id, &record);
    oned_text_put(&text, "<OBJECT>");
    oned_attributes_write(&record, &text);
    oned_text_put(&text, "</OBJECT>");
    result = run(oned->store->write, change, text.bytes);
    oned_text_finish(&text);
    oned_attributes_finish(&record);
    return result;
}

static int write_changes(struct oned *oned)
{
    struct oned_store *store = oned->store;
    char first[64];

    if (sqlite3_exec(store->database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return -1;
    if (store->empty) {
        snprintf(first, sizeof first, "INSERT INTO pool VALUES (%d)", file_version(oned));
        if (sqlite3_exec(store->database, first, NULL, NULL, NULL) != SQLITE_OK)
            return -1;
        store->empty = false;
    }
    for (size_t i = 0; i < oned->changed.count; i++)
        if ((i == 0 || by_object(&oned->changed.items[i - 1], &oned->changed.items[i]) != 0) &&
            write_change(oned, &oned->changed.items[i]))
            return -1;
    return sqlite3_exec(store->database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

void oned_store_commit(struct oned *oned)
{
    struct oned_store *store = oned->store;

    if (!store || oned->changed.count == 0)
        return;
    qsort(oned->changed.items, oned->changed.count, sizeof *oned->changed.items, by_object);
    if (write_changes(oned)) {
        fprintf(stderr, "sandbox: %s: the state cannot be written: %s\n", oned->options.state,
                sqlite3_errmsg(store->database));
        abort();
    }
    oned->changed.count = 0;
}
