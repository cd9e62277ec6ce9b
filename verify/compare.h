/* compare.h: a record beside that of the same run, carried out again. */
#pragma once

#include <jansson.h>

#include "verify/verify.h"

/* Where the inputs of the repeated run come from. */
enum repeated_from { REPEATED_FROM_RECORD, REPEATED_FROM_CONFIGURATION };

/* Each value that differs becomes a violation of CHECK_REPEATED. When none does, there is nothing
 * that is not checked, but for the inputs where they are the record's own. The verification is that
 * of the record. A record of an earlier version is compared without what was added since. */
void verify_compare(json_t *record, json_t *repeated, enum repeated_from from,
                    struct verification *verification);

/* No run has the inputs of the record: a violation of CHECK_REPEATED. */
void verify_impossible(struct verification *verification, const char *why);

/* The run was not repeated, and why. */
void verify_not_repeated(struct verification *verification, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
