/* Reads OpenNebula's configuration files. */
#include "configuration/opennebula_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct reading {
    const char *at, *end;
    long line;
    struct opennebula_file *file;
    struct error *err;
};

static int expected(const struct reading *reading, const char *what)
{
    return error_set(reading->err, EINVAL, "line %ld: expected %s", reading->line, what);
}

static char next(const struct reading *reading)
{
    return reading->at < reading->end ? *reading->at : '\0';
}

static void skip(struct reading *reading, bool lines)
{
    while (reading->at < reading->end) {
        char c = *reading->at;

        if (c == '#') {
            while (reading->at < reading->end && *reading->at != '\n')
                reading->at++;
        } else if (c == '\n' && lines) {
            reading->line++;
            reading->at++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            reading->at++;
        } else {
            return;
        }
    }
}

static char *copy(const char *text, size_t length)
{
    char *copied = memory_new(length + 1, 1);

    memcpy(copied, text, length);
    return copied;
}

static char *read_name(struct reading *reading)
{
    const char *start = reading->at;
    char *name;

    while (reading->at < reading->end &&
           (isalnum((unsigned char)*reading->at) || strchr("_-/", *reading->at)))
        reading->at++;
    if (reading->at == start)
        return NULL;
    name = copy(start, (size_t)(reading->at - start));
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return name;
}

/* stop: the characters that, like the end of the line, end a value without quotes. */
static char *read_value(struct reading *reading, const char *stop)
{
    const char *start = reading->at, *end;

    if (next(reading) == '"') {
        for (start++, reading->at++; reading->at < reading->end && *reading->at != '"';
             reading->at++)
            if (*reading->at == '\n')
                reading->line++;
        if (reading->at == reading->end) {
            expected(reading, "the closing \" of a string");
            return NULL;
        }
        return copy(start, (size_t)(reading->at++ - start));
    }
    while (reading->at < reading->end && !strchr("\n#", *reading->at) &&
           !strchr(stop, *reading->at))
        reading->at++;
    for (end = reading->at; end > start && strchr(" \t\r", end[-1]);)
        end--;
    return copy(start, (size_t)(end - start));
}

static void add(struct reading *reading, const struct opennebula_setting *setting)
{
    struct opennebula_file *file = reading->file;

    MEMORY_GROW(file->settings, file->allocated, file->n + 1);
    file->settings[file->n++] = *setting;
}

/* Reads "= value" after a name. */
static int read_pair(struct reading *reading, struct opennebula_setting *setting, const char *stop)
{
    skip(reading, false);
    if (next(reading) != '=')
        return expected(reading, "=");
    reading->at++;
    skip(reading, false);
    setting->value = read_value(reading, stop);
    return setting->value ? 0 : -1;
}

static int read_brackets(struct reading *reading, const char *name)
{
    for (reading->at++;; reading->at++) {
        struct opennebula_setting setting = {.name = memory_text(name)};

        skip(reading, true);
        setting.line = reading->line;
        setting.key = read_name(reading);
        if (!setting.key || read_pair(reading, &setting, ",]") < 0) {
            if (!setting.key)
                expected(reading, "a name");
            free(setting.name);
            free(setting.key);
            return -1;
        }
        add(reading, &setting);
        skip(reading, true);
        if (next(reading) == ']') {
            reading->at++;
            return 0;
        }
        if (next(reading) != ',')
            return expected(reading, ", or ]");
    }
}

static int read_setting(struct reading *reading)
{
    struct opennebula_setting setting = {.line = reading->line, .name = read_name(reading)};
    int result;

    if (!setting.name)
        return expected(reading, "a name");
    skip(reading, false);
    if (next(reading) == '=') {
        struct reading before;

        reading->at++;
        before = *reading;
        skip(reading, true);
        if (next(reading) == '[') {
            result = read_brackets(reading, setting.name);
            free(setting.name);
            return result;
        }
        *reading = before; /* the value is the rest of the line */
        skip(reading, false);
        setting.value = read_value(reading, "");
        if (setting.value) {
            add(reading, &setting);
            return 0;
        }
    } else {
        expected(reading, "=");
    }
    free(setting.name);
    return -1;
}

int opennebula_file_parse(struct opennebula_file *file, const char *text, size_t length,
                          struct error *err)
{
    struct reading reading = {
        .at = text, .end = text + length, .line = 1, .file = file, .err = err};
    int result = 0;

    *file = (struct opennebula_file){0};
    if (length > OPENNEBULA_FILE_MAX)
        return error_set(err, E2BIG, "it has more than %d bytes", OPENNEBULA_FILE_MAX);
    if (memchr(text, '\0', length))
        return error_set(err, EINVAL, "it is not a text file");
    for (skip(&reading, true); result == 0 && reading.at < reading.end; skip(&reading, true))
        result = read_setting(&reading);
    if (result < 0)
        opennebula_file_finish(file);
    return result;
}

void opennebula_file_finish(struct opennebula_file *file)
{
    for (size_t i = 0; i < file->n; i++) {
        free(file->settings[i].name);
        free(file->settings[i].key);
        free(file->settings[i].value);
    }
    free(file->settings);
    *file = (struct opennebula_file){0};
}
