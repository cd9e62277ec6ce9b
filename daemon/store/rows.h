/* rows.h: records as rows of tables, described by one table of columns each.
 *
 * To add a field to a record, add the field in store.h, its line in rows.c, and a migration in
 * schema.c that adds the column (a test compares the three).
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/store/store.h"
#include "daemon/store/sums.h"
#include "util/error.h"

enum store_column_type {
    COLUMN_INT64,
    COLUMN_INSTANT, /* int64_t; INSTANT_NONE is NULL */
    COLUMN_INT32,
    COLUMN_UINT32,
    COLUMN_BOOL,
    COLUMN_WORD,       /* an enumeration, stored as its word */
    COLUMN_TERM,       /* lease_terms[count], in a struct term_values */
    COLUMN_TEXT,       /* store_put_text(), less than `count` bytes */
    COLUMN_INT32_LIST, /* an array of `count` numbers, stored as text */
    COLUMN_INT64_LIST,
};

struct store_column {
    const char *name;
    enum store_column_type type;
    size_t offset; /* in the record */
    size_t count;
    bool of_avoided;          /* `offset` is in the VM's struct avoided_hosts */
    const char *const *words; /* COLUMN_WORD: words[value]; `count` of them */
};

struct store_table {
    const char *name;
    const struct store_column *columns; /* the first is the id */
    size_t n_columns;
};

extern const struct store_table store_lease_table, store_vm_table;

/* "INSERT INTO ..." with a parameter for each column, in order, and the row's checksum; "SELECT ...
 * FROM name" with the columns in order, and whether the row's checksum is right. `insert`:
 * "INSERT", or with a clause; `sum`: the expression of the checksum (sums.h), of parameters or of
 * columns. To be freed. */
char *store_rows_put_text(const struct store_table *table, const char *insert, const char *sum);
char *store_rows_get_text(const struct store_table *table, const char *sum, const char *condition);

/* The column's field of a record. */
const void *store_rows_field(const struct store_column *column, const void *record);

/* The numbers of the columns in the order of the file, to be freed; NULL with err. */
size_t *store_rows_order(const struct store *store, const struct store_table *table,
                         struct error *err);

/* Bind a record and its checksum to a put statement. Texts must live until the statement is
 * stepped. Returns an SQLite code. */
int store_rows_bind(const struct summed_put *put, const struct store_table *table,
                    const size_t *order, const void *record);

/* Read the current row of a get statement. Errors: EBADMSG (wrong checksum, or an impossible word
 * or number: the file is damaged). Texts that are too long are cut. */
int store_rows_read(sqlite3_stmt *statement, const struct store_table *table, void *record,
                    struct error *err);
