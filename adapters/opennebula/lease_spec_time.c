/* Reads times and spans as users write them. */
#include "adapters/opennebula/lease_spec_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "util/instant.h"
#include "util/time_parse.h"

/* n digits, then `next` ('\0': whatever). */
static int read_field(const char **at, int n, char next, int *value)
{
    for (*value = 0; n > 0 && **at >= '0' && **at <= '9'; (*at)++, n--)
        *value = 10 * *value + (**at - '0');
    if (n > 0 || (next && **at != next))
        return -1;
    *at += next != '\0';
    return 0;
}

const char *span_parse(const char *text, int64_t *seconds)
{
    int64_t parts[4];
    int n = time_parse_parts(text, parts);

    if (!n)
        return "expected HH:MM:SS or D:HH:MM:SS";
    if (n == 4 && parts[1] > 23)
        return "hours must be at most 23 when days are given";
    if (parts[2] > 59)
        return "minutes must be at most 59";
    if (parts[3] > 59)
        return "seconds must be at most 59";
    *seconds = 86400 * parts[0] + 3600 * parts[1] + 60 * parts[2] + parts[3];
    return *seconds > LEASE_SPEC_SPAN_MOST ? "more than a hundred years" : NULL;
}

static bool is_same_clock(const struct tm *a, const struct tm *b)
{
    return a->tm_year == b->tm_year && a->tm_mon == b->tm_mon && a->tm_mday == b->tm_mday &&
           a->tm_hour == b->tm_hour && a->tm_min == b->tm_min && a->tm_sec == b->tm_sec;
}

/* Local time is ambiguous when clocks go back (the first of both counts) and does not exist while
 * they go forward. */
static const char *of_local_time(const struct tm *wanted, int64_t *time)
{
    bool found = false;

    for (int summer = 1; summer >= 0; summer--) {
        struct tm tried = *wanted, is;
        time_t seconds;

        tried.tm_isdst = summer;
        seconds = mktime(&tried);
        if (!localtime_r(&seconds, &is) || !is_same_clock(&is, wanted))
            continue;
        if (!found || seconds < *time)
            *time = seconds;
        found = true;
    }
    return found ? NULL : "this time does not exist on that day (the clocks change)";
}

/* "Z", "+hh:mm", "+hhmm" or "-hh:mm"; seconds east of Greenwich. */
static int read_zone(const char *at, int64_t *offset)
{
    int hours, minutes, sign = *at == '-' ? -1 : 1;

    *offset = 0;
    if (at[0] == 'Z' && at[1] == '\0')
        return 0;
    if (*at++ == '\0' || (at[-1] != '+' && at[-1] != '-'))
        return -1;
    if (read_field(&at, 2, '\0', &hours) < 0)
        return -1;
    at += *at == ':';
    if (read_field(&at, 2, '\0', &minutes) < 0 || *at || hours > 14 || minutes > 59)
        return -1;
    *offset = sign * (3600 * (int64_t)hours + 60 * minutes);
    return 0;
}

static int read_calendar(const char **at, struct tm *wanted)
{
    if (read_field(at, 4, '-', &wanted->tm_year) < 0 ||
        read_field(at, 2, '-', &wanted->tm_mon) < 0 ||
        read_field(at, 2, '\0', &wanted->tm_mday) < 0 || (**at != ' ' && **at != 'T'))
        return -1;
    (*at)++;
    if (read_field(at, 2, ':', &wanted->tm_hour) < 0 ||
        read_field(at, 2, '\0', &wanted->tm_min) < 0)
        return -1;
    if (**at != ':')
        return 0;
    (*at)++;
    return read_field(at, 2, '\0', &wanted->tm_sec);
}

static const char *calendar_time(const char *at, int64_t *time)
{
    static const char expected[] = "expected +HH:MM:SS or YYYY-MM-DD HH:MM:SS";
    struct tm wanted = {0}, check;
    int64_t offset = 0;
    bool local;

    if (read_calendar(&at, &wanted) < 0)
        return expected;
    local = *at == '\0';
    if (!local && read_zone(at, &offset) < 0)
        return expected;
    if (wanted.tm_year < 1971)
        return "the year must be 1971 or later";
    wanted.tm_year -= 1900;
    wanted.tm_mon--;
    check = wanted;
    *time = timegm(&check);
    if (!is_same_clock(&check, &wanted))
        return "invalid date or time";
    if (local)
        return of_local_time(&wanted, time);
    *time -= offset;
    return NULL;
}

const char *lease_spec_time_parse(const char *text, int64_t created, int64_t *time)
{
    const char *wrong;

    if (*text != '+')
        return calendar_time(text, time);
    wrong = span_parse(text + 1, time);
    if (!wrong)
        *time = instant_add(created, *time);
    return wrong;
}
