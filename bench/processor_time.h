/* processor_time.h: how long this process has used a processor. */
#pragma once

#include "util/clock.h"

/* Milliseconds. */
static inline double processor_ms(void)
{
    return (double)clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}
