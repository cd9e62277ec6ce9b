#include "cli/replay.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "configuration/option.h"
#include "report/summary.h"
#include "util/memory.h"

enum {
    OPTION_SITE = 256,
    OPTION_POLICY,
    OPTION_SET,
    OPTION_COMPATIBILITY,
    OPTION_JSON,
    OPTION_LIST,
    OPTION_FILES, /* plus the enum replay_output */
};

static const char replay_help[] =
    "usage: galerna replay [OPTIONS] [TRACE...]\n"
    "\n"
    "Run lease traces (LWF or SWF; - is standard input) through the scheduler and print what\n"
    "happened.\n"
    "\n"
    "  -c, --configuration FILE  a configuration file, Haizea's or Galerna's; may be repeated\n"
    "      --site HOSTS          the site, as in 144,cpu=100,memory=1024[,gpu=2]; several kinds\n"
    "                            of hosts are joined by +\n"
    "      --policy KIND=NAME    admission, preemption or host-selection: modules by name or\n"
    "                            path, with weights, as in host-selection=greedy*2,pack\n"
    "      --set SECTION.OPTION=VALUE\n"
    "                            set any option of the configuration; may be repeated\n"
    "      --compatibility MODE  default, or haizea-1.0: schedule exactly as Haizea 1.0\n"
    "      --list-options        print all options of configuration files and end\n"
    "\n"
    "      --record FILE.json    write the whole schedule\n"
    "      --jobs FILE.csv       write a line per lease, for evalys and others\n"
    "      --events FILE.jsonl   write what was decided, event by event\n"
    "      --results FILE.db     write leases, reservations and counters to SQLite\n"
    "      --gantt FILE.svg      draw hosts over time\n"
    "      --json                print the summary as JSON\n"
    "  -j, --parallel N          run at most N at a time (one per processor)\n"
    "  -q, --quiet               no progress bar, no summary for people\n"
    "      --help                print this and end\n"
    "\n"
    "Without -c, each TRACE is run with the default configuration; with it, each configuration\n"
    "is run with each TRACE, or with its own trace when none is given. Several runs are compared\n"
    "in one table. Their outputs need names of their own: %s in FILE stands for the run's name;\n"
    "when FILE is a folder, a file of that name is put into it; else the name goes in front of\n"
    "FILE's ending. File names in a configuration file are relative to it.\n"
    "\n"
    "Ctrl-C ends a replay in order: what was done so far is written and summed up.\n"
    "Exit codes: 0 done, 1 failed, 64 wrong usage, 130 interrupted.\n";

static void add_set(struct replay_options *options, const char *section_and_kind, const char *value)
{
    size_t size = strlen(section_and_kind) + strlen(value) + 2;
    char *text = memory_new(size, 1);

    snprintf(text, size, "%s%s", section_and_kind, value);
    text_list_add(&options->set, text);
    free(text);
}

/* --policy kind=name is short for --set scheduling.policy-kind=name. */
static int add_policy(struct replay_options *options, const char *command, const char *text)
{
    static const char *const kinds[] = {"admission", "preemption", "host-selection"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]);

        if (!strncmp(text, kinds[i], length) && text[length] == '=') {
            add_set(options, "scheduling.policy-", text);
            return 0;
        }
    }
    return command_usage_error(command,
                               "--policy %.60s: expected admission=NAME, preemption=NAME or "
                               "host-selection=NAME",
                               text);
}

static int take_option(struct replay_options *options, const char *command, int option)
{
    char *end;

    switch (option) {
    case 'c':
        text_list_add(&options->configurations, optarg);
        return 0;
    case 'j':
        options->parallel = strtol(optarg, &end, 10);
        if (*end || options->parallel < 1 || options->parallel > 1024)
            return command_usage_error(
                command, "--parallel %.20s: expected a number from 1 to 1024", optarg);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case OPTION_SITE:
        options->site = optarg;
        return 0;
    case OPTION_POLICY:
        return add_policy(options, command, optarg);
    case OPTION_SET:
        text_list_add(&options->set, optarg);
        return 0;
    case OPTION_COMPATIBILITY:
        options->compatibility = optarg;
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    default:
        if (option < OPTION_FILES || option >= OPTION_FILES + REPLAY_OUTPUTS)
            return command_usage_hint(command); /* getopt has said what is wrong */
        options->outputs[option - OPTION_FILES] = optarg;
        return 0;
    }
}

