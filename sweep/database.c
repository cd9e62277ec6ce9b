/* Keeps the database of a sweep. */
#include "sweep/database.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sweep/figures.h"
#include "util/memory.h"

const struct sweep_table database_tables[DATABASE_TABLES] = {
    {"settings", SWEEP_KEEP_SETTINGS},
    {"hosts", SWEEP_KEEP_HOSTS},
    {"leases", SWEEP_KEEP_LEASES},
    {"reservations", SWEEP_KEEP_RESERVATIONS},
    {"reservation_hosts", SWEEP_KEEP_RESERVATIONS},
    {"state_log", SWEEP_KEEP_STATE_LOG},
    {"preemptions", SWEEP_KEEP_PREEMPTIONS},
    {"counters", SWEEP_KEEP_COUNTERS},
};

int database_error(const struct sweep_database *database, struct error *err)
{
    int code = sqlite3_errcode(database->sqlite);

    if (code == SQLITE_INTERRUPT)
        return distrust_error(database->path, err);
    return error_set(err,
                     code == SQLITE_FULL    ? ENOSPC
                     : code == SQLITE_NOMEM ? ENOMEM
                                            : EIO,
                     "%s: %s", database->path, sqlite3_errmsg(database->sqlite));
}

int database_execute(const struct sweep_database *database, struct error *err, const char *format,
                     ...)
{
    va_list args;
    char *text;
    int code;

    va_start(args, format);
    text = sqlite3_vmprintf(format, args);
    va_end(args);
    code = text ? sqlite3_exec(database->sqlite, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code == SQLITE_OK ? 0 : database_error(database, err);
}

bool database_has_table(const struct sweep_database *database, const char *schema, const char *name)
{
    return sqlite3_table_column_metadata(database->sqlite, schema, name, NULL, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

bool database_name_is_taken(const char *axis)
{
    static const char *const others[] = {"cell", "status", ""};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcasecmp(axis, others[i]))
            return true;
    for (size_t i = 0; i < figure_count; i++)
        if (!strcasecmp(axis, figure_table[i].name))
            return true;
    return false;
}

static int create_cells(const struct sweep_database *database, struct error *err)
{
    char *figures = figures_list(true);
    int result =
        database_execute(database, err,
                         "CREATE TABLE cells (cell INTEGER PRIMARY KEY, digest INTEGER NOT NULL, "
                         "name TEXT NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL, %s)",
                         figures);

    sqlite3_free(figures);
    return result;
}

int database_open(struct sweep_database *database, const char *path, int flags, struct error *err)
{
    database->path = memory_text(path);
    if (sqlite3_open_v2(path, &database->sqlite, flags, NULL) != SQLITE_OK)
        return database_error(database, err);
    distrust_work(&database->distrust, database->sqlite, path);
    sqlite3_busy_timeout(database->sqlite, 10000);
    return 0;
}

static int open_to_write(struct sweep_database *database, const char *path, struct error *err)
{
    if (database_open(database, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) < 0)
        return -1;
    distrust_programs(database->sqlite);
    return 0;
}

/* A pragma's value, -1 if the file is not a database. */
static int64_t pragma(const struct sweep_database *database, const char *name)
{
    sqlite3_stmt *statement = NULL;
    char text[80];
    int64_t value = -1;

    snprintf(text, sizeof text, "PRAGMA %s", name);
    if (sqlite3_prepare_v2(database->sqlite, text, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* 0: new and empty; 1: the database of a sweep; -1: other contents. */
static int recognize(const struct sweep_database *database, struct error *err)
{
    if (pragma(database, "application_id") == DATABASE_APPLICATION_ID) {
        if (pragma(database, "user_version") == DATABASE_VERSION)
            return 1;
        return error_set(err, EEXIST,
                         "%s: contains a sweep of another version of Galerna; remove it, or choose "
                         "another file for the results",
                         database->path);
    }
    if (pragma(database, "schema_version") == 0)
        return 0;
    return error_set(
        err, EEXIST,
        "%s: exists and is not a database of a sweep; choose another file for the results",
        database->path);
}

static int create_tables(const struct sweep_database *database, struct error *err)
{
    if (create_cells(database, err) < 0)
        return -1;
    return database_execute(database, err,
                            "CREATE TABLE axes (cell INTEGER NOT NULL REFERENCES cells, "
                            "axis INTEGER NOT NULL, name TEXT NOT NULL, label NOT NULL, "
                            "PRIMARY KEY (cell, axis)) WITHOUT ROWID;"
                            "PRAGMA application_id=%d; PRAGMA user_version=%d",
                            DATABASE_APPLICATION_ID, DATABASE_VERSION);
}

/* The cell with the digest, 0: none. */
static size_t cell_of_digest(const struct sweep *sweep, uint64_t digest)
{
    size_t low = 0, high = sweep->n_cells;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (grid_cell(sweep, sweep->by_digest[middle])->digest < digest)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < sweep->n_cells && grid_cell(sweep, sweep->by_digest[low])->digest == digest)
        return sweep->by_digest[low];
    return 0;
}

static int renumber_table(const struct sweep_database *database, const char *table,
                          struct error *err)
{
    if (!database_has_table(database, "main", table))
        return 0;
    return database_execute(
        database, err,
        "DELETE FROM main.%s WHERE cell IN (SELECT old FROM numbers WHERE new = 0);UPDATE main.%s "
        "SET cell = (SELECT -new FROM numbers WHERE old = cell) WHERE cell IN (SELECT old FROM "
        "numbers);UPDATE main.%s SET cell = -cell WHERE cell < 0",
        table, table, table);
}

/* Gives every row the number of its digest in the sweep, and deletes rows with 0. Numbers are
 * negative first, to avoid collisions. */
static int renumber(const struct sweep_database *database, const struct sweep *sweep, bool again,
                    struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = 0;

    if (database_execute(database, err,
                         "CREATE TEMP TABLE numbers (old INTEGER PRIMARY KEY, new INTEGER)") < 0)
        return -1;
    if (sqlite3_prepare_v2(database->sqlite, "SELECT cell, digest FROM main.cells", -1, &statement,
                           NULL) != SQLITE_OK)
        return database_error(database, err);
    while (result == 0 && sqlite3_step(statement) == SQLITE_ROW) {
        int64_t old = sqlite3_column_int64(statement, 0);
        size_t new =
            again ? 0 : cell_of_digest(sweep, (uint64_t)sqlite3_column_int64(statement, 1));

        if ((int64_t) new != old)
            result = database_execute(database, err, "INSERT INTO numbers VALUES (%lld, %lld)",
                                      (long long)old, (long long)new);
    }
    if (sqlite3_finalize(statement) != SQLITE_OK && result == 0)
        result = database_error(database, err);
    for (size_t i = 0; i < DATABASE_TABLES && result == 0; i++)
        result = renumber_table(database, database_tables[i].name, err);
    if (result == 0)
        result = renumber_table(database, "cells", err);
    if (result == 0)
        result = renumber_table(database, "axes", err);
    if (result == 0)
        result = database_execute(database, err, "DROP TABLE numbers");
    return result;
}

/* Updates the names of cells: the axes on which cells differ may have changed. */
static int rename_cells(const struct sweep_database *database, const struct sweep *sweep,
                        struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->sqlite,
                                  "UPDATE main.cells SET name = ?1 WHERE cell = ?2 AND name <> ?1",
                                  -1, &statement, NULL);

    for (size_t cell = 1; cell <= sweep->n_cells && code == SQLITE_OK; cell++) {
        sqlite3_bind_text(statement, 1, sweep_name(sweep, cell), -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, (int64_t)cell);
        sqlite3_step(statement);
        code = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK ? 0 : database_error(database, err);
}

static int create_view(const struct sweep_database *database, const struct sweep *sweep,
                       struct error *err)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    char *figures = figures_list(false), *columns;
    int result;

    for (size_t i = 0; i < sweep->n_axes; i++)
        sqlite3_str_appendf(text,
                            "(SELECT label FROM axes a WHERE a.cell = c.cell AND axis = %d) "
                            "AS \"%w\", ",
                            (int)i + 1, sweep->axes[i]);
    columns = sqlite3_str_finish(text);
    result = database_execute(database, err,
                              "DROP VIEW IF EXISTS sweep; CREATE VIEW sweep AS SELECT c.cell, %s"
                              "c.status, %s FROM cells c ORDER BY c.cell",
                              columns ? columns : "", figures);
    sqlite3_free(columns);
    sqlite3_free(figures);
    return result;
}

/* Commits may reach the disk later: results lost in a power failure are computed again. Exclusive
 * mode keeps the log without shared memory, which network file systems lack. */
static const char opening[] = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; "
                              "PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE";

static int align(struct sweep_database *database, const struct sweep *sweep, bool again,
                 struct error *err)
{
    static const char names[] = "cells axes settings hosts leases reservations reservation_hosts "
                                "state_log preemptions counters";
    int known = recognize(database, err), other;

    if (known < 0)
        return -1;
    other = distrust_names(database->sqlite, database->path, names, err);
    if (other)
        return other < 0 ? database_error(database, err) : -1;
    if (database_execute(database, err, opening) < 0)
        return -1;
    if (known == 0 && create_tables(database, err) < 0)
        return -1;
    if (renumber(database, sweep, again, err) < 0 || rename_cells(database, sweep, err) < 0 ||
        create_view(database, sweep, err) < 0)
        return -1;
    if (database_execute(database, err, "COMMIT") < 0)
        return -1;
    database->aligned = true;
    return 0;
}

int database_init(struct sweep_database *database, const struct sweep *sweep,
                  const struct sweep_options *options, struct error *err)
{
    *database = (struct sweep_database){.keep = grid_keep(sweep, options)};
    if (open_to_write(database, options->results, err) < 0)
        return -1;
    return align(database, sweep, options->again, err);
}

void database_finish(struct sweep_database *database)
{
    /* Leaves a single file, which can be read in a read-only folder. */
    if (database->aligned)
        sqlite3_exec(database->sqlite, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    sqlite3_close(database->sqlite);
    free(database->path);
    *database = (struct sweep_database){0};
}

static const char *status_text(const struct sweep_outcome *outcome)
{
    return outcome->status == SWEEP_FAILED ? "failed" : outcome->ending;
}

static int insert_cell(const struct sweep_database *database, const char *name, uint64_t digest,
                       const struct sweep_outcome *outcome, struct error *err)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_stmt *statement = NULL;
    char *insertion;
    int code;

    sqlite3_str_appendall(text, "INSERT INTO cells VALUES (0, ?, ?, ?, ?");
    for (size_t i = 0; i < figure_count; i++)
        sqlite3_str_appendall(text, ", ?");
    sqlite3_str_appendall(text, ")");
    insertion = sqlite3_str_finish(text);
    code = sqlite3_prepare_v2(database->sqlite, insertion, -1, &statement, NULL);
    sqlite3_free(insertion);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, (int64_t)digest);
        sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, status_text(outcome), -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 4, outcome->message, -1, SQLITE_STATIC);
        figures_bind(statement, 5, outcome);
        sqlite3_step(statement);
    }
    code = sqlite3_finalize(statement);
    return code == SQLITE_OK ? 0 : database_error(database, err);
}

