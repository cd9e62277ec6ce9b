/* pool_memory.h: the texts and lists of a pool, freed at once. */
#pragma once

#include <stddef.h>

struct pool_memory; /* opaque */

struct pool_memory *pool_memory_create(void);
/* Memory that keeps what is in another one, until it is destroyed itself. */
struct pool_memory *pool_memory_create_over(struct pool_memory *base);
void pool_memory_destroy(struct pool_memory *memory); /* NULL is allowed */

/* An array that lives as long as the memory does; not zeroed. */
void *pool_memory_array(struct pool_memory *memory, size_t count, size_t size);
char *pool_memory_text(struct pool_memory *memory, const char *text, size_t length);
