/* print.h: the outcome of a verification for people and for programs. */
#ifndef GALERNA_VERIFY_PRINT_H
#define GALERNA_VERIFY_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "verify/verify.h"

/* A line per violation (at most `limit`), one for what was tolerated, one for the whole. */
void verification_print(const struct verification *verification, const char *record, size_t limit,
                        FILE *out);

/* {record, clean, rules, violations: [{check, lease, host, time, text}], counts, ...}; a new
 * reference, NULL: out of memory. */
json_t *verification_json(const struct verification *verification, const char *record);

#endif
