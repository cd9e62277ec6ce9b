/* 64-bit FNV-1a digests. */
#include "sweep/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { READ_AT_ONCE = 1 << 16 };

void digest_init(struct digest *digest)
{
    digest->value = 14695981039346656037u;
}

static void add(struct digest *digest, const unsigned char *bytes, size_t n)
{
    uint64_t value = digest->value;

    for (size_t i = 0; i < n; i++)
        value = (value ^ bytes[i]) * 1099511628211u;
    digest->value = value;
}

void digest_number(struct digest *digest, uint64_t number)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    add(digest, bytes, sizeof bytes);
}

void digest_text(struct digest *digest, const char *text)
{
    if (text)
        add(digest, (const unsigned char *)text, strlen(text) + 1);
    else
        add(digest, (const unsigned char *)"\xff", 1);
}

int digest_file(struct digest *digest, const char *path, struct error *err)
{
    FILE *stream = fopen(path, "rb");
    unsigned char *buffer;
    uint64_t size = 0;
    size_t got;
    int result = 0;

    if (!stream)
        return error_errno(err, "%s: cannot be read", path);
    buffer = memory_new(READ_AT_ONCE, 1);
    while ((got = fread(buffer, 1, READ_AT_ONCE, stream)) > 0) {
        add(digest, buffer, got);
        size += got;
    }
    if (ferror(stream))
        result = error_errno(err, "%s: cannot be read", path);
    fclose(stream);
    free(buffer);
    digest_number(digest, size);
    return result;
}
