/* compare.h: a record beside that of the same run, carried out again. */
#pragma once

#include <jansson.h>

#include "verify/verify.h"

/* Each value that differs becomes a violation of CHECK_REPEATED. When none does, there is nothing
 * that is not checked. The verification is that of the record. */
void verify_compare(json_t *record, json_t *repeated, struct verification *verification);
