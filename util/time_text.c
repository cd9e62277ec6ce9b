/* Points in time and spans as people and programs read them. */
#include "util/time_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/append.h"
#include "util/instant.h"

#define YEAR_10000 INT64_C(253402300800)

/* Non-times (unset, never), in the words for programs and for people. */
static bool special(int64_t instant, const char *unset, char *text, size_t size)
{
    if (instant_is_set(instant))
        return false;
    snprintf(text, size, "%s", instant == INSTANT_NONE ? unset : "never");
    return true;
}

void time_text_seconds(int64_t instant, char *text, size_t size)
{
    if (!special(instant, "unset", text, size))
        snprintf(text, size, "%" PRId64 " s", instant);
}

void time_text_hours(int64_t span, char *text, size_t size)
{
    uint64_t seconds = span < 0 ? -(uint64_t)span : (uint64_t)span;

    if (special(span, "unset", text, size))
        return;
    snprintf(text, size, "%s%" PRIu64 ":%02d:%02d", span < 0 ? "-" : "", seconds / 3600,
             (int)(seconds / 60 % 60), (int)(seconds % 60));
}

static char *put_digits(char *at, int64_t number, int digits)
{
    for (int i = digits; i-- > 0; number /= 10)
        at[i] = (char)('0' + number % 10);
    return at + digits;
}

/* As strftime() would, at a tenth of its cost: answers have many times. Years begin with March
 * here, so a leap day is the last of its year. */
static void write_utc(int64_t instant, char text[sizeof "1970-01-01T00:00:00Z"])
{
    enum { DAY = 86400, DAYS_TO_1970 = 719468, CENTURIES = 146097, DAYS_OF_5_MONTHS = 153 };
    int64_t days = instant / DAY + DAYS_TO_1970, second = instant % DAY;
    int64_t in_era = days % CENTURIES;
    int64_t year_in_era =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / (CENTURIES - 1)) / 365;
    int64_t in_year = in_era - (365 * year_in_era + year_in_era / 4 - year_in_era / 100);
    int64_t month = (5 * in_year + 2) / DAYS_OF_5_MONTHS; /* 0: March */
    int64_t day = in_year - (DAYS_OF_5_MONTHS * month + 2) / 5 + 1;
    int64_t year = days / CENTURIES * 400 + year_in_era + (month >= 10);
    const int64_t parts[] = {month < 10 ? month + 3 : month - 9, day, second / 3600,
                             second / 60 % 60, second % 60};

    text = put_digits(text, year, 4);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *text++ = "--T::"[i];
        text = put_digits(text, parts[i], 2);
    }
    memcpy(text, "Z", 2);
}

void time_text_utc(int64_t instant, char *text, size_t size)
{
    time_t seconds = (time_t)instant;
    struct tm parts;

    if (instant >= 0 && instant < YEAR_10000 && size >= sizeof "1970-01-01T00:00:00Z")
        write_utc(instant, text);
    else if (instant == INSTANT_NONE || instant < -YEAR_10000)
        snprintf(text, size, "unset");
    else if (instant >= YEAR_10000 || !gmtime_r(&seconds, &parts))
        snprintf(text, size, "never");
    else
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* Has the clock shown this time before, ahead of the hour by which it was set back? */
static bool is_repeated(time_t seconds, const struct tm *parts)
{
    time_t before = seconds - 7200, first;
    struct tm then, at_first;

    if (!localtime_r(&before, &then) || then.tm_gmtoff <= parts->tm_gmtoff)
        return false;
    first = seconds - (then.tm_gmtoff - parts->tm_gmtoff);
    return localtime_r(&first, &at_first) && at_first.tm_gmtoff == then.tm_gmtoff;
}

void time_text_local(int64_t instant, char *text, size_t size)
{
    time_t seconds = (time_t)instant;
    struct tm parts;
    size_t n;

    if (special(instant, "-", text, size))
        return;
    if (instant >= YEAR_10000 || !localtime_r(&seconds, &parts)) {
        snprintf(text, size, "never");
        return;
    }
    n = strftime(text, size, "%Y-%m-%d %H:%M:%S", &parts);
    if (is_repeated(seconds, &parts)) {
        long minutes = labs(parts.tm_gmtoff) / 60;

        append_text(text, size, n, "%c%02ld:%02ld", parts.tm_gmtoff < 0 ? '-' : '+', minutes / 60,
                    minutes % 60);
    }
}

void time_text_span(int64_t span, char *text, size_t size)
{
    if (span == SPAN_NONE)
        snprintf(text, size, "-");
    else if (span == SPAN_UNLIMITED)
        snprintf(text, size, "unlimited");
    else if (span < 60)
        snprintf(text, size, "%" PRId64 "s", span);
    else if (span < 3600)
        snprintf(text, size, "%" PRId64 "m%02" PRId64 "s", span / 60, span % 60);
    else if (span < 86400)
        snprintf(text, size, "%" PRId64 "h%02" PRId64 "m", span / 3600, span / 60 % 60);
    else
        snprintf(text, size, "%" PRId64 "d%02" PRId64 "h", span / 86400, span / 3600 % 24);
}

void time_text_exact(int64_t span, char *text, size_t size)
{
    static const uint64_t lengths[] = {86400, 3600, 60, 1};
    uint64_t left = span < 0 ? -(uint64_t)span : (uint64_t)span;
    size_t used = 0, unit = 0;

    time_text_span(span, text, size);
    if (span == SPAN_NONE || span == SPAN_UNLIMITED || span == 0)
        return;
    while (left < lengths[unit])
        unit++;
    used = append_text(text, size, 0, "%s%" PRIu64 "%c", span < 0 ? "-" : "", left / lengths[unit],
                       "dhms"[unit]);
    for (left %= lengths[unit]; left > 0; left %= lengths[unit]) {
        unit++;
        used = append_text(text, size, used, "%02" PRIu64 "%c", left / lengths[unit], "dhms"[unit]);
    }
}

void time_text_relative(int64_t instant, int64_t now, char *text, size_t size)
{
    char span[TIME_TEXT_MAX];

    if (special(instant, "-", text, size))
        return;
    time_text_span(instant > now ? instant - now : now - instant, span, sizeof span);
    if (instant == now)
        snprintf(text, size, "now");
    else
        snprintf(text, size, instant > now ? "in %.30s" : "%.30s ago", span);
}
