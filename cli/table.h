/* table.h: tables of text: aligned, as wide as the terminal, safe to print.
 *
 * Cells may hold untrusted text: control characters and those that change the direction of text are
 * printed as '?', so that a VM's name can neither control the terminal nor reorder a line. Widths
 * count UTF-8 characters, each as one column.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum table_column_kind {
    TABLE_LEFT,
    TABLE_RIGHT,
    TABLE_ELASTIC,  /* a name: left; truncated if the table is too wide */
    TABLE_SENTENCE, /* left; wrapped if the table is too wide */
};

struct table_column {
    const char *title;
    enum table_column_kind kind;
    unsigned rank; /* 0: always shown; otherwise, highest ranks are left out first */
};

struct table; /* opaque */

/* columns must outlive it. */
struct table *table_create(const struct table_column *columns, size_t n_columns);
void table_destroy(struct table *table); /* NULL is allowed */

/* Add a row; cells are copied, NULL is "-". */
void table_add(struct table *table, const char *const *cells);
size_t table_rows(const struct table *table);

/* Print it, titles first. width: characters in a line; 0: no limit. Columns are left out by
 * their rank before names get fewer than 12 characters, or sentences fewer than 24; when that is
 * not enough, they shrink to 4. Names are cut, sentences are wrapped. Lines end with text. */
void table_print(const struct table *table, FILE *stream, size_t width);

/* Print it on standard output, at most `width` characters wide; or, if it has no rows, a sentence
 * that says so. Destroys it. */
void table_show(struct table *table, size_t width, const char *nothing);

/* Columns of a line of standard output: $COLUMNS, else the terminal's; 0 if not a terminal. */
size_t table_terminal_width(void);

/* Prints a text with '?' for unsafe characters. */
void table_print_text(FILE *stream, const char *text);

/* Lines that are printed when all have been written to the stream: table_lines_print() wraps those
 * that are wider than the terminal, prints them on standard output and closes the stream. The first
 * `indent` characters of a line are a label; continuation lines are indented as far. */
struct table_lines {
    FILE *stream;
    char *text;
    size_t size;
};

void table_lines_begin(struct table_lines *lines);
void table_lines_print(struct table_lines *lines, size_t indent);
