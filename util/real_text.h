/* real_text.h: a double as decimal text that reads back as the same double. */
#pragma once

#include <stddef.h>

enum { REAL_TEXT_MAX = 40 };

/* Write value, which must be finite, without a terminator: 15 significant digits where they are
 * enough, else 16 or 17, and no zeros at the end; whole numbers below 2^53 without a point. Returns
 * the length. Exact and fast for 0.00001 to 10^14, by the C library beyond. */
size_t real_text(double value, char text[REAL_TEXT_MAX]);
