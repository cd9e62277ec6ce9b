/* Encoding of the messages between galernad and its planner. */
#include "planner/wire.h"

#include <stdlib.h>
#include <string.h>

#include "util/instant.h"
#include "util/memory.h"

enum {
    NUMBER_BYTES = 10, /* of the longest number */
    WORD = sizeof(uint64_t),
    EXTREMES = 2, /* INSTANT_NONE and _NEVER are frequent: one byte each */
    CHUNK_LEAST = 48,
    CHUNK_MOST = 64 * 1024, /* unless more bytes are put at once */
    COPIED_MOST = 4096,     /* bytes that are copied rather than moved with their chunks */
};

struct wire_chunk {
    struct wire_chunk *next;
    size_t from, n, allocated; /* the content is from `from` to n */
    unsigned char bytes[];
};

/* --- writing --------------------------------------------------------------------------------- */

static void add_chunk(struct wire_writer *writer, size_t needed)
{
    size_t room = writer->n < CHUNK_LEAST  ? CHUNK_LEAST
                  : writer->n > CHUNK_MOST ? CHUNK_MOST
                                           : writer->n;
    size_t allocated = needed > room ? needed : room;
    struct wire_chunk *chunk = memory_new(1, sizeof *chunk + allocated);

    *chunk = (struct wire_chunk){.allocated = allocated};
    if (writer->last)
        writer->last->next = chunk;
    else
        writer->first = chunk;
    writer->last = chunk;
}

/* Contiguous room at the end. */
static unsigned char *room_for(struct wire_writer *writer, size_t n)
{
    if (!writer->last || writer->last->allocated - writer->last->n < n)
        add_chunk(writer, n);
    return writer->last->bytes + writer->last->n;
}

static void wrote(struct wire_writer *writer, size_t n)
{
    writer->last->n += n;
    writer->n += n;
}

void wire_writer_finish(struct wire_writer *writer)
{
    while (writer->first) {
        struct wire_chunk *chunk = writer->first;

        writer->first = chunk->next;
        free(chunk);
    }
    *writer = (struct wire_writer){0};
}

void wire_begin(struct wire_writer *writer)
{
    wire_writer_finish(writer);
    room_for(writer, WIRE_HEADER);
    wrote(writer, WIRE_HEADER);
}

void wire_end(struct wire_writer *writer)
{
    size_t length = writer->n - WIRE_HEADER;

    for (int i = 0; i < WIRE_HEADER; i++)
        writer->first->bytes[i] = (unsigned char)(length >> (8 * i));
}

void wire_put(struct wire_writer *writer, int64_t number)
{
    uint64_t left = (((uint64_t)number << 1) ^ (uint64_t)(number >> 63)) + EXTREMES;
    unsigned char *at = room_for(writer, NUMBER_BYTES), *end = at;

    for (; left >= 0x80; left >>= 7)
        *end++ = (unsigned char)(left | 0x80);
    *end++ = (unsigned char)left;
    wrote(writer, (size_t)(end - at));
}

void wire_put_raw(struct wire_writer *writer, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    memcpy(room_for(writer, n), bytes, n);
    wrote(writer, n);
}

void wire_align(struct wire_writer *writer, size_t from)
{
    static const unsigned char zeros[WORD];

    wire_put_raw(writer, zeros, (WORD - (writer->n - from) % WORD) % WORD);
}

void wire_put_all(struct wire_writer *writer, const struct wire_writer *other)
{
    for (const struct wire_chunk *chunk = other->first; chunk; chunk = chunk->next)
        wire_put_raw(writer, chunk->bytes + chunk->from, chunk->n - chunk->from);
}

void wire_move(struct wire_writer *writer, struct wire_writer *other)
{
    if (other->n <= COPIED_MOST) {
        wire_put_all(writer, other);
        wire_writer_finish(other);
        return;
    }
    if (writer->last)
        writer->last->next = other->first;
    else
        writer->first = other->first;
    writer->last = other->last;
    writer->n += other->n;
    *other = (struct wire_writer){0};
}

unsigned char *wire_bytes(struct wire_writer *writer)
{
    struct wire_writer all = {0};

    if (writer->first != writer->last) {
        room_for(&all, writer->n);
        wire_put_all(&all, writer);
        wire_writer_finish(writer);
        *writer = all;
    }
    return writer->first ? writer->first->bytes + writer->first->from : NULL;
}

size_t wire_first_bytes(const struct wire_writer *writer, const unsigned char **bytes)
{
    const struct wire_chunk *first = writer->first;

    *bytes = first ? first->bytes + first->from : NULL;
    return first ? first->n - first->from : 0;
}

