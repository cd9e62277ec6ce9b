#include "daemon/control/moment.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/instant.h"

#define YEAR_10000 INT64_C(253402300800)

void moment_format(int64_t instant, char text[MOMENT_TEXT_MAX])
{
    time_t seconds = (time_t)instant;
    struct tm parts;

    if (instant == INSTANT_NONE || instant < -YEAR_10000)
        snprintf(text, MOMENT_TEXT_MAX, "unset");
    else if (instant >= YEAR_10000 || !gmtime_r(&seconds, &parts))
        snprintf(text, MOMENT_TEXT_MAX, "never");
    else
        strftime(text, MOMENT_TEXT_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* Digits in the manner of the pattern: 0 stands for a digit, everything else for itself. */
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

bool moment_parse(const char *text, int64_t *instant)
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
