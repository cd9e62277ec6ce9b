/* fields.h: rejects misspelt fields of requests. To ignore one could be harmful: an order to drain
 * a host "form" tomorrow would drain it now. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

/* Does `known`, a list that ends with NULL, contain all fields of the object? terms: terms of
 * leases are known too. -1 with err: EINVAL. O(fields of the object x known). */
int fields_check(const json_t *object, const char *const known[], bool terms, struct error *err);
