/* pool_reader.h: documents of OpenNebula as a series of values.
 *
 * Reads <X_POOL><X>...</X>...</X_POOL> or a single <X> and calls, for each X, `value` for every
 * element without children and `close` for every element that had some. Names are known words or
 * not; the path says where an element is. Private to the files that read one kind of object.
 */
#pragma once

#include "adapters/cloud/pool_memory.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/pool_words.h"

enum {
    POOL_DEPTH_MAX = 32,
    POOL_TEXT_MAX = 65540, /* what is longer is cut; more than 64 KB remain, so it shows */
    POOL_DOCUMENT_MAX = 1 << 30,
    /* What is read of a document takes at most so many times its length, and POOL_SMALL bytes:
     * documents of oned take less than half their length. */
    POOL_GROWTH_MAX = 2,
    POOL_SMALL = 1 << 20,
};

struct element {
    enum pool_word word;
    const char *name; /* in upper case, in the pool's memory; the same name has the same address */
    uint32_t number;  /* of the name in its document */
};

/* The path of the value being read: elements below the object, outermost first. */
struct pool_path {
    const struct element *const *elements;
    size_t n; /* > 0 */
};

struct pool_text {
    const char *text; /* 0-terminated, valid during the call */
    size_t length;
};

struct pool_reader;

/* One kind of object. Its ID is read before `value` is called with it. */
struct pool_format {
    const char *pool, *object; /* names of the elements; object is one word of prose as well */
    const char *what;          /* "a host", for the error if it has no ID; NULL: it needs none */
    size_t size; /* of an object; it begins with its int32_t ID, unless it needs none */
    bool unsorted;
    void (*value)(struct pool_reader *reader, void *object, const struct pool_path *path,
                  const struct pool_text *text);
    /* NULL is allowed for both. `end` may still find the object to be wrong. */
    void (*close)(struct pool_reader *reader, void *object, const struct pool_path *path);
    void (*end)(struct pool_reader *reader, void *object);
    bool keeps_empty; /* pool_add_attribute() adds empty values too */
    size_t scratch;   /* bytes that are zeroed for each object: pool_reader_scratch() */
};

/* The valid objects, ascending by id. */
struct pool_items {
    POOL_OF(void);
};

/* -1 with err: *items is then empty. */
int pool_read(struct pool_items *items, const struct pool_format *format, const char *document,
              size_t length, struct error *err);

/* The same for a document that arrives in pieces: `batch` gets the objects, batch_size at a time
 * and in document order, and takes or frees them (pool_items may be zeroed). The caller must have
 * replaced bytes that XML does not allow. Ending the reading hands out the last batch, which may be
 * empty, frees the reading, and reports errors: -1 with err. */
typedef void pool_batch(void *context, struct pool_items *items);
struct pool_reader *pool_reading_begin(const struct pool_format *format, size_t batch_size,
                                       pool_batch *batch, void *context);
void pool_reading_feed(struct pool_reader *reader, const char *text, size_t length);
int pool_reading_end(struct pool_reader *reader, struct error *err);

/* --- for the functions of a format --- */

void *pool_reader_scratch(struct pool_reader *reader);
struct pool_memory *pool_reader_memory(struct pool_reader *reader);

/* Rejects the object, which is then left out. The first sentence about the first such object is
 * kept. */
void pool_reader_reject(struct pool_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct pool_range {
    int64_t smallest, largest;
};

/* Numbers. An empty text leaves the value unchanged; text that is not a number or out of range
 * rejects the object. */
void pool_read_number(struct pool_reader *reader, const struct pool_path *path,
                      const struct pool_text *text, struct pool_range range, int64_t *value);
void pool_read_int(struct pool_reader *reader, const struct pool_path *path,
                   const struct pool_text *text, int32_t smallest, int32_t *value);
/* Decimal, such as "0.59" or "1e2": in hundredths, rounded to the nearest. Not negative. */
void pool_read_hundredths(struct pool_reader *reader, const struct pool_path *path,
                          const struct pool_text *text, int64_t *value);
const char *pool_read_text(struct pool_reader *reader, const struct pool_text *text);

/* Room for one more object of that size behind the `n` of the array, in the pool's memory; it may
 * move. *allocated begins at 0. */
void *pool_append(struct pool_reader *reader, void *array, size_t n, size_t *allocated,
                  size_t size);

/* Lists in the making, of one object: they are taken into the pool's memory when it ends. */
enum { POOL_LISTS = 4 };

struct attributes *pool_reader_list(struct pool_reader *reader, size_t which);

/* Add a value under the names of the path from element `from` on, joined with '/'. Paths of
 * more than two names are left out, and empty values unless the format keeps them. */
void pool_add_attribute(struct pool_reader *reader, struct attributes *list,
                        const struct pool_path *path, size_t from, const struct pool_text *text);
/* The lists from `first` to `last`, one behind the other. */
void pool_take_attributes(struct pool_reader *reader, size_t first, size_t last,
                          struct attributes *attributes);
void pool_add_id(struct pool_reader *reader, const struct pool_path *path,
                 const struct pool_text *text);
int32_t *pool_take_ids(struct pool_reader *reader, size_t *n);
