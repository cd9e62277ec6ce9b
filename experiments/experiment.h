/* experiment.h: published experiments, repeated: each is one function that fills findings.
 *
 * An experiment replays workloads through the scheduler, one process per run, and compares the
 * results with those in its paper. Same options, same bytes.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "experiments/findings.h"
#include "util/error.h"

/* A parameter that a paper leaves open, or that a reader may want to change. */
struct experiment_option {
    const char *name, *value; /* the default */
    const char *choices;      /* "a|b": one of these words; NULL: a number in [least, most]; "": a
                                 whole number */
    double least, most;
    const char *description;
};

struct experiment_bench; /* the request; experiments use it only through the functions below */

struct experiment {
    const char *name;
    const char *title;
    const char *paper; /* authors, title, what of it is repeated */
    const char *summary;
    const struct experiment_option *options;
    size_t n_options;
    bool reads_logs; /* those in experiment_request.logs */
    int (*run)(const struct experiment_bench *bench, struct findings *findings, struct error *err);
};

extern const struct experiment *const experiment_table[];
extern const size_t experiment_count;

/* NULL with ENOENT and the nearest name. */
const struct experiment *experiment_find(const char *name, struct error *err);

struct experiment_request {
    const char *folder;     /* created if missing; its files are replaced */
    long parallel;          /* processes at a time; 0: one per processor */
    const char *logs;       /* folder of workload logs; NULL: none */
    bool quick;             /* a small part of it, in seconds: for tests */
    const char *const *set; /* "option=value" */
    size_t n_set;
    const volatile sig_atomic_t *stop; /* not 0: give up; NULL: never */
    /* Receives the progress, 0 ... 1; NULL: not needed. */
    void (*progress)(void *context, double done, const char *what);
    void *context;
};

/* Would experiment_perform() take these options? EINVAL with what is wrong. */
int experiment_check_options(const struct experiment *experiment, const char *const *set, size_t n,
                             struct error *err);

/* Run and write summary.json, index.html, *.csv and *.svg into the folder. Fills *verdicts (by enum
 * verdict), NULL: not wanted. Errors: EINVAL (an unknown option, a bad value), EINTR (stopped),
 * those of files and runs. */
int experiment_perform(const struct experiment *experiment,
                       const struct experiment_request *request, size_t *verdicts,
                       struct error *err);

/* For experiments. */
double experiment_number(const struct experiment_bench *bench, const char *option);
bool experiment_chosen(const struct experiment_bench *bench, const char *option, const char *word);
const char *experiment_text(const struct experiment_bench *bench, const char *option);
const char *experiment_logs(const struct experiment_bench *bench); /* NULL: none */
bool experiment_is_quick(const struct experiment_bench *bench);

/* n pieces of work, each in a process of its own, several at a time. `perform` runs in the child
 * and fills `result`, result_size bytes without pointers. */
struct experiment_work {
    const char *what; /* for the progress bar */
    size_t n, result_size;
    int (*perform)(const void *context, size_t i, void *result, struct error *err);
    const void *context;
    double from, until; /* the share of the whole experiment, 0 ... 1 */
};

/* results has room for n * result_size bytes. Errors: that of the first piece that failed. */
int experiment_share_out(const struct experiment_bench *bench, const struct experiment_work *work,
                         void *results, struct error *err);

extern const struct experiment experiment_suspend, experiment_priority, experiment_pacp,
    experiment_intergrid, experiment_gridway, experiment_backfilling;
