/* utf8.h: whether bytes are text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Length of the character of two bytes or more that begins the bytes, or 0 if there is none (ASCII,
 * overlong, surrogate, cut off after n bytes). */
size_t utf8_length(const void *bytes, size_t n);

/* Are all n bytes characters of UTF-8? */
bool utf8_is_valid(const void *text, size_t n);
