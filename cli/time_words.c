#include "cli/time_words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/instant.h"
#include "daemon/control/moment.h"

#define SPAN_MAX INT64_C(3153600000) /* 100 years */

/* Digits at *text, and past them. */
static bool take_number(const char **text, int64_t *number)
{
    int digits = 0;

    for (*number = 0; isdigit((unsigned char)**text); (*text)++, digits++) {
        if (digits >= 11)
            return false;
        *number = *number * 10 + (**text - '0');
    }
    return digits > 0;
}

static int64_t unit_seconds(char unit)
{
    switch (unit) {
    case 's':
        return 1;
    case 'm':
        return 60;
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    case 'w':
        return 604800;
    default:
        return 0;
    }
}

/* "1h30m". */
static bool parse_units(const char *text, int64_t *seconds)
{
    int64_t number, unit;

    *seconds = 0;
    do {
        if (!take_number(&text, &number) || !(unit = unit_seconds(*text)))
            return false;
        text++;
        if (number > SPAN_MAX / unit || (*seconds += number * unit) > SPAN_MAX)
            return false;
    } while (*text);
    return true;
}

/* "1:30", "1:30:00", "2:01:30:00". */
static bool parse_colons(const char *text, int64_t *seconds)
{
    int64_t parts[4];
    int n = 0;

    do {
        if (n > 0)
            text++;
        if (n == 4 || !take_number(&text, &parts[n]) || parts[n] > SPAN_MAX)
            return false;
        n++;
    } while (*text == ':');
    if (*text || n < 2 || (n >= 2 && parts[n == 4 ? 2 : 1] > 59) || (n >= 3 && parts[n - 1] > 59))
        return false;
    *seconds = n == 4 ? parts[0] * 86400 + parts[1] * 3600 + parts[2] * 60 + parts[3]
                      : parts[0] * 3600 + parts[1] * 60 + (n == 3 ? parts[2] : 0);
    return true;
}

bool time_words_parse_span(const char *text, int64_t *seconds)
{
    if (strcmp(text, "unlimited") == 0) {
        *seconds = SPAN_UNLIMITED;
        return true;
    }
    return (strchr(text, ':') ? parse_colons(text, seconds) : parse_units(text, seconds)) &&
           *seconds > 0 && *seconds <= SPAN_MAX;
}

/* All of the text, in the manner of strptime(). */
static bool parse_as(const char *text, const char *format, struct tm *parts)
{
    const char *end;

    memset(parts, 0, sizeof *parts);
    end = strptime(text, format, parts);
    return end && !*end;
}

static bool parse_clock(const char *text, int64_t now, int64_t *instant)
{
    time_t seconds = (time_t)now;
    struct tm clock, parts;

    if ((!parse_as(text, "%H:%M:%S", &clock) && !parse_as(text, "%H:%M", &clock)) ||
        !localtime_r(&seconds, &parts))
        return false;
    for (int day = 0; day < 2; day++) {
        parts.tm_mday += day;
        parts.tm_hour = clock.tm_hour;
        parts.tm_min = clock.tm_min;
        parts.tm_sec = clock.tm_sec;
        parts.tm_isdst = -1;
        *instant = (int64_t)mktime(&parts);
        if (*instant > now)
            return true;
    }
    return true;
}

/* Local date and time; the 31st of February is none. */
static bool parse_local(const char *text, int64_t *instant)
{
    static const char *const formats[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
                                          "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"};
    struct tm parts;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        int day, month;

        if (!parse_as(text, formats[i], &parts))
            continue;
        day = parts.tm_mday;
        month = parts.tm_mon;
        parts.tm_isdst = -1;
        *instant = (int64_t)mktime(&parts);
        return parts.tm_mday == day && parts.tm_mon == month;
    }
    return false;
}

bool time_words_parse_instant(const char *text, int64_t now, int64_t *instant)
{
    char copy[TIME_WORDS_MAX];
    int64_t span;

    if (*text == '+') {
        if (!time_words_parse_span(text + 1, &span) || span == SPAN_UNLIMITED)
            return false;
        *instant = now + span;
        return true;
    }
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    if (strlen(copy) > 10 && copy[10] == ' ')
        copy[10] = 'T';
    return parse_clock(text, now, instant) || parse_local(text, instant) ||
           moment_parse(copy, instant);
}

void time_words_local(int64_t instant, char text[TIME_WORDS_MAX])
{
    time_t seconds = (time_t)instant;
    struct tm parts;
    size_t length;

    if (instant == INSTANT_NONE || instant == INSTANT_NEVER || !localtime_r(&seconds, &parts)) {
        strcpy(text, instant == INSTANT_NONE ? "-" : "never");
        return;
    }
    length = strftime(text, TIME_WORDS_MAX - 1, "%Y-%m-%dT%H:%M:%S%z", &parts);
    /* +0100 is not RFC 3339. */
    memmove(text + length - 1, text + length - 2, 3);
    text[length - 2] = ':';
}

void time_words_span(int64_t span, char text[TIME_WORDS_MAX])
{
    if (span == SPAN_NONE)
        strcpy(text, "-");
    else if (span == SPAN_UNLIMITED)
        strcpy(text, "unlimited");
    else if (span < 60)
        snprintf(text, TIME_WORDS_MAX, "%" PRId64 "s", span);
    else if (span < 3600)
        snprintf(text, TIME_WORDS_MAX, "%" PRId64 "m%02" PRId64 "s", span / 60, span % 60);
    else if (span < 86400)
        snprintf(text, TIME_WORDS_MAX, "%" PRId64 "h%02" PRId64 "m", span / 3600, span / 60 % 60);
    else
        snprintf(text, TIME_WORDS_MAX, "%" PRId64 "d%02" PRId64 "h", span / 86400,
                 span / 3600 % 24);
}

void time_words_relative(int64_t instant, int64_t now, char text[TIME_WORDS_MAX])
{
    char span[TIME_WORDS_MAX];

    if (instant == INSTANT_NONE || instant == INSTANT_NEVER) {
        strcpy(text, instant == INSTANT_NONE ? "-" : "never");
        return;
    }
    time_words_span(instant > now ? instant - now : now - instant, span);
    if (instant == now)
        strcpy(text, "now");
    else
        snprintf(text, TIME_WORDS_MAX, instant > now ? "in %.30s" : "%.30s ago", span);
}
