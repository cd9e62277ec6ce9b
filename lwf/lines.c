/* Reads a source line by line in a fixed buffer. */
#include "lwf/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void lines_init(struct lines *lines, struct source *source)
{
    *lines = (struct lines){.source = source, .buffer = memory_new(LINE_MAX_BYTES + 1, 1)};
}

void lines_finish(struct lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}

/* Makes room after the unfinished line and reads more bytes. */
static int fill(struct lines *lines, struct error *err)
{
    size_t held = lines->until - lines->from;
    ssize_t n;

    memmove(lines->buffer, lines->buffer + lines->from, held);
    lines->from = 0;
    lines->until = held;
    if (held == LINE_MAX_BYTES) {
        lines->until = 0;
        lines->at_end = true;
        return error_set(
            err, EINVAL, "%s:%ld:%d: the line is longer than %d bytes; is this a text file?",
            source_name(lines->source), lines->number + 1, LINE_MAX_BYTES, LINE_MAX_BYTES);
    }
    n = source_read(lines->source, lines->buffer + held, LINE_MAX_BYTES - held, err);
    if (n < 0)
        return -1;
    lines->until += (size_t)n;
    lines->at_end = n == 0;
    return 0;
}

int lines_next(struct lines *lines, const char **line, const char **end, struct error *err)
{
    size_t searched = 0;
    char *newline;

    for (;;) {
        char *from = lines->buffer + lines->from;
        size_t held = lines->until - lines->from;

        newline = memchr(from + searched, '\n', held - searched);
        if (newline)
            break;
        if (lines->at_end) {
            if (held == 0)
                return 0;
            newline = from + held;
            *newline = '\n';
            break;
        }
        searched = held;
        if (fill(lines, err) < 0)
            return -1;
    }
    *line = lines->buffer + lines->from;
    *end = newline;
    lines->from = (size_t)(newline - lines->buffer) + 1;
    if (lines->from > lines->until)
        lines->from = lines->until;
    lines->number++;
    if (lines->number == 1 && newline - *line >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0)
        *line += 3; /* a byte order mark */
    return 1;
}
