/* Reads documents of OpenNebula as a series of values. */
#include "adapters/opennebula/pool_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool_inside.h"
#include "adapters/opennebula/xml_bytes.h"
#include "adapters/opennebula/xml_read.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/search.h"

/* Reports an invalid document. Returns false, which ends the reading. */
__attribute__((format(printf, 2, 3))) static bool fail(struct pool_reader *reader,
                                                       const char *format, ...)
{
    va_list arguments;
    char what[256];

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(&reader->problem, EINVAL, "document with %s: %s", reader->format->pool, what);
    return false;
}

static void *object_of(const struct pool_reader *reader)
{
    return (char *)reader->items.items + reader->items.n * reader->format->size;
}

static struct pool_value value_of(const struct pool_reader *reader)
{
    return (struct pool_value){
        .elements = reader->elements + reader->object_depth + 1,
        .n = reader->depth - reader->object_depth - 1,
        .text = reader->text,
        .length = reader->length,
    };
}

static void begin_object(struct pool_reader *reader)
{
    size_t size = reader->format->size;

    reader->items.items =
        memory_grow(reader->items.items, &reader->items.allocated, reader->items.n + 1, size);
    memset(object_of(reader), 0, size);
    if (reader->format->scratch > 0)
        memset(reader->scratch, 0, reader->format->scratch);
    for (size_t i = 0; i < POOL_LISTS; i++)
        reader->lists[i].n = 0;
    reader->ids.n = 0;
    reader->rejected = reader->has_id = false;
    reader->in_object = true;
}

/* The bytes of all data so far; lists are copied at the end of their object. */
static size_t size_of(const struct pool_reader *reader)
{
    size_t size = pool_memory_size(reader->items.memory) + reader->items.n * reader->format->size +
                  2 * reader->ids.n * sizeof(int32_t);

    for (size_t i = 0; i < POOL_LISTS; i++)
        size += 2 * reader->lists[i].n * sizeof(struct attribute);
    return size;
}

static bool is_too_large(const struct pool_reader *reader)
{
    return size_of(reader) > POOL_GROWTH_MAX * reader->fed + POOL_SMALL;
}

/* Names belong to the memory of the batch, and are stored again for the next objects. */
static void hand_out(struct pool_reader *reader)
{
    reader->batch(reader->context, &reader->items);
    free(reader->items.items);
    pool_memory_destroy(reader->items.memory);
    pool_names_finish(&reader->names);
    reader->items = (struct pool_items){.memory = pool_memory_create()};
    reader->fed = 0;
    pool_names_init(&reader->names, reader->items.memory);
}

static void end_object(struct pool_reader *reader)
{
    if (reader->format->what && !reader->has_id)
        pool_reader_reject(reader, "%s has no ID", reader->format->what);
    if (reader->format->end && !reader->rejected)
        reader->format->end(reader, object_of(reader));
    if (!reader->rejected)
        reader->items.n++;
    reader->in_object = false;
    if (reader->batch && reader->items.n >= POOL_BATCH)
        hand_out(reader);
}

static bool start_root(struct pool_reader *reader, const char *name)
{
    char shown[40];

    if (strcmp(name, reader->format->object) == 0)
        reader->object_depth = 0;
    else if (strcmp(name, reader->format->pool) == 0)
        reader->object_depth = 1;
    else
        return fail(reader, "its root is <%s>, not <%s> or <%s>",
                    printable(shown, sizeof shown, name), reader->format->pool,
                    reader->format->object);
    return true;
}

static bool on_start(void *context, const char *name)
{
    struct pool_reader *reader = context;

    if (reader->depth == 0 && !start_root(reader, name))
        return false;
    if (reader->depth == POOL_DEPTH_MAX)
        return fail(reader, "more than %d nested elements", POOL_DEPTH_MAX);
    if (is_too_large(reader))
        return fail(reader, "it describes more than fits into %d times its length",
                    POOL_GROWTH_MAX);
    if (reader->depth == reader->object_depth && strcmp(name, reader->format->object) == 0)
        begin_object(reader);
    if (reader->depth > 0)
        reader->has_children[reader->depth - 1] = true;
    reader->elements[reader->depth] = pool_names_element(&reader->names, name);
    reader->has_children[reader->depth] = false;
    reader->depth++;
    reader->length = 0;
    return true;
}

static void read_value(struct pool_reader *reader, const struct pool_value *given)
{
    if (reader->format->what && given->n == 1 && given->elements[0]->word == WORD_ID) {
        pool_read_int(reader, given, 0, object_of(reader));
        reader->has_id = given->length > 0;
    }
    reader->format->value(reader, object_of(reader), given);
}

static void on_end(void *context)
{
    struct pool_reader *reader = context;
    struct pool_value value = value_of(reader);

    if (reader->in_object && reader->depth == reader->object_depth + 1) {
        end_object(reader);
    } else if (reader->in_object && !reader->rejected) {
        reader->text[reader->length] = '\0';
        if (!reader->has_children[reader->depth - 1])
            read_value(reader, &value);
        else if (reader->format->close)
            reader->format->close(reader, object_of(reader), &value);
    }
    reader->depth--;
    reader->length = 0;
}

