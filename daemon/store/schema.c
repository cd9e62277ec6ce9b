/* Creates and migrates the tables of the state file, and checks the file. */
#include "daemon/store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/store/seal.h"
#include "util/crash_point.h"

enum { APPLICATION_ID = 0x47414c4e }; /* "GALN" */

#define SUMMED(table) "ALTER TABLE " table " ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;"

/* Step i migrates from version i to i + 1. Released steps never change. Times are seconds since
 * 1970; NULL: not set; 9223372036854775807: never, unlimited. */
static const char *const migrations[] = {
    "CREATE TABLE lease ("
    " id INTEGER PRIMARY KEY,"
    " phase TEXT NOT NULL, kind TEXT NOT NULL, plain INTEGER NOT NULL,"
    " submit INTEGER, start INTEGER, earliest INTEGER, deadline INTEGER, duration INTEGER,"
    " \"end\" INTEGER, accumulated INTEGER NOT NULL, since INTEGER, expected INTEGER,"
    " contract INTEGER NOT NULL, accepted INTEGER NOT NULL, warned INTEGER NOT NULL,"
    " late INTEGER NOT NULL, preemptible INTEGER NOT NULL, terms TEXT NOT NULL,"
    " origin TEXT NOT NULL, priority INTEGER NOT NULL, uid INTEGER NOT NULL,"
    " gid INTEGER NOT NULL, user TEXT NOT NULL, user_group TEXT NOT NULL, name TEXT NOT NULL,"
    " \"group\" TEXT NOT NULL, group_size INTEGER NOT NULL, group_until INTEGER,"
    " reason_word TEXT NOT NULL, reason TEXT NOT NULL,"
    " preempted_for INTEGER NOT NULL, preempted_at INTEGER NOT NULL);"
    "CREATE TABLE vm ("
    " id INTEGER PRIMARY KEY, lease INTEGER NOT NULL, goal TEXT NOT NULL,"
    " host INTEGER NOT NULL, datastore INTEGER NOT NULL, cpu INTEGER NOT NULL,"
    " memory INTEGER NOT NULL, ours INTEGER NOT NULL, ran INTEGER NOT NULL,"
    " sequence INTEGER NOT NULL, ran_for INTEGER NOT NULL, command TEXT NOT NULL,"
    " sent INTEGER, attempts INTEGER NOT NULL, next_try INTEGER,"
    " failed_record INTEGER NOT NULL, pause_until INTEGER, avoid TEXT NOT NULL,"
    " avoid_until TEXT NOT NULL, message TEXT NOT NULL, gone INTEGER NOT NULL);"
    "CREATE INDEX vm_lease ON vm (lease);"
    "CREATE TABLE event ("
    " number INTEGER PRIMARY KEY, lease INTEGER NOT NULL, at INTEGER NOT NULL,"
    " event TEXT NOT NULL, text TEXT NOT NULL);"
    "CREATE INDEX event_lease ON event (lease, number);"
    "CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
    "ALTER TABLE lease ADD COLUMN relative INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE vm ADD COLUMN skew INTEGER NOT NULL DEFAULT 0;",
    /* The time of the next attempt used to be part of the sentence. */
    "ALTER TABLE lease ADD COLUMN retry INTEGER;"
    "UPDATE lease SET reason = substr(reason, 1, instr(reason, '; it is tried again at ') - 1)"
    " WHERE instr(reason, '; it is tried again at ') > 0;",
    "ALTER TABLE vm RENAME COLUMN ours TO suspended_by_us;",
    /* Reasons used to be sentences; existing ones remain unchanged. */
    "ALTER TABLE lease ADD COLUMN reason_id TEXT NOT NULL DEFAULT 'none';"
    "ALTER TABLE lease ADD COLUMN reason_n TEXT NOT NULL DEFAULT '0 0 0 0 0 0';",
    /* Checksums (sums.h). */
    "CREATE TABLE seal (name TEXT PRIMARY KEY, n INTEGER NOT NULL, total INTEGER NOT NULL)"
    " WITHOUT ROWID;" SUMMED("lease") SUMMED("vm") SUMMED("event") SUMMED("fact")
        SUMMED("migration"),
    /* Priorities are in thousandths. */
    "UPDATE lease SET priority = priority * 1000;",
    "ALTER TABLE lease ADD COLUMN charged INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE vm ADD COLUMN promise_number INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE vm ADD COLUMN promise_digest INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE vm ADD COLUMN unlocked INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE lease ADD COLUMN change_refused TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE vm ADD COLUMN asked TEXT NOT NULL DEFAULT '';",
    "ALTER TABLE lease ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN extended INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE lease ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN unused_until INTEGER;",
    "ALTER TABLE lease ADD COLUMN series TEXT NOT NULL DEFAULT '';",
    "ALTER TABLE lease ADD COLUMN booking TEXT NOT NULL DEFAULT '';",
    "ALTER TABLE vm ADD COLUMN promise_sent INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE vm ADD COLUMN stays TEXT NOT NULL DEFAULT '';",
    "UPDATE lease SET phase = 'missed' WHERE phase = 'refused' AND reason_word = 'missed';",
    "ALTER TABLE vm ADD COLUMN message_kind TEXT NOT NULL DEFAULT '';",
    "ALTER TABLE lease ADD COLUMN delayed_by INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE vm ADD COLUMN created INTEGER NOT NULL DEFAULT 0;",
};

