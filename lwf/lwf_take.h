/* lwf_take.h: values of attributes, with complaints about wrong ones; for the LWF reader only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lwf/lwf_parser.h"

/* Does the element that begins have the attribute? */
bool lwf_given(const struct lwf_reader *reader, enum lwf_attribute attribute);

/* For "%.*s" in messages: at most 64 bytes of a value. */
int lwf_shown(const struct lwf_value *value);

/* A time; "unlimited" is SPAN_UNLIMITED where allowed. False after a complaint; *seconds is then
 * 0. */
bool lwf_take_time(struct lwf_reader *reader, enum lwf_attribute attribute, bool unlimited_allowed,
                   int64_t *seconds);

/* An integer between min and max; min after a complaint. */
int64_t lwf_take_integer(struct lwf_reader *reader, enum lwf_attribute attribute, int64_t min,
                         int64_t max);

/* The value of a term of the lease that begins, if it is given; complains about a wrong one. */
void lwf_take_term(struct lwf_reader *reader, const struct lease_term *term,
                   struct term_values *values);
