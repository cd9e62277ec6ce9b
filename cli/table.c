/* Tables for people: columns that fit the terminal, cells that cannot command it. */
#include "cli/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/printable.h"

enum {
    GAP = 2,
    NAME_LEAST = 12, /* places that a name or a sentence has before columns are left out for it */
    SENTENCE_LEAST = 24,
    ELASTIC_MIN = 4,
    WIDTH_MIN = 20,
    WIDTH_MAX = 10000
};

struct table {
    const struct table_column *columns;
    size_t n_columns;
    char **cells; /* row after row */
    size_t n_cells, n_rows, allocated;
};

struct table *table_create(const struct table_column *columns, size_t n_columns)
{
    struct table *table = memory_new(1, sizeof *table);

    table->columns = columns;
    table->n_columns = n_columns;
    return table;
}

void table_destroy(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table);
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t places(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += !is_continuation(*text);
    return n;
}

void table_add(struct table *table, const char *const *cells)
{
    table->cells = memory_grow(table->cells, &table->allocated, table->n_cells + table->n_columns,
                               sizeof *table->cells);
    for (size_t i = 0; i < table->n_columns; i++) {
        char *cell = memory_text(cells[i] && *cells[i] ? cells[i] : "-");

        mask_controls(cell, '?');
        table->cells[table->n_cells++] = cell;
    }
    table->n_rows++;
}

size_t table_rows(const struct table *table)
{
    return table->n_rows;
}

/* The width below which a column is not cut while others can be left out. */
static size_t least_width(const struct table_column *column, size_t width)
{
    size_t least = column->kind == TABLE_ELASTIC    ? NAME_LEAST
                   : column->kind == TABLE_SENTENCE ? SENTENCE_LEAST
                                                    : width;

    return width < least ? width : least;
}

/* Leave out columns, those of the highest rank first, until the rest fits. Their width is 0. */
static void leave_out(const struct table *table, size_t *widths, size_t width)
{
    for (;;) {
        size_t total = 0, first = table->n_columns;
        unsigned rank = 0;

        for (size_t i = 0; i < table->n_columns; i++) {
            const struct table_column *column = &table->columns[i];

            if (!widths[i])
                continue;
            total += (total ? GAP : 0) + least_width(column, widths[i]);
            if (column->rank > rank) {
                rank = column->rank;
                first = i;
            }
        }
        if (total <= width || first == table->n_columns)
            return;
        widths[first] = 0;
    }
}

static bool is_elastic(const struct table_column *column)
{
    return column->kind == TABLE_ELASTIC || column->kind == TABLE_SENTENCE;
}

/* Cut the widest elastic columns until the table fits; `hard`: below their least widths. */
static void shrink(const struct table *table, size_t *widths, size_t width, bool hard)
{
    size_t total = 0;

    for (size_t i = 0; i < table->n_columns; i++)
        if (widths[i])
            total += (total ? GAP : 0) + widths[i];
    while (total > width) {
        size_t widest = table->n_columns;

        for (size_t i = 0; i < table->n_columns; i++) {
            const struct table_column *column = &table->columns[i];
            size_t least = hard ? ELASTIC_MIN : least_width(column, widths[i]);

            if (is_elastic(column) && widths[i] > least &&
                (widest == table->n_columns || widths[i] > widths[widest]))
                widest = i;
        }
        if (widest == table->n_columns)
            return;
        widths[widest]--;
        total--;
    }
}

/* The cell cut to its width, with ".." where something is left out. */
static void print_cell(const char *cell, size_t width, bool right, bool pad, FILE *stream)
{
    size_t n = places(cell), shown = n > width ? width - 2 : n, printed = n > width ? width : n;

    if (right)
        fprintf(stream, "%*s", (int)(width - printed), "");
    for (; *cell && (shown > 0 || is_continuation(*cell)); cell++) {
        shown -= !is_continuation(*cell);
        fputc(*cell, stream);
    }
    if (n > width)
        fputs("..", stream);
    if (!right && pad)
        fprintf(stream, "%*s", (int)(width - printed), "");
}

static void print_row(const struct table *table, const char *const *cells, const size_t *widths,
                      FILE *stream)
{
    size_t last = table->n_columns;

    while (last > 0 && !widths[last - 1])
        last--;
    for (size_t i = 0; i < last; i++)
        if (widths[i]) {
            print_cell(cells[i], widths[i], table->columns[i].kind == TABLE_RIGHT, i + 1 < last,
                       stream);
            fputs(i + 1 == last ? "\n" : "  ", stream);
        }
}

void table_print(const struct table *table, FILE *stream, size_t width)
{
    size_t *widths = memory_new(table->n_columns, sizeof *widths);
    const char **titles = memory_new(table->n_columns, sizeof *titles);

    for (size_t i = 0; i < table->n_columns; i++) {
        titles[i] = table->columns[i].title;
        widths[i] = places(titles[i]);
    }
    for (size_t i = 0, column = 0; i < table->n_cells; i++) {
        size_t n = places(table->cells[i]);

        if (n > widths[column])
            widths[column] = n;
        column = column + 1 < table->n_columns ? column + 1 : 0;
    }
    if (width) {
        leave_out(table, widths, width);
        shrink(table, widths, width, false);
        shrink(table, widths, width, true);
    }
    print_row(table, titles, widths, stream);
    for (size_t i = 0; i < table->n_cells; i += table->n_columns)
        print_row(table, (const char *const *)table->cells + i, widths, stream);
    free(titles);
    free(widths);
}

size_t table_terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;

    if (width >= WIDTH_MIN && width <= WIDTH_MAX)
        return (size_t)width;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= WIDTH_MIN)
        return size.ws_col;
    return 0;
}

void table_show(struct table *table, size_t width, const char *nothing)
{
    if (table_rows(table))
        table_print(table, stdout, width);
    else
        puts(nothing);
    table_destroy(table);
}

void table_print_text(FILE *stream, const char *text)
{
    char *copy = memory_text(text);

    mask_controls(copy, '?');
    fputs(copy, stream);
    free(copy);
}
