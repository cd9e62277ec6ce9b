/* pool_memory.h: the texts and lists of a pool, freed at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "adapters/cloud/memory_budget.h"

struct pool_memory; /* opaque */

struct pool_memory *pool_memory_create(void);
/* Memory that keeps what is in another one, until it is destroyed itself. */
struct pool_memory *pool_memory_create_over(struct pool_memory *base);
void pool_memory_destroy(struct pool_memory *memory); /* NULL is allowed */

/* An array that lives as long as the memory does; not zeroed. */
void *pool_memory_array(struct pool_memory *memory, size_t count, size_t size);
char *pool_memory_text(struct pool_memory *memory, const char *text, size_t length);

size_t pool_memory_size(const struct pool_memory *memory); /* bytes, without the one it is over */
/* Count the memory, the one it is over, and `beside` further bytes against the budget until it is
 * destroyed; once more when it has grown. False: they do not fit, and are not counted. */
bool pool_memory_count(struct pool_memory *memory, struct memory_budget *budget, const char *name,
                       size_t beside);
