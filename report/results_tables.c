/* Creates a results database and inserts rows. */
#include "report/results_tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/results.h"
#include "util/instant.h"
#include "util/new_file.h"

#define AMOUNT_COLUMNS                                                                             \
    "cpu INTEGER NOT NULL, memory INTEGER NOT NULL, disk INTEGER NOT NULL, "                       \
    "net_in INTEGER NOT NULL, net_out INTEGER NOT NULL, others TEXT"

#define DISTRIBUTION_COLUMNS(name)                                                                 \
    name "_mean REAL, " name "_median REAL, " name "_p95 REAL, " name "_p99 REAL, " name           \
         "_max REAL, "
#define DISTRIBUTIONS                                                                              \
    DISTRIBUTION_COLUMNS("waiting")                                                                \
    DISTRIBUTION_COLUMNS("turnaround")                                                             \
    DISTRIBUTION_COLUMNS("slowdown")                                                               \
    DISTRIBUTION_COLUMNS("bounded_slowdown")

static const char schema[] =
    "CREATE TABLE run (name TEXT NOT NULL, status TEXT NOT NULL, end_time INTEGER NOT "
    "NULL, " DISTRIBUTIONS
    "fairness REAL, haizea_slowdown_mean REAL, utilization REAL, queue_mean REAL, "
    "preempted_suspend INTEGER, preempted_requeue INTEGER, preempted_cancel INTEGER, suspensions "
    "INTEGER, resumptions INTEGER, migrations INTEGER, best_effort_end INTEGER, all_best_effort "
    "INTEGER, makespan INTEGER, attempts INTEGER, steps INTEGER);"
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE hosts (id INTEGER PRIMARY KEY, " AMOUNT_COLUMNS ");"
    "CREATE TABLE leases (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, terms TEXT NOT NULL, origin "
    "TEXT NOT NULL, priority NUMERIC NOT NULL, user INTEGER, submit INTEGER NOT NULL, not_before "
    "INTEGER, deadline INTEGER, duration_original INTEGER, duration INTEGER, duration_known "
    "INTEGER, duration_actual INTEGER, accumulated INTEGER NOT NULL, vms INTEGER NOT NULL, image "
    "TEXT, image_size INTEGER, state TEXT NOT NULL, start_time INTEGER, end_time INTEGER, "
    "waiting_time INTEGER, turnaround_time INTEGER, slowdown REAL, bounded_slowdown REAL, "
    "haizea_slowdown REAL, reason TEXT NOT NULL, explanation TEXT NOT NULL);"
    "CREATE TABLE reservations (id INTEGER PRIMARY KEY, lease INTEGER NOT NULL REFERENCES leases, "
    "kind TEXT NOT NULL, state TEXT NOT NULL, start_time INTEGER NOT NULL, end_time INTEGER, "
    "image TEXT, vms TEXT NOT NULL);"
    "CREATE TABLE reservation_hosts (reservation INTEGER NOT NULL REFERENCES reservations, host "
    "INTEGER NOT NULL, " AMOUNT_COLUMNS ", PRIMARY KEY (reservation, host)) WITHOUT ROWID;"
    "CREATE TABLE state_log (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, lease INTEGER NOT "
    "NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL);"
    "CREATE TABLE preemptions (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, lease INTEGER NOT "
    "NULL, for_lease INTEGER NOT NULL, at INTEGER NOT NULL, how TEXT NOT NULL);"
    "CREATE TABLE counters (counter TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL, "
    "lease INTEGER, value REAL NOT NULL, average REAL, PRIMARY KEY (counter, seq)) WITHOUT ROWID;";

