/* pool_names.h: the distinct element names of a document, with their meanings. */
#pragma once

#include "adapters/opennebula/pool_reader.h"
#include "util/map.h"

struct pool_names {
    struct map elements; /* struct element *, by the parser's address of the name */
    struct map joined;   /* const char *, by the numbers of both elements */
    struct element *last;
    struct pool_memory *memory;
};

void pool_names_init(struct pool_names *names, struct pool_memory *memory);
void pool_names_finish(struct pool_names *names);

/* `key` is the parser's address of the name; equal names have the same address. O(1). */
const struct element *pool_names_element(struct pool_names *names, const char *key);

/* "OUTER/INNER" for two elements. O(1). */
const char *pool_names_joined(struct pool_names *names, const struct element *outer,
                              const struct element *inner);
