#include "adapters/opennebula/text_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/memory.h"

void text_table_init(struct text_table *table)
{
    *table = (struct text_table){0};
    if (getrandom(&table->seed, sizeof table->seed, GRND_NONBLOCK) < 0)
        table->seed = (uint64_t)(uintptr_t)table;
}

void text_table_finish(struct text_table *table)
{
    free(table->texts);
    free(table->hashes);
    free(table->slots);
    *table = (struct text_table){0};
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint64_t hash_of(const struct text_table *table, const char *text)
{
    size_t length = strlen(text);
    uint64_t hash = table->seed ^ length, word;

    for (; length >= 8; length -= 8, text += 8) {
        memcpy(&word, text, 8);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, text, length);
    return mix(mix(hash, word), table->seed);
}

static uint32_t *find_slot(const struct text_table *table, const char *text, uint64_t hash)
{
    size_t mask = table->n_slots - 1, i = hash & mask;

    while (table->slots[i] != TEXT_NONE &&
           (table->hashes[table->slots[i]] != hash || strcmp(table->texts[table->slots[i]], text)))
        i = (i + 1) & mask;
    return &table->slots[i];
}

uint32_t text_table_find(const struct text_table *table, const char *text)
{
    return table->n ? *find_slot(table, text, hash_of(table, text)) : TEXT_NONE;
}

static void grow_slots(struct text_table *table)
{
    size_t mask;

    table->n_slots = table->n_slots ? 2 * table->n_slots : 64;
    mask = table->n_slots - 1;
    free(table->slots);
    table->slots = memory_new(table->n_slots, sizeof *table->slots);
    memset(table->slots, 0xff, table->n_slots * sizeof *table->slots);
    for (size_t number = 0; number < table->n; number++) {
        size_t i = table->hashes[number] & mask;

        while (table->slots[i] != TEXT_NONE)
            i = (i + 1) & mask;
        table->slots[i] = (uint32_t)number;
    }
}

uint32_t text_table_add(struct text_table *table, const char *text)
{
    uint64_t hash = hash_of(table, text);
    uint32_t *slot;

    if (2 * (table->n + 1) > table->n_slots)
        grow_slots(table);
    slot = find_slot(table, text, hash);
    if (*slot != TEXT_NONE)
        return *slot;
    table->texts = memory_grow(table->texts, &table->allocated, table->n + 1, sizeof *table->texts);
    table->hashes =
        memory_grow(table->hashes, &table->hashes_allocated, table->n + 1, sizeof *table->hashes);
    table->texts[table->n] = text;
    table->hashes[table->n] = hash;
    *slot = (uint32_t)table->n;
    return (uint32_t)table->n++;
}
