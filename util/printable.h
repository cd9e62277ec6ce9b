/* printable.h: texts from outside, made safe to display. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the control character that a UTF-8 text begins with; 0: it begins with none. C0, DEL and
 * C1; and what turns the direction of text or ends lines (U+061C, U+200E, U+200F, U+2028 to U+202E,
 * U+2066 to U+2069), with which a name could show the rest of its line in another order. */
size_t control_length(const char *text);

/* Put `mask` in the place of each control character and each byte that is not UTF-8. */
void mask_controls(char *text, char mask);

/* If the text fills its `size` bytes, 5 or more, and so was probably cut: "..." in the place of its
 * last word, or, if that is long, of its end. */
void mark_cut(char *text, size_t size);

/* Copy the first `length` bytes of text (up to its end) into shown, of `size` bytes, 8 or more:
 * ASCII only, "?" for each byte that cannot be printed, blanks for tabs and line ends, ' for ", and
 * "..." at the end when it was cut. Returns shown. */
char *printable_part(char *shown, size_t size, const char *text, size_t length);

/* The same for a whole text; NULL is shown as nothing. Looks at size bytes at most. */
char *printable(char *shown, size_t size, const char *text);

/* Length of the character of two bytes or more that begins the bytes, or 0 if there is none (ASCII,
 * overlong, surrogate, cut off after n bytes). */
size_t utf8_length(const void *bytes, size_t n);

/* Are all n bytes characters of UTF-8? */
bool utf8_is_valid(const void *text, size_t n);
