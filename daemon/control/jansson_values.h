/* jansson_values.h: texts, times and written JSON as values of jansson. */
#pragma once

#include <jansson.h>

#include "daemon/store/store.h"
#include "util/output.h"

/* A text from outside galernad: bytes that are not UTF-8 become U+FFFD. */
json_t *json_from_text(const char *text);

/* The value written to an output in memory; takes ownership of the output. */
json_t *json_from_output(struct output *text);

/* RFC 3339; null for INSTANT_NONE, "never" for INSTANT_NEVER. */
json_t *json_from_instant(int64_t instant);

/* Put a value into an object; takes the reference. */
void json_put(json_t *object, const char *key, json_t *value);
