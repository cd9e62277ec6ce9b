/* OpenNebula's own notation of templates: NAME = value, NAME = "value", NAME = [ A = b, C = "d" ],
 * comments from '#' to the end of the line. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "sandbox/attributes.h"

enum { NAME_MAX_LENGTH = 120, VALUE_MAX_LENGTH = 1 << 20 };

struct attributes_reader {
    const char *start, *at;
    struct error *err;
};

static int complain(const struct attributes_reader *reader, const char *what)
{
    int line = 1, column = 1;

    for (const char *c = reader->start; c < reader->at; c++)
        if (*c == '\n') {
            line++;
            column = 1;
        } else {
            column++;
        }
    return error_set(reader->err, EINVAL, "%s at line %d, column %d of the template", what, line,
                     column);
}

static void skip_space(struct attributes_reader *reader, bool lines)
{
    for (;; reader->at++) {
        if (*reader->at == '#' && lines)
            while (reader->at[1] && reader->at[1] != '\n')
                reader->at++;
        else if (!*reader->at || !isspace((unsigned char)*reader->at) ||
                 (*reader->at == '\n' && !lines))
            return;
    }
}

static int read_name(struct attributes_reader *reader, char *name)
{
    size_t size = 0;

    while (isalnum((unsigned char)*reader->at) || (*reader->at && strchr("_-", *reader->at))) {
        if (size == NAME_MAX_LENGTH)
            return complain(reader, "name too long");
        name[size++] = (char)toupper((unsigned char)*reader->at++);
    }
    name[size] = '\0';
    return size > 0 ? 0 : complain(reader, "expected the name of an attribute");
}

static int read_quoted(struct attributes_reader *reader, struct oned_text *value)
{
    for (reader->at++; *reader->at != '"'; reader->at++) {
        if (!*reader->at)
            return complain(reader, "quotation mark missing");
        if (*reader->at == '\\' && reader->at[1] == '"')
            reader->at++;
        oned_text_add(value, reader->at, 1);
        if (value->size > VALUE_MAX_LENGTH)
            return complain(reader, "value too long");
    }
    reader->at++;
    return 0;
}

/* A value without quotation marks ends with the line, or in a vector at ',' or ']'. */
static int read_bare(struct attributes_reader *reader, struct oned_text *value, const char *ends)
{
    const char *from = reader->at, *to;

    while (*reader->at && !strchr(ends, *reader->at))
        reader->at++;
    for (to = reader->at; to > from && isspace((unsigned char)to[-1]);)
        to--;
    if (to - from > VALUE_MAX_LENGTH)
        return complain(reader, "value too long");
    oned_text_add(value, from, (size_t)(to - from));
    return 0;
}

static int read_value(struct attributes_reader *reader, struct oned_text *value, const char *ends)
{
    oned_text_put(value, "");
    return *reader->at == '"' ? read_quoted(reader, value) : read_bare(reader, value, ends);
}

static int expect(struct attributes_reader *reader, char c, const char *what)
{
    if (*reader->at != c)
        return complain(reader, what);
    reader->at++;
    return 0;
}

static int read_vector(struct attributes_reader *reader, struct oned_attributes *list);

/* Reads NAME = VALUE. Inside a vector, values also end at ',' and ']'. */
static int read_attribute(struct attributes_reader *reader, struct oned_attributes *list,
                          bool in_vector)
{
    char name[NAME_MAX_LENGTH + 1];
    struct oned_text value = {0};
    int result;

    if (read_name(reader, name))
        return -1;
    skip_space(reader, in_vector);
    if (expect(reader, '=', "expected '='"))
        return -1;
    skip_space(reader, in_vector);
    if (!in_vector && *reader->at == '[')
        return read_vector(reader, oned_attributes_add_vector(list, name));
    result = read_value(reader, &value, in_vector ? ",]\n" : "\n");
    if (result == 0)
        oned_attributes_add(list, name, value.bytes);
    oned_text_finish(&value);
    return result;
}

static int read_vector(struct attributes_reader *reader, struct oned_attributes *list)
{
    for (reader->at++;; reader->at++) {
        skip_space(reader, true);
        if (*reader->at == ']')
            break;
        if (read_attribute(reader, list, true))
            return -1;
        skip_space(reader, true);
        if (*reader->at == ']')
            break;
        if (*reader->at != ',')
            return complain(reader, "expected ',' or ']'");
    }
    reader->at++;
    return 0;
}

int oned_attributes_parse(struct oned_attributes *list, const char *text, struct error *err)
{
    struct attributes_reader reader = {.start = text, .at = text, .err = err};

    skip_space(&reader, true);
    if (*reader.at == '<')
        return oned_attributes_parse_xml(list, text, err);
    for (; *reader.at; skip_space(&reader, true))
        if (read_attribute(&reader, list, false))
            return -1;
    return 0;
}
