/* A hash table of numbers over entries that lie side by side. */
#include "util/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/memory.h"

enum { SLOTS_FIRST = 16 };

/* In front of each value. */
struct map_entry {
    union {
        int64_t integer;
        const void *bytes;
        void *copy; /* of the bytes, when the map makes copies */
    };
    uint32_t length, hash; /* of the bytes; 0 for integers */
};

struct map_slot {
    uint32_t hash;
    uint32_t next; /* the entry's number + 1; 0: free */
};

static struct map_entry *entry_at(const struct map *map, uint32_t number)
{
    return (struct map_entry *)(void *)(map->entries + number * map->stride);
}

void map_init(struct map *map, size_t value_size)
{
    *map = (struct map){.stride = sizeof(struct map_entry) + (value_size + 7) / 8 * 8};
}

void map_init_copying(struct map *map, size_t value_size)
{
    map_init(map, value_size);
    map->copies = true;
}

void map_finish(struct map *map)
{
    if (map->copies)
        for (uint32_t number = 0; number < map->n; number++)
            free(entry_at(map, number)->copy);
    free(map->entries);
    free(map->slots);
    *map = (struct map){0};
}

/* --- hashes ----------------------------------------------------------------------------------- */

/* Eight successive numbers are in successive slots, so that looking them up in turn touches one
 * cache line. */
static uint32_t hash_of_integer(int64_t key)
{
    uint64_t eight = ((uint64_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(eight >> 32) << 3 | (uint32_t)(key & 7);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint32_t hash_of_bytes(const struct map *map, const char *key, size_t length)
{
    uint64_t hash = map->seed ^ length, word;

    for (; length >= 8; length -= 8, key += 8) {
        memcpy(&word, key, 8);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, key, length);
    return (uint32_t)(mix(mix(hash, word), map->seed) >> 16);
}

/* --- slots ------------------------------------------------------------------------------------ */

static size_t slot_of_integer(const struct map *map, int64_t key, uint32_t hash)
{
    size_t mask = map->n_slots - 1, at = hash & mask;

    while (map->slots[at].next &&
           (map->slots[at].hash != hash || entry_at(map, map->slots[at].next - 1)->integer != key))
        at = (at + 1) & mask;
    return at;
}

static bool is_key(const struct map_entry *entry, const void *key, size_t length)
{
    return entry->length == length && memcmp(entry->bytes, key, length) == 0;
}

static size_t slot_of_bytes(const struct map *map, const void *key, size_t length, uint32_t hash)
{
    size_t mask = map->n_slots - 1, at = hash & mask;

    while (map->slots[at].next && (map->slots[at].hash != hash ||
                                   !is_key(entry_at(map, map->slots[at].next - 1), key, length)))
        at = (at + 1) & mask;
    return at;
}

static size_t slot_of_number(const struct map *map, uint32_t number)
{
    size_t mask = map->n_slots - 1, at = entry_at(map, number)->hash & mask;

    while (map->slots[at].next != number + 1)
        at = (at + 1) & mask;
    return at;
}

static void grow_slots(struct map *map)
{
    size_t mask;

    map->n_slots = map->n_slots ? 2 * map->n_slots : SLOTS_FIRST;
    mask = map->n_slots - 1;
    free(map->slots);
    map->slots = memory_new(map->n_slots, sizeof *map->slots);
    for (uint32_t number = 0; number < map->n; number++) {
        uint32_t hash = entry_at(map, number)->hash;
        size_t at = hash & mask;

        while (map->slots[at].next)
            at = (at + 1) & mask;
        map->slots[at] = (struct map_slot){hash, number + 1};
    }
}

/* Room for one more, so that a free slot can be taken. */
static void make_room(struct map *map)
{
    if (2 * (map->n + 1) > map->n_slots)
        grow_slots(map);
    assert(map->n < MAP_NONE - 1);
}

static uint32_t take(struct map *map, size_t slot, const struct map_entry *head)
{
    uint32_t number = (uint32_t)map->n++;
    struct map_entry *entry;

    map->entries = memory_grow(map->entries, &map->allocated, map->n, map->stride);
    map->slots[slot] = (struct map_slot){head->hash, number + 1};
    entry = entry_at(map, number);
    *entry = *head;
    memset(entry + 1, 0, map->stride - sizeof *entry);
    return number;
}

/* --- the map ---------------------------------------------------------------------------------- */

uint32_t map_find(const struct map *map, int64_t key)
{
    return map->n ? map->slots[slot_of_integer(map, key, hash_of_integer(key))].next - 1 : MAP_NONE;
}

uint32_t map_add(struct map *map, int64_t key)
{
    uint32_t hash = hash_of_integer(key);
    size_t slot;

    make_room(map);
    slot = slot_of_integer(map, key, hash);
    if (map->slots[slot].next)
        return map->slots[slot].next - 1;
    return take(map, slot, &(struct map_entry){.integer = key, .hash = hash});
}

int64_t map_key(const struct map *map, uint32_t number)
{
    return entry_at(map, number)->integer;
}

uint32_t map_find_bytes(const struct map *map, const void *key, size_t length)
{
    if (map->n == 0)
        return MAP_NONE;
    return map->slots[slot_of_bytes(map, key, length, hash_of_bytes(map, key, length))].next - 1;
}

/* Ends with a 0, so that the copy of a text is a text. */
static void *copy_of(const void *key, size_t length)
{
    char *copy = memory_new(length + 1, 1);

    return memcpy(copy, key, length);
}

uint32_t map_add_bytes(struct map *map, const void *key, size_t length)
{
    struct map_entry head;
    uint32_t hash;
    size_t slot;

    assert(length <= UINT32_MAX);
    if (map->n == 0 && getrandom(&map->seed, sizeof map->seed, GRND_NONBLOCK) < 0)
        map->seed = (uint64_t)(uintptr_t)map;
    hash = hash_of_bytes(map, key, length);
    make_room(map);
    slot = slot_of_bytes(map, key, length, hash);
    if (map->slots[slot].next)
        return map->slots[slot].next - 1;
    head = (struct map_entry){.bytes = key, .length = (uint32_t)length, .hash = hash};
    if (map->copies)
        head.copy = copy_of(key, length);
    return take(map, slot, &head);
}

uint32_t map_find_text(const struct map *map, const char *key)
{
    return map_find_bytes(map, key, strlen(key));
}

uint32_t map_add_text(struct map *map, const char *key)
{
    return map_add_bytes(map, key, strlen(key));
}

const void *map_key_bytes(const struct map *map, uint32_t number)
{
    return entry_at(map, number)->bytes;
}

void *map_value(const struct map *map, uint32_t number)
{
    return number == MAP_NONE ? NULL : entry_at(map, number) + 1;
}

/* Linear probing must not leave gaps: entries pushed past a freed slot move back. */
static void free_slot(struct map *map, size_t gap)
{
    size_t mask = map->n_slots - 1;

    for (size_t at = (gap + 1) & mask; map->slots[at].next; at = (at + 1) & mask)
        if (((at - map->slots[at].hash) & mask) >= ((at - gap) & mask)) {
            map->slots[gap] = map->slots[at];
            gap = at;
        }
    map->slots[gap] = (struct map_slot){0};
}

void map_remove(struct map *map, uint32_t number)
{
    uint32_t last = (uint32_t)map->n - 1;

    if (map->copies)
        free(entry_at(map, number)->copy);
    free_slot(map, slot_of_number(map, number));
    if (number != last) {
        map->slots[slot_of_number(map, last)].next = number + 1;
        memcpy(entry_at(map, number), entry_at(map, last), map->stride);
    }
    map->n--;
}
