/* append.h: puts a text together in a buffer of fixed size. */
#pragma once

#include <stddef.h>

/* Append to the text of `length` bytes in a buffer of `size` bytes, 1 or more. What does not fit is
 * cut. Returns the new length, below `size`. */
size_t append_text(char *text, size_t size, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
