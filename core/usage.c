/* CPU time with a half-life. */
#include "core/usage.h"

#include <math.h>

/* The decay after a span of seconds: 2^(-span / half_life), by the binary digits of the
 * exponent. */
static double remains(int64_t span, int64_t half_life)
{
    enum { DIGITS = 48, HALVES_MOST = 1000 };
    int64_t rest = span % half_life;
    double left, factor = 0.5;

    if (span <= 0)
        return 1;
    if (span / half_life > HALVES_MOST)
        return 0;
    left = ldexp(1, -(int)(span / half_life));
    for (int i = 0; i < DIGITS && rest; i++) {
        factor = sqrt(factor);
        rest *= 2;
        if (rest >= half_life) {
            rest -= half_life;
            left *= factor;
        }
    }
    return left;
}

/* The decayed usage, at the end of a span, of one unit in use throughout the span. */
static double sum_of(int64_t span, int64_t half_life)
{
    static const double ln_2 = 0.69314718055994530942;

    return span > 0 ? (1 - remains(span, half_life)) * (double)half_life / ln_2 : 0;
}

double usage_until(const struct usage *usage, int64_t half_life, int64_t at)
{
    int64_t span = at - usage->at;

    return usage->used * remains(span, half_life) + (double)usage->rate * sum_of(span, half_life);
}

/* Moves usage->at forward. */
static void advance(struct usage *usage, int64_t half_life, int64_t at)
{
    if (at <= usage->at)
        return;
    usage->used = usage_until(usage, half_life, at);
    usage->at = at;
}

void usage_change(struct usage *usage, int64_t half_life, int64_t at, int64_t cpu)
{
    advance(usage, half_life, at);
    usage->rate += cpu;
}

void usage_add(struct usage *usage, int64_t half_life, int64_t cpu, int64_t from, int64_t until)
{
    advance(usage, half_life, until);
    usage->used +=
        (double)cpu * sum_of(until - from, half_life) * remains(usage->at - until, half_life);
}
