/* Values in answers, as JSON text. */
#include "daemon/control/json_values.h"

#include <stdlib.h>

#include "util/instant.h"
#include "util/time_text.h"

void json_put_null(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_write_null(writer);
}

void json_put_id(struct json_writer *writer, const char *key, int64_t id)
{
    if (id < 0)
        json_put_null(writer, key);
    else
        json_put_integer(writer, key, id);
}

void json_put_instant(struct json_writer *writer, const char *key, int64_t instant)
{
    char text[TIME_TEXT_MAX];

    if (instant == INSTANT_NONE) {
        json_put_null(writer, key);
        return;
    }
    time_text_utc(instant, text, sizeof text);
    json_put_string(writer, key, text);
}

void json_put_span(struct json_writer *writer, const char *key, int64_t span)
{
    if (span == SPAN_NONE)
        json_put_null(writer, key);
    else if (span == SPAN_UNLIMITED)
        json_put_string(writer, key, "unlimited");
    else
        json_put_integer(writer, key, span);
}

void json_put_integers(struct json_writer *writer, const char *key, const int64_t *numbers,
                       size_t n)
{
    json_open_array(writer, key);
    for (size_t i = 0; i < n; i++)
        json_write_integer(writer, numbers[i]);
    json_end_array(writer);
}

void json_put_hundredths(struct json_writer *writer, const char *key, int64_t number)
{
    json_write_key(writer, key);
    json_write_raw(writer);
    output_format(writer->out, "%s%lld.%02lld", number < 0 ? "-" : "", llabs(number / 100),
                  llabs(number % 100));
}

void json_put_list(struct json_writer *writer, const char *key, struct output *values)
{
    size_t n;
    const char *text = output_held(values, &n);

    json_open_array(writer, key);
    output_bytes(writer->out, text, n);
    json_end_array(writer);
    output_destroy(values);
}
