/* time_words.h: points in time and spans as people write and read them, in local time. */
#ifndef GALERNA_CLI_TIME_WORDS_H
#define GALERNA_CLI_TIME_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIME_WORDS_MAX = 40 };

/* "90s", "30m", "1h30m", "2d", "1:30:00" (hours), "1:30" (hours), "2:00:00:00" (days), "unlimited".
 * False: none of these, or 0, or more than 100 years. */
bool time_words_parse_span(const char *text, int64_t *seconds);

/* "+SPAN" from now, "15:04[:05]" (the next time the clock shows that), "2026-11-21[ T]15:04[:05]"
 * in local time, or with Z or an offset such as +01:00 behind the seconds. False: none of these. */
bool time_words_parse_instant(const char *text, int64_t now, int64_t *instant);

/* "2026-11-21T15:04:05+01:00", "never", "-" when not set. */
void time_words_local(int64_t instant, char text[TIME_WORDS_MAX]);

/* "45s", "5m10s", "3h12m", "2d5h"; "unlimited"; "-" when not set. */
void time_words_span(int64_t span, char text[TIME_WORDS_MAX]);

/* "in 5m10s", "3h12m ago", "now", "never", "-". */
void time_words_relative(int64_t instant, int64_t now, char text[TIME_WORDS_MAX]);

#endif