int database_write_cell(const char *path, const char *name, uint64_t digest,
                        const struct sweep_outcome *outcome, struct error *err)
{
    struct sweep_database database = {0};
    int result = open_to_write(&database, path, err);

    if (result == 0)
        result = database_execute(&database, err,
                                  "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; BEGIN");
    if (result == 0)
        result = create_cells(&database, err);
    if (result == 0)
        result = insert_cell(&database, name, digest, outcome, err);
    if (result == 0)
        result = database_execute(&database, err, "COMMIT");
    database_finish(&database);
    return result;
}

static void read_row(sqlite3_stmt *statement, struct sweep_outcome *outcome)
{
    bool computed = outcome->computed;
    const char *status = (const char *)sqlite3_column_text(statement, 1);
    const char *message = (const char *)sqlite3_column_text(statement, 2);

    *outcome = (struct sweep_outcome){.computed = computed};
    outcome->status = !strcmp(status, "failed") ? SWEEP_FAILED : SWEEP_OK;
    snprintf(outcome->ending, sizeof outcome->ending, "%s", status);
    snprintf(outcome->message, sizeof outcome->message, "%s", message);
    figures_read(statement, 3, outcome);
}

int database_read(const struct sweep_database *database, const struct sweep *sweep,
                  struct sweep_outcome *outcomes, struct error *err)
{
    char *figures = figures_list(false);
    char *query = sqlite3_mprintf("SELECT cell, status, message, %s FROM cells", figures);
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->sqlite, query, -1, &statement, NULL);

    sqlite3_free(query);
    sqlite3_free(figures);
    for (size_t i = 0; i < sweep->n_cells; i++)
        outcomes[i] = (struct sweep_outcome){.computed = outcomes[i].computed};
    while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        int64_t cell = sqlite3_column_int64(statement, 0);

        if (cell >= 1 && cell <= (int64_t)sweep->n_cells)
            read_row(statement, &outcomes[cell - 1]);
    }
    code = sqlite3_finalize(statement);
    return code == SQLITE_OK ? 0 : database_error(database, err);
}
