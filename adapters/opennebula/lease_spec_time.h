/* lease_spec_time.h: times and spans as users write them in templates. */
#pragma once

#include <stdint.h>

/* No span is longer: a hundred years. */
#define LEASE_SPEC_SPAN_MOST ((int64_t)36525 * 24 * 3600)

/* HH:MM, HH:MM:SS or D:HH:MM:SS (HH may exceed 23 without days): seconds. NULL, or what would be
 * right. */
const char *span_parse(const char *text, int64_t *seconds);

/* "+SPAN" from created, or a time of the calendar: seconds since 1970. NULL, or what would be
 * right. */
const char *lease_spec_time_parse(const char *text, int64_t created, int64_t *time);
