/* sums.h: checksums that detect a damaged store.
 *
 * Each row has a checksum (column `sum`) of its table's name and its values, computed by the SQL
 * function row_sum(). The table `seal` has, for each table, the number of rows and the total of
 * their checksums, updated by every transaction, so lost or outdated rows are detected. The fact
 * `schema` is the checksum of the tables' definitions, `commits` the number of transactions; the
 * expected number of commits is in a file beside the store (seal.h).
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/store.h"

struct summed_table {
    const char *name, *key;
};

enum { SUMMED_LEASE, SUMMED_VM, SUMMED_EVENT, SUMMED_FACT, SUMMED_MIGRATION, SUMMED_TABLES };

extern const struct summed_table summed_tables[SUMMED_TABLES];

/* FNV-1a of bytes, folded to 32 bits. */
uint32_t sum_of_bytes(const void *bytes, size_t n);

/* Rows of a table, and the total of their checksums. */
struct sums_total {
    int64_t n, total;
};

/* Register the SQL functions; returns an SQLite code. */
int sums_define(struct store *store);

/* Prepare a valid file's expressions and totals. -1 with err. */
int sums_begin(struct store *store, struct error *err);

/* "row_sum('vm', ...)" of all columns of the file's table except `sum`, by name. To be freed; NULL
 * with err. */
char *sums_expression(const struct store *store, const struct summed_table *table,
                      struct error *err);
/* The value of `sum` in an insertion with the parameters :sum and :KEY; also counts the row.
 * `replaces`: there may be a row with its key. To be freed. Deletions have "RETURNING
 * drop_sum('vm', sum)". */
char *sums_of_inserted(const struct summed_table *table, bool replaces);

/* A value as it is stored. */
struct stored_value {
    int type;          /* SQLITE_NULL, SQLITE_INTEGER or SQLITE_TEXT */
    bool is_temporary; /* of the text: else it lives until the statement is run */
    int64_t number;
    const char *text;
    size_t length; /* of the text */
};

struct stored_value stored_number(int64_t number);
struct stored_value stored_text(const char *text);

/* An insertion, and the values of its parameters, by their numbers: only those that differ from the
 * row before are bound. */
struct summed_put {
    sqlite3_stmt *statement;
    struct stored_value *bound;
};

/* Binds a row to an insertion, and computes its checksum like row_sum(), but faster: values are
 * added in the order of the file's columns, each with the number of its parameter. The checksum is
 * the last parameter. Returns an SQLite code. */
struct summed_row {
    const struct summed_put *put;
    uint64_t sum;
    int n, code;
};
void summed_row_begin(struct summed_row *row, const struct summed_put *put, const char *table);
void summed_row_add(struct summed_row *row, int parameter, const struct stored_value *value);
int summed_row_end(struct summed_row *row);

/* Write the totals, in a transaction; -1: an SQLite error. sums_settle(): the transaction was
 * committed, or rolled back. */
int sums_seal(const struct store *store);
void sums_settle(struct store *store, bool committed);

/* Does the file have checksums? 1, 0, or -1 with err. */
int sums_exist(const struct store *store, struct error *err);

/* Recompute all checksums and totals from the rows. -1 with err. */
int sums_renew(const struct store *store, struct error *err);

/* Compare all checksums and totals with the rows. Errors: EBADMSG, with the table and the row.
 * Reads the whole file: about 2 us per row. */
int sums_check(const struct store *store, struct error *err);
int sums_check_table(const struct store *store, const struct summed_table *table,
                     struct error *err);
