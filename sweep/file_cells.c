/* Combines the values of all axes of a sweep file to cells. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/file.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/words.h"

/* One combination. */
struct axis_combination {
    const struct sweep_file *file;
    size_t at[SWEEP_AXES_MAX]; /* a value on each axis */
};

static const struct file_value *chosen(const struct axis_combination *combination, size_t axis)
{
    return &combination->file->axes[axis].values[combination->at[axis]];
}

/* The value of the parameter named text[0 .. length), or NULL. */
static const char *find_parameter(const struct axis_combination *combination, const char *text,
                                  size_t length)
{
    const struct sweep_file *file = combination->file;

    for (size_t i = 0; i < file->n_axes; i++) {
        const struct file_value *value = chosen(combination, i);

        if ((value->is_parameter || value->is_seed) && strlen(file->axes[i].name) == length &&
            !strncmp(file->axes[i].name, text, length))
            return value->label;
    }
    return NULL;
}

static int unknown_parameter(const struct sweep_file *file, int line, const char *name,
                             struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, name);
    for (size_t i = 0; i < file->n_axes; i++)
        if (file->axes[i].n_values && file->axes[i].values[0].is_parameter)
            suggestion_offer(&suggestion, file->axes[i].name);
    return error_set(err, EINVAL,
                     "%s:%d: {%s} is not a parameter%s; set it in section [parameters]", file->path,
                     line, name, suggestion_text(&suggestion));
}

/* Replaces {NAME} by values. NULL with file:line; the caller frees it. */
static char *fill_in(const struct axis_combination *combination, const char *text, int line,
                     struct error *err)
{
    char *filled = NULL;
    size_t size;
    FILE *stream = open_memstream(&filled, &size);
    int result = 0;

    if (!stream)
        abort();
    while (result == 0 && *text) {
        const char *close = *text == '{' ? strchr(text, '}') : NULL;
        const char *value =
            close ? find_parameter(combination, text + 1, (size_t)(close - text - 1)) : NULL;

        if (value) {
            fputs(value, stream);
            text = close + 1;
        } else if (close) {
            char name[64];

            snprintf(name, sizeof name, "%.*s", (int)(close - text - 1), text + 1);
            result = unknown_parameter(combination->file, line, name, err);
        } else {
            fputc(*text++, stream);
        }
    }
    if (fclose(stream) != 0)
        abort();
    if (result == 0)
        return filled;
    free(filled);
    return NULL;
}

/* A cell under construction, with its texts. */
struct cell_draft {
    struct sweep_cell cell;
    const char *labels[SWEEP_AXES_MAX];
    struct ini_entry *settings;
    size_t n_settings, settings_allocated;
    char *trace, *stream_words;
    const char **streams;
    size_t n_streams, streams_allocated;
};

static int draft_settings(struct cell_draft *draft, const struct axis_combination *combination,
                          const struct file_value *value, struct error *err)
{
    for (size_t i = 0; i < value->n_settings; i++) {
        struct ini_entry setting = value->settings[i];

        setting.value = fill_in(combination, setting.value, setting.line, err);
        if (!setting.value)
            return -1;
        draft->settings = memory_grow(draft->settings, &draft->settings_allocated,
                                      draft->n_settings + 1, sizeof setting);
        draft->settings[draft->n_settings++] = setting;
    }
    return 0;
}

static int draft_streams(struct cell_draft *draft, const struct axis_combination *combination,
                         const struct file_value *value, struct error *err)
{
    char *rest;

    draft->stream_words = fill_in(combination, value->streams, value->line, err);
    rest = draft->stream_words;
    for (char *word; rest && (word = strsep(&rest, " \t"));)
        if (*word) {
            MEMORY_GROW(draft->streams, draft->streams_allocated, draft->n_streams + 1);
            draft->streams[draft->n_streams++] = word;
        }
    return draft->stream_words ? 0 : -1;
}

static int draft_value(struct cell_draft *draft, const struct axis_combination *combination,
                       const struct file_value *value, struct error *err)
{
    if (value->configuration)
        draft->cell.configuration = value->configuration;
    if (value->is_seed)
        draft->cell.workload_seed = strtoull(value->label, NULL, 10);
    if (value->trace || value->streams)
        draft->cell.line = value->line;
    if (value->trace) {
        draft->trace = fill_in(combination, value->trace, value->line, err);
        if (!draft->trace)
            return -1;
    }
    if (value->streams && draft_streams(draft, combination, value, err) < 0)
        return -1;
    return draft_settings(draft, combination, value, err);
}

static void draft_finish(struct cell_draft *draft)
{
    for (size_t i = 0; i < draft->n_settings; i++)
        memory_free(draft->settings[i].value);
    free(draft->settings);
    free(draft->trace);
    free(draft->stream_words);
    free(draft->streams);
}

