/* database.h: the database of a sweep; for the sweep only.
 *
 *   cells   cell, digest, name, status (ok, stopped, stuck, failed), message, figures
 *   axes    cell, axis (1, 2, ...), name, label
 *   sweep   a view: cell, a column per axis, status, figures
 *   settings, hosts, leases, ...: those of report/results.h with `cell` in front
 *
 * A cell's file is a database with the tables of report/results.h and `cells` with one row, whose
 * cell is 0.
 */
#pragma once

#include <sqlite3.h>

#include "sweep/folder.h"
#include "sweep/grid.h"

enum { STORE_VERSION = 2, STORE_APPLICATION_ID = 0x47616c73 };

struct sweep_store {
    sqlite3 *database;
    char *path;
    unsigned keep; /* tables that are taken over */
    bool aligned;  /* it is the sweep's, and open for writing */
};

/* Open or make the database and bring it in line with the sweep, whose digests are known: rows of
 * cells that are no longer part of it are deleted (options.again: all rows), numbers follow the
 * digests. Errors: EEXIST (the file holds something else), EIO with SQLite's text. store needs
 * store_finish() in any case. */
int store_init(struct sweep_store *store, const struct sweep *sweep,
               const struct sweep_options *options, struct error *err);
void store_finish(struct sweep_store *store);

/* Take the files of the folder that belong to the sweep into the database and remove them. Adds
 * their number to *taken. */
int store_collect(struct sweep_store *store, const struct sweep *sweep, const struct folder *folder,
                  size_t *taken, struct error *err);

/* The same for one cell: 1 taken, 0 no file, -1 on errors. */
int store_take(struct sweep_store *store, const struct sweep *sweep, size_t cell,
               const struct folder *folder, struct error *err);

/* outcomes of all cells; missing ones are SWEEP_MISSING. `computed` is unchanged. */
int store_read(const struct sweep_store *store, const struct sweep *sweep,
               struct sweep_outcome *outcomes, struct error *err);

/* Write the row of a cell into its file, which is made when it is not there. */
int store_write_cell(const char *path, const char *name, uint64_t digest,
                     const struct sweep_outcome *outcome, struct error *err);

/* Whether an axis cannot have this name: it is that of a figure, or empty. */
bool store_name_is_taken(const char *axis);

/* Tables of report/results.h that are copied; figures are in `cells`. */
struct sweep_table {
    const char *name;
    unsigned keep; /* SWEEP_KEEP_... */
};

enum { STORE_TABLES = 8 };
extern const struct sweep_table store_tables[STORE_TABLES];

bool store_has_table(const struct sweep_store *store, const char *schema, const char *name);

/* Internal: errors of SQLite as ours; statements by sqlite3_mprintf(). */
int store_error(const struct sweep_store *store, struct error *err);
int store_execute(const struct sweep_store *store, struct error *err, const char *format, ...);
