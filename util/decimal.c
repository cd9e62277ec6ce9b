/* Numbers in decimal notation, as text and as integers. */
#include "util/decimal.h"

#include <assert.h>
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

__extension__ typedef unsigned __int128 wide;

#define WHOLE_LIMIT 9007199254740992.0 /* 2^53: every whole number below is a double */

static const uint64_t powers[] = {1,
                                  10,
                                  100,
                                  1000,
                                  10000,
                                  100000,
                                  1000000,
                                  10000000,
                                  100000000,
                                  1000000000,
                                  10000000000,
                                  100000000000,
                                  1000000000000,
                                  10000000000000,
                                  100000000000000,
                                  1000000000000000,
                                  10000000000000000,
                                  100000000000000000};

/* All of these are doubles, so that dividing by them rounds once and correctly. */
static const double scales[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
                                1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21};

/* digits / 10^decimals */
struct decimal {
    uint64_t digits;
    int decimals;
};

static wide power(int exponent)
{
    assert(exponent >= 0 && exponent <= 22);
    return exponent <= 17 ? powers[exponent] : (wide)powers[17] * powers[exponent - 17];
}

/* The 17 significant digits of value, correctly rounded: mantissa x 10^decimals x 2^-shift fits
 * into 128 bits for the values that come here. */
static struct decimal seventeen_digits(double value)
{
    int exponent, decimals;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    unsigned shift = (unsigned)(53 - exponent);
    wide half = (wide)1 << (shift - 1);
    uint64_t digits;

    /* The place of the first digit is known to one by the logarithm of 2. */
    decimals = 16 - ((exponent - 1) * 1233 >> 12);
    digits = (uint64_t)((mantissa * power(decimals) + half) >> shift);
    if (digits >= powers[17]) {
        decimals--;
        digits = (uint64_t)((mantissa * power(decimals) + half) >> shift);
    }
    return (struct decimal){.digits = digits, .decimals = decimals};
}

/* A quotient of two doubles is rounded in the same way as text that is read. */
static bool reads_back(struct decimal decimal, double value)
{
    return decimal.digits < (uint64_t)WHOLE_LIMIT &&
           (double)decimal.digits / scales[decimal.decimals] == value;
}

static struct decimal shortest(double value)
{
    struct decimal long_one = seventeen_digits(value);
    struct decimal fifteen = {(long_one.digits + 50) / 100, long_one.decimals - 2};
    struct decimal sixteen = {(long_one.digits + 5) / 10, long_one.decimals - 1};
    struct decimal chosen = reads_back(fifteen, value)   ? fifteen
                            : reads_back(sixteen, value) ? sixteen
                                                         : long_one;

    while (chosen.decimals > 0 && chosen.digits % 10 == 0) {
        chosen.digits /= 10;
        chosen.decimals--;
    }
    return chosen;
}

/* Write digits with `decimals` of them behind the point, from the end. */
static char *write_backwards(char *end, struct decimal decimal)
{
    char *at = end;

    for (int i = 0; i < decimal.decimals; i++) {
        *--at = (char)('0' + decimal.digits % 10);
        decimal.digits /= 10;
    }
    if (decimal.decimals > 0)
        *--at = '.';
    do {
        *--at = (char)('0' + decimal.digits % 10);
        decimal.digits /= 10;
    } while (decimal.digits > 0);
    return at;
}

size_t real_text(double value, char text[REAL_TEXT_MAX])
{
    double size = fabs(value);
    struct decimal decimal = {0, 0};
    char *end = text + REAL_TEXT_MAX, *at;
    size_t length;

    if (size < WHOLE_LIMIT && size == floor(size))
        decimal.digits = (uint64_t)size;
    else if (size >= 1e-5 && size < 1e14)
        decimal = shortest(size);
    else
        return (size_t)snprintf(text, REAL_TEXT_MAX, "%.17g", value);
    at = write_backwards(end, decimal);
    if (value < 0)
        *--at = '-';
    length = (size_t)(end - at);
    memmove(text, at, length);
    return length;
}
