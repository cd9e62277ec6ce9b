/* sweep.h: replays that differ along some axes, carried out in parallel and collected in one SQLite
 * database (doc/results-schema.md).
 *
 * A cell is one replay with a label on each axis and the settings that follow from the labels. Each
 * cell writes its own file next to the database, RESULTS.cells/N.db, which gets its name when it is
 * complete; the files are then copied to the database, each in one transaction. The file and its
 * data do not depend on whether a process of sweep_run(), a Slurm task or an interrupted session
 * carried out the cell.
 *
 * A cell has a digest of all inputs of its result: the program's version, the configuration, the
 * contents of its files, its workload and seed. Results with a known digest are not computed again.
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
    const char *const *labels; /* one per axis; a unique combination */

    const char *configuration;        /* a file without [multi]; NULL: the defaults */
    const struct ini_entry *settings; /* in addition, the last one wins: section, key, value, and
                                         origin:line for messages; paths are relative to `origin` */
    size_t n_settings;

    const char *trace;          /* a file; NULL: the configuration's trace, or only the streams */
    const char *const *streams; /* generated requests (lwf/generate.h), merged into the trace if
                                   there is one */
    size_t n_streams;
    uint64_t workload_seed; /* of the streams; galerna.seed is a setting */

    const char *origin; /* the location of the cell for messages; NULL: unknown */
    int line;
};

struct sweep; /* opaque */

/* The order of the axes is also their order in names of cells and in tables. */
struct sweep *sweep_create(const char *const *axes, size_t n_axes);
void sweep_destroy(struct sweep *sweep); /* NULL is allowed */

/* Cells are numbered 1, 2, ... in the order of these calls. Files are read later: see
 * sweep_check(). Errors: EINVAL (too many). */
int sweep_add(struct sweep *sweep, const struct sweep_cell *cell, struct error *err);

/* Reads a sweep file (galerna-sweep-file(5)). Errors: EINVAL, ENOENT, ... with file:line. */
struct sweep *sweep_read(const char *path, struct error *err);

size_t sweep_cells(const struct sweep *sweep);
size_t sweep_axes(const struct sweep *sweep);
const char *sweep_axis(const struct sweep *sweep, size_t axis);
/* Cells are counted from 1. */
const char *sweep_label(const struct sweep *sweep, size_t cell, size_t axis);
/* "axis=label axis=label" for the axes on which cells differ. */
const char *sweep_name(const struct sweep *sweep, size_t cell);
/* The database named in the file, or the file's name with .db in the working directory; NULL: not
 * read from a file. */
const char *sweep_default_results(const struct sweep *sweep);

enum sweep_status {
    SWEEP_MISSING, /* not carried out, interrupted, or its process crashed */
    SWEEP_OK,
    SWEEP_FAILED, /* the replay ended with an error; tried again next time */
};

/* The result of a cell. */
struct sweep_outcome {
    enum sweep_status status;
    bool computed;                /* by this call; otherwise found in the database */
    char ending[16];              /* complete, stopped, stuck */
    char message[ERROR_TEXT_MAX]; /* the error; "": none */
    struct accounting_summary figures;
    int64_t requested[2], rejected[2]; /* by enum lease_origin */
};

/* Tables of a run to keep in addition to its figures: bits for sweep_options.keep. */
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
    size_t finished, cells; /* finished: in this or an earlier session */
    double done;            /* 0 ... 1, of the work that remained at the start */
    double seconds_left;    /* estimate; negative: not yet known */
};

struct sweep_options {
    const char *results;               /* the database */
    unsigned jobs;                     /* cells at a time; 0: one per processor */
    bool again;                        /* compute all cells again */
    int keep;                          /* tables; negative: as in the sweep file, by default all */
    const volatile sig_atomic_t *stop; /* not 0: end in order; NULL: never */
    void (*progress)(void *context, const struct sweep_progress *progress); /* NULL: none */
    void *context;
};

/* Carries out the cells missing from the database, each in its own process, and collects them.
 * Fills outcomes (one per cell, or NULL) for all cells, including existing ones. Failed cells are
 * not errors; see their outcomes. Errors: an invalid sweep (as sweep_check()), an unwritable
 * database or one with other contents, no processes; EINTR if stopped (finished cells are in the
 * database). Not for programs with threads. */
int sweep_run(struct sweep *sweep, const struct sweep_options *options,
              struct sweep_outcome *outcomes, struct error *err);

/* Reads all configurations and workloads, and computes the digests. Errors have file:line. Also
 * done by sweep_run(). */
int sweep_check(struct sweep *sweep, struct error *err);

/* Copies finished cells' files to the database, and fills outcomes (or NULL) from it. */
int sweep_collect(struct sweep *sweep, const struct sweep_options *options,
                  struct sweep_outcome *outcomes, struct error *err);

/* Carries out one cell in this process and writes its file next to the database, like a Slurm task.
 * A failed cell is not an error; see outcome. */
int sweep_perform(struct sweep *sweep, size_t cell, const struct sweep_options *options,
                  struct sweep_outcome *outcome, struct error *err);

/* Submits the cells missing from the database as a Slurm job array of *tasks tasks, which carry out
 * the cells with `program` (an absolute path of galerna) and write their files next to the
 * database; options.jobs limits the number of concurrent tasks. The sweep must come from a file.
 * *tasks is 0 if no cell is missing. Errors: as sweep_run(); EBUSY if an earlier job of this sweep
 * is still in the queue; errors of sbatch. */
int sweep_submit(struct sweep *sweep, const struct sweep_options *options, const char *program,
                 size_t *tasks, struct error *err);

/* Collects the tasks' files until all cells are complete or the job has ended. Errors: as
 * sweep_run(); ECHILD if the job has ended and cells are missing; EINTR if stopped (the job
 * continues). */
int sweep_wait(struct sweep *sweep, const struct sweep_options *options,
               struct sweep_outcome *outcomes, struct error *err);

/* Writes the sweep as a table: a line for each cell in the database, with the columns of the view
 * `sweep` (axes and figures), without values that differ between repetitions. path "-": standard
 * output. */
int sweep_write_csv(const char *results, const char *path, struct error *err);
int sweep_write_json(const char *results, const char *path, struct error *err);
