/* SipHash-1-3. */
#include "adapters/opennebula/keyed_sum.h"

#include <string.h>
#include <sys/random.h>

bool sum_key_draw(struct sum_key *key)
{
    if (!key->is_drawn)
        key->is_drawn =
            getrandom(key->words, sizeof key->words, GRND_NONBLOCK) == (ssize_t)sizeof key->words;
    return key->is_drawn;
}

static uint64_t turned(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void stir(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turned(v[1], 13) ^ v[0];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] = turned(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turned(v[1], 17) ^ v[2];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] = turned(v[2], 32);
}

struct keyed_sum keyed_sum_begin(const struct sum_key *key)
{
    const uint64_t *k = key->words;

    return (struct keyed_sum){
        .v = {k[0] ^ UINT64_C(0x736f6d6570736575), k[1] ^ UINT64_C(0x646f72616e646f6d),
              k[0] ^ UINT64_C(0x6c7967656e657261), k[1] ^ UINT64_C(0x7465646279746573)}};
}

static void add_word(struct keyed_sum *sum, uint64_t word)
{
    sum->v[3] ^= word;
    stir(sum->v);
    sum->v[0] ^= word;
}

void keyed_sum_add(struct keyed_sum *sum, const char *bytes, size_t n)
{
    uint64_t word;

    sum->length += n;
    for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        add_word(sum, word);
    }
    /* Each part ends with a separate word. */
    word = (uint64_t)n << 56;
    memcpy(&word, bytes, n);
    add_word(sum, word);
}

uint64_t keyed_sum_end(struct keyed_sum *sum)
{
    add_word(sum, sum->length);
    sum->v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        stir(sum->v);
    return sum->v[0] ^ sum->v[1] ^ sum->v[2] ^ sum->v[3];
}
