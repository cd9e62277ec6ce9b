/* map.h: values of one size by integer, or by text or other bytes.
 *
 * Entries lie side by side, numbered 0 ... n - 1 in the order in which they were added; a removal
 * moves the last entry to the freed number. So a map of texts numbers them, and going through a map
 * is a loop over numbers whose order does not depend on hashes. A hash of 32 bits is kept with each
 * entry: growing reads no keys, and unequal keys are rarely compared. Texts are hashed with a
 * random seed, so that an attacker cannot choose colliding keys.
 *
 * Memory: 16 bytes and the value for each entry, twice that at most after growth, and 16 to 32
 * bytes for finding it. Nothing is allocated per entry, except requested copies of keys. Costs:
 * O(1) on average, O(length) for texts. Values are aligned to 8 bytes; adding and removing move
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct map {
    char *entries;
    size_t n, allocated;
    size_t stride;          /* bytes of an entry and its value */
    struct map_slot *slots; /* open addressing, linear probing */
    size_t n_slots;         /* a power of two, or 0 */
    uint64_t seed;
    bool copies; /* keys are copies of its own */
};

/* An empty map, which needs no memory yet. */
void map_init(struct map *map, size_t value_size);
/* The same, by bytes, of which it keeps copies that do not move while their entries are there. */
void map_init_copying(struct map *map, size_t value_size);
/* Frees entries and values; memory that values point to is the caller's. {0} is allowed. */
void map_finish(struct map *map);

/* --- by integer --------------------------------------------------------------------------------
 * A map has keys of one kind: integers, or bytes. */

/* The entry's number, or MAP_NONE. */
uint32_t map_find(const struct map *map, int64_t key);
/* The same; a new entry, whose value is all 0, if there is none. */
uint32_t map_add(struct map *map, int64_t key);
int64_t map_key(const struct map *map, uint32_t number);

/* --- by bytes ----------------------------------------------------------------------------------
 * Keys that are not copied must outlive their entries. */

uint32_t map_find_bytes(const struct map *map, const void *key, size_t length);
uint32_t map_add_bytes(struct map *map, const void *key, size_t length);
uint32_t map_find_text(const struct map *map, const char *key);
uint32_t map_add_text(struct map *map, const char *key);
const void *map_key_bytes(const struct map *map, uint32_t number);

/* --- by number -------------------------------------------------------------------------------- */

/* The value, until the next addition or removal. `number` may be MAP_NONE: NULL. */
void *map_value(const struct map *map, uint32_t number);

/* Remove an entry; the last one gets its number. */
void map_remove(struct map *map, uint32_t number);
