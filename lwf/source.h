/* source.h: bytes that a trace is read from, a file or a piece of memory.
 *
 * A source knows its name for error texts, how far it has been read, and can be read again from the
 * start unless it is a pipe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct source; /* opaque */

/* Open a file for reading; "-" is standard input, which is read once. Errors: those of open(2),
 * EISDIR. */
struct source *source_open(const char *path, struct error *err);

/* Read from `size` bytes at `bytes`, which must outlive the source. */
struct source *source_open_memory(const char *name, const void *bytes, size_t size);

void source_close(struct source *source); /* NULL is allowed; keeps errno */

/* Up to `size` bytes: how many, 0 at the end, -1 on an error. */
ssize_t source_read(struct source *source, void *buffer, size_t size, struct error *err);

/* The first bytes (at most 4096) without taking them: how many there are. -1 on an error. Only
 * before the first source_read(). */
ssize_t source_peek(struct source *source, const char **bytes, struct error *err);

/* Begin again. Errors: ESPIPE when the source is a pipe. */
int source_rewind(struct source *source, struct error *err);

bool source_can_rewind(const struct source *source);

/* A second, independent source on the same bytes, at the start. Errors: ESPIPE, those of
 * open(2). */
struct source *source_again(const struct source *source, struct error *err);

/* The fraction read so far, 0 ... 1; 0 if the length is unknown. */
double source_progress(const struct source *source);

const char *source_name(const struct source *source);
