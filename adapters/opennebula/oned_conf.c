/* Edits oned.conf line by line. */
#include "adapters/opennebula/oned_conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/memory.h"

#define OLD_TAG "#galerna-replaced# "
#define NEW_TAG "   #galerna"

/* A growing text, allocated with room for all possible additions. */
struct editing {
    char *text;
    size_t length;
};

static void add(struct editing *editing, const char *text, size_t length)
{
    memcpy(editing->text + editing->length, text, length);
    editing->length += length;
    editing->text[editing->length] = '\0';
}

static void add_text(struct editing *editing, const char *text)
{
    add(editing, text, strlen(text));
}

/* Includes the newline. */
static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");

    return length + (line[length] == '\n');
}

static bool has_new_tag(const char *line, size_t length)
{
    static const char tag[] = NEW_TAG;

    length -= length > 0 && line[length - 1] == '\n';
    return length >= sizeof tag - 1 &&
           !memcmp(line + length - (sizeof tag - 1), tag, sizeof tag - 1);
}

/* The value in an assignment to this name, or NULL. */
static const char *value_of(const char *line, const char *name)
{
    size_t length = strlen(name);

    line += strspn(line, " \t");
    if (strncasecmp(line, name, length) != 0)
        return NULL;
    line += length;
    line += strspn(line, " \t");
    if (*line != '=')
        return NULL;
    return line + 1 + strspn(line + 1, " \t");
}

/* The end of a vector: its closing bracket outside of quotes and comments. */
static const char *vector_end(const char *at)
{
    bool quoted = false;

    for (; *at && (quoted || *at != ']'); at++) {
        if (!quoted && *at == '#')
            at += strcspn(at, "\n");
        quoted ^= *at == '"';
        if (!*at)
            break;
    }
    return *at ? at : NULL;
}

/* The length of a whole assignment with its lines; 0: unterminated. */
static size_t assignment_length(const char *line, const char *value)
{
    const char *end = *value == '[' ? vector_end(value + 1) : value;

    return end ? (size_t)(end - line) + line_length(end) : 0;
}

static void comment_out(struct editing *editing, const char *lines, size_t length)
{
    for (const char *line = lines; line < lines + length; line += line_length(line)) {
        add_text(editing, OLD_TAG);
        add(editing, line, line_length(line));
    }
    if (lines[length - 1] != '\n')
        add_text(editing, "\n");
}

static void add_new(struct editing *editing, const char *line)
{
    add_text(editing, line);
    add_text(editing, NEW_TAG "\n");
}

/* The result ends as the text did: restoring gives the same bytes also without a final newline. */
static char *finish(struct editing *editing, const char *text)
{
    size_t length = strlen(text);
    bool is_open = length == 0 || text[length - 1] != '\n';

    if (is_open && editing->length > 0 && editing->text[editing->length - 1] == '\n')
        editing->text[editing->length - 1] = '\0';
    return editing->text;
}

static struct editing begin(const char *text, size_t more)
{
    size_t lines = 1;

    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    return (struct editing){memory_new(strlen(text) + lines * sizeof OLD_TAG + more + 64, 1), 0};
}

char *oned_conf_replace(const char *text, const char *name, const char *line, struct error *err)
{
    struct editing editing = begin(text, strlen(line));
    bool placed = false;

    for (const char *at = text; *at;) {
        const char *value = value_of(at, name);
        size_t length = value ? assignment_length(at, value) : line_length(at);

        if (length == 0) {
            free(editing.text);
            return error_null(err, EINVAL, "%s has an unclosed [", name);
        }
        if (!value)
            add(&editing, at, length);
        else if (!has_new_tag(at, length))
            comment_out(&editing, at, length);
        if (value && !placed)
            add_new(&editing, line);
        placed |= value != NULL;
        at += length;
    }
    if (!placed) {
        if (editing.length && editing.text[editing.length - 1] != '\n')
            add_text(&editing, "\n");
        add_new(&editing, line);
    }
    return finish(&editing, text);
}

char *oned_conf_restore(const char *text, bool *changed)
{
    struct editing editing = begin(text, 0);

    *changed = false;
    for (const char *at = text; *at;) {
        size_t length = line_length(at);
        bool old = !strncmp(at, OLD_TAG, sizeof OLD_TAG - 1), new = has_new_tag(at, length);

        if (old)
            add(&editing, at + sizeof OLD_TAG - 1, length - (sizeof OLD_TAG - 1));
        else if (!new)
            add(&editing, at, length);
        *changed |= old || new;
        at += length;
    }
    return finish(&editing, text);
}
