/* bitmap.h: sets of small numbers, a bit each in words of 64; bits behind the last number are 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words of a bitmap of n numbers. */
static inline size_t bitmap_words(size_t n)
{
    return (n + 63) / 64;
}

static inline bool bitmap_has(const uint64_t *bitmap, size_t i)
{
    return (bitmap[i >> 6] >> (i & 63)) & 1;
}

static inline void bitmap_add(uint64_t *bitmap, size_t i)
{
    bitmap[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline void bitmap_remove(uint64_t *bitmap, size_t i)
{
    bitmap[i >> 6] &= ~((uint64_t)1 << (i & 63));
}