const int store_schema_version = sizeof migrations / sizeof *migrations;

static int run_text(const struct store *store, const char *text, const char *doing,
                    struct error *err)
{
    if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK)
        return store_sqlite_error(store, doing, err);
    return 0;
}

/* The first column of the first row, a number; 0 without rows. */
static int ask_number(const struct store *store, const char *text, int *number, struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, text, err);
    int code;

    if (!statement)
        return -1;
    code = sqlite3_step(statement);
    *number = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        store_sqlite_error(store, "read", err);
        sqlite3_finalize(statement);
        return -1;
    }
    sqlite3_finalize(statement);
    return 0;
}

/* Runs SQLite's own checks of pages and indexes. */
static int check_integrity(const struct store *store, struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, "PRAGMA integrity_check(1)", err);
    const char *text;
    int result = 0;

    if (!statement)
        return -1;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        result = store_sqlite_error(store, "check", err);
    } else {
        text = (const char *)sqlite3_column_text(statement, 0);
        if (!text || strcmp(text, "ok") != 0)
            result = store_damaged(store, err, "%.160s", text ? text : "no answer");
    }
    sqlite3_finalize(statement);
    return result;
}

/* `has_seal`: the directory has held a store of Galerna. */
static int check_identity(const struct store *store, bool has_seal, struct error *err)
{
    int id, tables;

    if (ask_number(store, "PRAGMA application_id", &id, err) < 0 ||
        ask_number(store, "SELECT count(*) FROM sqlite_master", &tables, err) < 0)
        return -1;
    if (id == APPLICATION_ID || (id == 0 && tables == 0))
        return 0;
    if (has_seal)
        return store_damaged(store, err, "its application id is %08x", (unsigned)id);
    return error_set(err, EPROTO,
                     "%s is a database of another program: give galernad another --state-dir",
                     store->path);
}

static int migrate(const struct store *store, int from, struct error *err)
{
    char text[256];

    if (run_text(store, "BEGIN IMMEDIATE", "begin a migration of", err) < 0)
        return -1;
    crash_point("store-migration");
    snprintf(text, sizeof text,
             "CREATE TABLE IF NOT EXISTS migration ("
             " version INTEGER PRIMARY KEY, applied INTEGER NOT NULL);"
             "INSERT INTO migration (version, applied) VALUES (%d, unixepoch());"
             "PRAGMA application_id = %d",
             from + 1, APPLICATION_ID);
    if (run_text(store, migrations[from], "migrate", err) < 0 ||
        run_text(store, text, "migrate", err) < 0 ||
        (from + 1 >= STORE_SUMMED_VERSION && sums_renew(store, err) < 0) ||
        run_text(store, "COMMIT", "migrate", err) < 0) {
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
        return -1;
    }
    crash_point("store-migrated");
    return 0;
}

