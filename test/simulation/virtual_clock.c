/* Clocks and random bytes that a seed determines. */
#include "virtual_clock.h"

#include <sys/random.h>
#include <time.h>

#include "test/support/random.h"

#define BEGINNING (INT64_C(1795000000) * 1000) /* milliseconds since 1970 */

static int64_t elapsed; /* milliseconds */
static struct random bytes;

void virtual_clock_begin(uint64_t seed)
{
    elapsed = 0;
    random_init(&bytes, seed);
}

int64_t virtual_clock_now(void)
{
    return BEGINNING + elapsed;
}

int64_t virtual_clock_monotonic(void)
{
    return VIRTUAL_BOOT + elapsed;
}

void virtual_clock_go_to(int64_t instant)
{
    if (instant > virtual_clock_now())
        elapsed = instant - BEGINNING;
}

/* The linker gives these names to the functions that take the place of the C library's. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
time_t __wrap_time(time_t *now);
ssize_t __wrap_getrandom(void *to, size_t size, unsigned flags);

/* Computing takes no time. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t milliseconds = virtual_clock_monotonic();

    if (clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID)
        milliseconds = 0;
    if (clock == CLOCK_REALTIME)
        milliseconds = virtual_clock_now();
    now->tv_sec = milliseconds / 1000;
    now->tv_nsec = milliseconds % 1000 * 1000000;
    return 0;
}

time_t __wrap_time(time_t *now)
{
    time_t seconds = virtual_clock_now() / 1000;

    if (now)
        *now = seconds;
    return seconds;
}

ssize_t __wrap_getrandom(void *to, size_t size, unsigned flags)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = (unsigned char)random_next(&bytes);
    return (ssize_t)size;
}
/* NOLINTEND(bugprone-reserved-identifier) */
