/* pool_memory.h: memory of the texts and lists of a pool, freed as a whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "adapters/cloud/memory_budget.h"

struct pool_memory; /* opaque */

struct pool_memory *pool_memory_create(void);
/* Memory that also keeps the contents of `base` until it is destroyed. */
struct pool_memory *pool_memory_create_over(struct pool_memory *base);
void pool_memory_destroy(struct pool_memory *memory); /* NULL is allowed */

/* An array with the lifetime of the memory; not zeroed. */
void *pool_memory_array(struct pool_memory *memory, size_t count, size_t size);
char *pool_memory_text(struct pool_memory *memory, const char *text, size_t length);

size_t pool_memory_size(const struct pool_memory *memory); /* bytes, without its base */
/* Counts the memory, its base, and `beside` further bytes against the budget until it is destroyed;
 * call it again after the memory has grown. False: they do not fit, and are not counted. */
bool pool_memory_count(struct pool_memory *memory, struct memory_budget *budget, const char *name,
                       size_t beside);
