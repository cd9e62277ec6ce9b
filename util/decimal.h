/* decimal.h: numbers in decimal notation; with a fixed number of decimals, they are kept as
 * integers: with 3 decimals "0.5" is 500.
 *
 * All functions are O(length of the text).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_TEXT_MAX = 32 };

/* 10 to the power of `decimals` (0 ... 9): what 1 is kept as. */
int64_t decimal_one(int decimals);

/* Parses "-12", "+0.5" or ".25" and nothing else. 0, or -1 with *number unchanged: not a number,
 * more decimals than these, or out of the range of int64_t. */
int decimal_parse(const char *text, int decimals, int64_t *number);

/* Parses a finite number in decimal notation, "0.5" or "1e3", and nothing else: strtod(3) also
 * accepts hexadecimal digits, infinity and blanks. 0, or -1 with *number unchanged. */
int decimal_parse_real(const char *text, double *number);

/* "-12", "0.5": without zeros at the end. Returns text. */
char *decimal_write(int64_t number, int decimals, char text[DECIMAL_TEXT_MAX]);

enum { REAL_TEXT_MAX = 40 };

/* Write value, which must be finite, without a terminator: 15 significant digits where they are
 * enough, else 16 or 17, and no zeros at the end; whole numbers below 2^53 without a point. Returns
 * the length. Exact and fast for 0.00001 to 10^14, by the C library beyond. */
size_t real_text(double value, char text[REAL_TEXT_MAX]);
