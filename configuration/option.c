/* Reads and checks the value of one option. */
#include "configuration/option.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "util/append.h"
#include "util/decimal.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/time_parse.h"

const struct configuration_option *option_find(const char *section, const char *name)
{
    for (size_t i = 0; i < option_count; i++)
        if (!strcmp(option_table[i].section, section) && !strcmp(option_table[i].name, name))
            return &option_table[i];
    return NULL;
}

/* The index of a word in "first|second|...", or -1. */
static int find_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (int place = 0;; place++) {
        size_t n = strcspn(words, "|");

        if (n == length && !strncmp(words, word, n))
            return place;
        if (words[n] == '\0')
            return -1;
        words += n + 1;
    }
}

int option_parse_boolean(const char *text)
{
    static const char *const yes[] = {"1", "yes", "true", "on"}, *const no[] = {"0", "no", "false",
                                                                                "off"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!strcasecmp(text, yes[i]))
            return 1;
        if (!strcasecmp(text, no[i]))
            return 0;
    }
    return -1;
}

/* Parses a number of seconds or, as in Haizea's manual, [D:]HH:MM:SS. */
static int parse_seconds(const char *text, int64_t *value)
{
    return decimal_parse(text, 0, value) == 0 || !time_parse_span(text, value) ? 0 : -1;
}

static int parse_time(const char *text, int64_t *value)
{
    struct tm parts = {0};
    const char *end = strptime(text, "%Y-%m-%d", &parts);

    if (!end)
        return -1;
    if (*end == ' ' || *end == 'T')
        end = strptime(end + 1, "%H:%M:%S", &parts);
    if (end && *end == 'Z')
        end++;
    if (!end || *end)
        return -1;
    *value = timegm(&parts);
    return 0;
}

static char *resolve_path(const struct ini_entry *entry)
{
    const char *slash = entry->line ? strrchr(entry->origin, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - entry->origin) + 1 : 0, length = strlen(entry->value);
    char *path;

    if (entry->value[0] == '/')
        folder = 0;
    path = memory_new(folder + length + 1, 1);
    memcpy(path, entry->origin, folder);
    memcpy(path + folder, entry->value, length + 1);
    return path;
}

static bool within(const struct configuration_option *option, double value)
{
    return (option->least == 0 && option->most == 0) ||
           (value >= option->least && value <= option->most);
}

const char *option_expects(const struct configuration_option *option, char *text, size_t size)
{
    static const char *const names[] = {
        [OPTION_WORD] = "one of",
        [OPTION_BOOLEAN] = "yes or no",
        [OPTION_INTEGER] = "a whole number",
        [OPTION_SECONDS] = "seconds, or a duration such as 15m, 2h or 01:30:00",
        [OPTION_NUMBER] = "a number",
        [OPTION_TEXT] = "a text",
        [OPTION_PATH] = "a file name",
        [OPTION_TIME] = "YYYY-MM-DD HH:MM:SS",
        [OPTION_ACCEPTED] = "anything (accepted, without effect)",
    };
    size_t n = append_text(text, size, 0, "%s", names[option->type]);

    if (option->type == OPTION_WORD) {
        n = append_text(text, size, n, " ");
        for (const char *c = option->words; *c; c++)
            n = append_text(text, size, n, *c == '|' ? ", " : "%c", *c);
    } else if (option->least != 0 || option->most != 0) {
        if (option->most >= OPTION_OUT_OF_SIGHT)
            append_text(text, size, n, ", %.15g or more", option->least);
        else
            append_text(text, size, n, " from %.15g to %.15g", option->least, option->most);
    }
    return text;
}

static int wrong_value(const struct configuration_option *option, const struct ini_entry *entry,
                       struct error *err)
{
    char expects[256], most[64] = "";
    struct suggestion suggestion;
    char *words = option->type == OPTION_WORD ? memory_text(option->words) : NULL, *rest = words;

    suggestion_init(&suggestion, entry->value);
    for (char *word; (word = strsep(&rest, "|"));)
        suggestion_offer(&suggestion, word);
    if (option->most >= OPTION_OUT_OF_SIGHT && strtod(entry->value, NULL) > option->most)
        snprintf(most, sizeof most, ", at most %.0f", option->most);
    ini_error(entry, err, "%s.%s is '%.60s', expected %s%s%s", option->section, option->name,
              entry->value, option_expects(option, expects, sizeof expects), most,
              suggestion_text(&suggestion));
    free(words);
    return -1;
}

