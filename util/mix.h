/* mix.h: digests that tell whether something has changed. They are compared within one process:
 * their values are not stored.
 */
#pragma once

#include <stdint.h>

#define MIX_BEGIN UINT64_C(14695981039346656037)

static inline uint64_t mix_number(uint64_t digest, int64_t number)
{
    return (digest ^ (uint64_t)number) * UINT64_C(1099511628211) + 1;
}

/* NULL counts as "". */
static inline uint64_t mix_text(uint64_t digest, const char *text)
{
    for (; text && *text; text++)
        digest = mix_number(digest, (unsigned char)*text);
    return mix_number(digest, 0);
}
