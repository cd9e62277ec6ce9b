#include "adapters/opennebula/content_table.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static uint64_t hash_of(const void *block, size_t size)
{
    const unsigned char *bytes = block;
    uint64_t hash = size, word;

    for (; size >= 8; size -= 8, bytes += 8) {
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; size > 0; size--, bytes++)
        hash = (hash ^ *bytes) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

static void grow(struct content_table *table)
{
    size_t n_slots = table->n_slots ? 2 * table->n_slots : 64;
    void **blocks = memory_new(n_slots, sizeof *blocks);
    uint64_t *hashes = memory_new(n_slots, sizeof *hashes);

    for (size_t i = 0; i < table->n_slots; i++) {
        size_t place = table->hashes[i] & (n_slots - 1);

        if (!table->blocks[i])
            continue;
        while (blocks[place])
            place = (place + 1) & (n_slots - 1);
        blocks[place] = table->blocks[i];
        hashes[place] = table->hashes[i];
    }
    free(table->blocks);
    free(table->hashes);
    table->blocks = blocks;
    table->hashes = hashes;
    table->n_slots = n_slots;
}

void *content_table_keep(struct content_table *table, const void *block)
{
    uint64_t hash = hash_of(block, table->size);
    size_t place;

    if (2 * (table->n + 1) > table->n_slots)
        grow(table);
    place = hash & (table->n_slots - 1);
    while (table->blocks[place]) {
        if (table->hashes[place] == hash && !memcmp(table->blocks[place], block, table->size))
            return table->blocks[place];
        place = (place + 1) & (table->n_slots - 1);
    }
    table->n++;
    table->hashes[place] = hash;
    table->blocks[place] = memory_new(table->size, 1);
    return memcpy(table->blocks[place], block, table->size);
}

void content_table_finish(struct content_table *table)
{
    for (size_t i = 0; i < table->n_slots; i++)
        free(table->blocks[i]);
    free(table->blocks);
    free(table->hashes);
    *table = (struct content_table){0};
}
