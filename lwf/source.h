/* source.h: the bytes of a trace, in a file or in memory.
 *
 * A source has a name for error texts and a position, and can be read again from the start unless
 * it is a pipe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"

struct source; /* opaque */

/* Opens a file for reading; "-" is standard input, which can be read once. Errors: errors of
 * open(2), EISDIR. */
struct source *source_open(const char *path, struct error *err);

/* A source of `size` bytes at `bytes`, which must outlive it. */
struct source *source_open_memory(const char *name, const void *bytes, size_t size);

void source_close(struct source *source); /* NULL is allowed; keeps errno */

/* Reads up to `size` bytes. Returns their number, 0 at the end, -1 on an error. */
ssize_t source_read(struct source *source, void *buffer, size_t size, struct error *err);

/* Looks at the first bytes (at most 4096) without consuming them. Returns their number, -1 on an
 * error. Only before the first source_read(). */
ssize_t source_peek(struct source *source, const char **bytes, struct error *err);

/* Returns to the start. Errors: ESPIPE if the source is a pipe. */
int source_rewind(struct source *source, struct error *err);

bool source_can_rewind(const struct source *source);

/* A second, independent source of the same bytes, at the start. Errors: ESPIPE, errors of open(2).
 */
struct source *source_again(const struct source *source, struct error *err);

/* The fraction read so far, 0 ... 1; 0 if the length is unknown. */
double source_progress(const struct source *source);

const char *source_name(const struct source *source);
