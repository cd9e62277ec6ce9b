/* Reads the files of a cell, and computes the digest of all inputs of its result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/option.h"
#include "plugin/configured.h"
#include "plugin/module_search.h"
#include "sweep/digest.h"
#include "sweep/grid.h"
#include "util/memory.h"

/* Prefixes a message with the location of the cell. */
static int complain(const struct grid_cell *cell, struct error *err)
{
    if (!cell->origin)
        return -1;
    if (cell->line)
        return error_prefix(err, "%s:%d", cell->origin, cell->line);
    return error_prefix(err, "%s", cell->origin);
}

static bool names_a_file(const struct ini_entry *entry)
{
    return !strcmp(entry->section, "tracefile") &&
           (!strcmp(entry->key, "tracefile") || !strcmp(entry->key, "injectionfile") ||
            !strcmp(entry->key, "imagefile"));
}

/* Adds the contents of a file, which is read once for all cells. */
static int add_file(struct digest *digest, struct sweep *sweep, const char *path, struct error *err)
{
    struct grid_file file = {0};
    struct digest contents;

    if (!path) {
        digest_text(digest, NULL);
        return 0;
    }
    for (size_t i = 0; i < sweep->n_files; i++)
        if (!strcmp(sweep->files[i].path, path)) {
            digest_number(digest, sweep->files[i].digest);
            return 0;
        }
    digest_init(&contents);
    if (digest_file(&contents, path, err) < 0)
        return -1;
    file.path = memory_text(path);
    file.digest = contents.value;
    MEMORY_GROW(sweep->files, sweep->files_allocated, sweep->n_files + 1);
    sweep->files[sweep->n_files++] = file;
    digest_number(digest, file.digest);
    return 0;
}

static int add_chain(struct digest *digest, struct sweep *sweep, const char *chain,
                     const struct search_path *path, struct error *err)
{
    char *words = memory_text(chain ? chain : ""), *rest = words;
    int result = 0;

    for (char *word; result == 0 && (word = strsep(&rest, ",* \t"));) {
        char *own = strchr(word, '/') ? memory_text(word) : search_own(path, word);

        if (own)
            result = add_file(digest, sweep, own, err);
        free(own);
    }
    free(words);
    return result;
}

/* Adds the contents of modules that are not Galerna's, which may change like other files. */
static int add_modules(struct digest *digest, struct sweep *sweep,
                       const struct configuration *configuration, struct error *err)
{
    struct policy_configured configured;
    struct search_path path;
    int result = 0;

    policy_configured_init(&configured, configuration);
    search_path_init(&path, configured.settings.directories, configured.settings.n_directories);
    if (add_chain(digest, sweep, configuration->policy_admission, &path, err) < 0 ||
        add_chain(digest, sweep, configuration->policy_preemption, &path, err) < 0 ||
        add_chain(digest, sweep, configuration->policy_host_selection, &path, err) < 0)
        result = -1;
    search_path_finish(&path);
    policy_configured_finish(&configured);
    return result;
}

static int find_digest(struct prepared *prepared, struct sweep *sweep, const struct grid_cell *cell,
                       unsigned keep, struct error *err)
{
    const struct configuration *configuration = prepared->configuration;
    const struct ini *ini = &configuration->ini;
    struct digest digest;

    digest_init(&digest);
    digest_text(&digest, GALERNA_VERSION);
    digest_number(&digest, keep);
    for (size_t i = 0; i < sweep->n_axes; i++) {
        digest_text(&digest, sweep->axes[i]);
        digest_text(&digest, cell->labels[i]);
    }
    digest_number(&digest, configuration->is_haizea_file);
    for (size_t i = 0; i < ini->n_entries; i++) {
        digest_text(&digest, ini->entries[i].section);
        digest_text(&digest, ini->entries[i].key);
        if (!names_a_file(&ini->entries[i]))
            digest_text(&digest, ini->entries[i].value);
    }
    for (size_t i = 0; i < cell->n_streams; i++)
        digest_text(&digest, cell->streams[i]);
    digest_number(&digest, cell->n_streams ? cell->workload_seed : 0);
    if (add_file(&digest, sweep, configuration->tracefile, err) < 0 ||
        add_file(&digest, sweep, configuration->injectionfile, err) < 0 ||
        add_file(&digest, sweep, configuration->imagefile, err) < 0 ||
        add_modules(&digest, sweep, configuration, err) < 0)
        return complain(cell, err);
    prepared->digest = digest.value;
    return 0;
}

