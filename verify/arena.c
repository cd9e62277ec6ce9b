/* Memory of one schedule. */
#include "verify/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 * 1024 };

struct arena_chunk {
    struct arena_chunk *next;
    alignas(max_align_t) unsigned char bytes[];
};

struct schedule_arena {
    struct arena_chunk *chunks; /* the first is in use, the others are full */
    size_t used, size;          /* of the first chunk */
};

struct schedule_arena *schedule_arena_create(void)
{
    return calloc(1, sizeof(struct schedule_arena));
}

void schedule_arena_destroy(struct schedule_arena *arena)
{
    if (!arena)
        return;
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;

        free(arena->chunks);
        arena->chunks = next;
    }
    free(arena);
}

void *schedule_arena_take(struct schedule_arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t bytes;
    void *taken;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + align - 1) / align * align;
    if (!arena->chunks || arena->size - arena->used < bytes) {
        size_t room = bytes > CHUNK_SIZE ? bytes : CHUNK_SIZE;
        struct arena_chunk *chunk = calloc(1, sizeof *chunk + room);

        if (!chunk)
            return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->used = 0;
        arena->size = room;
    }
    taken = arena->chunks->bytes + arena->used;
    arena->used += bytes;
    return taken;
}

const char *schedule_arena_text(struct schedule_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = schedule_arena_take(arena, size, 1);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}
