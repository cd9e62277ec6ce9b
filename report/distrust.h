/* distrust.h: reads databases that others may have made.
 *
 * A database can contain views and triggers, which are programs: an endless one in the place of a
 * table never returns a row. A damaged one can lead in circles.
 */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "util/error.h"

/* How much SQLite may do for one query, and what is left of it, in thousands of instructions. */
struct distrust {
    int64_t at_most, left;
};

/* SQLite executes no view and no trigger of the file from now on, and no function with effects. */
void distrust_programs(sqlite3 *database);

/* A query that takes much longer than reading the whole file ends with SQLITE_INTERRUPT.
 * `distrust` must outlive the connection. */
void distrust_work(struct distrust *distrust, sqlite3 *database, const char *path);
/* Queries may also read this file, or what is copied from it. */
void distrust_more(struct distrust *distrust, const char *path);
/* The error of a query that took too long; returns -1. */
int distrust_error(const char *path, struct error *err);

/* Are those of the names (in lower case, separated by blanks) that exist in the file tables? 0:
 * yes; 1: no, EINVAL; -1: an error of SQLite, not in err. */
int distrust_names(sqlite3 *database, const char *path, const char *names, struct error *err);
