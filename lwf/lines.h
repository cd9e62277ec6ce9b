/* lines.h: reads a source line by line in a fixed buffer. */
#pragma once

#include "lwf/source.h"

enum { LINE_MAX_BYTES = 65536 };

struct lines {
    struct source *source;
    char *buffer;       /* LINE_MAX_BYTES + 1 bytes */
    size_t from, until; /* bytes not yet returned */
    bool at_end;
    long number; /* of the last line returned; the first is 1 */
};

/* The caller keeps the source. */
void lines_init(struct lines *lines, struct source *source);
void lines_finish(struct lines *lines);

/* The next line: 1, and *end points to a newline after it; 0 at the end; -1 on an error: EINVAL
 * with file:line:column if a line is longer than LINE_MAX_BYTES, which ends the reading. */
int lines_next(struct lines *lines, const char **line, const char **end, struct error *err);
