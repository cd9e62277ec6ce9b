/* Reproducible random numbers for tests. */
#include "test/support/random.h"

void random_init(struct random *random, uint64_t seed)
{
    random->state = seed * 0x9e3779b97f4a7c15u + 0x1234567;
    random_next(random);
}

/* splitmix64 */
uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t random_between(struct random *random, int64_t low, int64_t high)
{
    return low + (int64_t)(random_next(random) % (uint64_t)(high - low + 1));
}

bool random_once_in(struct random *random, int64_t n)
{
    return random_between(random, 1, n) == 1;
}

int64_t random_choice(struct random *random, const int64_t *choices, size_t n)
{
    return choices[random_between(random, 0, (int64_t)n - 1)];
}
