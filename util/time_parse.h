/* time_parse.h: points in time and spans as people and programs write them.
 *
 * Functions that return a text return NULL when they have read the value, otherwise what is wrong
 * with it, for a message: "expected a time such as ...", "minutes must be at most 59".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* No span is longer: a hundred years, in seconds. */
#define TIME_SPAN_MOST (INT64_C(36525) * 24 * 3600)

/* RFC 3339 with "Z" or an offset such as +01:00; a fraction of the seconds is dropped. False:
 * anything else. */
bool time_parse_utc(const char *text, int64_t *instant);

/* "90s", "30m", "1h30m", "2d", "1w", "HH:MM", "HH:MM:SS" or "D:HH:MM:SS" (HH may exceed 23 without
 * days): seconds from 0 to TIME_SPAN_MOST. */
const char *time_parse_span(const char *text, int64_t *seconds);

/* A span of at least a second, or "unlimited" (SPAN_UNLIMITED). */
const char *time_parse_duration(const char *text, int64_t *seconds);

/* "+SPAN" from now, "15:04[:05]" (the next time the clock shows that), "2026-11-21[ T]15:04[:05]"
 * or "2026-11-21" (its midnight) in local time, or with Z or an offset such as +01:00 at the end.
 * Of a local time that occurs twice, when clocks go back, the first counts. */
const char *time_parse_instant(const char *text, int64_t now, int64_t *instant);
