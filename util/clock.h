/* clock.h: the time of a clock as one number. */
#pragma once

#include <stdint.h>
#include <time.h>

/* CLOCK_REALTIME: since 1970; CLOCK_MONOTONIC: since some time, never backwards; CLOCK_BOOTTIME: as
 * that, and also while the machine is suspended. */
static inline int64_t clock_nanoseconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t clock_microseconds(clockid_t clock)
{
    return clock_nanoseconds(clock) / 1000;
}

static inline int64_t clock_milliseconds(clockid_t clock)
{
    return clock_nanoseconds(clock) / 1000000;
}
