/* galerna sweep: a grid of replays. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/sweep_text.h"
#include "sweep/sweep.h"
#include "util/memory.h"

/* Set by the handler of Ctrl-C; a signal handler can reach nothing else. */
static volatile sig_atomic_t stop_asked;

struct arguments {
    const char *file, *results;
    unsigned jobs;
    size_t cell; /* 0: all */
    bool slurm, collect, no_wait, again, list, csv, json, quiet;
};

enum letter {
    LETTER_RESULTS = 256,
    LETTER_ENGINE,
    LETTER_COLLECT,
    LETTER_NO_WAIT,
    LETTER_AGAIN,
    LETTER_LIST,
    LETTER_CELL,
    LETTER_CSV,
    LETTER_JSON,
};

static const struct option options[] = {
    {"jobs", required_argument, NULL, 'j'},
    {"results", required_argument, NULL, LETTER_RESULTS},
    {"engine", required_argument, NULL, LETTER_ENGINE},
    {"collect", no_argument, NULL, LETTER_COLLECT},
    {"no-wait", no_argument, NULL, LETTER_NO_WAIT},
    {"again", no_argument, NULL, LETTER_AGAIN},
    {"list", no_argument, NULL, LETTER_LIST},
    {"cell", required_argument, NULL, LETTER_CELL},
    {"csv", no_argument, NULL, LETTER_CSV},
    {"json", no_argument, NULL, LETTER_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char sweep_help[] =
    "usage: galerna sweep FILE [OPTIONS]\n"
    "\n"
    "Replay a grid of traces, policies and options, which FILE describes\n"
    "(galerna-sweep-file(5)), and collect all results in one SQLite database. What is in the\n"
    "database already is not computed again: an interrupted sweep goes on where it was.\n"
    "\n"
    "      --results FILE.db  the database (the one that FILE names, else FILE's name with .db)\n"
    "  -j, --jobs N           carry out at most N cells at a time (one per processor)\n"
    "      --engine ENGINE    local, or slurm: submit a job array, wait and collect\n"
    "      --no-wait          with slurm: submit only\n"
    "      --collect          only take what finished cells have left into the database\n"
    "      --cell N           carry out one cell and leave its file to be collected; what the\n"
    "                         tasks of a job array do\n"
    "      --again            compute all, whatever is in the database\n"
    "      --list             print the cells and end\n"
    "      --csv              print the results as CSV: the same however they were computed\n"
    "      --json             print the results as JSON\n"
    "  -q, --quiet            no progress bar, no table for people\n"
    "      --help             print this and end\n"
    "\n"
    "Ctrl-C ends a sweep in order; what is finished is kept.\n"
    "Exit codes: 0 done, 1 failed or cells are missing, 64 wrong usage, 130 interrupted.\n";

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

/* -1: go on; else the exit code. */
static int take_number(const char *command, const char *name, long most, long *number)
{
    char *end;

    *number = strtol(optarg, &end, 10);
    if (!*optarg || *end || *number < 1 || *number > most)
        return command_usage_error(command, "--%s %.20s: expected a number from 1 to %ld", name,
                                   optarg, most);
    return -1;
}

static int take_engine(struct arguments *arguments, const char *command)
{
    arguments->slurm = !strcmp(optarg, "slurm");
    if (!arguments->slurm && strcmp(optarg, "local") != 0)
        return command_usage_error(command, "--engine %.40s: expected local or slurm", optarg);
    return -1;
}

static int take_option(struct arguments *arguments, const char *command, int letter)
{
    long number;
    int code = -1;

    switch (letter) {
    case 'j':
        code = take_number(command, "jobs", 1024, &number);
        arguments->jobs = (unsigned)number;
        return code;
    case LETTER_CELL:
        code = take_number(command, "cell", SWEEP_CELLS_MAX, &number);
        arguments->cell = (size_t)number;
        return code;
    case LETTER_RESULTS:
        arguments->results = optarg;
        return -1;
    case LETTER_ENGINE:
        return take_engine(arguments, command);
    case LETTER_COLLECT:
        arguments->collect = true;
        return -1;
    case LETTER_NO_WAIT:
        arguments->no_wait = true;
        return -1;
    case LETTER_AGAIN:
        arguments->again = true;
        return -1;
    case LETTER_LIST:
        arguments->list = true;
        return -1;
    case LETTER_CSV:
        arguments->csv = true;
        return -1;
    case LETTER_JSON:
        arguments->json = true;
        return -1;
    case 'q':
        arguments->quiet = true;
        return -1;
    case 'h':
        fputs(sweep_help, stdout);
        return EXIT_DONE;
    default:
        return command_usage_hint(command);
    }
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int letter, code = -1;

    optind = 0;
    while (code < 0 && (letter = getopt_long(argc, argv, "hqj:", options, NULL)) != -1)
        code = take_option(arguments, argv[0], letter);
    if (code >= 0)
        return code;
    if (optind + 1 != argc)
        return command_usage_error(argv[0],
                                   optind < argc ? "name one sweep file" : "name a sweep file");
    arguments->file = argv[optind];
    if (arguments->csv && arguments->json)
        return command_usage_error(argv[0], "--csv and --json exclude each other");
    if (arguments->no_wait && !arguments->slurm)
        return command_usage_error(argv[0], "--no-wait is for --engine slurm");
    if (arguments->slurm + arguments->collect + (arguments->cell > 0) + arguments->list > 1)
        return command_usage_error(argv[0],
                                   "--engine slurm, --collect, --cell and --list exclude each "
                                   "other");
    if (arguments->again && arguments->collect)
        return command_usage_error(argv[0], "--collect computes nothing, also not --again");
    return -1;
}

/* What the callbacks of a sweep draw on. */
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
        return error_set(err, errno, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    return 0;
}

static int submit(struct sweep *sweep, const struct arguments *arguments,
                  const struct sweep_options *wanted, struct sweep_outcome *outcomes,
                  struct error *err)
{
    char program[4096];
    size_t tasks;

    if (own_path(program, sizeof program, err) < 0 ||
        sweep_submit(sweep, wanted, program, &tasks, err) < 0)
        return -1;
    if (!arguments->quiet && tasks > 0)
        fprintf(stderr, "galerna sweep: a job array of %zu tasks is submitted%s\n", tasks,
                arguments->no_wait ? "; collect its results with --collect" : "");
    if (arguments->no_wait)
        return 0;
    return sweep_wait(sweep, wanted, outcomes, err);
}

static int perform_cell(struct sweep *sweep, const struct arguments *arguments,
                        const struct sweep_options *wanted, const char *command)
{
    struct sweep_outcome outcome;
    struct error err = {0};

    if (sweep_perform(sweep, arguments->cell, wanted, &outcome, &err) < 0)
        return err.code == EINTR ? EXIT_INTERRUPTED : command_failed(command, &err);
    if (outcome.status == SWEEP_OK)
        return EXIT_DONE;
    fprintf(stderr, "%s: %s: %s\n", command, sweep_name(sweep, arguments->cell), outcome.message);
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
        fprintf(stderr, "%s: %zu more cells have messages; they are in the table cells\n", command,
                messages - MESSAGES_MAX);
    if (missing)
        fprintf(stderr, "%s: %zu of %zu cells are not there yet\n", command, missing, n);
    return code;
}

static int print_results(const struct sweep *sweep, const struct arguments *arguments,
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

static int carry_out(struct sweep *sweep, const struct arguments *arguments,
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
    if (arguments->slurm)
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

int command_sweep(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct sweep_options wanted = {.keep = -1, .stop = &stop_asked};
    struct error err = {0};
    struct sweep *sweep;
    int code = parse(&arguments, argc, argv);

    if (code >= 0)
        return code;
    sweep = sweep_read(arguments.file, &err);
    if (!sweep)
        return command_failed(argv[0], &err);
    wanted.results = arguments.results ? arguments.results : sweep_default_results(sweep);
    wanted.jobs = arguments.jobs;
    wanted.again = arguments.again;
    catch_signals();
    if (arguments.list)
        code =
            sweep_check(sweep, &err) < 0 ? command_failed(argv[0], &err) : sweep_print_list(sweep);
    else if (arguments.cell)
        code = perform_cell(sweep, &arguments, &wanted, argv[0]);
    else
        code = carry_out(sweep, &arguments, &wanted, argv[0]);
    sweep_destroy(sweep);
    return code;
}
