/* database.h: the database of a sweep; internal.
 *
 *   cells   cell, digest, name, status (ok, stopped, stuck, failed), message, figures
 *   axes    cell, axis (1, 2, ...), name, label
 *   sweep   a view: cell, a column per axis, status, figures
 *   settings, hosts, leases, ...: the tables of report/results.h with a first column `cell`
 *
 * A cell's file is a database with the tables of report/results.h and a table `cells` with one row
 * for cell 0.
 */
#pragma once

#include <sqlite3.h>

#include "report/distrust.h"
#include "sweep/folder.h"
#include "sweep/grid.h"

enum { DATABASE_VERSION = 2, DATABASE_APPLICATION_ID = 0x47616c73 };

struct sweep_database {
    sqlite3 *sqlite;
    struct distrust distrust;
    char *path;
    unsigned keep; /* tables to copy from cells */
    bool aligned;  /* in line with the sweep, and open for writing */
};

/* Opens or creates the database and brings it in line with the sweep, whose digests must be known:
 * deletes rows of cells that are no longer part of the sweep (options.again: all rows), and
 * renumbers cells by their digests. Errors: EEXIST (the file has other contents), EIO with SQLite's
 * text. Call database_finish() in any case. */
int database_init(struct sweep_database *database, const struct sweep *sweep,
                  const struct sweep_options *options, struct error *err);
void database_finish(struct sweep_database *database);

/* Copies the sweep's files in the folder to the database, removes them, and adds their number to
 * *taken. */
int database_collect(struct sweep_database *database, const struct sweep *sweep,
                     const struct folder *folder, size_t *taken, struct error *err);

/* Copies the file of one cell and removes it: 1: done, 0: no file, -1: error. */
int database_take(struct sweep_database *database, const struct sweep *sweep, size_t cell,
                  const struct folder *folder, struct error *err);

/* Reads the outcomes of all cells; missing cells are SWEEP_MISSING. `computed` is unchanged. */
int database_read(const struct sweep_database *database, const struct sweep *sweep,
                  struct sweep_outcome *outcomes, struct error *err);

/* Writes the row of a cell to its file, which is created if missing. */
int database_write_cell(const char *path, const char *name, uint64_t digest,
                        const struct sweep_outcome *outcome, struct error *err);

/* Is the name invalid for an axis, because it is empty or the name of a figure? */
bool database_name_is_taken(const char *axis);

/* The tables of report/results.h to copy; figures are in `cells`. */
struct sweep_table {
    const char *name;
    unsigned keep; /* SWEEP_KEEP_... */
};

enum { DATABASE_TABLES = 8 };
extern const struct sweep_table database_tables[DATABASE_TABLES];

bool database_has_table(const struct sweep_database *database, const char *schema,
                        const char *name);

/* Internal: opens the file, whose queries are bounded; call database_finish() in any case. Converts
 * SQLite's error; executes a statement formatted by sqlite3_mprintf(). */
int database_open(struct sweep_database *database, const char *path, int flags, struct error *err);
int database_error(const struct sweep_database *database, struct error *err);
int database_execute(const struct sweep_database *database, struct error *err, const char *format,
                     ...);
