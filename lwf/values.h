/* values.h: numbers and times in the notation of traces. A text is passed as its first byte and the
 * byte after its last one; it needs no terminator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Limits that keep sums of times and amounts well within 64 bits. */
#define TRACE_TIME_MAX      INT64_C(100000000000) /* seconds: 3,170 years */
#define TRACE_AMOUNT_MAX    INT64_C(1000000000000)
#define TRACE_VMS_MAX       INT64_C(1000000) /* of one lease */
#define TRACE_NODE_SETS_MAX 16384            /* of one lease or site */
#define TRACE_HOSTS_MAX     INT64_C(262144)  /* of one site */

/* A host's amount of disk or network if its site does not specify it, as in Haizea. */
#define AMOUNT_UNNAMED INT64_C(1000000)

/* A time span: [D:]HH:MM[:SS[.ff]]. Hours, minutes and seconds may exceed 23 and 59; fractions are
 * rounded to the nearest second, a half upwards. False: malformed, or longer than TRACE_TIME_MAX.
 */
bool value_parse_delta(const char *text, const char *end, int64_t *seconds);

/* A time span as parsed by Haizea 1.0: the first part of the text that resembles a span
 * ("+1:02:03:04", "2 days 03:00", "5h 30min"), or 0 if there is none. Signs are ignored. */
int64_t value_parse_delta_haizea(const char *text, const char *end);

/* A decimal integer from -max to max with an optional sign. Surrounding blanks are allowed. */
bool value_parse_integer(const char *text, const char *end, int64_t max, int64_t *value);

/* A blank within a line. */
static inline bool value_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

enum { VALUE_DELTA_MAX = 32 };

/* Formats seconds (0 ... TRACE_TIME_MAX) as [D:]HH:MM:SS. */
void value_format_delta(int64_t seconds, char text[VALUE_DELTA_MAX]);
