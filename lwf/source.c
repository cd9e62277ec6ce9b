/* Reads the bytes of a trace from a file or from memory. */
#include "lwf/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

enum { PEEK_MAX = 4096 };

struct source {
    char *name;
    int descriptor;    /* -1: memory */
    const char *bytes; /* memory */
    int64_t size;      /* 0: unknown */
    int64_t offset;    /* bytes consumed by the reader */
    bool can_rewind;
    char peeked[PEEK_MAX];
    size_t n_peeked, peeked_taken;
};

static struct source *create(const char *name)
{
    struct source *source = memory_new(1, sizeof *source);

    source->name = memory_text(name);
    source->descriptor = -1;
    return source;
}

struct source *source_open(const char *path, struct error *err)
{
    bool standard_input = !strcmp(path, "-");
    struct source *source = create(standard_input ? "standard input" : path);
    struct stat status;

    source->descriptor =
        standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0 || fstat(source->descriptor, &status) < 0) {
        error_errno(err, "%s: cannot be read", path);
        goto error;
    }
    if (S_ISDIR(status.st_mode)) {
        error_set(err, EISDIR, "%s: is a directory, not a trace", path);
        goto error;
    }
    if (S_ISREG(status.st_mode)) {
        source->size = status.st_size;
        source->can_rewind = !standard_input;
    }
    return source;

error:
    source_close(source);
    return NULL;
}

struct source *source_open_memory(const char *name, const void *bytes, size_t size)
{
    struct source *source = create(name);

    source->bytes = bytes;
    source->size = (int64_t)size;
    source->can_rewind = true;
    return source;
}

void source_close(struct source *source)
{
    int saved = errno;

    if (!source)
        return;
    if (source->descriptor >= 0)
        close(source->descriptor);
    free(source->name);
    free(source);
    errno = saved;
}

static ssize_t read_file(struct source *source, void *buffer, size_t size, struct error *err)
{
    ssize_t n;

    do
        n = read(source->descriptor, buffer, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        error_errno(err, "%s: cannot be read", source->name);
    return n;
}

ssize_t source_read(struct source *source, void *buffer, size_t size, struct error *err)
{
    ssize_t n;

    if (source->descriptor < 0) {
        size_t left = (size_t)(source->size - source->offset);

        n = (ssize_t)(left < size ? left : size);
        if (n > 0)
            memcpy(buffer, source->bytes + source->offset, (size_t)n);
    } else if (source->peeked_taken < source->n_peeked) {
        size_t left = source->n_peeked - source->peeked_taken;

        n = (ssize_t)(left < size ? left : size);
        memcpy(buffer, source->peeked + source->peeked_taken, (size_t)n);
        source->peeked_taken += (size_t)n;
    } else {
        n = read_file(source, buffer, size, err);
    }
    if (n > 0)
        source->offset += n;
    return n;
}

ssize_t source_peek(struct source *source, const char **bytes, struct error *err)
{
    if (source->descriptor < 0) {
        *bytes = source->bytes;
        return (ssize_t)(source->size < PEEK_MAX ? source->size : PEEK_MAX);
    }
    while (source->n_peeked < PEEK_MAX) {
        ssize_t n =
            read_file(source, source->peeked + source->n_peeked, PEEK_MAX - source->n_peeked, err);

        if (n < 0)
            return -1;
        if (n == 0)
            break;
        source->n_peeked += (size_t)n;
    }
    *bytes = source->peeked;
    return (ssize_t)source->n_peeked;
}

int source_rewind(struct source *source, struct error *err)
{
    if (!source->can_rewind)
        return error_set(err, ESPIPE, "%s: cannot be read twice because it is not a regular file",
                         source->name);
    if (source->descriptor >= 0 && lseek(source->descriptor, 0, SEEK_SET) < 0)
        return error_errno(err, "%s: cannot be read again", source->name);
    source->offset = 0;
    source->n_peeked = source->peeked_taken = 0;
    return 0;
}

bool source_can_rewind(const struct source *source)
{
    return source->can_rewind;
}

struct source *source_again(const struct source *source, struct error *err)
{
    if (!source->can_rewind)
        return error_null(err, ESPIPE, "%s: cannot be read twice because it is not a regular file",
                          source->name);
    if (source->descriptor < 0)
        return source_open_memory(source->name, source->bytes, (size_t)source->size);
    return source_open(source->name, err);
}

double source_progress(const struct source *source)
{
    return source->size > 0 ? (double)source->offset / (double)source->size : 0;
}

const char *source_name(const struct source *source)
{
    return source->name;
}
