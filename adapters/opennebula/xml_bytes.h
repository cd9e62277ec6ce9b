/* xml_bytes.h: what XML allows in a text, and how it writes it. */
#pragma once

#include <stddef.h>

/* How many of the bytes at `text` form one character that XML allows; 0: they do not. length > 0.
 */
size_t xml_character(const char *text, size_t length);

/* A copy, 0-terminated and to be freed, with '?' for every byte that is not part of a character XML
 * allows: invalid UTF-8 and control characters. NULL if there is nothing to replace. */
char *xml_bytes_mended(const char *text, size_t length);

/* The text between two tags with "&lt;", "&gt;" and "&amp;" resolved: a copy, 0-terminated and to
 * be freed, of *decoded bytes. NULL when it holds anything that takes a parser to understand:
 * markup, other references, carriage returns, bytes that XML does not allow. Takes a nanosecond per
 * byte, a parser ten. */
char *xml_text_decoded(const char *text, size_t length, size_t *decoded);
