/* JSON as a stream, onto an output. */
#include "util/json_writer.h"

#include <assert.h>

#include "util/printable.h"

void json_writer_init(struct json_writer *writer, struct output *out)
{
    *writer = (struct json_writer){.out = out};
}

/* A comma in front of all values but the first of their container and those after a key. */
static void before_value(struct json_writer *writer)
{
    uint64_t bit = UINT64_C(1) << writer->depth;

    if (writer->after_key)
        writer->after_key = false;
    else if (writer->filled & bit)
        output_char(writer->out, ',');
    writer->filled |= bit;
}

static void begin(struct json_writer *writer, char bracket)
{
    before_value(writer);
    output_char(writer->out, bracket);
    assert(writer->depth + 1 < JSON_WRITER_DEPTH_MAX);
    writer->depth++;
    writer->filled &= ~(UINT64_C(1) << writer->depth);
}

static void json_end_bracket(struct json_writer *writer, char bracket)
{
    assert(writer->depth > 0 && !writer->after_key);
    writer->depth--;
    output_char(writer->out, bracket);
}

void json_begin_object(struct json_writer *writer)
{
    begin(writer, '{');
}

void json_end_object(struct json_writer *writer)
{
    json_end_bracket(writer, '}');
}

void json_begin_array(struct json_writer *writer)
{
    begin(writer, '[');
}

void json_end_array(struct json_writer *writer)
{
    json_end_bracket(writer, ']');
}

static void escaped(struct output *out, unsigned char c)
{
    static const char letters[] = "btn?fr"; /* 8, 9, 10, 12, 13 */

    if (c == '"' || c == '\\')
        output_format(out, "\\%c", c);
    else if (c >= 8 && c <= 13 && c != 11)
        output_format(out, "\\%c", letters[c - 8]);
    else
        output_format(out, "\\u%04x", c);
}

static void quoted(struct output *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *start = at;

    output_char(out, '"');
    while (*at) {
        size_t length = 1;

        if (*at >= 0x80)
            length = utf8_length(at, SIZE_MAX);
        else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f)
            length = 0;
        if (length > 0) {
            at += length;
            continue;
        }
        output_bytes(out, start, (size_t)(at - start));
        if (*at >= 0x80)
            output_text(out, "\xEF\xBF\xBD");
        else
            escaped(out, *at);
        start = ++at;
    }
    output_bytes(out, start, (size_t)(at - start));
    output_char(out, '"');
}

void json_write_key(struct json_writer *writer, const char *key)
{
    before_value(writer);
    quoted(writer->out, key);
    output_char(writer->out, ':');
    writer->after_key = true;
}

void json_write_key_integer(struct json_writer *writer, int64_t key)
{
    before_value(writer);
    output_char(writer->out, '"');
    output_integer(writer->out, key);
    output_bytes(writer->out, "\":", 2);
    writer->after_key = true;
}

void json_write_string(struct json_writer *writer, const char *text)
{
    before_value(writer);
    if (text)
        quoted(writer->out, text);
    else
        output_bytes(writer->out, "null", 4);
}

void json_write_integer(struct json_writer *writer, int64_t value)
{
    before_value(writer);
    output_integer(writer->out, value);
}

void json_write_double(struct json_writer *writer, double value)
{
    before_value(writer);
    output_double(writer->out, value);
}

void json_write_bool(struct json_writer *writer, bool value)
{
    before_value(writer);
    output_text(writer->out, value ? "true" : "false");
}

void json_write_null(struct json_writer *writer)
{
    before_value(writer);
    output_bytes(writer->out, "null", 4);
}

void json_write_raw(struct json_writer *writer)
{
    before_value(writer);
}

void json_put_string(struct json_writer *writer, const char *key, const char *text)
{
    json_write_key(writer, key);
    json_write_string(writer, text);
}

void json_put_integer(struct json_writer *writer, const char *key, int64_t value)
{
    json_write_key(writer, key);
    json_write_integer(writer, value);
}

void json_put_double(struct json_writer *writer, const char *key, double value)
{
    json_write_key(writer, key);
    json_write_double(writer, value);
}

void json_put_bool(struct json_writer *writer, const char *key, bool value)
{
    json_write_key(writer, key);
    json_write_bool(writer, value);
}

void json_open_object(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_begin_object(writer);
}

void json_open_array(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_begin_array(writer);
}