static void store_text(char **place, char *text)
{
    free(*place);
    *place = text;
}

static int store_number(const struct configuration_option *option, const char *text, void *place)
{
    int64_t whole = 0;
    double number = 0;
    int parsed;

    if (option->type == OPTION_NUMBER) {
        if (decimal_parse_real(text, &number) < 0 || !within(option, number))
            return -1;
        *(double *)place = number;
        return 0;
    }
    if (option->type == OPTION_TIME)
        parsed = parse_time(text, &whole);
    else if (option->type == OPTION_SECONDS)
        parsed = parse_seconds(text, &whole);
    else
        parsed = decimal_parse(text, 0, &whole);
    if (parsed < 0 || !within(option, (double)whole))
        return -1;
    *(int64_t *)place = whole;
    return 0;
}

int option_store(const struct configuration_option *option, const struct ini_entry *entry,
                 void *configuration, struct error *err)
{
    void *place = (char *)configuration + option->offset;
    int parsed = 0;

    switch (option->type) {
    case OPTION_WORD:
        parsed = find_word(option->words, entry->value);
        if (parsed >= 0)
            *(int *)place = parsed;
        break;
    case OPTION_BOOLEAN:
        parsed = option_parse_boolean(entry->value);
        if (parsed >= 0)
            *(bool *)place = parsed;
        break;
    case OPTION_INTEGER:
    case OPTION_SECONDS:
    case OPTION_NUMBER:
    case OPTION_TIME:
        parsed = store_number(option, entry->value, place);
        break;
    case OPTION_TEXT:
        store_text(place, memory_text(entry->value));
        break;
    case OPTION_PATH:
        if (entry->value[0] == '\0')
            parsed = -1;
        else
            store_text(place, resolve_path(entry));
        break;
    case OPTION_ACCEPTED:
        break;
    }
    return parsed < 0 ? wrong_value(option, entry, err) : 0;
}

void option_free_texts(void *configuration)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].type == OPTION_TEXT || option_table[i].type == OPTION_PATH)
            store_text((char **)((char *)configuration + option_table[i].offset), NULL);
}

int option_unknown_section(const char *where, const char *section, struct error *err)
{
    static const char *const further[] = {"galerna",     "oracle", "multi",
                                          "policy NAME", "rights", "notify NAME"};
    struct suggestion suggestion;

    suggestion_init(&suggestion, section);
    for (size_t i = 0; i < option_count; i++)
        suggestion_offer(&suggestion, option_table[i].section);
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        suggestion_offer(&suggestion, further[i]);
    return error_set(err, EINVAL, "%s: unknown section [%s]%s", where, section,
                     suggestion_text(&suggestion));
}

int option_unknown(const struct ini_entry *entry, struct error *err)
{
    struct suggestion suggestion;
    char where[256];
    const struct configuration_option *elsewhere = NULL;

    ini_where(entry, where, sizeof where);
    suggestion_init(&suggestion, entry->key);
    for (size_t i = 0; i < option_count; i++) {
        if (!strcmp(option_table[i].section, entry->section))
            suggestion_offer(&suggestion, option_table[i].name);
        else if (!strcmp(option_table[i].name, entry->key))
            elsewhere = &option_table[i];
    }
    if (elsewhere)
        return error_set(err, EINVAL, "%s: the option '%s' belongs in section [%s], not [%s]",
                         where, entry->key, elsewhere->section, entry->section);
    return error_set(err, EINVAL, "%s: unknown option '%s' in section [%s]%s", where, entry->key,
                     entry->section, suggestion_text(&suggestion));
}

void option_print_table(FILE *stream)
{
    const char *section = "";
    char expects[256];

    for (size_t i = 0; i < option_count; i++) {
        const struct configuration_option *option = &option_table[i];

        if (strcmp(section, option->section)) {
            section = option->section;
            fprintf(stream, "%s[%s]\n", i ? "\n" : "", section);
        }
        fprintf(stream, "%s: %s", option->name, option_expects(option, expects, sizeof expects));
        if (option->otherwise)
            fprintf(stream, " (default: %s)", option->otherwise);
        fprintf(stream, "\n    %s\n", option->meaning);
    }
}
