/* Random numbers: the same sequence for the same seed on every machine. */
#include "lwf/generate_random.h"

#include <math.h>

#include "lwf/generate_math.h"
#include "util/random.h"

void generate_random_init(struct generate_random *random, uint64_t seed, uint64_t stream,
                          uint64_t purpose)
{
    uint64_t state = seed;

    /* Mixing each number before the next one makes seed 1, stream 2 differ from seed 2, stream 1.
     */
    state = random_next(&state) + stream;
    state = random_next(&state) + purpose;
    for (int i = 0; i < 4; i++)
        random->state[i] = random_next(&state);
}

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

uint64_t generate_random_bits(struct generate_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

double generate_random_uniform(struct generate_random *random)
{
    uint64_t bits;

    do
        bits = generate_random_bits(random) >> 11;
    while (bits == 0);
    return (double)bits * 0x1p-53;
}

double generate_random_between(struct generate_random *random, double low, double high)
{
    double u;

    if (!(high > low))
        return low;
    u = generate_random_uniform(random);
    return low + (high - low) * u;
}

uint64_t generate_random_below(struct generate_random *random, uint64_t n)
{
    uint64_t most = UINT64_MAX - UINT64_MAX % n; /* a multiple of n */
    uint64_t bits;

    do
        bits = generate_random_bits(random);
    while (bits >= most);
    return bits % n;
}

double generate_random_exponential(struct generate_random *random, double mean)
{
    return -mean * generate_log(generate_random_uniform(random));
}

/* Marsaglia's polar method. The second number of each pair is dropped to keep the generator's state
 * simple. */
static double standard_normal(struct generate_random *random)
{
    double x, y, square;

    do {
        x = 2 * generate_random_uniform(random) - 1;
        y = 2 * generate_random_uniform(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * generate_log(square) / square);
}

double generate_random_normal(struct generate_random *random, double mean, double deviation)
{
    return mean + deviation * standard_normal(random);
}

static double gamma_of_one_or_more(struct generate_random *random, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x = standard_normal(random), v = 1 + c * x, u;

        if (v <= 0)
            continue;
        v = v * v * v;
        u = generate_random_uniform(random);
        if (generate_log(u) < 0.5 * x * x + d - d * v + d * generate_log(v))
            return d * v;
    }
}

double generate_random_gamma(struct generate_random *random, double shape, double scale)
{
    double x;

    if (shape >= 1)
        return scale * gamma_of_one_or_more(random, shape);
    x = gamma_of_one_or_more(random, shape + 1);
    return scale * x * generate_exp(generate_log(generate_random_uniform(random)) / shape);
}

double generate_random_weibull(struct generate_random *random, double shape, double scale)
{
    double e = -generate_log(generate_random_uniform(random));

    /* e is 0 only when the uniform number rounds to 1. */
    return e > 0 ? scale * generate_exp(generate_log(e) / shape) : 0;
}
