/* ini.h: the sections and lines of a configuration file, before interpretation.
 *
 * The grammar is that of Haizea's files: `[section]`, `option: value` or `option = value`, comments
 * on lines that begin with `#` or `;` and, after a value, after a blank and `;`. An indented line
 * continues the value of the previous line. Case is ignored in option names, but not in section
 * names. The last of several values of an option counts. [DEFAULT] and %(name)s
 * work as in Python's ConfigParser (configuration/interpolate.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

enum {
    INI_FILE_MAX = 1 << 20,  /* bytes of a file */
    INI_LINE_MAX = 16 << 10, /* bytes of a line */
    INI_NAME_MAX = 49,       /* bytes of a section's or an option's name */
    INI_SECTIONS_MAX = 500,
    INI_ENTRIES_MAX = 5000,
};

struct ini_section {
    char *name;
    int line;
};

struct ini_entry {
    const char *section, *key, *value;
    const char *origin; /* the file, or "--set" */
    int line;           /* 0: not from a file */
    bool inherited;     /* from [DEFAULT], not set in this section */
};

struct ini {
    char *file; /* NULL: no file */
    struct ini_section *sections;
    size_t n_sections, sections_allocated;
    struct ini_entry *entries; /* in the order of the file */
    size_t n_entries, entries_allocated;
};

void ini_init(struct ini *ini);
void ini_finish(struct ini *ini);

/* Adds the contents of a file. Errors: errno of opening and reading; EINVAL with file:line (a
 * malformed line, a name or line that is too long, NUL bytes, a file over INI_FILE_MAX). */
int ini_read_file(struct ini *ini, const char *file, struct error *err);

/* Adds a text in memory; errors refer to it as `file`. */
int ini_read_text(struct ini *ini, const char *file, const char *text, size_t length,
                  struct error *err);

/* Adds one value, with its origin and line. */
void ini_add(struct ini *ini, const struct ini_entry *entry);
void ini_add_section(struct ini *ini, const char *name, int line);

/* A copy of an entry with its own texts; ini_entry_finish() frees them. */
struct ini_entry ini_entry_copy(const struct ini_entry *entry);
void ini_entry_finish(struct ini_entry *entry);

/* The last value given for an option, or NULL. Values added later win. O(entries). */
const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key);
bool ini_has_section(const struct ini *ini, const char *name);

/* Writes the location of an entry, "file:line" or the option of the command line, to text. Returns
 * text. */
const char *ini_where(const struct ini_entry *entry, char *text, size_t size);

/* error_set() with EINVAL and the location of the entry in front of the text. Returns -1. */
int ini_error(const struct ini_entry *entry, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
