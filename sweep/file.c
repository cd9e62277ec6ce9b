/* Reads the sections of a sweep file. */
#include "sweep/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/interpolate.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/words.h"

/* Splits the key "section.option" at its last point and adds the setting. */
static int add_setting(const struct sweep_file *file, struct file_value *to,
                       const struct ini_entry *named, struct error *err)
{
    const char *name = named->key, *dot = strrchr(name, '.');
    struct ini_entry setting = *named;
    char *section;

    if (!dot || dot == name || !dot[1])
        return error_set(err, EINVAL, "%s:%d: '%.80s': expected section.option", file->path,
                         named->line, name);
    section = memory_text(name);
    section[dot - name] = '\0';
    setting.section = section;
    setting.key = dot + 1;
    sweep_file_setting(file, to, &setting);
    free(section);
    return 0;
}

/* The "=" in a word "section.option=value"; NULL: another form. */
static char *setting_equals(char *word)
{
    char *equals = strchr(word, '='), *dot = strchr(word, '.');

    return equals && dot && dot < equals ? equals : NULL;
}

/* Reads "section.option=value ...": a word with a point before "=" begins a setting, other words
 * belong to the previous value. */
static int sweep_file_settings(const struct sweep_file *file, struct file_value *value,
                               const char *text, int line, struct error *err)
{
    char *words = memory_text(text), *rest = words, *name = NULL, *values = NULL;
    char *joined = memory_new(strlen(text) + 1, 1);
    int result = 0;

    while (result == 0 && (values = strsep(&rest, " \t"))) {
        char *equals = setting_equals(values);

        if (!*values)
            continue;
        if (!equals && !name) {
            result = error_set(err, EINVAL, "%s:%d: '%.80s': expected section.option=value ...",
                               file->path, line, values);
            break;
        }
        if (!equals) {
            strcat(strcat(joined, " "), values);
            continue;
        }
        if (name)
            result = add_setting(
                file, value, &(struct ini_entry){.key = name, .value = joined, .line = line}, err);
        *equals = '\0';
        name = values;
        strcpy(joined, equals + 1);
    }
    if (result == 0 && name)
        result = add_setting(file, value,
                             &(struct ini_entry){.key = name, .value = joined, .line = line}, err);
    free(words);
    free(joined);
    return result;
}

/* Adds an axis with a point for each word of the entry's value. */
static int words_axis(struct sweep_file *file, const char *name, const struct ini_entry *entry,
                      const char *option, struct error *err)
{
    struct file_axis *axis = sweep_file_axis(file, name, entry->line, err);
    char *words = memory_text(entry->value), *rest = words;
    int result = axis ? 0 : -1;

    for (char *word; result == 0 && (word = strsep(&rest, " \t"));) {
        struct file_value *value =
            *word ? sweep_file_value(file, axis, word, entry->line, err) : NULL;

        if (!*word)
            continue;
        if (!value)
            result = -1;
        else if (option)
            result = add_setting(
                file, value, &(struct ini_entry){.key = option, .value = word, .line = entry->line},
                err);
        else
            value->is_parameter = true;
    }
    if (result == 0 && axis->n_values == 0)
        result = error_set(err, EINVAL, "%s:%d: '%s' has no values", file->path, entry->line,
                           entry->key);
    free(words);
    return result;
}

static int read_parameter(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    return words_axis(file, entry->key, entry, NULL, err);
}

static int read_option(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    return words_axis(file, entry->key, entry, entry->key, err);
}

