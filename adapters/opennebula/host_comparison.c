/* Evaluates comparisons for all hosts. */
#include "adapters/opennebula/host_columns_inside.h"

#include <string.h>

/* Sets the bit of each host with any value (or with the first value) in text_matches. */
static void collect_texts(const struct host_columns *columns, const struct host_attribute *column,
                          bool any_value, uint64_t *bitmap)
{
    if (any_value) {
        for (size_t i = 0; i < column->n; i++) {
            const struct entry *entry = &columns->entries[column->first + i];

            if (columns->text_matches[entry->text])
                bitmap_add(bitmap, entry->host);
        }
        return;
    }
    for (size_t i = 0; i < columns->n_hosts; i++)
        if (column->values[i] != MAP_NONE && columns->text_matches[column->values[i]])
            bitmap_add(bitmap, i);
}

/* The first of the column's values with this text or a later one. */
static size_t first_of_text(const struct host_attribute *column, uint32_t text)
{
    size_t low = 0, high = column->n_by_text;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (column->by_text[middle].text < text)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Only touches the hosts with the text: VMs often exclude one host each. */
static void collect_equal_text(const struct host_columns *columns,
                               const struct host_attribute *column,
                               const struct comparison *comparison, uint64_t *bitmap)
{
    uint32_t text = map_find_text(&columns->texts, comparison->text);
    bool equal = comparison->test == TEST_EQUAL;

    if (!equal)
        memcpy(bitmap, column->has_value, columns->n_words * sizeof *bitmap);
    for (size_t i = first_of_text(column, text);
         i < column->n_by_text && column->by_text[i].text == text; i++)
        if (equal)
            bitmap_add(bitmap, column->by_text[i].host);
        else
            bitmap_remove(bitmap, column->by_text[i].host);
}

static void match_pattern(struct host_columns *columns, const struct host_attribute *column,
                          const struct comparison *comparison)
{
    for (size_t i = 0; i < column->n_texts; i++)
        columns->text_matches[column->texts[i]] =
            pattern_matches(comparison->pattern,
                            map_key_bytes(&columns->texts, column->texts[i])) ==
            (comparison->test != TEST_UNEQUAL);
}

static void forget_matches(struct host_columns *columns, const struct host_attribute *column)
{
    for (size_t i = 0; i < column->n_texts; i++)
        columns->text_matches[column->texts[i]] = false;
}

static void compare_text_column(struct host_columns *columns, const struct host_attribute *column,
                                const struct comparison *comparison, uint64_t *bitmap)
{
    bool any_value = comparison->test == TEST_CONTAINS;

    uint32_t text = MAP_NONE;

    if (comparison->text[0] == '\0')
        return;
    if (!comparison->pattern && !any_value) {
        collect_equal_text(columns, column, comparison, bitmap);
        return;
    }
    if (comparison->pattern)
        match_pattern(columns, column, comparison);
    else
        text = map_find_text(&columns->texts, comparison->text);
    if (text != MAP_NONE)
        columns->text_matches[text] = true;
    collect_texts(columns, column, any_value, bitmap);
    if (comparison->pattern)
        forget_matches(columns, column);
    if (text != MAP_NONE)
        columns->text_matches[text] = false;
}

/* The outcomes of a comparison for which a test is true. */
struct outcomes {
    uint64_t less, equal, greater;
};

static struct outcomes outcomes_of(enum comparison_test test)
{
    return (struct outcomes){
        .less = test == TEST_LESS || test == TEST_UNEQUAL,
        .equal = test == TEST_EQUAL || test == TEST_CONTAINS,
        .greater = test == TEST_GREATER || test == TEST_UNEQUAL,
    };
}

/* This function and the next have no branches per host. */
static uint64_t compare_word_of_integers(const int64_t *values, size_t n, int64_t literal,
                                         struct outcomes wanted)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t less = values[i]<literal, greater = values[i]> literal;

        bits |=
            ((less & wanted.less) | (greater & wanted.greater) | (~less & ~greater & wanted.equal))
            << i;
    }
    return bits;
}

static uint64_t compare_word_of_numbers(const double *values, size_t n, double literal,
                                        struct outcomes wanted)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t less = values[i]<literal, greater = values[i]> literal;

        bits |=
            ((less & wanted.less) | (greater & wanted.greater) | (~less & ~greater & wanted.equal))
            << i;
    }
    return bits;
}

static void compare_number_column(const struct host_columns *columns,
                                  const struct host_attribute *column,
                                  const struct comparison *comparison, uint64_t *bitmap)
{
    const struct outcomes wanted = outcomes_of(comparison->test);

    for (size_t word = 0; word < columns->n_words; word++) {
        size_t from = 64 * word, n = columns->n_hosts - from < 64 ? columns->n_hosts - from : 64;

        if (comparison->kind == LITERAL_INTEGER)
            bitmap[word] =
                column->has_integer[word] &
                compare_word_of_integers(column->integers + from, n, comparison->integer, wanted);
        else
            bitmap[word] =
                column->has_number[word] &
                compare_word_of_numbers(column->numbers + from, n, comparison->number, wanted);
    }
}

/* Sets the bits of hosts with a value equal to the number. */
static void collect_integer(const struct host_columns *columns, const struct host_attribute *column,
                            int64_t integer, uint64_t *bitmap)
{
    for (size_t i = 0; i < column->n; i++)
        if (column->parsed[i].has_integer && column->parsed[i].integer == integer)
            bitmap_add(bitmap, columns->entries[column->first + i].host);
}

static void collect_number(const struct host_columns *columns, const struct host_attribute *column,
                           double number, uint64_t *bitmap)
{
    for (size_t i = 0; i < column->n; i++)
        if (column->parsed[i].has_number && column->parsed[i].number == number)
            bitmap_add(bitmap, columns->entries[column->first + i].host);
}

static void compare_vms(struct host_columns *columns, const struct comparison *comparison,
                        uint64_t *bitmap)
{
    uint32_t name = map_find_text(&columns->names, ATTRIBUTE_VMS);
    int64_t id;

    if (name != MAP_NONE && comparison_vm(comparison, &id))
        collect_integer(columns, host_column(columns, name), id, bitmap);
    if (comparison->test == TEST_GREATER)
        memset(bitmap, 0, columns->n_words * sizeof *bitmap);
    else if (comparison->test == TEST_UNEQUAL || comparison->test == TEST_LESS)
        host_columns_invert(columns, bitmap);
}

void host_columns_compare(struct host_columns *columns, uint32_t name,
                          const struct comparison *comparison, uint64_t *bitmap)
{
    memset(bitmap, 0, columns->n_words * sizeof *bitmap);
    if (!strcmp(comparison->name, ATTRIBUTE_VMS))
        compare_vms(columns, comparison, bitmap);
    else if (name == MAP_NONE)
        return;
    else if (comparison->kind == LITERAL_TEXT)
        compare_text_column(columns, host_column(columns, name), comparison, bitmap);
    else if (comparison->test != TEST_CONTAINS)
        compare_number_column(columns, host_column(columns, name), comparison, bitmap);
    else if (comparison->kind == LITERAL_INTEGER)
        collect_integer(columns, host_column(columns, name), comparison->integer, bitmap);
    else
        collect_number(columns, host_column(columns, name), comparison->number, bitmap);
}
