/* json_writer.h: JSON as a stream, onto an output.
 *
 * The writer places commas and colons and escapes strings; the caller opens and closes what belongs
 * together. Failures are the output's. Text that is not UTF-8 has its wrong bytes replaced by
 * U+FFFD, so the document is always valid.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/output.h"

enum { JSON_WRITER_DEPTH_MAX = 64 };

struct json_writer {
    struct output *out;
    unsigned depth;
    uint64_t filled; /* bit per depth: something was written there */
    bool after_key;
};

void json_writer_init(struct json_writer *writer, struct output *out);

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);

/* A key; its value follows. */
void json_write_key(struct json_writer *writer, const char *key);
/* A number as a key, in quotes. */
void json_write_key_integer(struct json_writer *writer, int64_t key);

void json_write_string(struct json_writer *writer, const char *text); /* NULL is written as null */
void json_write_integer(struct json_writer *writer, int64_t value);
void json_write_double(struct json_writer *writer, double value);
void json_write_bool(struct json_writer *writer, bool value);
void json_write_null(struct json_writer *writer);

/* --- a key and its value --- */

void json_put_string(struct json_writer *writer, const char *key, const char *text);
void json_put_integer(struct json_writer *writer, const char *key, int64_t value);
void json_put_double(struct json_writer *writer, const char *key, double value);
void json_put_bool(struct json_writer *writer, const char *key, bool value);
void json_open_object(struct json_writer *writer, const char *key); /* for json_end_object() */
void json_open_array(struct json_writer *writer, const char *key);  /* for json_end_array() */

/* Announces a value that the caller writes to the output itself. */
void json_write_raw(struct json_writer *writer);
