/* output.h: buffered text to a file, or set aside and read back.
 *
 * An output remembers its first failure: the writing functions return nothing, and the failure is
 * reported once, by output_close() or output_check(). Numbers are formatted here because the C
 * library's way is too slow for large records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Writes n bytes to a descriptor that blocks, also across signals. -1 with errno. */
int output_write_all(int fd, const char *bytes, size_t n);

struct output; /* opaque */

/* A file (util/new_file.h: it is there when output_close() has succeeded); "-" is standard output.
 * Errors: those of open(), with the path. */
struct output *output_create(const char *path, struct error *err);

/* Text to be read back: in memory while it is below 2 MiB, then in an unlinked file in the
 * directory of `beside` (or where temporary files go, when that directory cannot be written). */
struct output *output_create_spool(const char *beside);

/* Text in memory, which grows; read with output_held(). */
struct output *output_create_memory(void);

/* Discards the data written, except to standard output; NULL is allowed. For error paths. */
void output_destroy(struct output *output);

/* Flushes the buffer, gives the file its name, and frees. -1 if anything failed since the creation,
 * and no file is left: err names the path and the cause. */
int output_close(struct output *output, struct error *err);

/* -1 when anything failed so far. */
int output_check(const struct output *output, struct error *err);

void output_bytes(struct output *output, const void *bytes, size_t n);
void output_text(struct output *output, const char *text);
void output_char(struct output *output, char c);
void output_integer(struct output *output, int64_t value);

/* Text of XML or HTML: &, <, > and quotes escaped, control characters left out. */
void output_escaped(struct output *output, const char *text);

/* A field of CSV (RFC 4180), in quotes if needed. */
void output_csv(struct output *output, const char *text);

/* Text that reads back as the same double (real_text() of util/decimal.h). Infinity and NaN are
 * written as null. */
void output_double(struct output *output, double value);

/* printf for infrequent output. */
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A spool's contents while it is small (below 2 MiB), and a way to reuse it: for text that is
 * composed once and used often. */
const char *output_held(const struct output *spool, size_t *n);
void output_rewind(struct output *spool);

/* Bytes written since the creation. */
int64_t output_position(const struct output *output);

/* Append [offset, offset + length) of a spool. Fast when offsets mostly rise. Failures are
 * remembered in `to`. */
void output_copy(struct output *to, struct output *spool, int64_t offset, int64_t length);
