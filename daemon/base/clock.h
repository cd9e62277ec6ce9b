/* clock.h: the two clocks of the daemon.
 *
 * Leases use the wall clock, which may jump; waiting and ordering use the monotonic clock.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "util/clock.h"

/* Seconds since 1970. */
static inline int64_t clock_now(void)
{
    return time(NULL);
}

/* Milliseconds since 1970. */
static inline int64_t clock_now_ms(void)
{
    return clock_milliseconds(CLOCK_REALTIME);
}

/* Milliseconds on a clock that never runs backwards, and continues while the machine is suspended.
 */
static inline int64_t clock_monotonic(void)
{
    return clock_milliseconds(CLOCK_BOOTTIME);
}
