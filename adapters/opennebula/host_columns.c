/* The attributes of all hosts by column. */
#include "adapters/opennebula/host_columns_inside.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* --- Reading the hosts --- */

/* The attributes of hosts and clusters as numbers of names and texts. */
struct column_reading {
    struct host_columns *columns;
    uint32_t *names; /* per value read */
    struct entry *entries;
    size_t n, names_allocated, entries_allocated;
};

static void read_attributes(struct column_reading *reading, uint32_t host,
                            const struct attributes *attributes)
{
    struct host_columns *columns = reading->columns;

    for (size_t i = 0; attributes && i < attributes->n; i++) {
        MEMORY_GROW(reading->names, reading->names_allocated, reading->n + 1);
        MEMORY_GROW(reading->entries, reading->entries_allocated, reading->n + 1);
        reading->names[reading->n] = map_add_text(&columns->names, attributes->items[i].name);
        reading->entries[reading->n++] = (struct entry){
            .host = host, .text = map_add_text(&columns->texts, attributes->items[i].value)};
    }
}

/* Sorts the values by name, stably. */
static void sort_into_columns(const struct column_reading *reading)
{
    struct host_columns *columns = reading->columns;
    size_t first = 0;

    columns->columns = memory_new(columns->names.n, sizeof *columns->columns);
    columns->entries = memory_new(reading->n, sizeof *columns->entries);
    for (size_t i = 0; i < reading->n; i++)
        columns->columns[reading->names[i]].n++;
    for (size_t i = 0; i < columns->names.n; i++) {
        columns->columns[i].first = first;
        first += columns->columns[i].n;
        columns->columns[i].n = 0;
    }
    for (size_t i = 0; i < reading->n; i++) {
        struct host_attribute *column = &columns->columns[reading->names[i]];

        columns->entries[column->first + column->n++] = reading->entries[i];
    }
}

struct host_columns *host_columns_create(const struct host_pool *hosts,
                                         const struct cluster_pool *clusters)
{
    struct host_columns *columns = memory_new(1, sizeof *columns);

    columns->hosts = hosts;
    columns->clusters = clusters;
    columns->n_hosts = hosts->n;
    columns->n_words = bitmap_words(hosts->n);
    map_init(&columns->names, 0);
    map_init(&columns->texts, 0);
    map_init_copying(&columns->answers, sizeof(uint64_t *));
    return columns;
}

void host_columns_read(struct host_columns *columns)
{
    struct column_reading reading = {.columns = columns};

    if (columns->is_read)
        return;
    columns->is_read = true;
    for (size_t i = 0; i < columns->n_hosts; i++) {
        const struct host *host = &columns->hosts->items[i];
        const struct cluster *cluster =
            columns->clusters ? cluster_pool_find(columns->clusters, host->cluster) : NULL;

        read_attributes(&reading, (uint32_t)i, &host->attributes);
        read_attributes(&reading, (uint32_t)i, &host->figures);
        read_attributes(&reading, (uint32_t)i, cluster ? &cluster->attributes : NULL);
    }
    sort_into_columns(&reading);
    free(reading.names);
    free(reading.entries);
    columns->text_matches = memory_new(columns->texts.n, sizeof *columns->text_matches);
}

static void finish_answers(struct map *answers)
{
    for (uint32_t i = 0; i < answers->n; i++)
        free(*(uint64_t **)map_value(answers, i));
    map_finish(answers);
}

void host_columns_destroy(struct host_columns *columns)
{
    if (!columns)
        return;
    for (size_t i = 0; i < columns->names.n; i++) {
        free(columns->columns[i].parsed);
        free(columns->columns[i].values);
        free(columns->columns[i].has_value);
        free(columns->columns[i].by_text);
        free(columns->columns[i].texts);
        free(columns->columns[i].integers);
        free(columns->columns[i].numbers);
        free(columns->columns[i].has_integer);
        free(columns->columns[i].has_number);
    }
    finish_answers(&columns->answers);
    free(columns->columns);
    free(columns->entries);
    free(columns->text_matches);
    free(columns->counts);
    free(columns->bitmap_stack);
    map_finish(&columns->names);
    map_finish(&columns->texts);
    free(columns);
}

