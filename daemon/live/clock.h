/* clock.h: the two clocks of the daemon.
 *
 * Leases use the wall clock, which may jump; waiting and ordering use the monotonic clock.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* Seconds since 1970. */
static inline int64_t clock_now(void)
{
    return time(NULL);
}

/* Milliseconds since 1970. */
static inline int64_t clock_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Milliseconds on a clock that never runs backwards, and continues while the machine is suspended.
 */
static inline int64_t clock_monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}
