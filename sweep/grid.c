/* Builds a sweep from its cells. */
#include "sweep/grid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct sweep *sweep_create(const char *const *axes, size_t n_axes)
{
    struct sweep *sweep = memory_new(1, sizeof *sweep);

    sweep->axes = memory_new(n_axes, sizeof *sweep->axes);
    sweep->n_axes = n_axes;
    sweep->keep = -1;
    for (size_t i = 0; i < n_axes; i++)
        sweep->axes[i] = memory_text(axes[i]);
    return sweep;
}

static void free_texts(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

static void free_entries(struct ini_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ini_entry_finish(&entries[i]);
    free(entries);
}

void sweep_destroy(struct sweep *sweep)
{
    if (!sweep)
        return;
    for (size_t i = 0; i < sweep->n_cells; i++) {
        struct grid_cell *cell = &sweep->cells[i];

        free_texts(cell->labels, sweep->n_axes);
        free_texts(cell->streams, cell->n_streams);
        free_entries(cell->settings, cell->n_settings);
        free(cell->name);
        free(cell->configuration);
        free(cell->trace);
        free(cell->origin);
    }
    for (size_t i = 0; i < sweep->n_files; i++)
        free(sweep->files[i].path);
    free(sweep->files);
    free(sweep->by_digest);
    free(sweep->checked);
    free_texts(sweep->modules, sweep->n_modules);
    free(sweep->cells);
    free_texts(sweep->axes, sweep->n_axes);
    free_entries(sweep->slurm, sweep->n_slurm);
    free(sweep->file);
    free(sweep->results);
    free(sweep);
}

static char **copy_texts(const char *const *texts, size_t n)
{
    char **copies = memory_new(n, sizeof *copies);

    for (size_t i = 0; i < n; i++)
        copies[i] = memory_text(texts[i]);
    return copies;
}

int sweep_add(struct sweep *sweep, const struct sweep_cell *cell, struct error *err)
{
    struct grid_cell added = {
        .labels = NULL,
        .configuration = memory_text(cell->configuration),
        .trace = memory_text(cell->trace),
        .origin = memory_text(cell->origin),
        .line = cell->line,
        .n_settings = cell->n_settings,
        .n_streams = cell->n_streams,
        .workload_seed = cell->workload_seed,
    };

    if (sweep->n_cells == SWEEP_CELLS_MAX)
        return error_set(err, EINVAL, "the sweep has more than %d cells", SWEEP_CELLS_MAX);
    added.labels = copy_texts(cell->labels, sweep->n_axes);
    added.streams = copy_texts(cell->streams, cell->n_streams);
    added.settings = memory_new(cell->n_settings, sizeof *added.settings);
    for (size_t i = 0; i < cell->n_settings; i++) {
        struct ini_entry entry = cell->settings[i];

        entry.origin = entry.origin ? entry.origin : "sweep";
        added.settings[i] = ini_entry_copy(&entry);
    }
    MEMORY_GROW(sweep->cells, sweep->cells_allocated, sweep->n_cells + 1);
    sweep->cells[sweep->n_cells++] = added;
    /* Names depend on all cells, so the existing names are freed. */
    free(sweep->cells[0].name);
    sweep->cells[0].name = NULL;
    return 0;
}

size_t sweep_cells(const struct sweep *sweep)
{
    return sweep->n_cells;
}

size_t sweep_axes(const struct sweep *sweep)
{
    return sweep->n_axes;
}

const char *sweep_axis(const struct sweep *sweep, size_t axis)
{
    return sweep->axes[axis];
}

struct grid_cell *grid_cell(const struct sweep *sweep, size_t cell)
{
    return &sweep->cells[cell - 1];
}

const char *sweep_label(const struct sweep *sweep, size_t cell, size_t axis)
{
    return grid_cell(sweep, cell)->labels[axis];
}

const char *sweep_default_results(const struct sweep *sweep)
{
    return sweep->results;
}

unsigned grid_keep(const struct sweep *sweep, const struct sweep_options *options)
{
    if (options && options->keep >= 0)
        return (unsigned)options->keep;
    return sweep->keep >= 0 ? (unsigned)sweep->keep : SWEEP_KEEP_ALL;
}

static bool axis_differs(const struct sweep *sweep, size_t axis)
{
    for (size_t i = 1; i < sweep->n_cells; i++)
        if (strcmp(sweep->cells[i].labels[axis], sweep->cells[0].labels[axis]) != 0)
            return true;
    return false;
}

static char *compose_name(const struct sweep *sweep, const struct grid_cell *cell,
                          const bool *differs)
{
    char *name = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&name, &length);

    if (!stream)
        abort();
    for (size_t axis = 0; axis < sweep->n_axes; axis++)
        if (differs[axis])
            fprintf(stream, "%s%s=%s", ftell(stream) > 0 ? " " : "", sweep->axes[axis],
                    cell->labels[axis]);
    if (ftell(stream) == 0)
        fputs("all", stream);
    if (fclose(stream) != 0)
        abort();
    return name;
}

static void name_cells(const struct sweep *sweep)
{
    bool *differs = memory_new(sweep->n_axes, sizeof *differs);

    for (size_t axis = 0; axis < sweep->n_axes; axis++)
        differs[axis] = axis_differs(sweep, axis);
    for (size_t i = 0; i < sweep->n_cells; i++) {
        free(sweep->cells[i].name);
        sweep->cells[i].name = compose_name(sweep, &sweep->cells[i], differs);
    }
    free(differs);
}

const char *sweep_name(const struct sweep *sweep, size_t cell)
{
    if (!sweep->cells[0].name)
        name_cells(sweep);
    return grid_cell(sweep, cell)->name;
}
