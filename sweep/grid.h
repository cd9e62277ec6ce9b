/* grid.h: the parts of a sweep; internal. */
#pragma once

#include "adapters/simulation/stage_trace.h"
#include "configuration/configuration.h"
#include "sweep/sweep.h"

/* A cell, which owns its texts. */
struct grid_cell {
    char **labels;
    char *name;
    char *configuration, *trace, *origin;
    struct ini_entry *settings;
    char **streams;
    size_t n_settings, n_streams;
    uint64_t workload_seed;
    int line;
    uint64_t digest; /* by grid_find_digests() */
};

/* A file with the digest of its contents. */
struct grid_file {
    char *path;
    uint64_t digest;
};

struct sweep {
    char **axes;
    size_t n_axes;
    struct grid_cell *cells;
    size_t n_cells, cells_allocated;
    struct grid_file *files;
    size_t n_files, files_allocated;
    size_t *by_digest; /* numbers of cells; by grid_find_digests() */
    uint64_t *checked; /* digests of valid policies; by grid_check_policies() */
    size_t n_checked, checked_allocated;
    char **modules; /* names of those that cells load; by grid_note_modules() */
    size_t n_modules, modules_allocated;

    char *file;              /* absolute; NULL: not read from a file */
    char *results;           /* sweep_default_results() */
    int keep;                /* as in the file; -1: not set */
    struct ini_entry *slurm; /* options of sbatch */
    size_t n_slurm, slurm_allocated;
};

/* The cell with this number, from 1. */
struct grid_cell *grid_cell(const struct sweep *sweep, size_t cell);

/* The tables to keep, by the options, the file, or by default all. */
unsigned grid_keep(const struct sweep *sweep, const struct sweep_options *options);

/* The inputs of a cell's replay. */
struct prepared {
    struct configuration *configuration;
    struct generate_stream *streams;
    struct stage_workload workload;
    uint64_t digest;
};

/* Reads all inputs of cell `number`. Errors have file:line. Call prepared_finish() in any case. */
int prepared_init(struct prepared *prepared, struct sweep *sweep, size_t number, unsigned keep,
                  struct error *err);
void prepared_finish(struct prepared *prepared);

/* Checks that the policies of a cell can be created, once for equal policies. Errors: errors of
 * policy_host_create(), with file:line. */
int grid_check_policies(struct sweep *sweep, const struct configuration *configuration,
                        struct error *err);

/* Notes the modules that the cell loads. */
void grid_note_modules(struct sweep *sweep, const struct configuration *configuration);
/* Notes those of all cells. Errors: those of reading a configuration. */
int grid_note_all_modules(struct sweep *sweep, struct error *err);
/* Drops the options of modules that only other cells load. */
void grid_drop_options(const struct sweep *sweep, struct configuration *configuration);
/* Errors: the option of a module that no cell loads. */
int grid_check_options(const struct sweep *sweep, struct error *err);

/* Prepares all cells, checks their policies, and stores their digests. */
int grid_find_digests(struct sweep *sweep, unsigned keep, struct error *err);
