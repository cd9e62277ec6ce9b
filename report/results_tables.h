/* results_tables.h: the tables of a results database and their insertions. Internal to the results.
 */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "util/error.h"

enum results_insertion {
    INSERT_RUN,
    INSERT_SETTING,
    INSERT_HOST,
    INSERT_LEASE,
    INSERT_RESERVATION,
    INSERT_RESERVATION_HOST,
    INSERT_STATE,
    INSERT_PREEMPTION,
    INSERT_COUNTER,
    RESULTS_INSERTIONS
};

struct results_tables {
    sqlite3 *database;
    sqlite3_stmt *insertions[RESULTS_INSERTIONS];
    const char *path; /* owned by the caller */
    char *hidden;     /* the path of the incomplete database; NULL: complete */
};

/* Opens a new database, creates the tables, and begins the transaction. Call
 * results_tables_finish() in any case. */
int results_tables_init(struct results_tables *tables, const char *path, struct error *err);
/* Gives the database its name, and replaces older results. */
int results_tables_commit(struct results_tables *tables, struct error *err);
void results_tables_finish(struct results_tables *tables);

/* A row is written by begin, its values in the order of the columns, and end, which reports
 * failures. */
struct results_row {
    const struct results_tables *tables;
    sqlite3_stmt *insertion;
    int column;
    int failure;
};

struct results_row results_row_begin(struct results_tables *tables,
                                     enum results_insertion insertion);
void results_row_integer(struct results_row *row, int64_t value);
/* NULL for the values that mean "not set" and "without end". */
void results_row_optional(struct results_row *row, int64_t value);
void results_row_real(struct results_row *row, double value); /* NAN: NULL */
/* NULL is allowed; the text must live until the end of the row. */
void results_row_text(struct results_row *row, const char *text);
int results_row_end(struct results_row *row, struct error *err);