static int read_streams(struct prepared *prepared, const struct grid_cell *cell, struct error *err)
{
    prepared->streams = memory_new(cell->n_streams, sizeof *prepared->streams);
    for (size_t i = 0; i < cell->n_streams; i++)
        if (generate_stream_parse(&prepared->streams[i], cell->streams[i], err) < 0) {
            error_prefix(err, "stream '%.80s'", cell->streams[i]);
            return complain(cell, err);
        }
    prepared->workload = (struct stage_workload){
        .streams = prepared->streams,
        .n_streams = cell->n_streams,
        .seed = cell->workload_seed,
    };
    return 0;
}

static int check_trace(struct prepared *prepared, const struct grid_cell *cell, struct error *err)
{
    struct configuration *configuration = prepared->configuration;

    if (configuration->mode == MODE_OPENNEBULA) {
        error_set(err, EINVAL,
                  "general.mode is opennebula: this configuration is for a live cloud; to replay "
                  "a trace, set general.mode to simulated");
        return complain(cell, err);
    }
    /* A cell with only a synthetic workload does not use the configuration's trace. */
    if (cell->n_streams && !cell->trace) {
        free(configuration->tracefile);
        configuration->tracefile = NULL;
    }
    if (!configuration->tracefile && !cell->n_streams) {
        error_set(
            err, EINVAL,
            "no trace; set file or streams in a section [trace NAME], or tracefile.tracefile");
        return complain(cell, err);
    }
    if (configuration->tracefile && !strcmp(configuration->tracefile, "-")) {
        error_set(err, EINVAL, "a sweep cannot read its trace from standard input; specify a file");
        return complain(cell, err);
    }
    return 0;
}

/* Settings of [galerna] must not turn a Haizea file into a Galerna file: they are applied like
 * options of the command line. */
struct own_settings {
    char **texts;
    size_t n, allocated;
};

static void add_own(struct own_settings *own, const struct ini_entry *entry)
{
    char *text = memory_format("galerna.%s=%s", entry->key, entry->value);
    MEMORY_GROW(own->texts, own->allocated, own->n + 1);
    own->texts[own->n++] = text;
}

/* Checks sections here, where the location of the setting is known. */
static int check_section(const struct ini_entry *setting, struct error *err)
{
    static const char *const others[] = {"oracle", "policy ", "policy."};
    char where[256];

    for (size_t i = 0; i < option_count; i++)
        if (!strcmp(option_table[i].section, setting->section))
            return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(others[i], setting->section, strlen(others[i])))
            return 0;
    return option_unknown_section(ini_where(setting, where, sizeof where), setting->section, err);
}

static int collect_settings(struct ini *ini, struct own_settings *own, const struct grid_cell *cell,
                            struct error *err)
{
    bool is_haizea_file;

    if (cell->configuration && ini_read_file(ini, cell->configuration, err) < 0)
        return complain(cell, err);
    if (ini_has_section(ini, "multi")) {
        error_set(
            err, EINVAL,
            "%s: has a section [multi] for many runs; specify a configuration for a single run",
            cell->configuration);
        return complain(cell, err);
    }
    is_haizea_file = cell->configuration && !ini_has_section(ini, "galerna");
    for (size_t i = 0; i < cell->n_settings; i++) {
        if (check_section(&cell->settings[i], err) < 0)
            return -1;
        if (is_haizea_file && !strcmp(cell->settings[i].section, "galerna"))
            add_own(own, &cell->settings[i]);
        else
            ini_add(ini, &cell->settings[i]);
    }
    if (cell->trace)
        ini_add(ini, &(struct ini_entry){.section = "tracefile",
                                         .key = "tracefile",
                                         .value = cell->trace,
                                         .origin = cell->line ? cell->origin : "sweep",
                                         .line = cell->line});
    return 0;
}

