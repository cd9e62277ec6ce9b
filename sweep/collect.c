/* Collects the files of cells in the database. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/database.h"
#include "util/decimal.h"

/* Stores a label in the notation of a number as that number, for sorting. */
static void bind_label(sqlite3_stmt *statement, int at, const char *label)
{
    char text[REAL_TEXT_MAX + 1], *end;
    double value = strtod(label, &end);

    if (*label && !*end && isfinite(value)) {
        text[real_text(value, text)] = '\0';
        if (!strcmp(text, label)) {
            if (value == floor(value) && fabs(value) < 1e15)
                sqlite3_bind_int64(statement, at, (int64_t)value);
            else
                sqlite3_bind_double(statement, at, value);
            return;
        }
    }
    sqlite3_bind_text(statement, at, label, -1, SQLITE_STATIC);
}

static int insert_axes(const struct sweep_database *database, const struct sweep *sweep,
                       size_t cell, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->sqlite, "INSERT INTO main.axes VALUES (?, ?, ?, ?)", -1,
                                  &statement, NULL);

    for (size_t i = 0; i < sweep->n_axes && code == SQLITE_OK; i++) {
        sqlite3_bind_int64(statement, 1, (int64_t)cell);
        sqlite3_bind_int64(statement, 2, (int64_t)i + 1);
        sqlite3_bind_text(statement, 3, sweep->axes[i], -1, SQLITE_STATIC);
        bind_label(statement, 4, grid_cell(sweep, cell)->labels[i]);
        sqlite3_step(statement);
        code = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK ? 0 : database_error(database, err);
}

static int copy_table(const struct sweep_database *database, const char *name, size_t cell,
                      struct error *err)
{
    if (!database_has_table(database, "main", name) &&
        database_execute(database, err,
                         "CREATE TABLE main.%s AS SELECT 0 AS cell, * FROM one.%s WHERE 0;"
                         "CREATE INDEX main.%s_of_cell ON %s (cell)",
                         name, name, name, name) < 0)
        return -1;
    return database_execute(database, err, "INSERT INTO main.%s SELECT %lld, * FROM one.%s", name,
                            (long long)cell, name);
}

static int remove_cell(const struct sweep_database *database, size_t cell, struct error *err)
{
    for (size_t i = 0; i < DATABASE_TABLES; i++)
        if (database_has_table(database, "main", database_tables[i].name) &&
            database_execute(database, err, "DELETE FROM main.%s WHERE cell = %lld",
                             database_tables[i].name, (long long)cell) < 0)
            return -1;
    return database_execute(database, err,
                            "DELETE FROM main.axes WHERE cell = %lld;"
                            "DELETE FROM main.cells WHERE cell = %lld",
                            (long long)cell, (long long)cell);
}

static int copy_cell(const struct sweep_database *database, const struct sweep *sweep, size_t cell,
                     unsigned keep, struct error *err)
{
    if (remove_cell(database, cell, err) < 0 ||
        database_execute(database, err,
                         "INSERT INTO main.cells SELECT * FROM one.cells;"
                         "UPDATE main.cells SET cell = %lld, name = %Q WHERE cell = 0",
                         (long long)cell, sweep_name(sweep, cell)) < 0 ||
        insert_axes(database, sweep, cell, err) < 0)
        return -1;
    for (size_t i = 0; i < DATABASE_TABLES; i++)
        if (keep & database_tables[i].keep &&
            database_has_table(database, "one", database_tables[i].name) &&
            copy_table(database, database_tables[i].name, cell, err) < 0)
            return -1;
    return 0;
}

/* Is the attached file complete, and the file of the cell? */
static bool is_of_cell(const struct sweep_database *database, const struct grid_cell *cell)
{
    sqlite3_stmt *statement = NULL;
    bool result = false;

    if (sqlite3_prepare_v2(database->sqlite, "SELECT digest FROM one.cells WHERE cell = 0", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        result = (uint64_t)sqlite3_column_int64(statement, 0) == cell->digest;
    sqlite3_finalize(statement);
    return result;
}

/* Was the last failure caused by a damaged file? */
static bool is_damage(const struct sweep_database *database)
{
    int code = sqlite3_errcode(database->sqlite);

    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

/* 1: taken; 0: the file is damaged; -1: errors of the database. */
static int take_attached(struct sweep_database *database, const struct sweep *sweep, size_t cell,
                         struct error *err)
{
    bool damaged;

    if (!is_of_cell(database, grid_cell(sweep, cell)))
        return 0;
    if (database_execute(database, err, "BEGIN IMMEDIATE") < 0)
        return -1;
    if (copy_cell(database, sweep, cell, database->keep, err) == 0 &&
        database_execute(database, err, "COMMIT") == 0)
        return 1;
    damaged = is_damage(database);
    sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return damaged ? 0 : -1;
}

int database_take(struct sweep_database *database, const struct sweep *sweep, size_t cell,
                  const struct folder *folder, struct error *err)
{
    char *path = folder_cell(folder, grid_cell(sweep, cell)->digest);
    struct stat status;
    int result = 0;

    if (stat(path, &status) == 0) {
        distrust_more(&database->distrust, path);
        result = database_execute(database, err, "ATTACH %Q AS one", path);
        if (result == 0) {
            result = take_attached(database, sweep, cell, err);
            sqlite3_exec(database->sqlite, "DETACH one", NULL, NULL, NULL);
        } else if (is_damage(database)) {
            result = 0;
        }
        /* A damaged file is deleted, and its cell computed again. */
        if (result >= 0 && unlink(path) < 0)
            result = error_errno(err, "%s: cannot be removed", path);
    }
    free(path);
    return result;
}

int database_collect(struct sweep_database *database, const struct sweep *sweep,
                     const struct folder *folder, size_t *taken, struct error *err)
{
    for (size_t cell = 1; cell <= sweep->n_cells; cell++) {
        int result = database_take(database, sweep, cell, folder, err);

        if (result < 0)
            return -1;
        *taken += (size_t)result;
    }
    return 0;
}
