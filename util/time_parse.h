/* time_parse.h: points in time and spans as people and programs write them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* RFC 3339 with "Z" or an offset such as +01:00; a fraction of the seconds is dropped. False:
 * anything else. */
bool time_parse_utc(const char *text, int64_t *instant);

/* "90s", "30m", "1h30m", "2d", "1:30:00" (hours), "1:30" (hours), "2:00:00:00" (days), "unlimited".
 * False: none of these, or 0, or more than 100 years. */
bool time_parse_span(const char *text, int64_t *seconds);

/* "H:MM", "H:MM:SS" or "D:HH:MM:SS" as days, hours, minutes and seconds. Returns how many parts the
 * text has; 0: it is none of these. No part is checked for its usual limit; each has 11 digits at
 * most. */
int time_parse_parts(const char *text, int64_t parts[4]);

/* "+SPAN" from now, "15:04[:05]" (the next time the clock shows that), "2026-11-21[ T]15:04[:05]"
 * or "2026-11-21" (its midnight) in local time, or with Z or an offset such as +01:00 behind the
 * seconds. False: none of these. */
bool time_parse_instant(const char *text, int64_t now, int64_t *instant);
