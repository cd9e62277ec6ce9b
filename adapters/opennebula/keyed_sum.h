/* keyed_sum.h: sums of texts that are equal only for equal texts.
 *
 * SipHash-1-3 with a key of this process, which keeps owners of VMs from constructing two texts
 * with equal sums. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Must be zeroed initially. */
struct sum_key {
    uint64_t words[2];
    bool is_drawn;
};

/* Draws the key, once. False: the kernel has no random numbers yet. */
bool sum_key_draw(struct sum_key *key);

struct keyed_sum {
    uint64_t v[4];
    size_t length;
};

struct keyed_sum keyed_sum_begin(const struct sum_key *key);
/* Adds a part of the text. The sum depends on the division into parts. */
void keyed_sum_add(struct keyed_sum *sum, const char *bytes, size_t n);
uint64_t keyed_sum_end(struct keyed_sum *sum);
