/* Times that recur by the local clock. */
#include "util/recurrence.h"

#include <time.h>

#include "util/instant.h"

enum { HOUR = 3600, WEEK = 7, WORKDAYS = 5, SUNDAY = 0, SATURDAY = 6, DAYS_MOST = 366 * 1000 };

const char *recurrence_name(enum recurrence recurrence)
{
    static const char *const names[RECURRENCES] = {"hourly", "daily", "weekdays", "weekly"};

    return names[recurrence];
}

/* Days from `weekday` (0: Sunday) to the n-th working day. */
static int64_t workdays(int weekday, uint32_t n)
{
    int64_t days = weekday == SATURDAY ? 2 : weekday == SUNDAY ? 1 : 0;
    int64_t since_monday = days ? 0 : weekday - 1;

    return days + ((int64_t)n + since_monday) / WORKDAYS * WEEK +
           ((int64_t)n + since_monday) % WORKDAYS - since_monday;
}

/* mktime() may choose if the clock shows a time twice or never, so both are tried. A skipped time
 * moves by the missing hour. */
static int64_t instant_of(const struct tm *wanted)
{
    struct tm summer = *wanted, winter = *wanted;
    time_t first, second;

    summer.tm_isdst = 1;
    winter.tm_isdst = 0;
    first = mktime(&summer);
    second = mktime(&winter);
    if (first != (time_t)-1 && summer.tm_isdst == 1 && summer.tm_hour == wanted->tm_hour)
        return first;
    return second == (time_t)-1 ? INSTANT_NONE : second;
}

int64_t recurrence_at(enum recurrence recurrence, int64_t first, uint32_t n)
{
    time_t begin = (time_t)first;
    struct tm day;
    int64_t days = n;

    if (recurrence == RECURRENCE_HOURLY)
        return first + (int64_t)n * HOUR;
    if (!localtime_r(&begin, &day))
        return INSTANT_NONE;
    if (recurrence == RECURRENCE_WEEKLY)
        days *= WEEK;
    else if (recurrence == RECURRENCE_WEEKDAYS)
        days = workdays(day.tm_wday, n);
    if (days == 0)
        return first;
    if (days > DAYS_MOST)
        return INSTANT_NONE;
    day.tm_mday += (int)days;
    return instant_of(&day);
}
