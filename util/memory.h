/* memory.h: allocation that cannot fail, for the engine.
 *
 * A process that runs out of memory ends with a message and abort(): state is durable before it is
 * promised, and half-made decisions are worse than a restart (doc/decisions).
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* Zeroed room for count objects of size bytes; count 0 gives a valid pointer. Freed with free(). */
void *memory_new(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/* Make an array at least `needed` long, doubling *allocated; new room is not zeroed. */
void *memory_grow(void *array, size_t *allocated, size_t needed, size_t size);
/* The same for an array whose pointer and allocated length are variables: both change. The first
 * argument is evaluated several times. */
#define MEMORY_GROW(array, allocated, needed)                                                      \
    ((array) = memory_grow((array), &(allocated), (needed), sizeof *(array)))

/* free(), for an owner whose members are const for all other code. */
void memory_free(const void *owned);

/* Overwrites a secret text, and frees it; NULL is allowed. */
void memory_wipe(char *text);

/* A copy of size bytes; a copy of a text (NULL gives NULL). */
void *memory_copy(const void *source, size_t size);
char *memory_text(const char *text);

/* A text as printf(3) writes it. */
char *memory_format(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));
char *memory_vformat(const char *format, va_list arguments)
    __attribute__((malloc, format(printf, 1, 0)));
