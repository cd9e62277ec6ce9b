/* json.h: members of a JSON document with their types checked and the place named in errors. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/* The reader's position in the document, for error texts. */
struct json_place {
    const char *file;
    char where[160]; /* "leases[3].rrs[1]"; empty at the top */
    struct error *err;
};

/* EINVAL with "FILE: WHERE.member: ...". member may be NULL. Always returns -1. */
int json_fail(const struct json_place *place, const char *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The member of an object: its value, or NULL with an error. */
json_t *json_object_member(const struct json_place *place, json_t *object, const char *member);
json_t *json_array_member(const struct json_place *place, json_t *object, const char *member);
/* NULL without an error text when it is absent or null; *failed is set when it has another type. */
json_t *json_optional_object(const struct json_place *place, json_t *object, const char *member,
                             bool *failed);
const char *json_text_member(const struct json_place *place, json_t *object, const char *member);

/* A whole number, also written as 1.0. */
int json_whole(const struct json_place *place, const char *member, const json_t *value,
               int64_t *number);
int json_whole_member(const struct json_place *place, json_t *object, const char *member,
                      int64_t *number);
/* `otherwise` if the member is null or absent. */
int json_whole_or(const struct json_place *place, json_t *object, const char *member,
                  int64_t otherwise, int64_t *number);
int json_real_or(const struct json_place *place, json_t *object, const char *member,
                 double otherwise, double *number);
int json_bool_or(const struct json_place *place, json_t *object, const char *member, bool otherwise,
                 bool *value);

/* A list of exactly n entries, which begins with whole numbers: one for each pointer in `numbers`,
 * which ends with NULL. */
int json_tuple(const struct json_place *place, const json_t *value, size_t n,
               int64_t *const *numbers);

/* An object's key that must be a whole number, for example "12". */
int json_key_number(const struct json_place *place, const char *key, int64_t *number);