static int make_configuration(struct prepared *prepared, const struct grid_cell *cell,
                              struct error *err)
{
    struct own_settings own = {0};
    struct configuration_overrides overrides = {0};
    struct ini ini;

    ini_init(&ini);
    if (collect_settings(&ini, &own, cell, err) == 0) {
        overrides.set = (const char *const *)own.texts;
        overrides.n_set = own.n;
        prepared->configuration = configuration_create(&ini, cell->name, &overrides, err);
    }
    ini_finish(&ini);
    for (size_t i = 0; i < own.n; i++)
        free(own.texts[i]);
    free(own.texts);
    return prepared->configuration ? 0 : -1;
}

int prepared_init(struct prepared *prepared, struct sweep *sweep, size_t number, unsigned keep,
                  struct error *err)
{
    const struct grid_cell *cell = grid_cell(sweep, number);

    *prepared = (struct prepared){0};
    sweep_name(sweep, number);
    if (make_configuration(prepared, cell, err) < 0)
        return -1;
    grid_drop_options(sweep, prepared->configuration);
    if (read_streams(prepared, cell, err) < 0 || check_trace(prepared, cell, err) < 0 ||
        find_digest(prepared, sweep, cell, keep, err) < 0)
        return -1;
    return 0;
}

void prepared_finish(struct prepared *prepared)
{
    configuration_destroy(prepared->configuration);
    free(prepared->streams);
    *prepared = (struct prepared){0};
}

int grid_note_all_modules(struct sweep *sweep, struct error *err)
{
    for (size_t i = 1; i <= sweep->n_cells; i++) {
        struct prepared prepared = {0};
        int result = make_configuration(&prepared, grid_cell(sweep, i), err);

        if (result == 0)
            grid_note_modules(sweep, prepared.configuration);
        prepared_finish(&prepared);
        if (result < 0)
            return -1;
    }
    return 0;
}

static int compare_digests(const void *a, const void *b, void *context)
{
    uint64_t x = grid_cell(context, *(const size_t *)a)->digest;
    uint64_t y = grid_cell(context, *(const size_t *)b)->digest;

    return (x > y) - (x < y);
}

/* Sorts cells by digest. Equal digests mean equal labels, which are part of the digest. */
static int sort_digests(struct sweep *sweep, struct error *err)
{
    free(sweep->by_digest);
    sweep->by_digest = memory_new(sweep->n_cells, sizeof *sweep->by_digest);
    for (size_t i = 0; i < sweep->n_cells; i++)
        sweep->by_digest[i] = i + 1;
    qsort_r(sweep->by_digest, sweep->n_cells, sizeof *sweep->by_digest, compare_digests, sweep);
    for (size_t i = 1; i < sweep->n_cells; i++)
        if (compare_digests(&sweep->by_digest[i - 1], &sweep->by_digest[i], sweep) == 0)
            return error_set(err, EINVAL, "two cells are the same: %s",
                             sweep_name(sweep, sweep->by_digest[i]));
    return 0;
}

int grid_find_digests(struct sweep *sweep, unsigned keep, struct error *err)
{
    if (sweep->n_cells == 0)
        return error_set(err, EINVAL, "the sweep has no cells");
    if (grid_note_all_modules(sweep, err) < 0 || grid_check_options(sweep, err) < 0)
        return -1;
    for (size_t i = 1; i <= sweep->n_cells; i++) {
        struct prepared prepared;
        int result = prepared_init(&prepared, sweep, i, keep, err);

        if (result == 0)
            result = grid_check_policies(sweep, prepared.configuration, err);
        grid_cell(sweep, i)->digest = prepared.digest;
        prepared_finish(&prepared);
        if (result < 0)
            return -1;
    }
    return sort_digests(sweep, err);
}

int sweep_check(struct sweep *sweep, struct error *err)
{
    return grid_find_digests(sweep, grid_keep(sweep, NULL), err);
}
