/* print.h: the outcome of a verification as text and as JSON. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "verify/verify.h"

/* One line per violation (at most `limit`), one for tolerated oddities, one for the result. */
void verification_print(const struct verification *verification, const char *record, size_t limit,
                        FILE *out);

/* {record, clean, rules, violations: [{check, lease, host, time, text}], counts, ...}; a new
 * reference, NULL: out of memory. */
json_t *verification_json(const struct verification *verification, const char *record);