static void on_text(void *context, const char *text, size_t length)
{
    struct pool_reader *reader = context;

    if (length > POOL_TEXT_MAX - reader->length)
        length = POOL_TEXT_MAX - reader->length;
    reader->text =
        memory_grow(reader->text, &reader->allocated_text, reader->length + length + 1, 1);
    memcpy(reader->text + reader->length, text, length);
    reader->length += length;
}

static const struct xml_visitor visitor = {on_start, on_end, on_text};

static void reader_init(struct pool_reader *reader, const struct pool_format *format)
{
    *reader = (struct pool_reader){.format = format};
    reader->items.memory = pool_memory_create();
    pool_names_init(&reader->names, reader->items.memory);
    reader->scratch = memory_new(1, format->scratch);
    reader->text = memory_grow(NULL, &reader->allocated_text, 1024, 1);
}

/* Frees everything except the items. */
static void reader_finish(struct pool_reader *reader)
{
    for (size_t i = 0; i < POOL_LISTS; i++)
        free(reader->lists[i].items);
    free(reader->ids.items);
    free(reader->text);
    free(reader->scratch);
    pool_names_finish(&reader->names);
}

struct pool_reader *pool_reading_begin(const struct pool_format *format, pool_batch *batch,
                                       void *context)
{
    struct pool_reader *reader = memory_new(1, sizeof *reader);

    reader_init(reader, format);
    reader->batch = batch;
    reader->context = context;
    reader->xml = xml_reading_begin(&visitor, reader, reader->what_is_wrong);
    return reader;
}

void pool_reading_feed(struct pool_reader *reader, const char *text, size_t length)
{
    reader->fed += length;
    xml_reading_feed(reader->xml, text, length);
}

int pool_reading_end(struct pool_reader *reader, struct error *err)
{
    enum xml_result result = xml_reading_end(reader->xml);

    if (result == XML_READ_BROKEN)
        fail(reader, "not well-formed XML: %s", reader->what_is_wrong);
    if (result != XML_READ_WHOLE)
        error_set(err, reader->problem.code, "%s", reader->problem.text);
    reader->batch(reader->context, &reader->items);
    free(reader->items.items);
    pool_memory_destroy(reader->items.memory);
    reader_finish(reader);
    free(reader);
    return result == XML_READ_WHOLE ? 0 : -1;
}

static int read_once(struct pool_reader *reader, const struct pool_format *format,
                     const char *document, size_t length)
{
    char problem[XML_PROBLEM_MAX];
    enum xml_result result;

    reader_init(reader, format);
    reader->fed = length;
    result = xml_read(&visitor, reader, document, length, problem);
    reader->is_broken = result == XML_READ_BROKEN;
    if (reader->is_broken)
        fail(reader, "not well-formed XML: %s", problem);
    reader_finish(reader);
    if (result == XML_READ_WHOLE)
        return 0;
    free(reader->items.items);
    pool_memory_destroy(reader->items.memory);
    reader->items = (struct pool_items){0};
    return -1;
}

static int32_t id_at(const struct pool_items *items, size_t size, size_t i)
{
    return *(const int32_t *)((const char *)items->items + i * size);
}

/* Sorts by id; oned lists the newest objects first. */
static void sort(struct pool_items *items, const struct pool_format *format)
{
    size_t size = format->size, kept = 0;
    char *all = items->items;
    bool sorted = true;

    for (size_t i = 1; i < items->n && sorted; i++)
        sorted = id_at(items, size, i - 1) < id_at(items, size, i);
    if (sorted)
        return;
    qsort(all, items->n, size, search_by_id);
    for (size_t i = 0; i < items->n; i++) {
        if (kept > 0 && id_at(items, size, kept - 1) == id_at(items, size, i)) {
            if (items->errors.n++ == 0)
                snprintf(items->errors.first, sizeof items->errors.first, "%s %d appears twice",
                         format->object, id_at(items, size, i));
            continue;
        }
        if (kept != i)
            memcpy(all + kept * size, all + i * size, size);
        kept++;
    }
    items->n = kept;
}

int pool_read(struct pool_items *items, const struct pool_format *format, const char *document,
              size_t length, struct error *err)
{
    struct pool_reader reader;
    char *mended;
    int result;

    *items = (struct pool_items){0};
    if (length == 0 || length > POOL_DOCUMENT_MAX)
        return error_set(err, EINVAL, "document with %s: it has %zu bytes", format->pool, length);
    result = read_once(&reader, format, document, length);
    if (result < 0 && reader.is_broken && (mended = xml_bytes_mended(document, length))) {
        result = read_once(&reader, format, mended, length);
        free(mended);
    }
    if (result < 0)
        return error_set(err, reader.problem.code, "%s", reader.problem.text);
    *items = reader.items;
    if (!format->unsorted)
        sort(items, format);
    return 0;
}
