/* Opens and closes the store. */
#include "daemon/store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "daemon/store/change.h"
#include "daemon/store/private.h"
#include "daemon/store/rows.h"
#include "daemon/store/schema.h"
#include "daemon/store/state_directory.h"
#include "util/memory.h"

static const char *const instance_fact = "instance";

static int prepare(const struct store *store, sqlite3_stmt **statement, const char *text,
                   struct error *err)
{
    if (sqlite3_prepare_v3(store->database, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) ==
        SQLITE_OK)
        return 0;
    return store_sqlite_error(store, "prepare", err);
}

/* The INSERT statement of a table, with the row's checksum. OR REPLACE makes SQLite copy a page of
 * an indexed table for each row. */
static char *put_text(int table, bool replaces)
{
    const char *insert = replaces ? "INSERT OR REPLACE" : "INSERT";
    char *sum = sums_of_inserted(&summed_tables[table], replaces), *text;

    if (table == SUMMED_EVENT)
        text = memory_format("%s INTO event (number, lease, at, event, text, sum)"
                             " VALUES (:number, :lease, :at, :event, :text, %s)",
                             insert, sum);
    else if (table == SUMMED_FACT)
        text = memory_format("%s INTO fact (name, value, sum) VALUES (:name, :value, %s)", insert,
                             sum);
    else
        text = store_rows_put_text(table == SUMMED_LEASE ? &store_lease_table : &store_vm_table,
                                   insert, sum);
    free(sum);
    return text;
}

static int prepare_put(const struct store *store, struct summed_put *put, const char *text,
                       struct error *err)
{
    if (prepare(store, &put->statement, text, err) < 0)
        return -1;
    put->bound =
        memory_new((size_t)sqlite3_bind_parameter_count(put->statement) + 1, sizeof *put->bound);
    return 0;
}

static int prepare_puts(struct store *store, struct error *err)
{
    static const struct {
        int table;
        bool replaces;
    } puts[STORE_PUTS] = {
        [PUT_LEASE] = {SUMMED_LEASE, true},  [PUT_NEW_LEASE] = {SUMMED_LEASE, false},
        [PUT_VM] = {SUMMED_VM, true},        [PUT_NEW_VM] = {SUMMED_VM, false},
        [PUT_EVENT] = {SUMMED_EVENT, false}, [PUT_FACT] = {SUMMED_FACT, true},
    };
    int result = 0;

    store->lease_order = store_rows_order(store, &store_lease_table, err);
    store->vm_order = store->lease_order ? store_rows_order(store, &store_vm_table, err) : NULL;
    if (!store->vm_order)
        return -1;
    for (int i = 0; i < STORE_PUTS && result == 0; i++) {
        char *text = put_text(puts[i].table, puts[i].replaces);

        result = prepare_put(store, &store->puts[i], text, err);
        free(text);
    }
    return result;
}

static int prepare_history(struct store *store, enum store_statement place, const char *which,
                           struct error *err)
{
    char *text = sqlite3_mprintf(
        "SELECT lease, at, event, text, sum = %s, number FROM event WHERE %s AND number >= (SELECT"
        " min(number) FROM (SELECT number FROM event WHERE %s ORDER BY number DESC LIMIT ?1))"
        " ORDER BY number",
        store->sums[SUMMED_EVENT], which, which);
    int result = prepare(store, &store->statements[place], text, err);

    sqlite3_free(text);
    return result;
}

static int prepare_statements(struct store *store, struct error *err)
{
    static const char *const texts[STATEMENTS] = {
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
        [STATEMENT_COMMIT] = "COMMIT",
        [STATEMENT_ROLLBACK] = "ROLLBACK",
        [STATEMENT_DROP_VMS] = "DELETE FROM vm WHERE lease = ? RETURNING drop_sum('vm', sum)",
        [STATEMENT_DROP_FACT] = "DELETE FROM fact WHERE name = ? RETURNING drop_sum('fact', sum)",
        [STATEMENT_SEAL] = "UPDATE seal SET n = ?, total = ? WHERE name = ?",
    };

    for (int i = 0; i < STATEMENTS; i++)
        if (texts[i] && prepare(store, &store->statements[i], texts[i], err) < 0)
            return -1;
    if (prepare_history(store, STATEMENT_EVENTS, "TRUE", err) < 0 ||
        prepare_history(store, STATEMENT_EVENTS_OF_LEASE, "lease = ?2", err) < 0)
        return -1;
    return prepare_puts(store, err);
}

