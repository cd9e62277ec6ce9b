/* json_term.h: a term of a lease as a field of requests and answers. */
#pragma once

#include <jansson.h>

#include "core/lease_terms.h"
#include "util/error.h"

/* A boolean, a whole number or a string. */
json_t *json_from_term(const struct lease_term *term, const struct term_values *values);

/* Read a value. Errors: EINVAL (with the term's name, the value, and the expected values). */
int json_to_term(const json_t *value, const struct lease_term *term, struct term_values *values,
                 struct error *err);
