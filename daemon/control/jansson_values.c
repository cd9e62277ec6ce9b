/* Texts, times and written JSON as values of jansson. */
#include "daemon/control/jansson_values.h"

#include <stdlib.h>

#include "daemon/control/lease_json.h"
#include "util/time_text.h"

json_t *json_from_output(struct output *text)
{
    size_t length;
    const char *bytes = output_held(text, &length);
    json_t *value = json_loadb(bytes, length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);

    output_destroy(text);
    return value;
}

json_t *json_from_text(const char *text)
{
    struct output *output;
    struct json_writer writer;
    json_t *value = json_string(text);

    if (value)
        return value;
    output = output_create_memory();
    json_writer_init(&writer, output);
    json_write_string(&writer, text);
    return json_from_output(output);
}

json_t *json_from_instant(int64_t instant)
{
    char text[TIME_TEXT_MAX];

    if (instant == INSTANT_NONE)
        return json_null();
    time_text_utc(instant, text, sizeof text);
    return json_string(text);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    /* Fails only if memory ran out, here or for the value. */
    if (json_object_set_new(object, key, value) < 0)
        abort();
}
