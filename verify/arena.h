/* arena.h: the memory of one schedule, freed as a whole. */
#pragma once

#include <stddef.h>

struct schedule_arena;

struct schedule_arena *schedule_arena_create(void);        /* NULL: out of memory */
void schedule_arena_destroy(struct schedule_arena *arena); /* NULL is allowed */

/* `count` zeroed items of `size` bytes, aligned for any type; NULL: out of memory. The pointer is
 * valid also for a count of 0. */
void *schedule_arena_take(struct schedule_arena *arena, size_t count, size_t size);
const char *schedule_arena_text(struct schedule_arena *arena, const char *text);
