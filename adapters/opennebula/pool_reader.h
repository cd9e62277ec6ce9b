/* pool_reader.h: reads documents of OpenNebula as a series of values.
 *
 * Reads <X_POOL><X>...</X>...</X_POOL> or a single <X> and calls, for each X, `value` for every
 * element without children and `close` for every element with children. The path has the position
 * of an element; known names have a word. Internal to the files that read one kind of object. */
#pragma once

#include "adapters/cloud/pool_memory.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/pool_words.h"

enum {
    POOL_DEPTH_MAX = 32,
    POOL_TEXT_MAX = 65540, /* longer texts are truncated, but remain longer than 64 KB, and are thus
                              recognizable */
    POOL_DOCUMENT_MAX = 1 << 30,
    /* The data of a document take at most POOL_GROWTH_MAX times its length plus POOL_SMALL bytes.
       Documents of oned take less than half their length. */
    POOL_GROWTH_MAX = 2,
    POOL_SMALL = 1 << 20,
};

struct element {
    enum pool_word word;
    const char *name; /* in upper case, in the pool's memory; equal names have the same address */
    uint32_t number;  /* of the name in its document */
    const char *key;  /* the parser's address of the name */
    struct element *next; /* the one that followed the last time */
};

/* The current value and its path. */
struct pool_value {
    const struct element *const *elements; /* below the object, outermost first */
    size_t n;                              /* of them, > 0 */
    const char *text; /* 0-terminated, valid during the call; "" for an element with children */
    size_t length;
};

struct pool_reader;

/* One kind of object. The reader stores its ID before it calls `value` with the ID. */
struct pool_format {
    const char *pool, *object; /* names of the elements; error texts use `object` as a word */
    const char *what; /* "a host", for the error if an object has no ID; NULL: no ID needed */
    size_t size; /* of an object; unless no ID is needed, the object begins with its int32_t ID */
    bool unsorted;
    void (*value)(struct pool_reader *reader, void *object, const struct pool_value *given);
    /* Both may be NULL. `end` may still reject the object. */
    void (*close)(struct pool_reader *reader, void *object, const struct pool_value *given);
    void (*end)(struct pool_reader *reader, void *object);
    bool keeps_empty; /* pool_add_attribute() also adds empty values */
    size_t scratch;   /* size of pool_reader_scratch(), zeroed for each object */
};

/* The valid objects, ascending by id. */
struct pool_items {
    POOL_OF(void);
};

/* Reads a whole document. -1 with err: *items is then empty. */
int pool_read(struct pool_items *items, const struct pool_format *format, const char *document,
              size_t length, struct error *err);

/* Defines a function that reads a whole document into a pool of its own type. */
#define POOL_PARSER(name, object, format)                                                          \
    int name(struct object##_pool *pool, const char *document, size_t length, struct error *err)   \
    {                                                                                              \
        struct pool_items items;                                                                   \
        int result = pool_read(&items, &(format), document, length, err);                          \
                                                                                                   \
        POOL_MOVE(pool, &items);                                                                   \
        return result;                                                                             \
    }

/* Read a document that arrives in pieces: `batch` gets the objects, POOL_BATCH at a time and in
 * document order, and keeps them (by zeroing pool_items) or frees them. The caller must have
 * replaced bytes that XML does not allow. pool_reading_end() passes on the last batch, which may be
 * empty, frees the reader, and reports errors: -1 with err. */
typedef void pool_batch(void *context, struct pool_items *items);
enum { POOL_BATCH = 256 };
struct pool_reader *pool_reading_begin(const struct pool_format *format, pool_batch *batch,
                                       void *context);
void pool_reading_feed(struct pool_reader *reader, const char *text, size_t length);
int pool_reading_end(struct pool_reader *reader, struct error *err);

/* --- for the functions of a format --- */

void *pool_reader_scratch(struct pool_reader *reader);
struct pool_memory *pool_reader_memory(struct pool_reader *reader);

/* Rejects the object, which is then left out. Keeps the first error text of the first rejected
 * object. */
void pool_reader_reject(struct pool_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keeps the text of the first VM whose size cannot be read: "VM 7: CPU is "many", not a number".
 * value: NULL: the VM has none. */
void pool_reader_unsized(struct pool_reader *reader, int32_t vm, const char *name,
                         const char *value);

struct pool_range {
    int64_t smallest, largest;
};

/* Read numbers. An empty text leaves the value unchanged; a text that is not a number or out of
 * range rejects the object. */
void pool_read_number(struct pool_reader *reader, const struct pool_value *given,
                      struct pool_range range, int64_t *value);
/* The same for a number that users or their sums may make absurd: out of range, it counts as the
 * end of the range. */
void pool_read_amount(struct pool_reader *reader, const struct pool_value *given,
                      struct pool_range range, int64_t *value);
/* Reads a whole number that is not negative, and at most `largest`. False, and the value is
 * unchanged: it is none. */
bool pool_is_amount(const struct pool_value *given, int64_t largest, int64_t *value);
void pool_read_int(struct pool_reader *reader, const struct pool_value *given, int32_t smallest,
                   int32_t *value);
/* Reads a decimal number that is not negative, for example "0.59" or "1e2", as hundredths, rounded
 * to the nearest, and at most POOL_HUNDREDTHS_MAX. False, and the value is unchanged: it is none.
 */
#define POOL_HUNDREDTHS_MAX INT64_C(1000000000000)
bool pool_is_hundredths(const struct pool_value *given, int64_t *value);
const char *pool_read_text(struct pool_reader *reader, const struct pool_value *given);

/* Makes room for one more item after the first `n` of an array in the pool's memory, and returns
 * the array, which may have moved. *allocated is initially 0. */
void *pool_append(struct pool_reader *reader, void *array, size_t n, size_t *allocated,
                  size_t size);

/* The lists of the current object, copied to the pool's memory at its end. */
enum { POOL_LISTS = 4 };

/* Adds a value to a list under the names of the path from element `from` on, joined with '/'. Omits
 * paths of more than two names and, unless the format keeps them, empty values. */
void pool_add_attribute(struct pool_reader *reader, size_t which, const struct pool_value *given,
                        size_t from);
/* Copies the lists from `first` to `last`, concatenated. */
void pool_take_attributes(struct pool_reader *reader, size_t first, size_t last,
                          struct attributes *attributes);
void pool_add_id(struct pool_reader *reader, const struct pool_value *given);
int32_t *pool_take_ids(struct pool_reader *reader, size_t *n);
