/* Allocates the texts and lists of a pool. */
#include "adapters/cloud/pool_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { CHUNK = 64 * 1024 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(max_align_t) char room[];
};

struct pool_memory {
    struct chunk *first;
    struct pool_memory *base; /* NULL: none */
    size_t n_over;            /* number of memories with this base */
    size_t size;              /* of all chunks */
    struct memory_budget *budget;
    const char *name; /* in the budget */
    size_t counted;   /* bytes in the budget */
};

struct pool_memory *pool_memory_create(void)
{
    return memory_new(1, sizeof(struct pool_memory));
}

struct pool_memory *pool_memory_create_over(struct pool_memory *base)
{
    struct pool_memory *memory = pool_memory_create();

    base->n_over++;
    memory->base = base;
    return memory;
}

void pool_memory_destroy(struct pool_memory *memory)
{
    struct chunk *next;

    if (!memory || memory->n_over-- > 0)
        return;
    for (struct chunk *chunk = memory->first; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    pool_memory_destroy(memory->base);
    memory_budget_give_back(memory->budget, memory->name, memory->counted);
    free(memory);
}

/* A block larger than a chunk gets its own chunk, after the one in use. */
static struct chunk *add_chunk(struct pool_memory *memory, size_t size)
{
    struct chunk *chunk, **place = &memory->first;
    size_t allocated = 0;

    if (size < CHUNK)
        size = CHUNK;
    else if (memory->first)
        place = &memory->first->next;
    chunk = memory_grow(NULL, &allocated, sizeof *chunk + size, 1);
    *chunk = (struct chunk){.next = *place, .size = size};
    *place = chunk;
    memory->size += size;
    return chunk;
}

static void *take(struct pool_memory *memory, size_t size, size_t alignment)
{
    struct chunk *chunk = memory->first;
    size_t at = chunk ? (chunk->used + alignment - 1) & ~(alignment - 1) : 0;

    if (!chunk || at > chunk->size || size > chunk->size - at) {
        chunk = add_chunk(memory, size);
        at = 0;
    }
    chunk->used = at + size;
    return chunk->room + at;
}

void *pool_memory_array(struct pool_memory *memory, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / 2 / size)
        abort();
    return take(memory, count * size, _Alignof(max_align_t));
}

char *pool_memory_text(struct pool_memory *memory, const char *text, size_t length)
{
    char *copy = take(memory, length + 1, 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

size_t pool_memory_size(const struct pool_memory *memory)
{
    return memory->size;
}

bool pool_memory_count(struct pool_memory *memory, struct memory_budget *budget, const char *name,
                       size_t beside)
{
    size_t all = memory->size + beside;

    if (!budget)
        return true;
    if (memory->base && !memory->base->counted && !pool_memory_count(memory->base, budget, name, 0))
        return false;
    if (all > memory->counted && !memory_budget_take(budget, name, all - memory->counted))
        return false;
    memory->budget = budget;
    memory->name = name;
    memory->counted = all > memory->counted ? all : memory->counted;
    return true;
}
