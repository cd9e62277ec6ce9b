/* Exports a sweep's database as a table. */
#include <errno.h>
#include <string.h>

#include "sweep/database.h"
#include "util/json_writer.h"
#include "util/output.h"

/* Opens the database for reading only. Call database_finish() in any case. */
static int open_results(struct sweep_database *database, const char *results, struct error *err)
{
    *database = (struct sweep_database){0};
    if (database_open(database, results, SQLITE_OPEN_READONLY, err) < 0)
        return -1;
    if (!database_has_table(database, "main", "cells"))
        return error_set(err, EINVAL, "%s: not a database of a sweep", results);
    return 0;
}

static sqlite3_stmt *select_rows(const struct sweep_database *database, const char *query,
                                 struct error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(database->sqlite, query, -1, &statement, NULL) != SQLITE_OK)
        database_error(database, err);
    return statement;
}

static void csv_value(struct output *out, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        output_integer(out, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        output_double(out, sqlite3_column_double(statement, column));
        break;
    default:
        output_csv(out, (const char *)sqlite3_column_text(statement, column));
    }
}

static void write_csv(struct output *out, sqlite3_stmt *statement)
{
    int columns = sqlite3_column_count(statement);

    for (int i = 0; i < columns; i++) {
        if (i)
            output_char(out, ',');
        output_csv(out, sqlite3_column_name(statement, i));
    }
    output_char(out, '\n');
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            if (i)
                output_char(out, ',');
            csv_value(out, statement, i);
        }
        output_char(out, '\n');
    }
}

static void json_value(struct json_writer *json, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        json_write_null(json);
        break;
    case SQLITE_INTEGER:
        json_write_integer(json, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        json_write_double(json, sqlite3_column_double(statement, column));
        break;
    default:
        json_write_string(json, (const char *)sqlite3_column_text(statement, column));
    }
}

/* Writes a row with the columns name, message, then the columns of the view: cell, axes, status,
 * figures. */
static void json_row(struct json_writer *json, sqlite3_stmt *statement)
{
    int columns = sqlite3_column_count(statement), i = 3;

    json_begin_object(json);
    json_write_key(json, "cell");
    json_value(json, statement, 2);
    json_write_key(json, "name");
    json_value(json, statement, 0);
    json_open_object(json, "axes");
    for (; i < columns && strcmp(sqlite3_column_name(statement, i), "status") != 0; i++) {
        json_write_key(json, sqlite3_column_name(statement, i));
        json_value(json, statement, i);
    }
    json_end_object(json);
    json_write_key(json, "status");
    json_value(json, statement, i);
    json_write_key(json, "message");
    json_value(json, statement, 1);
    for (i++; i < columns; i++) {
        json_write_key(json, sqlite3_column_name(statement, i));
        json_value(json, statement, i);
    }
    json_end_object(json);
}

static void write_json(struct output *out, sqlite3_stmt *statement)
{
    struct json_writer json;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_put_string(&json, "schema", "galerna-sweep");
    json_put_integer(&json, "version", DATABASE_VERSION);
    json_open_array(&json, "cells");
    while (sqlite3_step(statement) == SQLITE_ROW)
        json_row(&json, statement);
    json_end_array(&json);
    json_end_object(&json);
    output_char(out, '\n');
}

static int export(const char *results, const char *path, const char *query,
                  void (*write)(struct output *out, sqlite3_stmt *statement), struct error *err)
{
    struct sweep_database database;
    sqlite3_stmt *statement = NULL;
    struct output *out = NULL;
    int result = open_results(&database, results, err);

    if (result == 0) {
        statement = select_rows(&database, query, err);
        out = statement ? output_create(path, err) : NULL;
        result = out ? 0 : -1;
    }
    if (result == 0)
        write(out, statement);
    if (sqlite3_finalize(statement) != SQLITE_OK && result == 0)
        result = database_error(&database, err);
    if (out && output_close(out, result ? NULL : err) < 0)
        result = -1;
    database_finish(&database);
    return result;
}

int sweep_write_csv(const char *results, const char *path, struct error *err)
{
    return export(results, path, "SELECT * FROM sweep ORDER BY cell", write_csv, err);
}

int sweep_write_json(const char *results, const char *path, struct error *err)
{
    return export(results, path,
                  "SELECT c.name, c.message, s.* FROM sweep s JOIN cells c USING (cell) "
                  "ORDER BY s.cell",
                  write_json, err);
}
