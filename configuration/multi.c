/* Expands configuration files for many runs. */
#include "configuration/multi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/interpolate.h"
#include "util/command_line.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/words.h"

/* Limits of the expansion of a file. */
enum { CONFIGURATIONS_MAX = 1000, CONFIGURED_OPTIONS_MAX = 1000000 };

enum { NAME_SIZE = 256 };

/* Files named in [multi]. */
struct file_names {
    struct text_list list;
    const struct ini_entry *entry; /* the option with the names */
    const char *folder;            /* NULL: none */
};

struct expansion {
    const struct ini *ini;
    const struct configuration_overrides *overrides;
    struct configuration_list *list;
    size_t list_allocated;
    struct file_names traces, injections;
};

/* The parts of one configuration; injection NULL: none. */
struct combination {
    const char *profile;
    size_t profile_length;
    const char *trace, *injection;
};

static void collect_names(struct file_names *names, const struct ini *ini, const char *key,
                          const char *folder_key)
{
    const struct ini_entry *folder = ini_find(ini, "multi", folder_key);
    char *words, *rest;

    names->entry = ini_find(ini, "multi", key);
    names->folder = folder && folder->value[0] ? folder->value : NULL;
    if (!names->entry)
        return;
    words = rest = memory_text(names->entry->value);
    for (char *word; (word = strsep(&rest, " \t,"));)
        if (*word)
            text_list_add(&names->list, word);
    free(words);
}

/* The file's name without folder and ending, cut to fit. */
static void short_name(const char *file, char *name, size_t size)
{
    char *stem = words_file_stem(file);

    snprintf(name, size, "%s", stem);
    free(stem);
}

static void add_file(struct ini *ini, const char *key, const struct file_names *names,
                     const char *name)
{
    size_t folder = names->folder && name[0] != '/' ? strlen(names->folder) : 0;
    size_t length = strlen(name);
    char *path = memory_new(folder + length + 2, 1);

    if (folder) {
        memcpy(path, names->folder, folder);
        path[folder++] = '/';
    }
    memcpy(path + folder, name, length + 1);
    ini_add(ini, &(struct ini_entry){.section = "tracefile",
                                     .key = key,
                                     .value = path,
                                     .origin = names->entry->origin,
                                     .line = names->entry->line});
    free(path);
}

/* The section after "prefix:", or NULL if the name has another prefix. */
static const char *section_of(const char *name, const char *prefix, size_t length)
{
    return !strncmp(name, prefix, length) && name[length] == ':' ? name + length + 1 : NULL;
}

static void add_profile(struct ini *to, const struct ini *from, const char *prefix, size_t length)
{
    for (size_t i = 0; i < from->n_sections; i++) {
        const char *section = section_of(from->sections[i].name, prefix, length);

        if (section)
            ini_add_section(to, section, from->sections[i].line);
    }
    for (size_t i = 0; i < from->n_entries; i++) {
        struct ini_entry entry = from->entries[i];

        entry.section = section_of(entry.section, prefix, length);
        if (entry.section)
            ini_add(to, &entry);
    }
}

/* Gathers the options of a combination, and makes up its name. */
static void combine(const struct expansion *expansion, const struct combination *combination,
                    struct ini *ini, char name[NAME_SIZE])
{
    char trace[100], injection[100] = "none", attributes[400];

    add_profile(ini, expansion->ini, "common", 6);
    add_profile(ini, expansion->ini, combination->profile, combination->profile_length);
    add_file(ini, "tracefile", &expansion->traces, combination->trace);
    short_name(combination->trace, trace, sizeof trace);
    if (combination->injection) {
        add_file(ini, "injectionfile", &expansion->injections, combination->injection);
        short_name(combination->injection, injection, sizeof injection);
    }
    snprintf(name, NAME_SIZE, "%.*s_%s%s%s", (int)combination->profile_length, combination->profile,
             trace, combination->injection ? "+" : "", combination->injection ? injection : "");
    snprintf(attributes, sizeof attributes, "profile=%.*s,tracefile=%s,injectfile=%s",
             (int)combination->profile_length, combination->profile, trace, injection);
    ini_add(ini, &(struct ini_entry){.section = "accounting",
                                     .key = "attributes",
                                     .value = attributes,
                                     .origin = expansion->traces.entry->origin,
                                     .line = expansion->traces.entry->line});
}

static int add_configuration(struct expansion *expansion, const struct combination *combination,
                             struct error *err)
{
    struct configuration *configuration;
    struct ini ini;
    char name[NAME_SIZE];