static const char *const insertions[RESULTS_INSERTIONS] = {
    [INSERT_RUN] =
        ("INSERT INTO run VALUES "
         "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
    [INSERT_SETTING] = "INSERT INTO settings VALUES (?,?)",
    [INSERT_HOST] = "INSERT INTO hosts VALUES (?,?,?,?,?,?,?)",
    [INSERT_LEASE] =
        "INSERT INTO leases VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [INSERT_RESERVATION] = "INSERT INTO reservations VALUES (?,?,?,?,?,?,?,?)",
    [INSERT_RESERVATION_HOST] = "INSERT INTO reservation_hosts VALUES (?,?,?,?,?,?,?,?)",
    [INSERT_STATE] = "INSERT INTO state_log VALUES (?,?,?,?,?)",
    [INSERT_PREEMPTION] = "INSERT INTO preemptions VALUES (?,?,?,?,?,?)",
    [INSERT_COUNTER] = "INSERT INTO counters VALUES (?,?,?,?,?,?)",
};

static int database_error(const struct results_tables *tables, struct error *err)
{
    int code = sqlite3_errcode(tables->database);

    return error_set(err,
                     code == SQLITE_FULL    ? ENOSPC
                     : code == SQLITE_NOMEM ? ENOMEM
                                            : EIO,
                     "%s: results cannot be written: %s", tables->path,
                     sqlite3_errmsg(tables->database));
}

static int execute(struct results_tables *tables, const char *statement, struct error *err)
{
    if (sqlite3_exec(tables->database, statement, NULL, NULL, NULL) != SQLITE_OK)
        return database_error(tables, err);
    return 0;
}

static bool holds_results(sqlite3 *database)
{
    sqlite3_stmt *statement = NULL;
    bool result = false;

    if (sqlite3_prepare_v2(database, "PRAGMA application_id", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        result = sqlite3_column_int(statement, 0) == RESULTS_APPLICATION_ID;
    sqlite3_finalize(statement);
    return result;
}

/* May the existing file be replaced? */
static int check_path(const char *path, struct error *err)
{
    struct stat status;
    sqlite3 *old = NULL;
    bool replaceable;

    if (stat(path, &status) < 0 || (S_ISREG(status.st_mode) && status.st_size == 0))
        return 0;
    replaceable =
        sqlite3_open_v2(path, &old, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK && holds_results(old);
    sqlite3_close(old);
    if (!replaceable)
        return error_set(err, EEXIST,
                         "%s: exists and has no results of a replay; choose another file", path);
    return 0;
}

int results_tables_init(struct results_tables *tables, const char *path, struct error *err)
{
    char pragmas[200];

    *tables = (struct results_tables){.path = path};
    if (check_path(path, err) < 0)
        return -1;
    tables->hidden = new_file_hidden(path, err);
    if (!tables->hidden)
        return -1;
    if (sqlite3_open_v2(tables->hidden, &tables->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return database_error(tables, err);
    sqlite3_snprintf(sizeof pragmas, pragmas,
                     "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; PRAGMA cache_size=-1024;"
                     "PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN",
                     RESULTS_APPLICATION_ID, RESULTS_VERSION);
    if (execute(tables, pragmas, err) < 0 || execute(tables, schema, err) < 0)
        return -1;
    for (int i = 0; i < RESULTS_INSERTIONS; i++) {
        if (sqlite3_prepare_v3(tables->database, insertions[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &tables->insertions[i], NULL) != SQLITE_OK)
            return database_error(tables, err);
    }
    return 0;
}

static void close_database(struct results_tables *tables)
{
    for (int i = 0; i < RESULTS_INSERTIONS; i++) {
        sqlite3_finalize(tables->insertions[i]);
        tables->insertions[i] = NULL;
    }
    sqlite3_close(tables->database);
    tables->database = NULL;
}

int results_tables_commit(struct results_tables *tables, struct error *err)
{
    if (execute(tables, "COMMIT", err) < 0)
        return -1;
    close_database(tables);
    if (new_file_settle(tables->hidden, tables->path, err) < 0)
        return -1;
    free(tables->hidden);
    tables->hidden = NULL;
    return 0;
}

void results_tables_finish(struct results_tables *tables)
{
    close_database(tables);
    if (tables->hidden)
        unlink(tables->hidden);
    free(tables->hidden);
    *tables = (struct results_tables){0};
}

struct results_row results_row_begin(struct results_tables *tables,
                                     enum results_insertion insertion)
{
    return (struct results_row){.tables = tables, .insertion = tables->insertions[insertion]};
}

static void bound(struct results_row *row, int code)
{
    if (code != SQLITE_OK)
        row->failure = code;
}

void results_row_integer(struct results_row *row, int64_t value)
{
    bound(row, sqlite3_bind_int64(row->insertion, ++row->column, value));
}

void results_row_optional(struct results_row *row, int64_t value)
{
    if (value == INSTANT_NONE || value == INSTANT_NEVER)
        bound(row, sqlite3_bind_null(row->insertion, ++row->column));
    else
        results_row_integer(row, value);
}

void results_row_real(struct results_row *row, double value)
{
    if (isnan(value))
        bound(row, sqlite3_bind_null(row->insertion, ++row->column));
    else
        bound(row, sqlite3_bind_double(row->insertion, ++row->column, value));
}

void results_row_text(struct results_row *row, const char *text)
{
    bound(row, sqlite3_bind_text(row->insertion, ++row->column, text, -1, SQLITE_STATIC));
}

int results_row_end(struct results_row *row, struct error *err)
{
    int code = row->failure;

    if (code == SQLITE_OK)
        code = sqlite3_step(row->insertion);
    if (code != SQLITE_DONE) {
        database_error(row->tables, err);
        sqlite3_reset(row->insertion);
        return -1;
    }
    sqlite3_reset(row->insertion);
    return 0;
}
