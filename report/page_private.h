/* page_private.h: shared by report/page*.c; internal. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/distrust.h"
#include "util/error.h"
#include "util/json_writer.h"

/* The page, generated from web/files/report.html, with @DATA@ in the place of the data. */
extern const unsigned char page_text[];

/* A database of results. */
struct page_input {
    const char *path;
    sqlite3 *database;
    struct distrust distrust;
    bool is_sweep;
};

/* A run in a database. Queries for both kinds of databases use the names of tables in
 * doc/results-schema.md. */
struct page_run {
    struct page_input *input;
    int64_t cell;      /* of a sweep */
    int64_t end;       /* seconds */
    int64_t bars_size; /* limit of bytes for its bars */
};

/* Errors as page_write(). */
int page_input_open(struct page_input *input, const char *path, struct error *err);
void page_input_close(struct page_input *input);
int page_input_error(const struct page_input *input, struct error *err);
int page_input_execute(struct page_input *input, const char *text, struct error *err);

/* A query, to be finalized; NULL with err. */
sqlite3_stmt *page_input_query(struct page_input *input, const char *text, struct error *err);

/* Does the table exist? */
bool page_input_has(const struct page_input *input, const char *table);

/* Must be called before the run is written. */
int page_run_begin(const struct page_run *run, struct error *err);

/* Writes the parts of a run other than its figures. */
int page_run_write(const struct page_run *run, struct json_writer *json, struct error *err);
