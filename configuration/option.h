/* option.h: the table of all options with their sections, allowed values, defaults and meanings.
 * Parsing, --set, defaults and documentation are derived from it. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "configuration/ini.h"
#include "util/error.h"

enum option_type {
    OPTION_WORD,     /* one of `words`; int (an enum) */
    OPTION_BOOLEAN,  /* 1, yes, true, on, 0, no, false, off; bool */
    OPTION_INTEGER,  /* int64_t */
    OPTION_SECONDS,  /* a number of seconds or [D:]HH:MM:SS; int64_t */
    OPTION_NUMBER,   /* double */
    OPTION_TEXT,     /* char * */
    OPTION_PATH,     /* char *, relative to the file it is written in */
    OPTION_TIME,     /* YYYY-MM-DD HH:MM:SS in UTC; int64_t, seconds since 1970 */
    OPTION_ACCEPTED, /* an option of Haizea without a meaning here: any value, not kept */
};

/* Limits from here on are omitted from documentation, and only appear in errors of values that
 * exceed them. */
#define OPTION_OUT_OF_SIGHT 1e11

struct configuration_option {
    const char *section, *name;
    enum option_type type;
    size_t offset;         /* of the value in struct configuration */
    const char *words;     /* WORD: "first|second|..." in the order of the enum */
    const char *otherwise; /* the default; NULL: none */
    double least, most;    /* of numbers; least 0 and most 0: no limits */
    const char *meaning;
};

extern const struct configuration_option option_table[];
extern const size_t option_count;

/* The option's row, or NULL. */
const struct configuration_option *option_find(const char *section, const char *name);

/* Parses the entry's value by the option's type and stores it in configuration. Frees and replaces
 * texts. Errors: EINVAL with its location, the expected type and the limits. */
int option_store(const struct configuration_option *option, const struct ini_entry *entry,
                 void *configuration, struct error *err);

/* A text as OPTION_BOOLEAN has it: 1, 0, or -1: neither. */
int option_parse_boolean(const char *text);

/* Frees the texts of a configuration that belong to options of the table. */
void option_free_texts(void *configuration);

/* The allowed values of an option, in words: "one of ...", "seconds, 0 or more", ... Returns
 * text. */
const char *option_expects(const struct configuration_option *option, char *text, size_t size);

/* Errors for names that are not in the table; they suggest the nearest one. Always return -1. */
int option_unknown(const struct ini_entry *entry, struct error *err);
int option_unknown_section(const char *where, const char *section, struct error *err);

/* Prints the table as documentation. */
void option_print_table(FILE *stream);