void host_columns_invert(const struct host_columns *columns, uint64_t *bitmap)
{
    for (size_t i = 0; i < columns->n_words; i++)
        bitmap[i] = ~bitmap[i];
    if (columns->n_hosts % 64)
        bitmap[columns->n_words - 1] &= ((uint64_t)1 << (columns->n_hosts % 64)) - 1;
}

size_t host_columns_words(const struct host_columns *columns)
{
    return columns->n_words;
}

bool host_columns_knows(struct host_columns *columns, const char *name)
{
    host_columns_read(columns);
    return map_find_text(&columns->names, name) != MAP_NONE;
}

const char *host_columns_name(struct host_columns *columns, size_t i)
{
    host_columns_read(columns);
    return i < columns->names.n ? map_key_bytes(&columns->names, (uint32_t)i) : NULL;
}

/* --- Columns, built on first use --- */

static void note_value(const struct host_columns *columns, struct host_attribute *column,
                       const struct entry *entry, struct parsed_value *value)
{
    const char *text = map_key_bytes(&columns->texts, entry->text);

    value->has_integer = value_integer(text, &value->integer);
    value->has_number = value_number(text, &value->number);
    if (column->values[entry->host] == MAP_NONE)
        column->values[entry->host] = entry->text;
    if (value->has_integer && !bitmap_has(column->has_integer, entry->host)) {
        bitmap_add(column->has_integer, entry->host);
        column->integers[entry->host] = value->integer;
    }
    if (value->has_number && !bitmap_has(column->has_number, entry->host)) {
        bitmap_add(column->has_number, entry->host);
        column->numbers[entry->host] = value->number;
    }
}

static void note_texts(struct host_columns *columns, struct host_attribute *column)
{
    bool *noted = columns->text_matches;

    column->texts = memory_new(column->n, sizeof *column->texts);
    for (size_t i = 0; i < column->n; i++) {
        uint32_t text = columns->entries[column->first + i].text;

        if (!noted[text])
            column->texts[column->n_texts++] = text;
        noted[text] = true;
    }
    for (size_t i = 0; i < column->n_texts; i++)
        noted[column->texts[i]] = false;
}

static int by_number_of_text(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;

    return one->text < other->text ? -1 : one->text > other->text;
}

static void sort_by_text(const struct host_columns *columns, struct host_attribute *column)
{
    column->has_value = memory_new(columns->n_words, sizeof *column->has_value);
    column->by_text = memory_new(columns->n_hosts, sizeof *column->by_text);
    for (size_t i = 0; i < columns->n_hosts; i++) {
        if (column->values[i] == MAP_NONE)
            continue;
        bitmap_add(column->has_value, i);
        column->by_text[column->n_by_text++] = (struct entry){(uint32_t)i, column->values[i]};
    }
    qsort(column->by_text, column->n_by_text, sizeof *column->by_text, by_number_of_text);
}

struct host_attribute *host_column(struct host_columns *columns, uint32_t name)
{
    struct host_attribute *column = &columns->columns[name];
    size_t n = columns->n_hosts;

    if (column->made)
        return column;
    column->made = true;
    column->parsed = memory_new(column->n, sizeof *column->parsed);
    column->values = memory_new(n, sizeof *column->values);
    memset(column->values, 0xff, n * sizeof *column->values);
    column->integers = memory_new(n, sizeof *column->integers);
    column->numbers = memory_new(n, sizeof *column->numbers);
    column->has_integer = memory_new(columns->n_words, sizeof *column->has_integer);
    column->has_number = memory_new(columns->n_words, sizeof *column->has_number);
    for (size_t i = 0; i < column->n; i++)
        note_value(columns, column, &columns->entries[column->first + i], &column->parsed[i]);
    note_texts(columns, column);
    sort_by_text(columns, column);
    return column;
}
