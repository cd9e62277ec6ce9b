/* time_text.h: points in time and spans as text: one form for people, one for programs.
 *
 * `size` is that of `text`; TIME_TEXT_MAX is enough for all of them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TIME_TEXT_MAX = 40 };

/* For people: "2026-11-21 15:04:05" in local time, and with the UTC offset, as in
 * "2026-10-25 02:30:00+01:00", if the clock shows it for the second time because it was set back;
 * "never"; "-" when not set. */
void time_text_local(int64_t instant, char *text, size_t size);

/* For people: "in 5m10s", "3h12m ago", "now", "never", "-". */
void time_text_relative(int64_t instant, int64_t now, char *text, size_t size);

/* For people: "45s", "5m10s", "3h12m", "2d05h"; "unlimited"; "-" when not set. */
void time_text_span(int64_t span, char *text, size_t size);

/* For people, exact, for limits and what is compared with them: "90d", "1h30m", "2d00h00m01s";
 * "unlimited"; "-" when not set. */
void time_text_exact(int64_t span, char *text, size_t size);

/* For people, in tables of figures: "1:18:31", "-0:00:05", "never", "unset": hours, minutes,
 * seconds, the hours not limited to 24. */
void time_text_hours(int64_t span, char *text, size_t size);

/* For programs: RFC 3339, "2026-11-21T15:04:05Z"; "unset" and "never" for INSTANT_NONE and
 * INSTANT_NEVER (and for times beyond the year 9999). */
void time_text_utc(int64_t instant, char *text, size_t size);

/* Seconds since the start of a replay: "4711 s", "never", "unset". */
void time_text_seconds(int64_t instant, char *text, size_t size);
