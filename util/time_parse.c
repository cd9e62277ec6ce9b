/* Points in time and spans, from what people and programs write. */
#include "util/time_parse.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "util/instant.h"

#define SPAN_MAX INT64_C(3153600000) /* 100 years */

enum { INSTANT_TEXT_MAX = 40 };

/* --- for programs ----------------------------------------------------------------------------- */

/* Does text match the pattern? In it 0 matches any digit, everything else itself. */
static bool looks_like(const char *text, const char *pattern)
{
    for (; *pattern; text++, pattern++)
        if (*pattern == '0' ? !isdigit((unsigned char)*text) : *text != *pattern)
            return false;
    return true;
}

static int two(const char *text)
{
    return (text[0] - '0') * 10 + (text[1] - '0');
}

/* "Z", "+01:00", "-05:30" to the end of the text. */
static bool parse_zone(const char *text, int *seconds)
{
    *seconds = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    if ((*text != '+' && *text != '-') || !looks_like(text + 1, "00:00") || text[6])
        return false;
    if (two(text + 1) > 23 || two(text + 4) > 59)
        return false;
    *seconds = (two(text + 1) * 60 + two(text + 4)) * 60 * (*text == '+' ? 1 : -1);
    return true;
}

bool time_parse_utc(const char *text, int64_t *instant)
{
    struct tm parts = {0}, check;
    const char *rest;
    int zone;

    if (!looks_like(text, "0000-00-00T00:00:00"))
        return false;
    parts.tm_year = two(text) * 100 + two(text + 2) - 1900;
    parts.tm_mon = two(text + 5) - 1;
    parts.tm_mday = two(text + 8);
    parts.tm_hour = two(text + 11);
    parts.tm_min = two(text + 14);
    parts.tm_sec = two(text + 17);
    rest = text + 19;
    if (*rest == '.' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789");
    if (!parse_zone(rest, &zone))
        return false;
    check = parts;
    *instant = (int64_t)timegm(&check);
    /* timegm() turns the 31st of February into a day of March. */
    if (check.tm_mon != parts.tm_mon || check.tm_mday != parts.tm_mday ||
        check.tm_hour != parts.tm_hour || check.tm_min != parts.tm_min ||
        check.tm_sec != parts.tm_sec)
        return false;
    *instant -= zone;
    return true;
}

/* --- for people ------------------------------------------------------------------------------- */

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

int time_parse_parts(const char *text, int64_t parts[4])
{
    int64_t read[4];
    int n = 0;

    for (;; text++) {
        if (n == 4 || !take_number(&text, &read[n++]))
            return 0;
        if (*text != ':')
            break;
    }
    if (*text || n < 2)
        return 0;
    for (int i = 0, from = n == 4 ? 0 : -1; i < 4; i++, from++)
        parts[i] = from >= 0 && from < n ? read[from] : 0;
    return n;
}

/* "1:30", "1:30:00", "2:01:30:00". */
static bool parse_colons(const char *text, int64_t *seconds)
{
    int64_t parts[4];

    if (!time_parse_parts(text, parts) || parts[0] > SPAN_MAX || parts[1] > SPAN_MAX ||
        parts[2] > 59 || parts[3] > 59)
        return false;
    *seconds = parts[0] * 86400 + parts[1] * 3600 + parts[2] * 60 + parts[3];
    return true;
}

bool time_parse_span(const char *text, int64_t *seconds)
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
                                          "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};
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

bool time_parse_instant(const char *text, int64_t now, int64_t *instant)
{
    char copy[INSTANT_TEXT_MAX];
    int64_t span;

    if (*text == '+') {
        if (!time_parse_span(text + 1, &span) || span == SPAN_UNLIMITED)
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
           time_parse_utc(copy, instant);
}
