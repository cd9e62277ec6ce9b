#include "daemon/store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/crash_point.h"

enum { APPLICATION_ID = 0x47414c4e }; /* "GALN" */

/* Step i leads from version i to i + 1. Released steps never change. Times are seconds since 1970;
 * NULL: not set; 9223372036854775807: never, unlimited. */
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
    /* The time of the next try used to be part of the sentence. */
    "ALTER TABLE lease ADD COLUMN retry INTEGER;"
    "UPDATE lease SET reason = substr(reason, 1, instr(reason, '; it is tried again at ') - 1)"
    " WHERE instr(reason, '; it is tried again at ') > 0;",
    "ALTER TABLE vm RENAME COLUMN ours TO suspended_by_us;",
    /* Reasons used to be sentences; those that are there stay so. */
    "ALTER TABLE lease ADD COLUMN reason_id TEXT NOT NULL DEFAULT 'none';"
    "ALTER TABLE lease ADD COLUMN reason_n TEXT NOT NULL DEFAULT '0 0 0 0 0 0';",
};

const int store_schema_version = sizeof migrations / sizeof *migrations;

static int run_text(const struct store *store, const char *text, const char *doing,
                    struct error *err)
{
    if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK)
        return store_sqlite_error(store, doing, err);
    return 0;
}

/* The first column of the first row: a number, or `none` when there is no row. */
static int ask_number(const struct store *store, const char *text, int none, int *number,
                      struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, text, err);
    int code;

    if (!statement)
        return -1;
    code = sqlite3_step(statement);
    *number = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : none;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        store_sqlite_error(store, "read", err);
        sqlite3_finalize(statement);
        return -1;
    }
    sqlite3_finalize(statement);
    return 0;
}

static int check_soundness(const struct store *store, struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, "PRAGMA quick_check(1)", err);
    const char *text;
    int result = 0;

    if (!statement)
        return -1;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        result = store_sqlite_error(store, "check", err);
    } else {
        text = (const char *)sqlite3_column_text(statement, 0);
        if (!text || strcmp(text, "ok") != 0)
            result = error_set(err, EPROTO,
                               "%s is damaged (%.120s): move it away and start again; what runs in "
                               "OpenNebula is adopted, promises of reservations are lost",
                               store->path, text ? text : "no answer");
    }
    sqlite3_finalize(statement);
    return result;
}

static int check_identity(const struct store *store, struct error *err)
{
    int id, tables;

    if (ask_number(store, "PRAGMA application_id", 0, &id, err) < 0 ||
        ask_number(store, "SELECT count(*) FROM sqlite_master", 0, &tables, err) < 0)
        return -1;
    if (id == APPLICATION_ID || (id == 0 && tables == 0))
        return 0;
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
        run_text(store, "COMMIT", "migrate", err) < 0) {
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
        return -1;
    }
    crash_point("store-migrated");
    return 0;
}

/* 0 for a new file. */
static int read_version(const struct store *store, int *version, struct error *err)
{
    int tables;

    *version = 0;
    if (ask_number(store, "SELECT count(*) FROM sqlite_master", 0, &tables, err) < 0)
        return -1;
    return tables ? ask_number(store, "SELECT max(version) FROM migration", 0, version, err) : 0;
}

int store_schema_prepare(struct store *store, struct error *err)
{
    int version;

    if (check_identity(store, err) < 0 || read_version(store, &version, err) < 0)
        return -1;
    if (version > store_schema_version)
        return error_set(err, EPROTO,
                         "%s was written by a newer version of Galerna (format %d, this program "
                         "knows up to %d): start that version, or use another --state-dir",
                         store->path, version, store_schema_version);
    if (run_text(store, "PRAGMA journal_mode = WAL", "open", err) < 0 ||
        run_text(store, "PRAGMA synchronous = FULL", "open", err) < 0 ||
        run_text(store, "PRAGMA journal_size_limit = 16777216", "open", err) < 0 ||
        check_soundness(store, err) < 0)
        return -1;
    for (; version < store_schema_version; version++)
        if (migrate(store, version, err) < 0)
            return -1;
    return 0;
}