static const struct option long_options[] = {
    {"configuration", required_argument, NULL, 'c'},
    {"conf", required_argument, NULL, 'c'},
    {"site", required_argument, NULL, OPTION_SITE},
    {"policy", required_argument, NULL, OPTION_POLICY},
    {"set", required_argument, NULL, OPTION_SET},
    {"compatibility", required_argument, NULL, OPTION_COMPATIBILITY},
    {"list-options", no_argument, NULL, OPTION_LIST},
    {"json", no_argument, NULL, OPTION_JSON},
    {"parallel", required_argument, NULL, 'j'},
    {"jobs-parallel", required_argument, NULL, 'j'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"record", required_argument, NULL, OPTION_FILES + REPLAY_RECORD},
    {"jobs", required_argument, NULL, OPTION_FILES + REPLAY_JOBS},
    {"events", required_argument, NULL, OPTION_FILES + REPLAY_EVENTS},
    {"results", required_argument, NULL, OPTION_FILES + REPLAY_RESULTS},
    {"gantt", required_argument, NULL, OPTION_FILES + REPLAY_GANTT},
    {0},
};

/* -1: go on; else the exit code. */
static int parse_arguments(struct replay_options *options, int argc, char **argv)
{
    int option;

    while ((option = getopt_long(argc, argv, "c:j:qh", long_options, NULL)) != -1) {
        int code;

        if (option == 'h') {
            fputs(replay_help, stdout);
            return EXIT_DONE;
        }
        if (option == OPTION_LIST) {
            option_print_table(stdout);
            return EXIT_DONE;
        }
        code = take_option(options, argv[0], option);
        if (code)
            return code;
    }
    for (int i = optind; i < argc; i++)
        text_list_add(&options->traces, argv[i]);
    if (options->traces.n_items == 0 && options->configurations.n_items == 0)
        return command_usage_error(argv[0], "name a trace, or a configuration with -c");
    return -1;
}

static unsigned terminal_width(void)
{
    struct winsize size;

    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool summary_goes_to_stderr(const struct replay_options *options)
{
    for (size_t kind = 0; kind < REPLAY_OUTPUTS; kind++)
        if (options->outputs[kind] && !strcmp(options->outputs[kind], "-"))
            return true;
    return false;
}

static int write_summary(const struct replay_options *options, const struct summary_run *runs,
                         size_t n_runs, struct error *err)
{
    struct output *out = output_create(summary_goes_to_stderr(options) ? "/dev/stderr" : "-", err);

    if (!out)
        return -1;
    if (options->json)
        summary_write_json(out, runs, n_runs);
    else
        summary_write_table(out, runs, n_runs, terminal_width());
    return output_close(out, err);
}

/* Print what went wrong and the summary of what went right. Returns the exit code of all runs. */
static int tell(const struct replay_plan *plan, const struct replay_options *options,
                const struct replay_outcome *outcomes, const char *command)
{
    struct summary_run *runs = memory_new(plan->n_runs, sizeof *runs);
    struct error err = {0};
    size_t n = 0;
    int code = EXIT_DONE;

    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct replay_outcome *outcome = &outcomes[i];
        const char *name = plan->runs[i].name;
        bool named = plan->n_runs > 1 && strncmp(outcome->message, name, strlen(name)) != 0;

        if (outcome->message[0])
            fprintf(stderr, "%s: %s%s%s\n", command, named ? name : "", named ? ": " : "",
                    outcome->message);
        if (outcome->code == EXIT_INTERRUPTED || code == EXIT_DONE)
            code = outcome->code;
        if (outcome->code == EXIT_FAILED || (outcome->code && !outcome->interrupted))
            continue;
        runs[n++] = (struct summary_run){
            .name = plan->runs[i].name,
            .status = outcome->interrupted ? "interrupted"
                      : outcome->stuck     ? "stuck"
                                           : NULL,
            .figures = outcome->figures,
            .cpu_seconds = outcome->cpu_seconds,
            .peak_memory_kb = outcome->peak_memory_kb,
        };
    }
    if (n && (options->json || !options->quiet) && write_summary(options, runs, n, &err) < 0)
        code = command_failed(command, &err);
    free(runs);
    return code;
}

static int replay(const struct replay_options *options, const char *command)
{
    struct replay_plan plan;
    struct replay_outcome *outcomes;
    struct error err = {0};
    int code;

    if (replay_plan_make(&plan, options, &err) < 0) {
        replay_plan_finish(&plan);
        command_failed(command, &err);
        return replay_plan_is_misused(options) ? command_usage_hint(command) : EXIT_FAILED;
    }
    outcomes = memory_new(plan.n_runs, sizeof *outcomes);
    if (replay_all(&plan, options, outcomes, &err) < 0)
        code = command_failed(command, &err);
    else
        code = tell(&plan, options, outcomes, command);
    if (code == EXIT_FAILED && replay_plan_is_misused(options))
        code = command_usage_hint(command);
    free(outcomes);
    replay_plan_finish(&plan);
    return code;
}

int command_replay(int argc, char **argv)
{
    struct replay_options options = {.parallel = sysconf(_SC_NPROCESSORS_ONLN)};
    int code;

    if (options.parallel < 1)
        options.parallel = 1;
    code = parse_arguments(&options, argc, argv);
    if (code < 0)
        code = replay(&options, argv[0]);
    text_list_finish(&options.traces);
    text_list_finish(&options.configurations);
    text_list_finish(&options.set);
    return code;
}
