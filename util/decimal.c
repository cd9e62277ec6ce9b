/* Numbers in decimal notation, as text and as integers. */
#include "util/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t decimal_one(int decimals)
{
    int64_t one = 1;

    while (decimals-- > 0)
        one *= 10;
    return one;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int decimal_parse(const char *text, int decimals, int64_t *number)
{
    const char *at = text + (*text == '-' || *text == '+');
    int64_t sign = *text == '-' ? -1 : 1, value = 0;
    bool any = false, is_fraction = false;

    for (; is_digit(*at) || (*at == '.' && !is_fraction && decimals > 0); at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        if ((is_fraction && decimals-- == 0) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, sign * (*at - '0'), &value))
            return -1;
        any = true;
    }
    if (!any || *at || __builtin_mul_overflow(value, decimal_one(decimals), &value))
        return -1;
    *number = value;
    return 0;
}

int decimal_parse_real(const char *text, double *number)
{
    char *end;
    double value = strtod(text, &end);

    if (text[strspn(text, "0123456789.eE+-")] || end == text || *end || !isfinite(value))
        return -1;
    *number = value;
    return 0;
}

char *decimal_write(int64_t number, int decimals, char text[DECIMAL_TEXT_MAX])
{
    const int64_t one = decimal_one(decimals);
    int64_t fraction = number % one;

    fraction = fraction < 0 ? -fraction : fraction;
    while (fraction && fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    snprintf(text, DECIMAL_TEXT_MAX, "%s%" PRId64, number < 0 && number > -one ? "-" : "",
             number / one);
    if (fraction) {
        char *end = text;

        while (*end)
            end++;
        snprintf(end, (size_t)(text + DECIMAL_TEXT_MAX - end), ".%0*" PRId64, decimals, fraction);
    }
    return text;
}