    if (expansion->list->n_items == CONFIGURATIONS_MAX ||
        expansion->list->n_items * expansion->ini->n_entries > CONFIGURED_OPTIONS_MAX)
        return error_set(err, EINVAL, "%s: [multi] describes more than %zu configurations",
                         expansion->ini->file, expansion->list->n_items);
    ini_init(&ini);
    ini.file = memory_text(expansion->ini->file);
    combine(expansion, combination, &ini, name);
    configuration = configuration_create(&ini, name, expansion->overrides, err);
    ini_finish(&ini);
    if (!configuration)
        return -1;
    MEMORY_GROW(expansion->list->items, expansion->list_allocated, expansion->list->n_items + 1);
    expansion->list->items[expansion->list->n_items++] = configuration;
    return 0;
}

static int expand_profile(struct expansion *expansion, const char *profile, size_t length,
                          struct error *err)
{
    struct combination combination = {.profile = profile, .profile_length = length};

    for (size_t t = 0; t < expansion->traces.list.n; t++) {
        combination.trace = expansion->traces.list.items[t];
        combination.injection = NULL;
        if (add_configuration(expansion, &combination, err) < 0)
            return -1;
        for (size_t i = 0; i < expansion->injections.list.n; i++) {
            combination.injection = expansion->injections.list.items[i];
            if (add_configuration(expansion, &combination, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* Is section i the first of its profile? *length: the length of the profile's name. */
static bool begins_profile(const struct ini *ini, size_t i, size_t *length)
{
    const char *name = ini->sections[i].name, *colon = strchr(name, ':');

    if (!colon)
        return false;
    *length = (size_t)(colon - name);
    if (*length == 6 && !strncmp(name, "common", 6))
        return false;
    for (size_t j = 0; j < i; j++)
        if (section_of(ini->sections[j].name, name, *length))
            return false;
    return true;
}

static int check_multi_option(const struct ini_entry *entry, struct error *err)
{
    static const char *const options[] = {"tracedir", "tracefiles", "injectiondir",
                                          "injectionfiles", "datadir"};
    struct suggestion suggestion;

    suggestion_init(&suggestion, entry->key);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!strcmp(options[i], entry->key))
            return 0;
        suggestion_offer(&suggestion, options[i]);
    }
    return ini_error(entry, err, "unknown option '%s' in section [multi]%s", entry->key,
                     suggestion_text(&suggestion));
}

static int check_multi(const struct expansion *expansion, struct error *err)
{
    const struct ini *ini = expansion->ini;

    for (size_t i = 0; i < ini->n_sections; i++)
        if (strcmp(ini->sections[i].name, "multi") &&
            strcmp(ini->sections[i].name, INI_DEFAULT_SECTION) &&
            !strchr(ini->sections[i].name, ':'))
            return error_set(err, EINVAL,
                             "%s:%d: section [%s] cannot be combined with [multi]; write "
                             "[common:%s] or [PROFILE:%s]",
                             ini->file, ini->sections[i].line, ini->sections[i].name,
                             ini->sections[i].name, ini->sections[i].name);
    for (size_t i = 0; i < ini->n_entries; i++) {
        const struct ini_entry *entry = &ini->entries[i];

        if (!strcmp(entry->section, "multi") && !entry->inherited &&
            check_multi_option(entry, err) < 0)
            return -1;
    }
    if (expansion->traces.list.n == 0)
        return error_set(err, EINVAL, "%s: section [multi] has no traces; set tracefiles",
                         ini->file);
    return 0;
}

int multi_expand(const struct ini *ini, const struct configuration_overrides *overrides,
                 struct configuration_list *list, struct error *err)
{
    struct expansion expansion = {.ini = ini, .overrides = overrides, .list = list};
    size_t profiles = 0, length;
    int result;

    collect_names(&expansion.traces, ini, "tracefiles", "tracedir");
    collect_names(&expansion.injections, ini, "injectionfiles", "injectiondir");
    result = check_multi(&expansion, err);
    for (size_t i = 0; result == 0 && i < ini->n_sections; i++)
        if (begins_profile(ini, i, &length)) {
            profiles++;
            result = expand_profile(&expansion, ini->sections[i].name, length, err);
        }
    if (result == 0 && profiles == 0)
        result = error_set(
            err, EINVAL,
            "%s: no profile besides [multi]; define one with a section [PROFILE:scheduling]",
            ini->file);
    text_list_finish(&expansion.traces.list);
    text_list_finish(&expansion.injections.list);
    return result;
}
