/* replay.h: the parts of `galerna replay`: arguments, runs, and results. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "adapters/simulation/recorded.h"
#include "cli/progress.h"
#include "configuration/configuration.h"
#include "core/accounting.h"
#include "util/command_line.h"

enum replay_output {
    REPLAY_RECORD,
    REPLAY_JOBS,
    REPLAY_EVENTS,
    REPLAY_RESULTS,
    REPLAY_GANTT,
    REPLAY_OUTPUTS
};

/* The command line. */
struct replay_options {
    char *const *traces;
    size_t n_traces;
    struct text_list configurations;
    struct text_list set; /* "section.option=value" */
    const char *site, *compatibility;
    const char *outputs[REPLAY_OUTPUTS]; /* as given; NULL: not requested */
    bool as_jobs, json, quiet, verbose;
    int64_t parallel; /* runs at a time */
};

/* One trace under one configuration. */
struct replay_run {
    char *name;                          /* unique among the runs */
    char *title;                         /* heading of its column in the summary */
    struct configuration *configuration; /* not owned */
    struct recorded_run *recorded; /* the run to repeat; NULL: use the configuration's trace */
    char *outputs[REPLAY_OUTPUTS]; /* paths; NULL: not requested */
};

struct replay_plan {
    struct replay_run *runs;
    size_t n_runs, allocated;
    struct configuration_list *lists; /* own the configurations */
    size_t n_lists, lists_allocated;
};

/* The result of a run. Has no pointers, because child processes send it through a pipe. */
struct replay_outcome {
    int code;                           /* of cli/command.h */
    int error;                          /* errno value of the error; 0: none */
    char message[ERROR_TEXT_MAX + 256]; /* an error or a warning; "" = none */
    bool interrupted, stuck, suspended_jobs;
    struct accounting_summary figures;
    double cpu_seconds;
    int64_t peak_memory_kb;
};

/* Communication with an active run. */
struct replay_control {
    const volatile sig_atomic_t *stop; /* not 0: end after the current step */
    volatile double *done;             /* 0 ... 1, for the progress bar */
    struct progress *progress;         /* updated by the run; NULL: updated elsewhere */
    const char *title;
    bool quiet, verbose; /* verbose: print all messages of policy modules */
};

/* Reads the configurations and combines each with every trace. Each run gets a unique name, from
 * which file names of outputs are derived (see galerna-replay(1)). */
int replay_plan_make(struct replay_plan *plan, const struct replay_options *options,
                     struct error *err);
void replay_plan_finish(struct replay_plan *plan);
/* Checks --set, --site and --compatibility independently of configuration files. */
bool replay_plan_is_misused(const struct replay_options *options);

/* Carries out one run; always fills outcome. */
void replay_run_perform(const struct replay_run *run, const struct replay_control *control,
                        struct replay_outcome *outcome);

/* Carries out all runs; several runs at a time have their own processes. outcomes has room for all
 * runs. */
int replay_all(const struct replay_plan *plan, const struct replay_options *options,
               struct replay_outcome *outcomes, struct error *err);
