/* Tables for people: columns that fit the terminal, safe to print there. */
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
    NAME_LEAST = 12, /* width that a name or a sentence keeps before columns are left out */
    SENTENCE_LEAST = 24,
    HANG = 4, /* indentation of continuation lines that would be too narrow for a sentence */
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

static size_t characters(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += !is_continuation(*text);
    return n;
}

void table_add(struct table *table, const char *const *cells)
{
    MEMORY_GROW(table->cells, table->allocated, table->n_cells + table->n_columns);
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

/* Bytes of the first n characters of a text. */
static size_t bytes_of(const char *text, size_t n)
{
    size_t bytes = 0;

    for (; text[bytes] && (n > 0 || is_continuation(text[bytes])); bytes++)
        n -= !is_continuation(text[bytes]);
    return bytes;
}

/* Bytes of the text that fit into a line of so many characters: whole words, or part of one that is
 * longer than the line. */
static size_t line_bytes(const char *text, size_t width)
{
    size_t bytes = bytes_of(text, width), word = bytes;

    if (!text[bytes])
        return bytes;
    while (word > 0 && text[word] != ' ')
        word--;
    return word ? word : bytes;
}

static const char *after_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Prints the part of the cell that fits into the line, after the pending blanks of the columns
 * before it; returns the rest, for the next line. */
static const char *print_cell(const char *cell, const struct table_column *column, size_t width,
                              size_t *blanks, FILE *stream)
{
    bool cut = column->kind != TABLE_SENTENCE && characters(cell) > width;
    size_t bytes = column->kind == TABLE_SENTENCE ? line_bytes(cell, width)
                                                  : bytes_of(cell, cut ? width - 2 : width);
    size_t padding = width;

    for (size_t i = 0; i < bytes; i++)
        padding -= !is_continuation(cell[i]);
    padding -= cut ? 2 : 0;
    if (bytes) {
        bool right = column->kind == TABLE_RIGHT;

        fprintf(stream, "%*s%.*s%s", (int)(*blanks + (right ? padding : 0)), "", (int)bytes, cell,
                cut ? ".." : "");
        *blanks = right ? 0 : padding;
    } else {
        *blanks += padding;
    }
    *blanks += GAP;
    return cut ? "" : after_blanks(cell + bytes);
}

static void print_row(const struct table *table, const char *const *cells, const size_t *widths,
                      FILE *stream)
{
    const char **rest = memory_new(table->n_columns, sizeof *rest);
    bool more = true;

    memcpy(rest, cells, table->n_columns * sizeof *rest);
    while (more) {
        size_t blanks = 0;

        more = false;
        for (size_t i = 0; i < table->n_columns; i++) {
            if (!widths[i])
                continue;
            rest[i] = print_cell(rest[i], &table->columns[i], widths[i], &blanks, stream);
            more = more || *rest[i];
        }
        fputc('\n', stream);
    }
    free(rest);
}

void table_print(const struct table *table, FILE *stream, size_t width)
{
    size_t *widths = memory_new(table->n_columns, sizeof *widths);
    const char **titles = memory_new(table->n_columns, sizeof *titles);

    for (size_t i = 0; i < table->n_columns; i++) {
        titles[i] = table->columns[i].title;
        widths[i] = characters(titles[i]);
    }
    for (size_t i = 0, column = 0; i < table->n_cells; i++) {
        size_t n = characters(table->cells[i]);

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

void table_print_text(FILE *stream, const char *text)
{
    char *copy = memory_text(text);

    mask_controls(copy, '?');
    fputs(copy, stream);
    free(copy);
}

void table_lines_begin(struct table_lines *lines)
{
    *lines = (struct table_lines){0};
    lines->stream = open_memstream(&lines->text, &lines->size);
    if (!lines->stream)
        abort();
}

/* A word is cut only if it does not fit into a continuation line, which begins at `indent`, or
 * further left if that would leave too little room. */
static void print_wrapped(const char *line, size_t indent, size_t width)
{
    size_t hang = indent > HANG && width < indent + SENTENCE_LEAST ? HANG : indent;
    size_t label = bytes_of(line, indent), room = width > indent ? width - indent : 0;
    const char *text = line + label;

    if (hang < indent && after_blanks(line) >= text) { /* continued from the line before */
        printf("%*s", (int)hang, "");
        line = text = after_blanks(line);
        label = 0;
        room = width - hang;
    }
    do {
        size_t bytes = line_bytes(text, room), word = strcspn(text, " ");

        if (bytes < word && room < width - hang)
            for (bytes = 0; label > 0 && line[label - 1] == ' ';)
                label--;
        printf("%.*s", (int)(label + bytes), line);
        line = text = after_blanks(text + bytes);
        label = 0;
        room = width - hang;
        if (*text)
            printf("\n%*s", (int)hang, "");
    } while (*text);
    putchar('\n');
}

void table_show(struct table *table, size_t width, const char *nothing)
{
    if (table_rows(table))
        table_print(table, stdout, width);
    else
        print_wrapped(nothing, 0, width ? width : WIDTH_MAX);
    table_destroy(table);
}

void table_lines_print(struct table_lines *lines, size_t indent)
{
    size_t width = table_terminal_width();
    char *rest, *line;

    if (fclose(lines->stream) != 0)
        abort();
    rest = lines->text;
    while (width && (line = strsep(&rest, "\n")) && rest)
        print_wrapped(line, indent, width);
    if (!width)
        fputs(lines->text, stdout);
    free(lines->text);
}
