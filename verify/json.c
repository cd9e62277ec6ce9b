/* Reads typed members of a JSON document. */
#include "verify/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/decimal.h"

/* Sums over a whole record stay within 64 bits. In seconds: 31,000 years. */
static const int64_t largest_number = 1000000000000;

static const char *const type_names[] = {
    [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
    [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",      [JSON_NULL] = "null",
};

static const char *type_name(const json_t *value)
{
    return value ? type_names[json_typeof(value)] : "nothing";
}

int json_fail(const struct json_place *place, const char *member, const char *format, ...)
{
    char what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(place->err, EINVAL, "%s: %s%s%.60s: %s", place->file, place->where,
                     member && *place->where ? "." : "", member ? member : "", what);
}

static json_t *member_of_type(const struct json_place *place, json_t *object, const char *member,
                              json_type type)
{
    json_t *value = json_object_get(object, member);

    if (value && json_typeof(value) == type)
        return value;
    json_fail(place, member, "expected %s, found %s", type_names[type], type_name(value));
    return NULL;
}

json_t *json_object_member(const struct json_place *place, json_t *object, const char *member)
{
    return member_of_type(place, object, member, JSON_OBJECT);
}

json_t *json_array_member(const struct json_place *place, json_t *object, const char *member)
{
    return member_of_type(place, object, member, JSON_ARRAY);
}

json_t *json_optional_object(const struct json_place *place, json_t *object, const char *member,
                             bool *failed)
{
    json_t *value = json_object_get(object, member);

    if (!value || json_is_null(value))
        return NULL;
    value = json_object_member(place, object, member);
    *failed = !value;
    return value;
}

const char *json_text_member(const struct json_place *place, json_t *object, const char *member)
{
    return json_string_value(member_of_type(place, object, member, JSON_STRING));
}

int json_whole(const struct json_place *place, const char *member, const json_t *value,
               int64_t *number)
{
    double real;

    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        if (*number > largest_number || *number < -largest_number)
            return json_fail(place, member, "the number is too large");
        return 0;
    }
    if (!json_is_real(value))
        return json_fail(place, member, "expected a whole number, found %s", type_name(value));
    real = json_real_value(value);
    if (real != floor(real) || fabs(real) > (double)largest_number)
        return json_fail(place, member, "expected a whole number, found %.17g", real);
    *number = (int64_t)real;
    return 0;
}

int json_whole_member(const struct json_place *place, json_t *object, const char *member,
                      int64_t *number)
{
    return json_whole(place, member, json_object_get(object, member), number);
}

int json_whole_or(const struct json_place *place, json_t *object, const char *member,
                  int64_t otherwise, int64_t *number)
{
    json_t *value = json_object_get(object, member);

    if (value && !json_is_null(value))
        return json_whole(place, member, value, number);
    *number = otherwise;
    return 0;
}

int json_real_or(const struct json_place *place, json_t *object, const char *member,
                 double otherwise, double *number)
{
    json_t *value = json_object_get(object, member);

    *number = otherwise;
    if (!value || json_is_null(value))
        return 0;
    if (!json_is_number(value))
        return json_fail(place, member, "expected a number, found %s", type_name(value));
    *number = json_number_value(value);
    return 0;
}

int json_bool_or(const struct json_place *place, json_t *object, const char *member, bool otherwise,
                 bool *value)
{
    json_t *found = json_object_get(object, member);

    *value = otherwise;
    if (!found || json_is_null(found))
        return 0;
    if (!json_is_boolean(found))
        return json_fail(place, member, "expected true or false, found %s", type_name(found));
    *value = json_is_true(found);
    return 0;
}

int json_tuple(const struct json_place *place, const json_t *value, size_t n,
               int64_t *const *numbers)
{
    if (!json_is_array(value) || json_array_size(value) != n)
        return json_fail(place, NULL, "expected a list of %zu entries", n);
    for (size_t i = 0; numbers[i]; i++)
        if (json_whole(place, NULL, json_array_get(value, i), numbers[i]) < 0)
            return -1;
    return 0;
}

int json_key_number(const struct json_place *place, const char *key, int64_t *number)
{
    if (decimal_parse(key, 0, number) < 0 || llabs(*number) > largest_number)
        return json_fail(place, key, "expected a number as the key");
    return 0;
}
