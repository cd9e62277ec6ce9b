/* galerna sweep: a grid of replays. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/sweep_text.h"
#include "sweep/sweep.h"
#include "util/memory.h"

/* Set by the handler of Ctrl-C, which can reach only global variables. */
static volatile sig_atomic_t stop_asked;

struct sweep_arguments {
    const char *file, *results;
    int64_t jobs, cell; /* cell 0: all */
    int engine;         /* enum */
    bool collect, no_wait, again, list, csv, json, quiet;
};

enum { ENGINE_LOCAL, ENGINE_SLURM };

#define AT(member) offsetof(struct sweep_arguments, member)

static const struct command_option sweep_options[] = {
    {"results", .type = ARGUMENT_TEXT, .argument = "FILE.db", .offset = AT(results),
     .help = "Database of the results. Default: the database named in the sweep file, else the "
             "name of the sweep file with .db"},
    {"jobs", .letter = 'j', .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(jobs),
     .least = 1, .most = 1024,
     .help = "Run at most N cells at a time; one per processor by default"},
    {"engine", .type = ARGUMENT_CHOICE, .argument = "ENGINE", .offset = AT(engine),
     .words = "local|slurm", .otherwise = "local",
     .help = "local, or slurm: submit a job array, wait for it and collect its results"},
    {"no-wait", .type = ARGUMENT_FLAG, .offset = AT(no_wait),
     .help = "With --engine slurm: submit the job array and exit"},
    {"collect", .type = ARGUMENT_FLAG, .offset = AT(collect),
     .help = "Only collect the results of finished cells in the database"},
    {"cell", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(cell), .least = 1,
     .most = SWEEP_CELLS_MAX,
     .help = "Run one cell and leave its file for collection, as the tasks of a job array do"},
    {"again", .type = ARGUMENT_FLAG, .offset = AT(again),
     .help = "Run all cells, including those that are in the database"},
    {"list", .type = ARGUMENT_FLAG, .offset = AT(list), .help = "Print the cells and exit"},
    {"csv", .type = ARGUMENT_FLAG, .offset = AT(csv),
     .help = "Print the results as CSV, which does not depend on how they were computed"},
    {"json", .type = ARGUMENT_FLAG, .offset = AT(json), .help = "Print the results as JSON"},
    {"quiet", .letter = 'q', .type = ARGUMENT_FLAG, .offset = AT(quiet),
     .help = "Print no progress bar and no table"},
};

const struct command_line sweep_line = {
    .name = "galerna sweep",
    .summary = "Replay a grid of traces, policies and options",
    .purpose =
        "Replay the grid of traces, policies and options that FILE describes "
        "(galerna-sweep-file(5)), and collect all results in one SQLite database. Results in the "
        "database are not recomputed: an interrupted sweep continues where it stopped.",
    .operands = "FILE",
    .groups = {OPTION_GROUP(sweep_options)},
    .notes = "Ctrl-C ends a sweep cleanly: the results of finished cells are kept.",
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "A cell failed or is missing, or a file cannot be read or written"},
              {EXIT_INTERRUPTED, "Interrupted"}},
    .size = sizeof(struct sweep_arguments),
};

static void note_stop(int signal_number)
{
    (void)signal_number;
    if (stop_asked < 2)
        stop_asked = stop_asked + 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_stop};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Checks for options that exclude each other. -1: none; else the exit code. */
static int check(const struct sweep_arguments *arguments, const char *command)
{
    bool slurm = arguments->engine == ENGINE_SLURM;

    if (arguments->csv && arguments->json)
        return command_usage_error(command, "--csv and --json are mutually exclusive");
    if (arguments->no_wait && !slurm)
        return command_usage_error(command, "--no-wait requires --engine slurm");
    if (slurm + arguments->collect + (arguments->cell > 0) + arguments->list > 1)
        return command_usage_error(command, "--engine slurm, --collect, --cell and --list are "
                                            "mutually exclusive");
    if (arguments->again && arguments->collect)
        return command_usage_error(command, "--again and --collect are mutually exclusive");
    return -1;
}

/* Callbacks of a sweep; their context is the progress bar. */
static void show_progress(void *context, const struct sweep_progress *progress)
{
    char what[64];

    sweep_progress_text(progress, what, sizeof what);
    progress_show(context, progress->done, what);
}

/* The path of this program: the tasks of a job array run the same. */
static int own_path(char *path, size_t size, struct error *err)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (length < 0)
        return error_errno(err, "/proc/self/exe");
    path[length] = '\0';
    return 0;
}

static int submit(struct sweep *sweep, const struct sweep_arguments *arguments,
                  const struct sweep_options *wanted, struct sweep_outcome *outcomes,
                  struct error *err)
{
    char program[4096];
    size_t tasks;