static int name_instance(struct store *store, struct error *err)
{
    uint64_t number;
    char name[32];

    if (store_fact(store, instance_fact))
        return 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return error_errno(err, "%s: cannot get random bytes for its name", store->path);
    snprintf(name, sizeof name, "%016" PRIx64, number);
    store_set_fact(store, instance_fact, name);
    return store_commit(store, err);
}

/* A refused store keeps its log, which closing would otherwise write into the database. */
static int keep_log(struct store *store, bool keep)
{
    return sqlite3_db_config(store->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)keep, NULL);
}

static int open_database(struct store *store, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;

    if (store_state_make_private(store->path, err) < 0)
        return -1;
    if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK)
        return store_sqlite_error(store, "open", err);
    /* Another program may have the file open for a moment. */
    sqlite3_busy_timeout(store->database, 2000);
    if (keep_log(store, true) != SQLITE_OK || sums_define(store) != SQLITE_OK)
        return store_sqlite_error(store, "open", err);
    if (store_schema_prepare(store, err) < 0 || prepare_statements(store, err) < 0 ||
        store_load(store, err) < 0 || name_instance(store, err) < 0)
        return -1;
    keep_log(store, false);
    return 0;
}

struct store *store_open(const char *directory, struct error *err)
{
    struct store *store;
    int lock = store_state_lock(directory, err);

    if (lock < 0)
        return NULL;
    /* SQLite would take a lock for each allocation to count its memory. Without effect once SQLite
     * is in use. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    store = memory_new(1, sizeof *store);
    store->lock = lock;
    store->seal = -1;
    store->path = memory_format("%s/store.db", directory);
    store->seal_path = memory_format("%s/store.seal", directory);
    store_index_init(&store->leases);
    store_index_init(&store->vms);
    store->awake.next = INSTANT_NEVER;
    if (store_state_take_over(directory, err) < 0 || open_database(store, err) < 0) {
        store_close(store);
        return NULL;
    }
    return store;
}

static void free_records(struct store *store)
{
    for (size_t i = 0; i < store->leases.n; i++)
        store_lease_entry_free(store->leases.records[i]);
    for (size_t i = 0; i < store->n_leaving; i++)
        store_lease_entry_free(store->leaving[i]);
    for (size_t i = 0; i < store->n_events; i++)
        store_put_text(&store->events[i].text, "", 0);
    for (size_t i = 0; i < store->n_facts; i++) {
        free(store->facts[i].name);
        free(store->facts[i].value);
    }
    store_lease_finish(&store->past);
    store_index_finish(&store->leases);
    store_index_finish(&store->vms);
    store_awake_finish(&store->awake);
    free(store->leaving);
    free(store->marked_leases);
    free(store->marked_vms);
    free(store->events);
    free(store->facts);
}

void store_close(struct store *store)
{
    int saved = errno;

    if (!store)
        return;
    free_records(store);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    for (int i = 0; i < STORE_PUTS; i++) {
        sqlite3_finalize(store->puts[i].statement);
        free(store->puts[i].bound);
    }
    sqlite3_close(store->database);
    for (int i = 0; i < SUMMED_TABLES; i++)
        free(store->sums[i]);
    free(store->lease_order);
    free(store->vm_order);
    if (store->seal >= 0)
        close(store->seal);
    close(store->lock);
    free(store->path);
    free(store->seal_path);
    free(store);
    errno = saved;
}

const char *store_instance(const struct store *store)
{
    return store_fact(store, instance_fact);
}

int64_t store_commits(const struct store *store)
{
    return store->commits;
}

uint64_t store_changes(const struct store *store)
{
    return store->changes;
}
