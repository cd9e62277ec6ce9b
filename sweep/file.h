/* file.h: the contents of a sweep file; internal. */
#pragma once

#include "configuration/ini.h"
#include "sweep/grid.h"

/* A point on an axis, with its contribution to cells. Owns its texts. */
struct file_value {
    char *label;
    char *configuration;   /* NULL: not set */
    char *trace, *streams; /* streams are separated by blanks */
    struct ini_entry *settings;
    size_t n_settings, settings_allocated;
    bool is_seed, is_parameter; /* the label is the value */
    int line;
};

struct file_axis {
    char *name;
    struct file_value *values;
    size_t n_values, allocated;
};

struct sweep_file {
    const char *path; /* as given */
    struct ini ini;
    struct file_axis axes[SWEEP_AXES_MAX];
    size_t n_axes;
    struct file_value common; /* [set], and a single configuration */
    char *results;            /* NULL: not set */
    int keep;
    struct ini_entry *slurm; /* belongs to ini */
    size_t n_slurm, slurm_allocated;
};

/* Reads the file's sections into axes. Errors have file:line. Call sweep_file_finish() in any case.
 */
int sweep_file_init(struct sweep_file *file, const char *path, struct error *err);
void sweep_file_finish(struct sweep_file *file);

/* Adds an axis, whose name must be new. NULL with file:line. */
struct file_axis *sweep_file_axis(struct sweep_file *file, const char *name, int line,
                                  struct error *err);

/* Adds a point to an axis, whose label must be new on the axis. NULL with file:line. */
struct file_value *sweep_file_value(struct sweep_file *file, struct file_axis *axis,
                                    const char *label, int line, struct error *err);

void sweep_file_setting(const struct sweep_file *file, struct file_value *value,
                        const struct ini_entry *setting);

/* Reads section [sweep]. */
int sweep_file_general(struct sweep_file *file, struct error *err);
