/* JSON as a stream, onto an output. */
#include "util/json_writer.h"

#include <assert.h>

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

/* Length of the UTF-8 character at `text`, or 0 when it is none (overlong, surrogate, cut). */
static size_t character_length(const unsigned char *text)
{
    static const struct {
        unsigned char first, last, second_first, second_last;
        size_t length;
    } forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (text[1] < forms[i].second_first || text[1] > forms[i].second_last)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++) {
            if ((text[k] & 0xC0) != 0x80)
                return 0;
        }
        return forms[i].length;
    }
    return 0;
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
            length = character_length(at);
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
