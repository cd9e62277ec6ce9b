/* json_values.h: values in answers, as JSON text. Each function writes a member of an object. */
#pragma once

#include "util/json_writer.h"

void json_put_null(struct json_writer *writer, const char *key);
void json_put_id(struct json_writer *writer, const char *key, int64_t id); /* null if negative */
/* null for INSTANT_NONE, "never" for INSTANT_NEVER */
void json_put_instant(struct json_writer *writer, const char *key, int64_t instant);
/* A duration: null for SPAN_NONE, "unlimited" for SPAN_UNLIMITED. */
void json_put_span(struct json_writer *writer, const char *key, int64_t span);
void json_put_hundredths(struct json_writer *writer, const char *key, int64_t number);
void json_put_integers(struct json_writer *writer, const char *key, const int64_t *numbers,
                       size_t n);
/* An array of the values in an output in memory, which is destroyed. */
void json_put_list(struct json_writer *writer, const char *key, struct output *values);
