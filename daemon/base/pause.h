/* pause.h: pauses between attempts. */
#pragma once

#include <stdint.h>

enum { PAUSE_MAX = 600 /* seconds */ };

/* Seconds until the next attempt after that many failed attempts: `first`, doubled each time, at
 * most PAUSE_MAX. */
static inline int64_t pause_doubled(int64_t first, int32_t attempts)
{
    int64_t pause = first > 0 ? first : 1;

    for (int32_t i = 1; i < attempts && pause < PAUSE_MAX; i++)
        pause *= 2;
    return pause < PAUSE_MAX ? pause : PAUSE_MAX;
}
