/* Reads the text of a configuration file, without interpretation. */
#include "configuration/ini.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/interpolate.h"
#include "util/memory.h"
#include "util/printable.h"

/* State shared by the reader and inih's handler. inih does not pass line numbers to its handler,
 * but it reads one line at a time and handles each line before it reads the next. */
struct parse {
    struct ini *ini;
    const char *file, *at, *end;
    int line;
    bool continued; /* the line continues the previous value */
    int last_line;  /* of the last entry that was not a continuation */
    bool too_many;
};

static char *read_line(char *buffer, int size, void *stream)
{
    struct parse *parse = stream;
    size_t left = (size_t)(parse->end - parse->at), length;
    const char *newline;

    if (left == 0)
        return NULL;
    newline = memchr(parse->at, '\n', left);
    length = newline ? (size_t)(newline - parse->at) + 1 : left;
    if (length > (size_t)size - 1)
        length = (size_t)size - 1;
    memcpy(buffer, parse->at, length);
    buffer[length] = '\0';
    parse->at += length;
    parse->line++;
    parse->continued = isspace((unsigned char)buffer[0]);
    if (buffer[0] == '[')
        parse->last_line = 0;
    return buffer;
}

static void append_line(struct ini_entry *entry, const char *more)
{
    size_t length = strlen(entry->value), added = strlen(more);
    char *joined = memory_new(length + added + 2, 1);

    memcpy(joined, entry->value, length);
    joined[length] = ' ';
    memcpy(joined + length + 1, more, added + 1);
    memory_free(entry->value);
    entry->value = joined;
}

static int handle_entry(void *user, const char *section, const char *key, const char *value)
{
    struct parse *parse = user;
    struct ini *ini = parse->ini;
    struct ini_entry entry = {
        .section = section, .key = key, .value = value, .origin = parse->file, .line = parse->line};

    if (parse->continued && parse->last_line) {
        append_line(&ini->entries[ini->n_entries - 1], value);
        return 1;
    }
    if (section[0] == '\0' || key[0] == '\0')
        return 0;
    if (ini->n_entries == INI_ENTRIES_MAX) {
        parse->too_many = true;
        return 0;
    }
    ini_add(ini, &entry);
    parse->last_line = parse->line;
    return 1;
}

static int inspect_text(const struct parse *parse, const char *line, size_t length,
                        struct error *err)
{
    if (length > INI_LINE_MAX)
        return error_set(err, EINVAL, "%s:%d: the line has %zu characters, at most %d are allowed",
                         parse->file, parse->line, length, INI_LINE_MAX);
    if (memchr(line, '\0', length))
        return error_set(err, EINVAL, "%s:%d: the line contains a NUL byte; is this a text file?",
                         parse->file, parse->line);
    if (length > 0 && !strchr("#;", line[0]) && !utf8_is_valid(line, length))
        return error_set(err, EINVAL, "%s:%d: the line is not UTF-8 text", parse->file,
                         parse->line);
    return 0;
}

static int inspect_section(struct parse *parse, const char *line, size_t length, struct error *err)
{
    const char *end = memchr(line, ']', length);
    char name[INI_NAME_MAX + 1];

    if (!end)
        return error_set(err, EINVAL, "%s:%d: the section's name has no closing ']'", parse->file,
                         parse->line);
    if (end == line + 1)
        return error_set(err, EINVAL, "%s:%d: the section has no name", parse->file, parse->line);
    if (end - line - 1 > INI_NAME_MAX)
        return error_set(err, EINVAL, "%s:%d: the section's name is longer than %d characters",
                         parse->file, parse->line, INI_NAME_MAX);
    memcpy(name, line + 1, (size_t)(end - line - 1));
    name[end - line - 1] = '\0';
    ini_add_section(parse->ini, name, parse->line);
    if (parse->ini->n_sections > INI_SECTIONS_MAX)
        return error_set(err, EINVAL, "%s:%d: more than %d sections", parse->file, parse->line,
                         INI_SECTIONS_MAX);
    return 0;
}