static int add_combination(struct sweep *sweep, const struct axis_combination *combination,
                           struct error *err)
{
    const struct sweep_file *file = combination->file;
    struct cell_draft draft = {.cell = {.workload_seed = 1, .origin = file->path}};
    int result = draft_value(&draft, combination, &file->common, err);

    for (size_t i = 0; i < file->n_axes && result == 0; i++) {
        draft.labels[i] = chosen(combination, i)->label;
        result = draft_value(&draft, combination, chosen(combination, i), err);
    }
    draft.cell.labels = draft.labels;
    draft.cell.settings = draft.settings;
    draft.cell.n_settings = draft.n_settings;
    draft.cell.trace = draft.trace;
    draft.cell.streams = draft.streams;
    draft.cell.n_streams = draft.n_streams;
    if (result == 0)
        result = sweep_add(sweep, &draft.cell, err);
    draft_finish(&draft);
    return result;
}

/* Advances to the next combination; the last axis varies fastest. False: no further one. */
static bool advance(struct axis_combination *combination)
{
    for (size_t i = combination->file->n_axes; i-- > 0;) {
        if (++combination->at[i] < combination->file->axes[i].n_values)
            return true;
        combination->at[i] = 0;
    }
    return false;
}

static int check_size(const struct sweep_file *file, struct error *err)
{
    double cells = 1;

    for (size_t i = 0; i < file->n_axes; i++)
        cells *= (double)file->axes[i].n_values;
    if (cells > SWEEP_CELLS_MAX)
        return error_set(err, EINVAL, "%s: the grid has %.0f cells, at most %d are allowed",
                         file->path, cells, SWEEP_CELLS_MAX);
    return 0;
}

/* A parameter that no value refers to would only repeat all cells. */
static int check_parameters(const struct sweep_file *file, struct error *err)
{
    for (size_t i = 0; i < file->n_axes; i++) {
        const struct file_axis *axis = &file->axes[i];
        char *reference = memory_format("{%s}", axis->name);
        bool is_used = axis->n_values == 0 || !axis->values[0].is_parameter;

        for (size_t j = 0; j < file->ini.n_entries && !is_used; j++)
            is_used = strstr(file->ini.entries[j].value, reference);
        free(reference);
        if (!is_used)
            return error_set(err, EINVAL, "%s:%d: no value of the file contains {%s}", file->path,
                             axis->values[0].line, axis->name);
    }
    return 0;
}

static int add_all(struct sweep *sweep, const struct sweep_file *file, struct error *err)
{
    struct axis_combination combination = {.file = file};

    if (check_size(file, err) < 0)
        return -1;
    do
        if (add_combination(sweep, &combination, err) < 0)
            return -1;
    while (advance(&combination));
    return check_parameters(file, err);
}

/* Makes seeds vary fastest: cells to average over are then adjacent. */
static void move_seeds_behind(struct sweep_file *file)
{
    for (size_t i = 0; i + 1 < file->n_axes; i++)
        if (!strcmp(file->axes[i].name, "seed") && file->axes[i].values[0].is_seed) {
            struct file_axis seeds = file->axes[i];

            memmove(&file->axes[i], &file->axes[i + 1],
                    (file->n_axes - i - 1) * sizeof *file->axes);
            file->axes[file->n_axes - 1] = seeds;
            return;
        }
}

static void take_slurm(struct sweep *sweep, const struct sweep_file *file)
{
    for (size_t i = 0; i < file->n_slurm; i++) {
        MEMORY_GROW(sweep->slurm, sweep->slurm_allocated, sweep->n_slurm + 1);
        sweep->slurm[sweep->n_slurm++] = (struct ini_entry){
            .key = memory_text(file->slurm[i].key), .value = memory_text(file->slurm[i].value)};
    }
}

/* The file's name with the ending .db in the working directory, because the file's folder may be
 * read-only. */
static char *default_results(const char *path)
{
    const char *name = words_file_name(path), *dot = strrchr(name, '.');

    return memory_format("%.*s.db", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static struct sweep *make_sweep(struct sweep_file *file, struct error *err)
{
    const char *names[SWEEP_AXES_MAX];
    struct sweep *sweep;

    move_seeds_behind(file);
    for (size_t i = 0; i < file->n_axes; i++)
        names[i] = file->axes[i].name;
    sweep = sweep_create(names, file->n_axes);
    sweep->file = memory_text(file->path);
    sweep->results = file->results ? memory_text(file->results) : default_results(file->path);
    sweep->keep = file->keep;
    take_slurm(sweep, file);
    if (add_all(sweep, file, err) == 0)
        return sweep;
    sweep_destroy(sweep);
    return NULL;
}

struct sweep *sweep_read(const char *path, struct error *err)
{
    struct sweep_file *file = memory_new(1, sizeof *file);
    struct sweep *sweep = NULL;

    if (sweep_file_init(file, path, err) == 0)
        sweep = make_sweep(file, err);
    sweep_file_finish(file);
    free(file);
    return sweep;
}
