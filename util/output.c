/* Files, text set aside and text in memory, behind one buffer. */
#include "util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/decimal.h"
#include "util/memory.h"
#include "util/new_file.h"

enum {
    FILE_BUFFER = 1 << 16,
    MEMORY_BUFFER = 1 << 8,
    SPOOL_BUFFER = 1 << 21, /* of which only what is written to takes memory */
    BLOCK_SIZE = 1 << 14,   /* read back at once */
    BLOCKS = 32,            /* kept in memory; most parts are read in order, some far ahead */
};

struct output {
    int fd;      /* -1: a spool that still fits into its buffer */
    int failure; /* errno of the first failure, or 0 */
    bool spool, memory;
    bool copy;             /* of standard output */
    struct new_file *file; /* owns fd; NULL: standard output, a spool, memory */
    size_t used, size;
    int64_t flushed; /* bytes that left the buffer */
    char *buffer;
    char *blocks;         /* spool: parts of its file, at the place number % BLOCKS */
    int64_t held[BLOCKS]; /* which ones: number + 1; 0: none */
    char *path;
};

static struct output *create(const char *path, size_t size)
{
    struct output *output = memory_new(1, sizeof *output);

    output->fd = -1;
    output->buffer = memory_grow(NULL, &output->size, size, 1);
    output->path = memory_text(path);
    return output;
}

struct output *output_create(const char *path, struct error *err)
{
    struct output *output = create(path, FILE_BUFFER);

    if (strcmp(path, "-") == 0) {
        /* A copy: standard output may be diverted meanwhile (util/standard_output.h). */
        output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        output->copy = output->fd >= 0;
        if (!output->copy)
            output->fd = STDOUT_FILENO; /* writing says why */
        return output;
    }
    output->file = new_file_create(path, 0666, err);
    if (!output->file) {
        output_destroy(output);
        return NULL;
    }
    output->fd = new_file_descriptor(output->file);
    return output;
}

struct output *output_create_memory(void)
{
    struct output *output = create("", MEMORY_BUFFER);

    output->memory = true;
    return output;
}

struct output *output_create_spool(const char *beside)
{
    struct output *output = create(beside, SPOOL_BUFFER);

    output->spool = true;
    return output;
}

void output_destroy(struct output *output)
{
    int saved = errno;

    if (!output)
        return;
    new_file_destroy(output->file);
    if ((output->spool || output->copy) && output->fd >= 0)
        close(output->fd);
    free(output->buffer);
    free(output->blocks);
    free(output->path);
    free(output);
    errno = saved;
}

static int open_unlinked(const char *directory)
{
    char name[PATH_MAX];
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0)
        return fd;
    if (snprintf(name, sizeof name, "%s/.galerna-XXXXXX", directory) >= (int)sizeof name)
        return -1;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static int open_spool(const char *beside)
{
    char directory[PATH_MAX] = ".";
    const char *slash = strrchr(beside, '/');
    const char *elsewhere = getenv("TMPDIR");
    int fd;

    if (slash && (size_t)(slash - beside) < sizeof directory)
        snprintf(directory, sizeof directory, "%.*s", slash == beside ? 1 : (int)(slash - beside),
                 beside);
    fd = open_unlinked(directory);
    if (fd < 0)
        fd = open_unlinked(elsewhere && elsewhere[0] ? elsewhere : "/tmp");
    return fd;
}

int output_write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

static void flush(struct output *output)
{
    if (output->memory) {
        output->buffer = memory_grow(output->buffer, &output->size, output->size + 1, 1);
        return;
    }
    if (!output->failure && output->fd < 0) {
        output->fd = open_spool(output->path);
        if (output->fd < 0)
            output->failure = errno ? errno : EIO;
    }
    if (!output->failure && output_write_all(output->fd, output->buffer, output->used) < 0)
        output->failure = errno;
    /* The last block may have become longer. */
    output->held[output->flushed / BLOCK_SIZE % BLOCKS] = 0;
    output->flushed += (int64_t)output->used;
    output->used = 0;
}

int output_check(const struct output *output, struct error *err)
{
    if (!output->failure)
        return 0;
    if (output->spool)
        return error_set(err, output->failure, "%s: cannot write a temporary file: %s",
                         output->path, strerror(output->failure));
    return error_set(err, output->failure, "%s: cannot be written: %s", output->path,
                     strerror(output->failure));
}

int output_close(struct output *output, struct error *err)
{
    int result;

    if (!output->spool)
        flush(output);
    result = output_check(output, err);
    if (result == 0 && output->file) {
        result = new_file_commit(output->file, err);
        output->file = NULL;
    }
    output_destroy(output);
    return result;
}

