/* lines.h: a source read line by line in a fixed buffer. */
#pragma once

#include "lwf/source.h"

enum { LINE_MAX_BYTES = 65536 };

struct lines {
    struct source *source;
    char *buffer;       /* LINE_MAX_BYTES and one more */
    size_t from, until; /* not yet given */
    bool at_end;
    long number; /* of the line last given; the first is 1 */
};

/* The source stays the caller's. */
void lines_init(struct lines *lines, struct source *source);
void lines_finish(struct lines *lines);

/* The next line without its end: 1, with *end on a newline that the buffer holds there; 0 at the
 * end; -1 on an error: EINVAL with file:line:column when a line is longer than LINE_MAX_BYTES,
 * after which there are no more lines. */
int lines_next(struct lines *lines, const char **line, const char **end, struct error *err);
