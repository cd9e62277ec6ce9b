/* The sections and lines of a configuration file in memory. */
#include "configuration/ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void ini_init(struct ini *ini)
{
    *ini = (struct ini){0};
}

void ini_finish(struct ini *ini)
{
    for (size_t i = 0; i < ini->n_sections; i++)
        free(ini->sections[i].name);
    for (size_t i = 0; i < ini->n_entries; i++)
        ini_entry_finish(&ini->entries[i]);
    free(ini->sections);
    free(ini->entries);
    free(ini->file);
    ini_init(ini);
}

void ini_add_section(struct ini *ini, const char *name, int line)
{
    if (ini_has_section(ini, name))
        return;
    MEMORY_GROW(ini->sections, ini->sections_allocated, ini->n_sections + 1);
    ini->sections[ini->n_sections++] =
        (struct ini_section){.name = memory_text(name), .line = line};
}

struct ini_entry ini_entry_copy(const struct ini_entry *entry)
{
    struct ini_entry copy = *entry;

    copy.section = memory_text(entry->section);
    copy.key = memory_text(entry->key);
    copy.value = memory_text(entry->value);
    copy.origin = memory_text(entry->origin);
    return copy;
}

void ini_entry_finish(struct ini_entry *entry)
{
    memory_free(entry->section);
    memory_free(entry->key);
    memory_free(entry->value);
    memory_free(entry->origin);
}

void ini_add(struct ini *ini, const struct ini_entry *entry)
{
    char *key = memory_text(entry->key);
    struct ini_entry added = *entry;

    MEMORY_GROW(ini->entries, ini->entries_allocated, ini->n_entries + 1);
    for (char *c = key; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    added.key = key;
    ini->entries[ini->n_entries++] = ini_entry_copy(&added);
    free(key);
    ini_add_section(ini, entry->section, entry->line);
}

const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key)
{
    for (size_t i = ini->n_entries; i-- > 0;)
        if (!strcmp(ini->entries[i].section, section) && !strcmp(ini->entries[i].key, key))
            return &ini->entries[i];
    return NULL;
}

bool ini_has_section(const struct ini *ini, const char *name)
{
    for (size_t i = 0; i < ini->n_sections; i++)
        if (!strcmp(ini->sections[i].name, name))
            return true;
    return false;
}

const char *ini_where(const struct ini_entry *entry, char *text, size_t size)
{
    if (entry->line)
        snprintf(text, size, "%s:%d", entry->origin, entry->line);
    else
        snprintf(text, size, "%s", entry->origin);
    return text;
}

int ini_error(const struct ini_entry *entry, struct error *err, const char *format, ...)
{
    char where[256], text[ERROR_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(err, EINVAL, "%s: %s", ini_where(entry, where, sizeof where), text);
}
