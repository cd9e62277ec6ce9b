/* compare.h: compares a record with the record of a repetition of its run. */
#pragma once

#include <jansson.h>

#include "verify/verify.h"

/* Where the inputs of the repeated run come from. */
enum repeated_from { REPEATED_FROM_RECORD, REPEATED_FROM_CONFIGURATION };

/* Each value that differs becomes a violation of CHECK_REPEATED. If none differs, everything counts
 * as checked, except the inputs if the repetition took them from the record. `verification` is the
 * verification of the record. For a record of an earlier version, later additions to the format are
 * left out. */
void verify_compare(json_t *record, json_t *repeated, enum repeated_from from,
                    struct verification *verification);

/* The run cannot be repeated from the record's inputs: a violation of CHECK_REPEATED. */
void verify_impossible(struct verification *verification, const char *why);

/* The run could not be repeated, and why: a violation of CHECK_REPEATED. */
void verify_unrepeatable(struct verification *verification, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes that the user does not want the run to be repeated, and why. */
void verify_not_repeated(struct verification *verification, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
