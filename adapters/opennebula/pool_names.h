/* pool_names.h: each element name of a document once, with its meaning. */
#pragma once

#include "adapters/opennebula/pool_reader.h"
#include "util/map.h"

struct pool_names {
    struct map elements; /* struct element *, by the parser's address of the name */
    struct map joined;   /* const char *, by the numbers of both */
    struct pool_memory *memory;
};

void pool_names_init(struct pool_names *names, struct pool_memory *memory);
void pool_names_finish(struct pool_names *names);

/* `key` is the parser's own address for the name: the same for the same name. O(1). */
const struct element *pool_names_element(struct pool_names *names, const char *key);

/* "OUTER/INNER" for two of the elements. O(1). */
const char *pool_names_joined(struct pool_names *names, const struct element *outer,
                              const struct element *inner);