void wire_drop(struct wire_writer *writer, size_t n)
{
    struct wire_chunk *first = writer->first;

    first->from += n;
    writer->n -= n;
    if (first->from < first->n)
        return;
    writer->first = first->next;
    if (!writer->first)
        writer->last = NULL;
    free(first);
}

void wire_put_text(struct wire_writer *writer, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;

    wire_put(writer, (int64_t)size);
    wire_put_raw(writer, text, size);
}

/* --- reading --------------------------------------------------------------------------------- */

void wire_reader_init(struct wire_reader *reader, unsigned char *bytes, size_t n)
{
    *reader = (struct wire_reader){.at = bytes, .end = bytes + n};
}

static size_t left(const struct wire_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

static bool read_number(struct wire_reader *reader, int64_t *number)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        unsigned char byte = *reader->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (shift == 63 && byte > 1)
                return false;
            value -= EXTREMES;
            *number = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return true;
        }
    }
    return false;
}

int64_t wire_get(struct wire_reader *reader, int64_t least, int64_t most)
{
    int64_t number;

    if (!reader->failed && read_number(reader, &number) && number >= least && number <= most)
        return number;
    reader->failed = true;
    return least;
}

void wire_check_number(struct wire_reader *reader, int64_t number)
{
    if (instant_is_set(number) && (number > WIRE_NUMBER_MAX || number < -WIRE_NUMBER_MAX))
        reader->failed = true;
}

size_t wire_get_count(struct wire_reader *reader, size_t size)
{
    return (size_t)wire_get(reader, 0, (int64_t)(left(reader) / size));
}

const char *wire_get_text(struct wire_reader *reader, size_t most)
{
    size_t size = (size_t)wire_get(reader, 0, (int64_t)most + 1);
    char *text = (char *)reader->at;

    if (size == 0)
        return NULL;
    if (size > left(reader) || memchr(text, '\0', size) != text + size - 1) {
        reader->failed = true;
        return NULL;
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    reader->at += size;
    return text;
}

void wire_get_raw(struct wire_reader *reader, void *bytes, size_t n)
{
    if (reader->failed || n > left(reader)) {
        reader->failed = true;
        memset(bytes, 0, n);
        return;
    }
    if (n)
        memcpy(bytes, reader->at, n);
    reader->at += n;
}

void wire_get_align(struct wire_reader *reader)
{
    size_t skipped = (WORD - (uintptr_t)reader->at % WORD) % WORD;

    if (reader->failed || skipped > left(reader))
        reader->failed = true;
    else
        reader->at += skipped;
}

const uint64_t *wire_get_words(struct wire_reader *reader, size_t n)
{
    const void *words;

    wire_get_align(reader);
    if (reader->failed || n > left(reader) / WORD) {
        reader->failed = true;
        return NULL;
    }
    words = reader->at;
    reader->at += n * WORD;
    return words;
}

bool wire_is_at_end(const struct wire_reader *reader)
{
    return !reader->failed && reader->at == reader->end;
}

/* --- structures ------------------------------------------------------------------------------ */

static int64_t load(const void *at, size_t size)
{
    int64_t wide;
    int32_t narrow;
    unsigned char byte;

    if (size == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    if (size == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&byte, at, 1);
    return byte;
}

static void save(void *at, size_t size, int64_t number)
{
    int32_t narrow = (int32_t)number;
    unsigned char byte = (unsigned char)number;

    if (size == sizeof number)
        memcpy(at, &number, sizeof number);
    else if (size == sizeof narrow)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &byte, 1);
}

void wire_put_fields(struct wire_writer *writer, const struct wire_field *fields, size_t n,
                     const void *structure)
{
    for (size_t i = 0; i < n; i++)
        wire_put(writer, load((const char *)structure + fields[i].offset, fields[i].size));
}

static int64_t least_of(const struct wire_field *field)
{
    return field->size == sizeof(int64_t)   ? INT64_MIN
           : field->size == sizeof(int32_t) ? INT32_MIN
                                            : 0;
}

static int64_t most_of(const struct wire_field *field)
{
    return field->size == sizeof(int64_t)   ? INT64_MAX
           : field->size == sizeof(int32_t) ? INT32_MAX
                                            : 1;
}

void wire_get_fields(struct wire_reader *reader, const struct wire_field *fields, size_t n,
                     void *structure)
{
    for (size_t i = 0; i < n; i++) {
        const struct wire_field *field = &fields[i];
        bool any = field->least == 0 && field->most == 0;

        save((char *)structure + field->offset, field->size,
             wire_get(reader, any ? least_of(field) : field->least,
                      any ? most_of(field) : field->most));
    }
}
