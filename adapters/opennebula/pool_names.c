#include "adapters/opennebula/pool_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { FIRST_SIZE = 256 };

/* An element (inner is NULL), or two of them joined. */
struct name_entry {
    const void *outer, *inner; /* outer is NULL: the place is free */
    const struct element *element;
    const char *joined;
};

void pool_names_init(struct pool_names *names, struct pool_memory *memory)
{
    *names = (struct pool_names){.n_entries = FIRST_SIZE, .memory = memory};
    names->entries = memory_new(names->n_entries, sizeof *names->entries);
}

void pool_names_finish(struct pool_names *names)
{
    free(names->entries);
    *names = (struct pool_names){0};
}

/* The entry of the pair, or the free place where it belongs. */
static struct name_entry *place_of(const struct pool_names *names, const void *outer,
                                   const void *inner)
{
    uint64_t mixed = (uintptr_t)outer * UINT64_C(0x9E3779B97F4A7C15) ^
                     (uintptr_t)inner * UINT64_C(0xC2B2AE3D27D4EB4F);
    size_t at = (size_t)(mixed >> 24) & (names->n_entries - 1);

    while (names->entries[at].outer &&
           (names->entries[at].outer != outer || names->entries[at].inner != inner))
        at = (at + 1) & (names->n_entries - 1);
    return &names->entries[at];
}

static void grow(struct pool_names *names)
{
    struct pool_names larger = *names;

    larger.n_entries *= 2;
    larger.entries = memory_new(larger.n_entries, sizeof *larger.entries);
    for (size_t i = 0; i < names->n_entries; i++)
        if (names->entries[i].outer)
            *place_of(&larger, names->entries[i].outer, names->entries[i].inner) =
                names->entries[i];
    free(names->entries);
    *names = larger;
}

static struct name_entry *find_or_add(struct pool_names *names, const void *outer,
                                      const void *inner)
{
    struct name_entry *entry = place_of(names, outer, inner);

    if (entry->outer)
        return entry;
    if (2 * ++names->n > names->n_entries) {
        grow(names);
        entry = place_of(names, outer, inner);
    }
    entry->outer = outer;
    entry->inner = inner;
    return entry;
}

static enum pool_word word_of(const char *name)
{
#define POOL_WORD(name) [WORD_##name] = #name,
    static const char *const words[WORD_COUNT] = {[WORD_NONE] = "", POOL_WORDS(POOL_WORD)};
#undef POOL_WORD

    for (int word = WORD_NONE + 1; word < WORD_COUNT; word++)
        if (strcmp(words[word], name) == 0)
            return (enum pool_word)word;
    return WORD_NONE;
}

const struct element *pool_names_element(struct pool_names *names, const char *key)
{
    struct name_entry *entry = find_or_add(names, key, NULL);
    struct element *element;
    char *name;

    if (entry->element)
        return entry->element;
    element = pool_memory_array(names->memory, 1, sizeof *element);
    name = pool_memory_text(names->memory, key, strlen(key));
    element->word = word_of(name);
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    element->name = name;
    entry->element = element;
    return element;
}

const char *pool_names_joined(struct pool_names *names, const struct element *outer,
                              const struct element *inner)
{
    struct name_entry *entry = find_or_add(names, outer, inner);
    size_t length;
    char *joined;

    if (entry->joined)
        return entry->joined;
    length = strlen(outer->name) + 1 + strlen(inner->name);
    joined = pool_memory_array(names->memory, length + 1, 1);
    snprintf(joined, length + 1, "%s/%s", outer->name, inner->name);
    entry->joined = joined;
    return joined;
}
