/* recurrence.h: times that recur by local time.
 *
 * Days are those of the local time zone: 9:00 stays 9:00 when clocks are set to and from daylight
 * saving time. Hours are 3600 seconds, whatever the clock on the wall shows.
 */
#pragma once

#include <stdint.h>

enum recurrence {
    RECURRENCE_HOURLY,
    RECURRENCE_DAILY,
    RECURRENCE_WEEKDAYS, /* Monday to Friday */
    RECURRENCE_WEEKLY,
    RECURRENCES
};

#define RECURRENCE_WORDS "hourly|daily|weekdays|weekly"

/* "hourly", "daily", ... */
const char *recurrence_name(enum recurrence recurrence);

/* Occurrence n, from 0, seconds since 1970, of what first occurs at `first`; RECURRENCE_WEEKDAYS:
 * on the first weekday from then on. A time of day that the clock skips on that day comes an hour
 * later; of one that it shows twice, the first. INSTANT_NONE: beyond what clocks show. O(1). */
int64_t recurrence_at(enum recurrence recurrence, int64_t first, uint32_t n);
