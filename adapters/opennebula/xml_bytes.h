/* xml_bytes.h: characters and escapes of texts in XML. */
#pragma once

#include <stddef.h>

/* The bytes of the character at `text`; 0: not a character that XML allows. length > 0. */
size_t xml_character(const char *text, size_t length);

/* A copy, 0-terminated and to be freed, with '?' for every byte that is not part of a character XML
 * allows: invalid UTF-8 and control characters. NULL if there is nothing to replace. */
char *xml_bytes_mended(const char *text, size_t length);

/* The text between two tags with "&lt;", "&gt;" and "&amp;" resolved: a copy, 0-terminated and to
 * be freed, of *decoded bytes. NULL if the text needs a
 * parser: markup, other references, carriage returns, bytes that XML does not allow. Takes a
 * nanosecond per byte, a parser ten. */
char *xml_text_decoded(const char *text, size_t length, size_t *decoded);