void output_bytes(struct output *output, const void *bytes, size_t n)
{
    const char *rest = bytes;

    while (n > output->size - output->used) {
        size_t part = output->size - output->used;

        memcpy(output->buffer + output->used, rest, part);
        output->used = output->size;
        flush(output);
        rest += part;
        n -= part;
    }
    memcpy(output->buffer + output->used, rest, n);
    output->used += n;
}

void output_text(struct output *output, const char *text)
{
    output_bytes(output, text, strlen(text));
}

void output_char(struct output *output, char c)
{
    if (output->used == output->size)
        flush(output);
    output->buffer[output->used++] = c;
}

void output_escaped(struct output *output, const char *text)
{
    static const char *const names[] = {
        ['"'] = "&quot;", ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;"};

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < sizeof names / sizeof names[0] && names[c])
            output_text(output, names[c]);
        else if (c >= 0x20 || c == '\n')
            output_char(output, *text);
    }
}

void output_integer(struct output *output, int64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313"
                                "23334353637383940414243444546474849505152535455565758596061626364"
                                "656667686970717273747576777879808182838485868788899091929394959697"
                                "9899";
    char text[24];
    char *at = text + sizeof text;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

    while (rest >= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (rest % 100), 2);
        rest /= 100;
    }
    if (rest >= 10) {
        at -= 2;
        memcpy(at, pairs + 2 * rest, 2);
    } else {
        *--at = (char)('0' + rest);
    }
    if (value < 0)
        *--at = '-';
    output_bytes(output, at, (size_t)(text + sizeof text - at));
}

void output_csv(struct output *output, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        output_text(output, text);
        return;
    }
    output_char(output, '"');
    for (; *text; text++) {
        if (*text == '"')
            output_char(output, '"');
        output_char(output, *text);
    }
    output_char(output, '"');
}

void output_double(struct output *output, double value)
{
    char text[REAL_TEXT_MAX];

    if (isfinite(value)) {
        size_t length = real_text(value, text);

        output_bytes(output, text, length);
    } else {
        output_bytes(output, "null", 4);
    }
}

void output_format(struct output *output, const char *format, ...)
{
    char text[1024];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof text) {
        if (!output->failure)
            output->failure = EOVERFLOW;
        return;
    }
    output_bytes(output, text, (size_t)length);
}

const char *output_held(const struct output *spool, size_t *n)
{
    *n = spool->used;
    return spool->buffer;
}

void output_rewind(struct output *spool)
{
    spool->used = 0;
}

int64_t output_position(const struct output *output)
{
    return output->flushed + (int64_t)output->used;
}

/* Read [offset, offset + n) of the spool's file. */
static int read_back(const struct output *spool, char *bytes, size_t n, int64_t offset)
{
    while (n > 0) {
        ssize_t part = pread(spool->fd, bytes, n, offset);

        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return part < 0 ? errno : EIO;
        bytes += part;
        offset += part;
        n -= (size_t)part;
    }
    return 0;
}

/* The bytes of the spool's file from `offset` to the end of its block; NULL with *failure. */
static const char *block_at(struct output *spool, int64_t offset, int64_t *n, int *failure)
{
    int64_t number = offset / BLOCK_SIZE, begin = number * BLOCK_SIZE;
    int64_t length = spool->flushed - begin < BLOCK_SIZE ? spool->flushed - begin : BLOCK_SIZE;
    size_t place = (size_t)(number % BLOCKS);

    if (!spool->blocks) {
        spool->blocks = memory_new(BLOCKS, BLOCK_SIZE);
    }
    if (spool->held[place] != number + 1) {
        spool->held[place] = 0;
        *failure = read_back(spool, spool->blocks + place * BLOCK_SIZE, (size_t)length, begin);
        if (*failure)
            return NULL;
        spool->held[place] = number + 1;
    }
    *n = begin + length - offset;
    return spool->blocks + place * BLOCK_SIZE + (offset - begin);
}

void output_copy(struct output *to, struct output *spool, int64_t offset, int64_t length)
{
    int failure = spool->failure;

    while (length > 0 && !failure) {
        const char *from;
        int64_t part = length;

        if (offset >= spool->flushed)
            from = spool->buffer + (offset - spool->flushed);
        else
            from = block_at(spool, offset, &part, &failure);
        if (!from)
            break;
        if (part > length)
            part = length;
        output_bytes(to, from, (size_t)part);
        offset += part;
        length -= part;
    }
    if (failure && !to->failure)
        to->failure = failure;
}
