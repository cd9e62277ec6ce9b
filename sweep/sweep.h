/* sweep.h: many replays that differ along some axes, carried out side by side and collected in one
 * SQLite database (doc/results-schema.md).
 *
 * A cell is one replay: a label on each axis, and the settings that follow from the labels. Each
 * cell writes a file of its own beside the database, RESULTS.cells/N.db, which appears under its
 * name when it is complete; the files are then taken into the database, each in one transaction.
 * The file and the data collected from it are the same whether a cell is carried out by a process
 * of sweep_run(), a Slurm task, or an interrupted session.
 *
 * A cell has a digest of all that its result depends on: the program's version, the configuration,
 * the contents of its files, its workload and seed. Results with that digest are never computed
 * again.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "configuration/ini.h"
#include "core/accounting.h"
#include "util/error.h"

enum { SWEEP_AXES_MAX = 64, SWEEP_VALUES_MAX = 10000, SWEEP_CELLS_MAX = 100000 };

/* The inputs of one replay. Texts and arrays are copied by sweep_add(). */
struct sweep_cell {
    const char *const *labels; /* one per axis; no two cells have the same */

    const char *configuration;        /* a file without [multi]; NULL: the defaults */
    const struct ini_entry *settings; /* on top of it, the last one wins: section, key, value, and
                                         origin:line for messages; relative paths are relative to
                                         the file `origin` */
    size_t n_settings;

    const char *trace;          /* a file; NULL: the configuration's, or only the workload */
    const char *const *streams; /* generated requests (lwf/generate.h), put between those of the
                                   trace if there is one */
    size_t n_streams;
    uint64_t workload_seed; /* of the streams; galerna.seed is a setting */

    const char *origin; /* where trace and streams are written, for messages; NULL: nowhere */
    int line;
};

struct sweep; /* opaque */

/* Axes in the order in which cells are named and tables are written. */
struct sweep *sweep_create(const char *const *axes, size_t n_axes);
void sweep_destroy(struct sweep *sweep); /* NULL is allowed */

/* Cells are numbered 1, 2, ... in this order. Nothing is read yet: see sweep_check().
 * Errors: EINVAL (too many). */
int sweep_add(struct sweep *sweep, const struct sweep_cell *cell, struct error *err);

/* Read a sweep file (galerna-sweep-file(5)). Errors: EINVAL, ENOENT, ... with file:line. */
struct sweep *sweep_read(const char *path, struct error *err);

size_t sweep_cells(const struct sweep *sweep);
size_t sweep_axes(const struct sweep *sweep);
const char *sweep_axis(const struct sweep *sweep, size_t axis);
/* Cells are counted from 1. */
const char *sweep_label(const struct sweep *sweep, size_t cell, size_t axis);
/* "axis=label axis=label", of the axes on which cells differ. */
const char *sweep_name(const struct sweep *sweep, size_t cell);
/* The database that the file names, or the file's name with .db in the working directory; NULL: not
 * read from a file. */
const char *sweep_default_results(const struct sweep *sweep);

enum sweep_status {
    SWEEP_MISSING, /* not carried out, or interrupted */
    SWEEP_OK,
    SWEEP_FAILED, /* the replay ended with an error; tried again next time */
};

/* The result of a cell. */
struct sweep_outcome {
    enum sweep_status status;
    bool computed;                /* by this call; else it was there already */
    char ending[16];              /* complete, stopped, stuck */
    char message[ERROR_TEXT_MAX]; /* what went wrong; "" = nothing */
    struct accounting_summary figures;
    int64_t requested[2], rejected[2]; /* by enum lease_origin */
};

/* Tables of a run that are kept beside its figures: bits for sweep_options.keep. */
enum {
    SWEEP_KEEP_SETTINGS = 1 << 0,
    SWEEP_KEEP_HOSTS = 1 << 1,
    SWEEP_KEEP_LEASES = 1 << 2,
    SWEEP_KEEP_RESERVATIONS = 1 << 3, /* and reservation_hosts */
    SWEEP_KEEP_STATE_LOG = 1 << 4,
    SWEEP_KEEP_PREEMPTIONS = 1 << 5,
    SWEEP_KEEP_COUNTERS = 1 << 6,
    SWEEP_KEEP_ALL = (1 << 7) - 1,
};

struct sweep_progress {
    size_t finished, cells; /* finished: now or earlier */
    double done;            /* 0 ... 1, of what was left at the beginning */
    double seconds_left;    /* estimate; negative: not known yet */
};

struct sweep_options {
    const char *results; /* the database */
    unsigned jobs;       /* cells at a time; 0: one per processor */
    bool again;          /* compute all, whatever is there */
    int keep;            /* negative: what the sweep file says, everything by default */
    const volatile sig_atomic_t *stop; /* not 0: end in order; NULL: never */
    void (*progress)(void *context, const struct sweep_progress *progress); /* NULL: none */
    void *context;
};

/* Carry out the cells missing from the database, each in its own process, and collect them.
 * outcomes, one per cell or NULL, is filled for all cells, including those already there. Cells
 * that fail are not an error: their outcomes say so. Errors: the sweep itself is wrong (as
 * sweep_check()), the database cannot be written or holds other things, no processes; EINTR when
 * stopped (finished cells are in the database). Not for programs with threads. */
int sweep_run(struct sweep *sweep, const struct sweep_options *options,
              struct sweep_outcome *outcomes, struct error *err);

/* Read every configuration and workload and find the digests: errors with file:line. Done by
 * sweep_run() too. */
int sweep_check(struct sweep *sweep, struct error *err);

/* Take what cells have left in files of their own into the database, and fill outcomes (or NULL)
 * from it. */
int sweep_collect(struct sweep *sweep, const struct sweep_options *options,
                  struct sweep_outcome *outcomes, struct error *err);

/* Carry out one cell in this process and leave its file beside the database, as a cluster task
 * does. A failed cell is not an error, see outcome. */
int sweep_perform(struct sweep *sweep, size_t cell, const struct sweep_options *options,
                  struct sweep_outcome *outcome, struct error *err);

/* Submit the cells missing from the database as a Slurm job array: *tasks tasks, which carry out
 * the cells with `program` (an absolute path of galerna) and leave their files beside the database;
 * options.jobs limits how many run at a time. The sweep must come from a file. *tasks is 0 when
 * nothing is left to do. Errors: as sweep_run(); EBUSY when an earlier job of this sweep is still
 * in the queue; what sbatch says. */
int sweep_submit(struct sweep *sweep, const struct sweep_options *options, const char *program,
                 size_t *tasks, struct error *err);

/* Collects the tasks' files until all are there or the job is over. Errors: as sweep_run(); ECHILD
 * when the job is over and cells are missing; EINTR when stopped (the job continues). */
int sweep_wait(struct sweep *sweep, const struct sweep_options *options,
               struct sweep_outcome *outcomes, struct error *err);

/* The sweep as a table: a line per cell in the database, axes and figures in columns (those of the
 * view `sweep`), without anything that differs from run to run. path "-": standard output. */
int sweep_write_csv(const char *results, const char *path, struct error *err);
int sweep_write_json(const char *results, const char *path, struct error *err);
