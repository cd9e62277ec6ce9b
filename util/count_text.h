/* count_text.h: a number of things and what is so of them, in the singular or plural. */
#pragma once

#include <stddef.h>

/* n of `all` things. predicate: begins with "are ", "do " or "have ". Writes "2 are disabled" or
 * "1 is disabled", and of a single thing "it is disabled". Returns the length as snprintf(). */
int count_text(char *text, size_t size, size_t n, size_t all, const char *predicate);
