/* Allocation that cannot fail, for the engine. */
#include "util/memory.h"
#include "util/unqualified.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory, size_t count, size_t size)
{
    if (!memory) {
        fprintf(stderr, "galerna: out of memory (%zu x %zu bytes)\n", count, size);
        abort();
    }
    return memory;
}

void *memory_new(size_t count, size_t size)
{
    size_t bytes;

    /* glibc's malloc() reuses freed blocks of small sizes from a cache that its calloc() does not
     * use. Compilers turn malloc() and memset() into calloc(). */
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes && bytes <= 1024) {
        void *memory = checked(malloc(bytes), count, size);

        explicit_bzero(memory, bytes);
        return memory;
    }
    return checked(calloc(count ? count : 1, size ? size : 1), count, size);
}

void *memory_grow(void *array, size_t *allocated, size_t needed, size_t size)
{
    size_t room = *allocated;

    if (needed <= room)
        return array;
    room = room < 4 ? 4 : room * 2;
    if (room < needed)
        room = needed;
    array = checked(reallocarray(array, room, size), room, size);
    *allocated = room;
    return array;
}

void memory_free(const void *owned)
{
    free(unqualified(owned));
}

void memory_wipe(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

void *memory_copy(const void *source, size_t size)
{
    void *copy = checked(malloc(size ? size : 1), 1, size);

    if (size)
        memcpy(copy, source, size);
    return copy;
}

char *memory_text(const char *text)
{
    return text ? memory_copy(text, strlen(text) + 1) : NULL;
}

char *memory_vformat(const char *format, va_list arguments)
{
    char *text = NULL;

    return checked(vasprintf(&text, format, arguments) < 0 ? NULL : text, 1, strlen(format));
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = memory_vformat(format, arguments);
    va_end(arguments);
    return text;
}
