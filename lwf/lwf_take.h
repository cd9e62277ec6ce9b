/* lwf_take.h: reads values of attributes and reports wrong ones; internal to the LWF reader. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lwf/lwf_parser.h"

/* Does the current start tag have the attribute? */
bool lwf_given(const struct lwf_reader *reader, enum lwf_attribute attribute);

/* The length of a value for "%.*s" in messages, at most 64 bytes. */
int lwf_shown(const struct lwf_value *value);

/* A time; "unlimited" is SPAN_UNLIMITED if allowed. False: wrong, and reported; *seconds is then 0.
 */
bool lwf_take_time(struct lwf_reader *reader, enum lwf_attribute attribute, bool unlimited_allowed,
                   int64_t *seconds);

/* An integer from min to max; a wrong one is reported and gives min. */
int64_t lwf_take_integer(struct lwf_reader *reader, enum lwf_attribute attribute, int64_t min,
                         int64_t max);

/* Reads a term of the current <lease>, if present; reports a wrong one. */
void lwf_take_term(struct lwf_reader *reader, const struct lease_term *term,
                   struct term_values *values);
