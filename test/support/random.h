/* random.h: reproducible random numbers for tests. The same seed gives the same numbers everywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

void random_init(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);

/* A number in [low, high]; low <= high. */
int64_t random_between(struct random *random, int64_t low, int64_t high);

/* True once in n times. */
bool random_once_in(struct random *random, int64_t n);

/* One of n numbers. */
int64_t random_choice(struct random *random, const int64_t *choices, size_t n);
