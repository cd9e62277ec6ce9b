/* Reads section [sweep] of a sweep file. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/file.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/words.h"

/* A path relative to the sweep file's folder; the caller frees it. */
static char *sweep_file_path(const struct sweep_file *file, const char *path)
{
    const char *slash = strrchr(file->path, '/');
    size_t folder = slash && path[0] != '/' ? (size_t)(slash - file->path) + 1 : 0;
    char *joined = memory_new(folder + strlen(path) + 1, 1);

    memcpy(joined, file->path, folder);
    strcpy(joined + folder, path);
    return joined;
}

/* Calls add for each word. */
static int each_word(struct sweep_file *file, const struct ini_entry *entry,
                     int (*add)(struct sweep_file *file, const struct ini_entry *entry,
                                const char *word, struct error *err),
                     struct error *err)
{
    char *words = memory_text(entry->value), *rest = words;
    int result = 0;
    size_t n = 0;

    for (char *word; result == 0 && (word = strsep(&rest, " \t,"));)
        if (*word) {
            result = add(file, entry, word, err);
            n++;
        }
    if (result == 0 && n == 0)
        result =
            error_set(err, EINVAL, "%s:%d: '%s' has no value", file->path, entry->line, entry->key);
    free(words);
    return result;
}

/* Adds a point to the last axis, the axis of the current option in [sweep]. */
static struct file_value *add_value(struct sweep_file *file, const struct ini_entry *entry,
                                    const char *label, struct error *err)
{
    return sweep_file_value(file, &file->axes[file->n_axes - 1], label, entry->line, err);
}

/* The same, named after a file. */
static struct file_value *add_file(struct sweep_file *file, const struct ini_entry *entry,
                                   const char *path, struct error *err)
{
    char *label = words_file_stem(path);
    struct file_value *value = add_value(file, entry, label, err);

    free(label);
    return value;
}

static int add_configuration(struct sweep_file *file, const struct ini_entry *entry,
                             const char *word, struct error *err)
{
    struct file_value *value = add_file(file, entry, word, err);

    if (!value)
        return -1;
    value->configuration = sweep_file_path(file, word);
    return 0;
}

static int add_trace(struct sweep_file *file, const struct ini_entry *entry, const char *word,
                     struct error *err)
{
    struct file_value *value = add_file(file, entry, word, err);

    if (!value)
        return -1;
    value->trace = memory_text(word);
    return 0;
}

static int add_seed(struct sweep_file *file, const struct ini_entry *entry, uint64_t seed,
                    struct error *err)
{
    struct file_value *value;
    char label[32];

    snprintf(label, sizeof label, "%" PRIu64, seed);
    value = add_value(file, entry, label, err);
    if (!value)
        return -1;
    value->is_seed = true;
    sweep_file_setting(
        file, value,
        &(struct ini_entry){
            .section = "galerna", .key = "seed", .value = label, .line = entry->line});
    return 0;
}

/* Adds a seed, or the seeds FIRST-LAST. */
static int add_seeds(struct sweep_file *file, const struct ini_entry *entry, const char *word,
                     struct error *err)
{
    unsigned long long first, last;
    char *end = NULL;

    errno = 0;
    first = last = strtoull(word, &end, 10);
    if (isdigit((unsigned char)*word) && *end == '-' && isdigit((unsigned char)end[1]))
        last = strtoull(end + 1, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || errno || last > INT64_MAX)
        return error_set(err, EINVAL, "%s:%d: seeds: '%.40s': expected a number, or FIRST-LAST",
                         file->path, entry->line, word);
    if (first > last)
        return error_set(err, EINVAL, "%s:%d: seeds: '%.40s': the first is above the last",
                         file->path, entry->line, word);
    if (last - first >= SWEEP_VALUES_MAX)
        return error_set(err, EINVAL, "%s:%d: seeds: '%.40s': at most %d are allowed", file->path,
                         entry->line, word, SWEEP_VALUES_MAX);
    for (unsigned long long seed = first; seed <= last; seed++)
        if (add_seed(file, entry, seed, err) < 0)
            return -1;
    return 0;
}

static int add_table(struct sweep_file *file, const struct ini_entry *entry, const char *word,
                     struct error *err)
{
    static const struct {
        const char *name;
        int bits;
    } tables[] = {
        {"all", SWEEP_KEEP_ALL},
        {"nothing", 0},
        {"settings", SWEEP_KEEP_SETTINGS},
        {"hosts", SWEEP_KEEP_HOSTS},
        {"leases", SWEEP_KEEP_LEASES},
        {"reservations", SWEEP_KEEP_RESERVATIONS},
        {"state_log", SWEEP_KEEP_STATE_LOG},
        {"preemptions", SWEEP_KEEP_PREEMPTIONS},
        {"counters", SWEEP_KEEP_COUNTERS},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(tables[i].name, word)) {
            file->keep = (file->keep < 0 ? 0 : file->keep) | tables[i].bits;
            return 0;
        }
    return error_set(err, EINVAL,
                     "%s:%d: keep: unknown table '%.40s'; expected all, nothing, or some of "
                     "settings, hosts, leases, reservations, state_log, preemptions, counters",
                     file->path, entry->line, word);
}

/* A single configuration applies to all cells; several form an axis. */
static int read_configurations(struct sweep_file *file, const struct ini_entry *entry,
                               struct error *err)
{
    if (!strpbrk(entry->value, " \t,")) {
        file->common.configuration = sweep_file_path(file, entry->value);
        return 0;
    }
    if (!sweep_file_axis(file, "configuration", entry->line, err))
        return -1;
    return each_word(file, entry, add_configuration, err);
}

static int read_traces(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    if (!sweep_file_axis(file, "trace", entry->line, err))
        return -1;
    return each_word(file, entry, add_trace, err);
}

static int read_seeds(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    if (!sweep_file_axis(file, "seed", entry->line, err))
        return -1;
    return each_word(file, entry, add_seeds, err);
}

static int read_keep(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    return each_word(file, entry, add_table, err);
}

static int read_results(struct sweep_file *file, const struct ini_entry *entry, struct error *err)
{
    if (!entry->value[0])
        return error_set(err, EINVAL, "%s:%d: 'results' has no value", file->path, entry->line);
    file->results = sweep_file_path(file, entry->value);
    return 0;
}

int sweep_file_general(struct sweep_file *file, struct error *err)
{
    static const struct {
        const char *name;
        int (*read)(struct sweep_file *file, const struct ini_entry *entry, struct error *err);
    } options[] = {
        {"configuration", read_configurations},
        {"traces", read_traces},
        {"seeds", read_seeds},
        {"keep", read_keep},
        {"results", read_results},
    };
    enum { OPTIONS = sizeof options / sizeof *options };

    for (size_t i = 0; i < file->ini.n_entries; i++) {
        const struct ini_entry *entry = &file->ini.entries[i];
        struct suggestion suggestion;
        size_t at = 0;

        if (strcmp(entry->section, "sweep") || entry->inherited)
            continue;
        suggestion_init(&suggestion, entry->key);
        for (; at < OPTIONS && strcmp(options[at].name, entry->key); at++)
            suggestion_offer(&suggestion, options[at].name);
        if (at == OPTIONS)
            return error_set(err, EINVAL, "%s:%d: unknown option '%s' in section [sweep]%s",
                             file->path, entry->line, entry->key, suggestion_text(&suggestion));
        if (options[at].read(file, entry, err) < 0)
            return -1;
    }
    return 0;
}