int store_schema_create(const struct store *store, int version, struct error *err)
{
    for (int i = 0; i < version; i++)
        if (migrate(store, i, err) < 0)
            return -1;
    return 0;
}

/* The file's version; 0: a new file. */
static int read_version(const struct store *store, int *version, struct error *err)
{
    int tables;

    *version = 0;
    if (ask_number(store, "SELECT count(*) FROM sqlite_master", &tables, err) < 0)
        return -1;
    return tables ? ask_number(store, "SELECT max(version) FROM migration", version, err) : 0;
}

/* SQLite silently ignores the end of a log that it cannot read, so only the seal shows the loss. */
static int check_commits(struct store *store, int64_t sealed, bool has_sums, struct error *err)
{
    int commits;

    if (!has_sums)
        return sealed > 0 ? store_damaged(store, err,
                                          "it is missing or older than its file store.seal, which "
                                          "knows %lld commit%s",
                                          (long long)sealed, sealed == 1 ? "" : "s")
                          : 0;
    if (ask_number(store, "SELECT value FROM fact WHERE name = 'commits'", &commits, err) < 0)
        return -1;
    store->commits = commits;
    if (sealed == SEAL_NONE)
        return store_damaged(store, err, "its file store.seal is missing");
    if (commits < sealed)
        return store_damaged(
            store, err,
            "the last commits are missing (%lld of %lld): its log, store.db-wal, is "
            "damaged, cut or lost, or store.db is an older copy",
            (long long)(sealed - commits), (long long)sealed);
    return 0;
}

/* Writes nothing before the file has passed all checks, since a repair may need it unchanged. */
static int check_file(struct store *store, int *version, struct error *err)
{
    int64_t sealed = seal_read(store->seal_path, err);
    int has_sums;

    if (sealed == SEAL_FAILED || check_identity(store, sealed != SEAL_NONE, err) < 0 ||
        (has_sums = sums_exist(store, err)) < 0 ||
        (has_sums && sums_check_table(store, &summed_tables[SUMMED_MIGRATION], err) < 0) ||
        read_version(store, version, err) < 0)
        return -1;
    if (*version > store_schema_version)
        return error_set(err, EPROTO,
                         "%s was written by a newer version of Galerna (format %d; this program "
                         "reads formats up to %d): start that version, or use another --state-dir",
                         store->path, *version, store_schema_version);
    if ((has_sums && sums_check(store, err) < 0) || check_integrity(store, err) < 0)
        return -1;
    if (sealed == SEAL_DAMAGED)
        return store_damaged(store, err, "its file store.seal cannot be read");
    if (sqlite3_db_readonly(store->database, "main") == 1)
        return store_damaged(store, err, "its header forbids writing");
    return check_commits(store, sealed, has_sums, err);
}

int store_schema_prepare(struct store *store, struct error *err)
{
    int version;

    if (run_text(store, "PRAGMA cell_size_check = ON", "open", err) < 0 ||
        check_file(store, &version, err) < 0)
        return -1;
    store->seal = seal_open(store->seal_path, err);
    if (store->seal < 0 || run_text(store, "PRAGMA journal_mode = WAL", "open", err) < 0 ||
        run_text(store, "PRAGMA synchronous = FULL", "open", err) < 0 ||
        run_text(store, "PRAGMA journal_size_limit = 16777216", "open", err) < 0 ||
        run_text(store, "PRAGMA cache_size = -256", "open", err) < 0) /* KB; the default is 2 MB */
        return -1;
    for (; version < store_schema_version; version++)
        if (migrate(store, version, err) < 0)
            return -1;
    return sums_begin(store, err);
}
