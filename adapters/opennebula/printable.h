/* printable.h: untrusted text, made safe to display. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_PRINTABLE_H
#define GALERNA_ADAPTERS_OPENNEBULA_PRINTABLE_H

#include <stddef.h>

/* Copy the first `length` bytes of text (up to its end) into shown, of `size` bytes, 8 or more:
 * ASCII only, "?" for each byte that cannot be printed, blanks for tabs and line ends, ' for ", and
 * "..." at the end when it was cut. Returns shown. */
char *printable_part(char *shown, size_t size, const char *text, size_t length);

/* The same for a whole text; NULL is shown as nothing. Looks at size bytes at most. */
char *printable(char *shown, size_t size, const char *text);

#endif