    if (own_path(program, sizeof program, err) < 0 ||
        sweep_submit(sweep, wanted, program, &tasks, err) < 0)
        return -1;
    if (!arguments->quiet && tasks > 0)
        fprintf(stderr, "galerna sweep: submitted a job array of %zu task%s%s\n", tasks,
                tasks == 1 ? "" : "s",
                arguments->no_wait ? "; collect its results with --collect" : "");
    if (arguments->no_wait)
        return 0;
    return sweep_wait(sweep, wanted, outcomes, err);
}

static int perform_cell(struct sweep *sweep, const struct sweep_arguments *arguments,
                        const struct sweep_options *wanted, const char *command)
{
    struct sweep_outcome outcome;
    struct error err = {0};

    if (sweep_perform(sweep, (size_t)arguments->cell, wanted, &outcome, &err) < 0)
        return err.code == EINTR ? EXIT_INTERRUPTED : command_failed(command, &err);
    if (outcome.status == SWEEP_OK)
        return EXIT_DONE;
    fprintf(stderr, "%s: %s: %s\n", command, sweep_name(sweep, (size_t)arguments->cell),
            outcome.message);
    return EXIT_FAILED;
}

enum { MESSAGES_MAX = 10 };

/* Messages of cells, and the exit code of all. */
static int tell_failures(const struct sweep *sweep, const struct sweep_outcome *outcomes,
                         const char *command)
{
    size_t missing = 0, messages = 0, n = sweep_cells(sweep);
    int code = EXIT_DONE;

    for (size_t i = 0; i < n; i++) {
        missing += outcomes[i].status == SWEEP_MISSING;
        if (outcomes[i].message[0] && messages++ < MESSAGES_MAX)
            fprintf(stderr, "%s: %s: %s\n", command, sweep_name(sweep, i + 1), outcomes[i].message);
        if (outcomes[i].status != SWEEP_OK)
            code = EXIT_FAILED;
    }
    if (messages > MESSAGES_MAX)
        fprintf(stderr, "%s: %zu more cell%s messages; see the table cells of the database\n",
                command, messages - MESSAGES_MAX, messages - MESSAGES_MAX == 1 ? " has" : "s have");
    if (missing)
        fprintf(stderr, "%s: %zu of %zu cell%s no result yet\n", command, missing, n,
                n == 1 ? " has" : "s have");
    return code;
}

static int print_results(const struct sweep *sweep, const struct sweep_arguments *arguments,
                         const struct sweep_options *wanted, const struct sweep_outcome *outcomes,
                         struct error *err)
{
    fflush(stdout);
    if (arguments->csv)
        return sweep_write_csv(wanted->results, "-", err);
    if (arguments->json)
        return sweep_write_json(wanted->results, "-", err);
    if (!arguments->quiet)
        sweep_print_table(sweep, outcomes, wanted->results);
    return 0;
}

static int carry_out(struct sweep *sweep, const struct sweep_arguments *arguments,
                     const struct sweep_options *given, const char *command)
{
    struct sweep_outcome *outcomes = memory_new(sweep_cells(sweep), sizeof *outcomes);
    struct sweep_options wanted = *given;
    struct progress progress;
    struct error err = {0};
    int code, result;

    progress_init(&progress, arguments->quiet);
    wanted.progress = show_progress;
    wanted.context = &progress;
    if (arguments->engine == ENGINE_SLURM)
        result = submit(sweep, arguments, &wanted, outcomes, &err);
    else if (arguments->collect)
        result = sweep_collect(sweep, &wanted, outcomes, &err);
    else
        result = sweep_run(sweep, &wanted, outcomes, &err);
    progress_finish(&progress);
    if (result < 0) {
        command_failed(command, &err);
        code = err.code == EINTR ? EXIT_INTERRUPTED : EXIT_FAILED;
    } else if (arguments->no_wait) {
        code = EXIT_DONE;
    } else {
        code = tell_failures(sweep, outcomes, command);
        if (print_results(sweep, arguments, &wanted, outcomes, &err) < 0)
            code = command_failed(command, &err);
    }
    free(outcomes);
    return code;
}

int command_sweep(const struct call *call)
{
    struct sweep_arguments *arguments = call->arguments;
    struct sweep_options wanted = {.keep = -1, .stop = &stop_asked};
    struct error err = {0};
    struct sweep *sweep;
    int code = check(arguments, call->name);

    if (code >= 0)
        return code;
    arguments->file = call->operands[0];
    sweep = sweep_read(arguments->file, &err);
    if (!sweep)
        return command_failed(call->name, &err);
    wanted.results = arguments->results ? arguments->results : sweep_default_results(sweep);
    wanted.jobs = (unsigned)arguments->jobs;
    wanted.again = arguments->again;
    catch_signals();
    if (arguments->list)
        code = sweep_check(sweep, &err) < 0 ? command_failed(call->name, &err)
                                            : sweep_print_list(sweep);
    else if (arguments->cell)
        code = perform_cell(sweep, arguments, &wanted, call->name);
    else
        code = carry_out(sweep, arguments, &wanted, call->name);
    sweep_destroy(sweep);
    return code;
}