static int inspect_option(const struct parse *parse, const char *line, size_t length,
                          struct error *err)
{
    const char *end = line;

    if (parse->ini->n_sections == 0)
        return error_set(err, EINVAL, "%s:%d: an option before the first [section]", parse->file,
                         parse->line);
    while (end < line + length && *end != ':' && *end != '=')
        end++;
    if (end == line + length)
        return error_set(err, EINVAL, "%s:%d: expected '[section]' or 'option: value'", parse->file,
                         parse->line);
    if (end == line)
        return error_set(err, EINVAL, "%s:%d: expected the name of an option before '%c'",
                         parse->file, parse->line, *end);
    if (end - line > INI_NAME_MAX)
        return error_set(err, EINVAL, "%s:%d: the option's name is longer than %d characters",
                         parse->file, parse->line, INI_NAME_MAX);
    return 0;
}

/* inih silently truncates long names and lines, and skips empty sections: check before. */
static int inspect_line(struct parse *parse, const char *line, size_t length, struct error *err)
{
    if (inspect_text(parse, line, length, err) < 0)
        return -1;
    if (length == 0 || strchr("#; \t\r", line[0]))
        return 0;
    return line[0] == '[' ? inspect_section(parse, line, length, err)
                          : inspect_option(parse, line, length, err);
}

static int inspect(struct parse *parse, struct error *err)
{
    const char *at = parse->at;

    while (at < parse->end) {
        const char *newline = memchr(at, '\n', (size_t)(parse->end - at));
        const char *end = newline ? newline : parse->end;

        parse->line++;
        if (inspect_line(parse, at, (size_t)(end - at), err) < 0)
            return -1;
        at = newline ? newline + 1 : parse->end;
    }
    parse->line = 0;
    return 0;
}

/* The packaged inih has its limits in global variables, which are the same for every file. */
static void prepare_inih(void)
{
    ini_use_stack = false;
    ini_max_line = INI_LINE_MAX + 3;
    ini_initial_alloc = INI_LINE_MAX + 3;
    ini_allow_realloc = false;
    ini_stop_on_first_error = true;
    ini_allow_multiline = true;
}

int ini_read_text(struct ini *ini, const char *file, const char *text, size_t length,
                  struct error *err)
{
    struct parse parse = {.ini = ini, .file = file, .at = text, .end = text + length};
    int failed;

    free(ini->file);
    ini->file = memory_text(file);
    if (length > INI_FILE_MAX)
        return error_set(err, EINVAL, "%s: the file has %zu bytes, at most %d are allowed", file,
                         length, INI_FILE_MAX);
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        parse.at += 3;
    if (inspect(&parse, err) < 0)
        return -1;
    prepare_inih();
    failed = ini_parse_stream(read_line, &parse, handle_entry, &parse);
    if (parse.too_many)
        return error_set(err, EINVAL, "%s:%d: more than %d options", file, parse.line,
                         INI_ENTRIES_MAX);
    if (failed > 0)
        return error_set(err, EINVAL, "%s:%d: expected '[section]' or 'option: value'", file,
                         failed);
    if (failed < 0)
        return error_set(err, ENOMEM, "%s: out of memory", file);
    return ini_interpolate(ini, err);
}

int ini_read_file(struct ini *ini, const char *file, struct error *err)
{
    FILE *stream = fopen(file, "rb");
    char *text;
    size_t length;
    int result;

    if (!stream)
        return error_errno(err, "%s: cannot open the configuration file", file);
    text = memory_new(INI_FILE_MAX + 1, 1);
    length = fread(text, 1, INI_FILE_MAX + 1, stream);
    if (ferror(stream))
        result = error_errno(err, "%s: cannot read the configuration file", file);
    else
        result = ini_read_text(ini, file, text, length, err);
    fclose(stream);
    free(text);
    return result;
}
