/* Interpolates values like Python's ConfigParser. */
#include "configuration/interpolate.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum {
    DEPTH_MOST = 10,    /* as in Python */
    NAMES_MOST = 10000, /* replaced names in one file */
};

static bool is_default(const char *section)
{
    return !strcmp(section, INI_DEFAULT_SECTION);
}

static int spread_entry(struct ini *ini, size_t place, struct error *err)
{
    for (size_t i = 0; i < ini->n_sections; i++) {
        struct ini_entry entry = ini->entries[place];

        entry.section = ini->sections[i].name;
        if (is_default(entry.section) || ini_find(ini, entry.section, entry.key))
            continue;
        if (ini->n_entries == INI_ENTRIES_MAX)
            return ini_error(
                &entry, err,
                "more than %d options, including those that [DEFAULT] adds to every section",
                INI_ENTRIES_MAX);
        entry.inherited = true;
        ini_add(ini, &entry);
    }
    return 0;
}

static int spread_defaults(struct ini *ini, struct error *err)
{
    size_t n = ini->n_entries;

    for (size_t i = 0; i < n; i++)
        if (ini_find(ini, INI_DEFAULT_SECTION, ini->entries[i].key) == &ini->entries[i] &&
            spread_entry(ini, i, err) < 0)
            return -1;
    return 0;
}

struct interpolated_text {
    char bytes[INI_LINE_MAX + 1];
    size_t length;
};

struct interpolation {
    const struct ini *ini;
    const struct ini_entry *entry; /* the entry being interpolated */
    struct interpolated_text texts[2];
    size_t n_names; /* replaced so far in all entries */
};

static int append(const struct interpolation *work, struct interpolated_text *text,
                  const char *bytes, size_t n, struct error *err)
{
    const struct ini_entry *entry = work->entry;

    if (n > INI_LINE_MAX - text->length)
        return ini_error(
            entry, err,
            "after substitution of its %%(name)s, the value of %s is longer than %d characters",
            entry->key, INI_LINE_MAX);
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    text->bytes[text->length] = '\0';
    return 0;
}

/* The value of the name at *at, which points to "%(" and is moved past ")s". NULL on errors. */
static const char *value_of_name(struct interpolation *work, const char **at, struct error *err)
{
    const struct ini_entry *entry = work->entry;
    const char *name = *at + 2, *end = strchr(name, ')');
    const struct ini_entry *found;
    char key[INI_NAME_MAX + 1], where[256];
    size_t length = end ? (size_t)(end - name) : 0;

    ini_where(entry, where, sizeof where);
    if (!end || end[1] != 's' || length == 0 || length > INI_NAME_MAX)
        return error_null(
            err, EINVAL,
            "%s: '%.40s' in the value of %s: expected %%(name)s, where name is another "
            "option of the section or of [DEFAULT]",
            where, *at, entry->key);
    for (size_t i = 0; i < length; i++)
        key[i] = (char)tolower((unsigned char)name[i]);
    key[length] = '\0';
    if (++work->n_names > NAMES_MOST)
        return error_null(err, EINVAL, "%s: the values of the file contain more than %d %%(name)s",
                          where, NAMES_MOST);
    found = ini_find(work->ini, entry->section, key);
    if (!found)
        return error_null(
            err, EINVAL,
            "%s: the value of %s names %%(%s)s, which is set neither in [%s] nor in [DEFAULT]",
            where, entry->key, key, entry->section);
    *at = end + 2;
    return found->value;
}

/* Replaces the names in `from` by values, once. */
static int replace_names(struct interpolation *work, const char *from, struct interpolated_text *to,
                         struct error *err)
{
    const struct ini_entry *entry = work->entry;

    to->length = 0;
    to->bytes[0] = '\0';
    while (*from) {
        size_t plain = strcspn(from, "%");
        const char *value;

        if (append(work, to, from, plain, err) < 0)
            return -1;
        from += plain;
        if (!*from)
            break;
        if (from[1] == '%') {
            value = "%";
            from += 2;
        } else if (from[1] == '(') {
            value = value_of_name(work, &from, err);
            if (!value)
                return -1;
        } else {
            return ini_error(entry, err,
                             "'%.20s' in the value of %s: write %%%% for a percent sign beside "
                             "a %%(name)s",
                             from, entry->key);
        }
        if (append(work, to, value, strlen(value), err) < 0)
            return -1;
    }
    return 0;
}

/* The entry's value with all names replaced; NULL on errors. */
static char *interpolated(struct interpolation *work, const struct ini_entry *entry,
                          struct error *err)
{
    const char *value = entry->value;

    work->entry = entry;

    for (int depth = 0; strstr(value, "%("); depth++) {
        struct interpolated_text *next = &work->texts[depth % 2];

        if (depth == DEPTH_MOST) {
            ini_error(entry, err, "the %%(name)s of %s refer to each other in a circle",
                      entry->key);
            return NULL;
        }
        if (replace_names(work, value, next, err) < 0)
            return NULL;
        value = next->bytes;
    }
    return memory_text(value);
}

int ini_interpolate(struct ini *ini, struct error *err)
{
    struct interpolation *work;
    char **values;
    int result = 0;

    if (spread_defaults(ini, err) < 0)
        return -1;
    work = memory_new(1, sizeof *work);
    work->ini = ini;
    /* Names refer to values as written, so all values are interpolated before any is replaced. */
    values = memory_new(ini->n_entries, sizeof *values);
    for (size_t i = 0; i < ini->n_entries && result == 0; i++) {
        const struct ini_entry *entry = &ini->entries[i];

        if (is_default(entry->section) || !strstr(entry->value, "%("))
            continue;
        values[i] = interpolated(work, entry, err);
        if (!values[i])
            result = -1;
    }
    for (size_t i = 0; i < ini->n_entries; i++) {
        if (!values[i])
            continue;
        if (result < 0) {
            free(values[i]);
            continue;
        }
        memory_free(ini->entries[i].value);
        ini->entries[i].value = values[i];
    }
    free(values);
    free(work);
    return result;
}
