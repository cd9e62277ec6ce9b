/* fields.h: a misspelt field of a request is an error: it would be ignored, as "form" in an order
 * to drain a host "from" tomorrow. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

/* Are all fields of the object known? known: their names, then NULL; terms: those of leases, too.
 * -1 with err: EINVAL. O(fields of the object x known). */
int fields_check(const json_t *object, const char *const known[], bool terms, struct error *err);
