/* generate_random.h: random numbers for the workload generator: the same sequence for the same
 * seed, on every machine and in every version of Galerna.
 */
#pragma once

#include <stdint.h>

/* xoshiro256** (Blackman, Vigna), seeded by SplitMix64. */
struct generate_random {
    uint64_t state[4];
};

/* `stream` and `purpose` give different sequences for one seed. */
void generate_random_init(struct generate_random *random, uint64_t seed, uint64_t stream,
                          uint64_t purpose);

/* 64 bits. */
uint64_t generate_random_bits(struct generate_random *random);

/* A multiple of 2^-53 with 0 < u < 1. */
double generate_random_uniform(struct generate_random *random);

/* low <= x < high, or low if high <= low. */
double generate_random_between(struct generate_random *random, double low, double high);

/* 0 ... n - 1, all equally likely; n >= 1. */
uint64_t generate_random_below(struct generate_random *random, uint64_t n);

double generate_random_exponential(struct generate_random *random, double mean);
double generate_random_normal(struct generate_random *random, double mean, double deviation);

/* shape, scale > 0. Marsaglia and Tsang's method. */
double generate_random_gamma(struct generate_random *random, double shape, double scale);
double generate_random_weibull(struct generate_random *random, double shape, double scale);
