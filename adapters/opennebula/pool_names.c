/* Decodes each name of elements once in a document. */
#include "adapters/opennebula/pool_names.h"

#include <stdio.h>
#include <string.h>

#include "util/words.h"

void pool_names_init(struct pool_names *names, struct pool_memory *memory)
{
    *names = (struct pool_names){.memory = memory};
    map_init(&names->elements, sizeof(struct element *));
    map_init(&names->joined, sizeof(const char *));
}

void pool_names_finish(struct pool_names *names)
{
    map_finish(&names->elements);
    map_finish(&names->joined);
    *names = (struct pool_names){0};
}

static enum pool_word word_of(const char *name)
{
#define POOL_WORD(name) [WORD_##name] = #name,
    static const char *const words[WORD_COUNT] = {[WORD_NONE] = "", POOL_WORDS(POOL_WORD)};
#undef POOL_WORD

    for (int word = WORD_NONE + 1; word < WORD_COUNT; word++)
        if (words_equal(words[word], name))
            return (enum pool_word)word;
    return WORD_NONE;
}

static struct element *find_element(struct pool_names *names, const char *key)
{
    uint32_t number = map_add(&names->elements, (int64_t)(intptr_t)key);
    struct element **known = map_value(&names->elements, number), *element = *known;
    char *name;

    if (element)
        return element;
    *known = element = pool_memory_array(names->memory, 1, sizeof *element);
    name = pool_memory_text(names->memory, key, strlen(key));
    *element = (struct element){word_of(name), name, number, key, NULL};
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return element;
}

const struct element *pool_names_element(struct pool_names *names, const char *key)
{
    struct element *last = names->last, *element = last ? last->next : NULL;

    if (!element || element->key != key) {
        element = find_element(names, key);
        if (last)
            last->next = element;
    }
    names->last = element;
    return element;
}

const char *pool_names_joined(struct pool_names *names, const struct element *outer,
                              const struct element *inner)
{
    int64_t both = (int64_t)outer->number << 32 | inner->number;
    const char **known = map_value(&names->joined, map_add(&names->joined, both));

    if (!*known) {
        size_t length = strlen(outer->name) + 1 + strlen(inner->name);
        char *joined = pool_memory_array(names->memory, length + 1, 1);

        snprintf(joined, length + 1, "%s/%s", outer->name, inner->name);
        *known = joined;
    }
    return *known;
}
