/* The details of reasons: kept in lines of a text, and their sentences. */
#include "core/reason_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason_fill.h"
#include "util/words.h"

/* ROW(id, word, before, template): `before` stands between the detail and the one before it. */
#define DETAIL_ROWS(ROW)                                                                           \
    ROW(LATE_VM, "late-vm", "; ", "VM %n on host %n is %s")                                        \
    ROW(LATE_VM_STARTS, "late-vm-starts", "; ", "VM %n is %s and is to start on host %n")          \
    ROW(DEPARTING, "departing", "; ", "VM %n (%s) has not left host %n")

#define DETAIL_WORD(id, word, before, template) [DETAIL_##id] = (word),
#define DETAIL_ROW(id, word, before, template)  [DETAIL_##id] = {before, template},

const char *const detail_words[DETAILS] = {DETAIL_ROWS(DETAIL_WORD)};

static const struct {
    const char *before, *text;
} rows[DETAILS] = {DETAIL_ROWS(DETAIL_ROW)};

size_t details_numbers(enum detail_id id)
{
    return reason_fill_numbers(rows[id].text);
}

/* --- lines: "\nword 1 2 name" ----------------------------------------------------------------- */

void details_add(char *text, size_t size, const struct detail *detail)
{
    char line[DETAIL_NAME_MAX + 160];
    size_t length = (size_t)snprintf(line, sizeof line, "\n%s", detail_words[detail->id]);
    size_t used = strlen(text);

    for (size_t i = 0; i < details_numbers(detail->id); i++)
        length += (size_t)snprintf(line + length, sizeof line - length, " %" PRId64, detail->n[i]);
    length +=
        (size_t)snprintf(line + length, sizeof line - length, "%s%.*s", detail->name ? " " : "",
                         DETAIL_NAME_MAX - 1, detail->name ? detail->name : "");
    for (char *at = line + 1; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    if (used + length < size)
        memcpy(text + used, line, length + 1);
}

static bool read_line(const char *line, size_t length, struct detail *detail,
                      char name[DETAIL_NAME_MAX])
{
    const char *end = line + length;
    char word[40];
    int id;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " \n"), line);
    id = words_find(detail_words, DETAILS, word);
    if (id < 0)
        return false;
    *detail = (struct detail){.id = (enum detail_id)id, .name = name};
    line += strlen(word);
    for (size_t i = 0; i < details_numbers(detail->id); i++) {
        char *after;

        detail->n[i] = strtoll(line, &after, 10);
        if (after == line || after > end)
            return false;
        line = after;
    }
    line += line < end;
    snprintf(name, DETAIL_NAME_MAX, "%.*s", (int)(end - line), line);
    return true;
}

bool details_next(const char **text, struct detail *detail, char name[DETAIL_NAME_MAX])
{
    const char *line = *text + 1;
    size_t length;

    if (!*text || **text != '\n')
        return false;
    length = strcspn(line, "\n");
    *text = line + length;
    return read_line(line, length, detail, name);
}

/* --- sentences -------------------------------------------------------------------------------- */

/* Replaces the usual sentence where a number would make it wrong. */
static const char *sentence_of(const struct detail *detail)
{
    if (detail->id == DETAIL_LATE_VM && detail->n[1] < 0)
        return "VM %n is%o %s";
    return rows[detail->id].text;
}

const char *details_text(const char *text, char *buffer, size_t size,
                         void (*time_text)(int64_t instant, char *text, size_t size))
{
    char name[DETAIL_NAME_MAX];
    struct detail detail;
    size_t length = 0;

    if (!text || *text != '\n')
        return text;
    buffer[0] = '\0';
    while (details_next(&text, &detail, name)) {
        if (length && length < size)
            length +=
                (size_t)snprintf(buffer + length, size - length, "%s", rows[detail.id].before);
        if (length < size)
            length += reason_fill(sentence_of(&detail), detail.n, detail.name, buffer + length,
                                  size - length, time_text);
    }
    return buffer;
}
