/* Time passes in a simulation. */
#include "simulation.h"

#include <stdarg.h>

#include "virtual_clock.h"

enum { STEP = 200 }; /* milliseconds after which the site is looked at again */

static struct simulation only;

struct simulation *simulation(void)
{
    return &only;
}

int64_t simulation_now(void)
{
    return virtual_clock_now() - only.began;
}

/* FNV-1a */
static void digest(const char *text)
{
    for (; *text; text++)
        only.digest = (only.digest ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
}

static void note(const char *word, const char *format, va_list arguments)
{
    char text[1024];
    int64_t now = simulation_now();
    int n = snprintf(text, sizeof text, "%4lld.%03lld %s", (long long)now / 1000,
                     (long long)now % 1000, word);

    vsnprintf(text + n, sizeof text - (size_t)n, format, arguments);
    digest(text);
    if (only.trace)
        fprintf(only.trace, "%s\n", text);
}

void simulation_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    note("", format, arguments);
    va_end(arguments);
}

void simulation_violation(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    only.n_violations++;
    note("WRONG: ", format, arguments);
    va_end(arguments);
}

static void step(int64_t instant)
{
    struct error err;

    virtual_clock_go_to(only.began + instant);
    oned_step(only.oned, 0, &err);
    requests_act();
    judge_site();
    disturbance_of_site();
}

/* One step at most, when galernad waits: its calls may be due. */
void simulation_pass(int64_t instant)
{
    int64_t next = simulation_now() + STEP;

    if (only.is_alive) {
        step(instant < next ? instant : next);
        if (simulation_is_over())
            life_end("all is over");
        return;
    }
    while (simulation_now() < instant) {
        next = simulation_now() + STEP;
        step(instant < next ? instant : next);
    }
}

bool simulation_is_over(void)
{
    return simulation_now() > OVER_AFTER || requests_are_over();
}
