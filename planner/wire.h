/* wire.h: encodes numbers and texts in a frame of bytes, and decodes them.
 *
 * A frame is its length in four bytes (little-endian), then its body. Numbers are zigzag
 * variable-length integers, mostly of one to five bytes; a text is its length and its bytes
 * including the 0. A reader is strict: each number is checked against its range, and each count
 * against the remaining bytes before memory is allocated for it. Once a read has failed, all
 * further reads fail and return the lower bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_HEADER = 4 };
#define WIRE_NUMBER_MAX (INT64_C(1) << 52)

/* --- writing --------------------------------------------------------------------------------- */

struct wire_chunk;

/* Bytes in chunks: a writer of megabytes grows, and is moved to another, without copies. */
struct wire_writer {
    struct wire_chunk *first, *last;
    size_t n; /* bytes */
};

void wire_writer_finish(struct wire_writer *writer); /* the writer may be used again */
/* Begin a frame: drops the writer's content and reserves the header, which wire_end() fills in. */
void wire_begin(struct wire_writer *writer);
void wire_end(struct wire_writer *writer);

void wire_put(struct wire_writer *writer, int64_t number);
void wire_put_text(struct wire_writer *writer, const char *text); /* NULL differs from "" */
void wire_put_raw(struct wire_writer *writer, const void *bytes, size_t n);
/* Append zeros until the number of bytes after the first `from` is a multiple of eight. */
void wire_align(struct wire_writer *writer, size_t from);
/* Append everything from another writer. */
void wire_put_all(struct wire_writer *writer, const struct wire_writer *other);
/* As wire_put_all(), but finishes the other writer. Small contents are copied, large ones are
 * moved. */
void wire_move(struct wire_writer *writer, struct wire_writer *other);

/* All bytes in one array, valid until the writer changes; NULL: there are none. If they are in
 * several chunks they are copied, and take twice the memory meanwhile. */
unsigned char *wire_bytes(struct wire_writer *writer);
/* The first bytes that are contiguous. Returns their number, 0 at the end. */
size_t wire_first_bytes(const struct wire_writer *writer, const unsigned char **bytes);
/* Drop the first n bytes. */
void wire_drop(struct wire_writer *writer, size_t n);

/* --- reading --------------------------------------------------------------------------------- */

struct wire_reader {
    unsigned char *at, *end;
    bool failed;
};

void wire_reader_init(struct wire_reader *reader, unsigned char *bytes, size_t n);

int64_t wire_get(struct wire_reader *reader, int64_t least, int64_t most);
static inline bool wire_get_bool(struct wire_reader *reader)
{
    return wire_get(reader, 0, 1) != 0;
}
/* Fails unless the number is INSTANT_NONE, INSTANT_NEVER or within +-WIRE_NUMBER_MAX: then sums
 * with it do not overflow and years can be printed. */
void wire_check_number(struct wire_reader *reader, int64_t number);
/* A count of items that take `size` bytes or more each. */
size_t wire_get_count(struct wire_reader *reader, size_t size);
/* Points into the frame; at most `most` characters; control characters are replaced by '?'. */
const char *wire_get_text(struct wire_reader *reader, size_t most);
void wire_get_raw(struct wire_reader *reader, void *bytes, size_t n);
/* Skip the zeros of wire_align(). The reader's first byte must be aligned as a word. */
void wire_get_align(struct wire_reader *reader);
/* The words after wire_align(), in the frame. NULL: too few bytes remain. */
const uint64_t *wire_get_words(struct wire_reader *reader, size_t n);
/* Have all reads succeeded, and has everything been read? */
bool wire_is_at_end(const struct wire_reader *reader);

/* --- structures ------------------------------------------------------------------------------ */

/* One row of a table that describes a structure. */
struct wire_field {
    uint16_t offset, size;
    int64_t least, most; /* both 0: the type's range */
};

/* A member: integer, enumeration or bool. */
#define WIRE_FIELD(type, member, least, most)                                                      \
    {                                                                                              \
        offsetof(type, member), sizeof(((type *)0)->member), least, most                           \
    }
#define WIRE_ANY(type, member) WIRE_FIELD(type, member, 0, 0)
#define WIRE_TABLE_SIZE(table) (sizeof(table) / sizeof((table)[0]))

void wire_put_fields(struct wire_writer *writer, const struct wire_field *fields, size_t n,
                     const void *structure);
void wire_get_fields(struct wire_reader *reader, const struct wire_field *fields, size_t n,
                     void *structure);
