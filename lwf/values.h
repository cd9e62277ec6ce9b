/* values.h: numbers and times as traces write them. Text is given by its first byte and the byte
 * after its last one; nothing needs to be terminated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Limits that keep every sum of times and amounts far inside 64 bits. */
#define TRACE_TIME_MAX      INT64_C(100000000000) /* seconds: 3,170 years */
#define TRACE_AMOUNT_MAX    INT64_C(1000000000000)
#define TRACE_VMS_MAX       INT64_C(1000000) /* of one lease */
#define TRACE_NODE_SETS_MAX 16384            /* of one lease or site */
#define TRACE_HOSTS_MAX     INT64_C(262144)  /* of one site */

/* How much a host has of disk and network when its site does not name them, as in Haizea. */
#define AMOUNT_UNNAMED INT64_C(1000000)

/* A span of time: [D:]HH:MM[:SS[.ff]]. Hours, minutes and seconds may exceed 23 and 59; fractions
 * are rounded to the nearest second, a half upwards. False when it is none, or longer than
 * TRACE_TIME_MAX. */
bool value_parse_delta(const char *text, const char *end, int64_t *seconds);

/* The same as Haizea 1.0 understands it: the first thing in the text that looks like a span counts
 * ("+1:02:03:04", "2 days 03:00", "5h 30min"), and 0 when there is none. A sign is passed over. */
int64_t value_parse_delta_haizea(const char *text, const char *end);

/* A decimal integer with an optional sign, -`max` ... `max`. Blanks around it are allowed. */
bool value_parse_integer(const char *text, const char *end, int64_t max, int64_t *value);

enum { VALUE_DELTA_MAX = 32 };

/* Write seconds (0 ... TRACE_TIME_MAX) as [D:]HH:MM:SS. */
void value_format_delta(int64_t seconds, char text[VALUE_DELTA_MAX]);
