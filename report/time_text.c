#include "report/time_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/instant.h"

static bool special(int64_t instant, char *text, size_t size)
{
    if (instant != INSTANT_NONE && instant != INSTANT_NEVER)
        return false;
    snprintf(text, size, "%s", instant == INSTANT_NONE ? "unset" : "never");
    return true;
}

void time_text_seconds(int64_t instant, char *text, size_t size)
{
    if (!special(instant, text, size))
        snprintf(text, size, "%" PRId64 " s", instant);
}

void time_text_hours(int64_t span, char *text, size_t size)
{
    uint64_t seconds = span < 0 ? -(uint64_t)span : (uint64_t)span;

    if (special(span, text, size))
        return;
    snprintf(text, size, "%s%" PRIu64 ":%02d:%02d", span < 0 ? "-" : "", seconds / 3600,
             (int)(seconds / 60 % 60), (int)(seconds % 60));
}
