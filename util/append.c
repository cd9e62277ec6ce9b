/* Appends to texts in buffers. */
#include "util/append.h"

#include <stdarg.h>
#include <stdio.h>

size_t append_text(char *text, size_t size, size_t length, const char *format, ...)
{
    va_list arguments;
    int more;

    va_start(arguments, format);
    more = vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
    if (more > 0)
        length += (size_t)more;
    return length < size ? length : size - 1;
}
