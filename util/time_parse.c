/* Points in time and spans, from what people and programs write. */
#include "util/time_parse.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "util/instant.h"

/* --- Calendar --------------------------------------------------------------------------------- */

static bool is_same_clock(const struct tm *a, const struct tm *b)
{
    return a->tm_year == b->tm_year && a->tm_mon == b->tm_mon && a->tm_mday == b->tm_mday &&
           a->tm_hour == b->tm_hour && a->tm_min == b->tm_min && a->tm_sec == b->tm_sec;
}

/* timegm() turns the 31st of February into a day of March. */
static bool of_utc(const struct tm *wanted, int64_t east, int64_t *instant)
{
    struct tm is = *wanted;

    *instant = (int64_t)timegm(&is) - east;
    return is_same_clock(&is, wanted);
}

/* Local time is ambiguous when clocks go back (the first of both counts) and does not exist while
 * they go forward. */
static bool of_local_time(const struct tm *wanted, int64_t *instant)
{
    bool found = false;

    for (int summer = 1; summer >= 0; summer--) {
        struct tm tried = *wanted, is;
        time_t seconds;

        tried.tm_isdst = summer;
        seconds = mktime(&tried);
        if (!localtime_r(&seconds, &is) || !is_same_clock(&is, wanted))
            continue;
        if (!found || seconds < *instant)
            *instant = seconds;
        found = true;
    }
    return found;
}

/* Does text match the pattern? In it 0 matches any digit, everything else itself. */
static bool looks_like(const char *text, const char *pattern)
{
    for (; *pattern; text++, pattern++)
        if (*pattern == '0' ? !isdigit((unsigned char)*text) : *text != *pattern)
            return false;
    return true;
}

/* "Z", "+01:00" or "-0530" to the end of the text: seconds east of Greenwich. */
static bool read_zone(const char *text, int64_t *east)
{
    struct tm zone = {0};
    const char *end;

    *east = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    if ((*text != '+' && *text != '-') ||
        (!looks_like(text + 1, "00:00") && !looks_like(text + 1, "0000")))
        return false;
    end = strptime(text + 1, text[3] == ':' ? "%H:%M" : "%H%M", &zone);
    *east = (zone.tm_hour * 60 + zone.tm_min) * 60 * (*text == '+' ? 1 : -1);
    return end && !*end;
}

/* "15:04" or "15:04:05"; the text after it, or NULL. strptime() alone skips blanks. */
static const char *read_clock(const char *text, struct tm *parts)
{
    const char *rest = isdigit((unsigned char)*text) ? strptime(text, "%H:%M", parts) : NULL;

    return rest && *rest == ':' && isdigit((unsigned char)rest[1]) ? strptime(rest + 1, "%S", parts)
                                                                   : rest;
}

/* --- For programs ----------------------------------------------------------------------------- */

bool time_parse_utc(const char *text, int64_t *instant)
{
    struct tm parts = {0};
    const char *rest;
    int64_t east;

    if (!looks_like(text, "0000-00-00T00:00:00"))
        return false;
    rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest && *rest == '.' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789");
    return rest && read_zone(rest, &east) && of_utc(&parts, east, instant);
}

/* --- For people ------------------------------------------------------------------------------- */

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

static const char expected_span[] = "expected a duration such as 90s, 1h30m, 2d or 01:30:00";
static const char expected_instant[] = "expected a time such as +1h30m, 15:04, 2026-11-21 15:04 or "
                                       "2026-11-21T15:04:05+01:00";

/* "1h30m". No sum overflows: a number has 11 digits at most. */
static const char *read_units(const char *text, int64_t *seconds)
{
    int64_t number, unit;

    *seconds = 0;
    do {
        if (!take_number(&text, &number) || !(unit = unit_seconds(*text)))
            return expected_span;
        text++;
        *seconds += number * unit;
        if (*seconds > TIME_SPAN_MOST)
            return NULL;
    } while (*text);
    return NULL;
}

/* "1:30", "1:30:00", "2:01:30:00". */
static const char *read_colons(const char *text, int64_t *seconds)
{
    int64_t parts[4] = {0};
    int n = 0, first;

    do {
        if (n == 4 || !take_number(&text, &parts[n++]))
            return expected_span;
    } while (*text++ == ':');
    if (text[-1])
        return expected_span;
    first = n == 4; /* hours */
    if (n == 4 && parts[1] > 23)
        return "hours must be at most 23 when days are given";
    if (parts[first + 1] > 59)
        return "minutes must be at most 59";
    if (n > 2 && parts[first + 2] > 59)
        return "seconds must be at most 59";
    *seconds = (n == 4 ? 86400 * parts[0] : 0) + 3600 * parts[first] + 60 * parts[first + 1] +
               (n > 2 ? parts[first + 2] : 0);
    return NULL;
}

const char *time_parse_span(const char *text, int64_t *seconds)
{
    const char *wrong = strchr(text, ':') ? read_colons(text, seconds) : read_units(text, seconds);

    return !wrong && *seconds > TIME_SPAN_MOST ? "more than a hundred years" : wrong;
}

const char *time_parse_duration(const char *text, int64_t *seconds)
{
    const char *wrong;

    if (!strcasecmp(text, "unlimited")) {
        *seconds = SPAN_UNLIMITED;
        return NULL;
    }
    if (*text == '-')
        return "a duration cannot be negative";
    wrong = time_parse_span(text, seconds);
    if (wrong == expected_span)
        return "expected a duration such as 90s, 1h30m, 2d, 01:30:00, or unlimited";
    return !wrong && *seconds == 0 ? "a duration must be at least one second" : wrong;
}

/* The next time, today or tomorrow, at which the clock shows it. */
static const char *next_time_of_day(const struct tm *clock, int64_t now, int64_t *instant)
{
    time_t seconds = (time_t)now;
    struct tm parts;

    if (!localtime_r(&seconds, &parts))
        return expected_instant;
    for (int day = 0; day < 2; day++) {
        parts.tm_mday += day;
        parts.tm_hour = clock->tm_hour;
        parts.tm_min = clock->tm_min;
        parts.tm_sec = clock->tm_sec;
        parts.tm_isdst = -1;
        *instant = (int64_t)mktime(&parts);
        if (*instant > now)
            break;
    }
    return NULL;
}

static const char *read_calendar(const char *text, int64_t *instant)
{
    struct tm wanted = {0};
    int64_t east = 0;
    const char *rest = isdigit((unsigned char)*text) ? strptime(text, "%Y-%m-%d", &wanted) : NULL;

    if (rest && (*rest == ' ' || *rest == 'T'))
        rest = read_clock(rest + 1, &wanted);
    if (!rest || (*rest && !read_zone(rest, &east)))
        return expected_instant;
    if (wanted.tm_year < 71)
        return "the year must be 1971 or later";
    if (!of_utc(&wanted, east, instant))
        return "invalid date or time";
    return *rest || of_local_time(&wanted, instant)
               ? NULL
               : "this time does not exist on that day (the clocks change)";
}

const char *time_parse_instant(const char *text, int64_t now, int64_t *instant)
{
    struct tm clock = {0};
    const char *wrong, *rest;

    if (*text == '+') {
        wrong = time_parse_span(text + 1, instant);
        if (!wrong)
            *instant = instant_add(now, *instant);
        return wrong == expected_span ? expected_instant : wrong;
    }
    rest = read_clock(text, &clock);
    return rest && !*rest ? next_time_of_day(&clock, now, instant) : read_calendar(text, instant);
}