static int read_policy(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    static const char *const kinds[][2] = {
        {"admission", "scheduling.policy-admission"},
        {"preemption", "scheduling.policy-preemption"},
        {"host-selection", "scheduling.policy-host-selection"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(entry->key, kinds[i][0]))
            return words_axis(file, kinds[i][0], entry, kinds[i][1], err);
    return error_set(err, EINVAL,
                     "%s:%d: unknown kind of policy '%s'; expected admission, preemption or "
                     "host-selection",
                     file->path, entry->line, entry->key);
}

static int read_set(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    return add_setting(file, &file->common, entry, err);
}

static int read_slurm(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    static const char *const ours[] = {"array", "output", "error", "parsable",
                                       "wrap",  "chdir",  "wait",  "test-only"};

    if (WORDS_HAVE(ours, entry->key))
        return error_set(err, EINVAL, "%s:%d: galerna sweep sets sbatch's --%s itself", file->path,
                         entry->line, entry->key);
    MEMORY_GROW(file->slurm, file->slurm_allocated, file->n_slurm + 1);
    file->slurm[file->n_slurm++] = *entry;
    return 0;
}

/* The last axis, if it has this name; otherwise a new axis. */
static struct file_axis *axis_for(struct sweep_file *file, const char *name, int line,
                                  struct error *err)
{
    for (size_t i = 0; i < file->n_axes; i++)
        if (!strcmp(file->axes[i].name, name))
            return &file->axes[i];
    return sweep_file_axis(file, name, line, err);
}

static int read_trace_option(struct sweep_file *file, struct file_value *value,
                             const struct ini_entry *entry, struct error *err)
{
    if (!strcmp(entry->key, "file"))
        value->trace = memory_text(entry->value);
    else if (!strcmp(entry->key, "streams"))
        value->streams = memory_text(entry->value);
    else if (!strcmp(entry->key, "site"))
        return add_setting(file, value,
                           &(struct ini_entry){.key = "simulation.resources",
                                               .value = entry->value,
                                               .line = entry->line},
                           err);
    else
        return error_set(err, EINVAL,
                         "%s:%d: unknown option '%s' in section [%s], expected file, streams or "
                         "site",
                         file->path, entry->line, entry->key, entry->section);
    return 0;
}

static bool belongs(const struct ini_entry *entry, const struct ini_section *section)
{
    return !entry->inherited && !strcmp(entry->section, section->name);
}

static int read_trace(struct sweep_file *file, const struct ini_section *section, const char *name,
                      struct error *err)
{
    struct file_axis *axis = axis_for(file, "trace", section->line, err);
    struct file_value *value = axis ? sweep_file_value(file, axis, name, section->line, err) : NULL;

    if (!value)
        return -1;
    for (size_t i = 0; i < file->ini.n_entries; i++)
        if (belongs(&file->ini.entries[i], section) &&
            read_trace_option(file, value, &file->ini.entries[i], err) < 0)
            return -1;
    if (!value->trace && !value->streams)
        return error_set(err, EINVAL, "%s:%d: section [%s]: set file or streams", file->path,
                         section->line, section->name);
    return 0;
}

static int read_axis(struct sweep_file *file, const struct ini_section *section, const char *name,
                     struct error *err)
{
    struct file_axis *axis = sweep_file_axis(file, name, section->line, err);

    for (size_t i = 0; axis && i < file->ini.n_entries; i++) {
        const struct ini_entry *entry = &file->ini.entries[i];
        struct file_value *value;

        if (!belongs(entry, section))
            continue;
        value = sweep_file_value(file, axis, entry->key, entry->line, err);
        if (!value || sweep_file_settings(file, value, entry->value, entry->line, err) < 0)
            return -1;
    }
    if (axis && axis->n_values == 0)
        return error_set(err, EINVAL, "%s:%d: the axis has no values", file->path, section->line);
    return axis ? 0 : -1;
}

struct sweep_section_kind {
    const char *name;
    int (*read)(struct sweep_file *file, const struct ini_entry *entry, struct error *err);
};

static const struct sweep_section_kind section_kinds[] = {
    {"sweep", NULL},           {"set", read_set},        {"parameters", read_parameter},
    {"policies", read_policy}, {"options", read_option}, {"slurm", read_slurm},
};

static int unknown_section(const struct sweep_file *file, const struct ini_section *section,
                           struct error *err)
{
    struct suggestion suggestion;
    const char *near;

    suggestion_init(&suggestion, section->name);
    for (size_t i = 0; i < sizeof section_kinds / sizeof *section_kinds; i++)
        suggestion_offer(&suggestion, section_kinds[i].name);
    near = suggestion_text(&suggestion);
    return error_set(err, EINVAL, "%s:%d: unknown section [%s]%s", file->path, section->line,
                     section->name,
                     *near ? near
                           : "; expected sweep, trace NAME, set, parameters, policies, options, "
                             "axis NAME or slurm");
}

static int read_section(struct sweep_file *file, const struct ini_section *section,
                        struct error *err)
{
    const struct sweep_section_kind *kind = NULL;

    if (!strncmp(section->name, "trace ", 6))
        return read_trace(file, section, section->name + 6, err);
    if (!strncmp(section->name, "axis ", 5))
        return read_axis(file, section, section->name + 5, err);
    if (!strcmp(section->name, INI_DEFAULT_SECTION))
        return 0;
    for (size_t i = 0; i < sizeof section_kinds / sizeof *section_kinds; i++)
        if (!strcmp(section_kinds[i].name, section->name))
            kind = &section_kinds[i];
    if (!kind)
        return unknown_section(file, section, err);
    for (size_t i = 0; kind->read && i < file->ini.n_entries; i++)
        if (belongs(&file->ini.entries[i], section) &&
            kind->read(file, &file->ini.entries[i], err) < 0)
            return -1;
    return 0;
}

/* Rejects repeated options: normally the last value counts, which could hide a mistake in a grid.
 */
static int refuse_repetitions(const struct sweep_file *file, struct error *err)
{
    const struct ini *ini = &file->ini;

    for (size_t i = 0; i < ini->n_entries; i++)
        for (size_t j = 0; j < i; j++)
            if (!ini->entries[i].inherited && !ini->entries[j].inherited &&
                !strcmp(ini->entries[i].section, ini->entries[j].section) &&
                !strcmp(ini->entries[i].key, ini->entries[j].key))
                return error_set(err, EINVAL, "%s:%d: '%s' is already set in line %d", file->path,
                                 ini->entries[i].line, ini->entries[i].key, ini->entries[j].line);
    return 0;
}

int sweep_file_init(struct sweep_file *file, const char *path, struct error *err)
{
    *file = (struct sweep_file){.path = path, .keep = -1};
    ini_init(&file->ini);
    if (ini_read_file(&file->ini, path, err) < 0 || refuse_repetitions(file, err) < 0 ||
        sweep_file_general(file, err) < 0)
        return -1;
    for (size_t i = 0; i < file->ini.n_sections; i++)
        if (read_section(file, &file->ini.sections[i], err) < 0)
            return -1;
    return 0;
}

static void finish_value(struct file_value *value)
{
    for (size_t i = 0; i < value->n_settings; i++)
        ini_entry_finish(&value->settings[i]);
    free(value->settings);
    free(value->label);
    free(value->configuration);
    free(value->trace);
    free(value->streams);
}

void sweep_file_finish(struct sweep_file *file)
{
    for (size_t i = 0; i < file->n_axes; i++) {
        for (size_t j = 0; j < file->axes[i].n_values; j++)
            finish_value(&file->axes[i].values[j]);
        free(file->axes[i].values);
        free(file->axes[i].name);
    }
    finish_value(&file->common);
    free(file->results);
    free(file->slurm);
    ini_finish(&file->ini);
}
