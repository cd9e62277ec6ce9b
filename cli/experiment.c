/* galerna experiment list and run: the experiments of published papers, repeated. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "experiments/experiment.h"
#include "util/memory.h"

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

struct arguments {
    struct experiment_request request;
    const char **set;
    size_t n_set, allocated;
    const char *name, *folder;
    const struct experiment *experiment; /* NULL: all */
    bool all, quiet;
    struct progress progress;
};

static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"set", required_argument, NULL, 's'},
    {"parallel", required_argument, NULL, 'j'},
    {"quick", no_argument, NULL, 'Q'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void print_list(void)
{
    for (size_t i = 0; i < experiment_count; i++)
        printf("%-10s %s\n", experiment_table[i]->name, experiment_table[i]->title);
}

static void print_help(void)
{
    printf("usage: galerna experiment run NAME|all --out DIR [OPTION]...\n\n"
           "Repeat an experiment and write its numbers beside those of its paper: summary.json,\n"
           "tables (CSV), diagrams (SVG) and a page (index.html). With `all`, each goes into a\n"
           "folder of its own below DIR. The same options give the same files.\n\n"
           "  -o, --out DIR            where to write; made when it is not there\n"
           "  -s, --set OPTION=VALUE   what the paper leaves open; may be repeated (see\n"
           "                           `galerna experiment list NAME`)\n"
           "  -j, --parallel N         processes at a time (one per processor)\n"
           "      --quick              a small part of it, in seconds, to see that it works\n"
           "  -q, --quiet              no progress bar, no list of verdicts\n"
           "      --help               print this\n\n"
           "Experiments:\n");
    print_list();
    printf("\nExit code: 0 done, whatever the verdicts, 1 failed, 64 wrong command line,\n"
           "130 interrupted.\n");
}

static int parse_option(struct arguments *arguments, const char *command, int letter)
{
    char *end;

    switch (letter) {
    case 'o':
        arguments->folder = optarg;
        return -1;
    case 's':
        arguments->set = memory_grow(arguments->set, &arguments->allocated, arguments->n_set + 1,
                                     sizeof *arguments->set);
        arguments->set[arguments->n_set++] = optarg;
        return -1;
    case 'j':
        arguments->request.parallel = strtol(optarg, &end, 10);
        if (!*optarg || *end || arguments->request.parallel < 1 ||
            arguments->request.parallel > 1024)
            return command_usage_error(command, "--parallel %.40s: expected 1 to 1024", optarg);
        return -1;
    case 'Q':
        arguments->request.quick = true;
        return -1;
    case 'q':
        arguments->quiet = true;
        return -1;
    case 'h':
        print_help();
        return EXIT_DONE;
    default:
        return command_usage_hint(command);
    }
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int letter, code = -1;

    optind = 0;
    while (code < 0 && (letter = getopt_long(argc, argv, "ho:s:j:q", options, NULL)) != -1)
        code = parse_option(arguments, argv[0], letter);
    if (code >= 0)
        return code;
    if (optind < argc)
        arguments->name = argv[optind++];
    if (optind < argc)
        return command_usage_error(argv[0], "unexpected argument '%.60s'", argv[optind]);
    if (arguments->name && !arguments->folder)
        return command_usage_error(argv[0], "--out is missing: the folder to write to");
    return -1;
}

static void show(void *context, double done, const char *what)
{
    progress_show(context, done, what);
}

static int run_one(struct arguments *arguments, const struct experiment *experiment,
                   const char *folder, struct error *err)
{
    size_t verdicts[VERDICTS];
    int result;

    arguments->request.folder = folder;
    arguments->request.set = arguments->set;
    arguments->request.n_set = arguments->n_set;
    progress_init(&arguments->progress, arguments->quiet);
    result = experiment_perform(experiment, &arguments->request, verdicts, err);
    progress_finish(&arguments->progress);
    if (result == 0 && !arguments->quiet)
        printf("%-10s %2zu agree, %2zu same shape, %2zu differ   %s/index.html\n", experiment->name,
               verdicts[VERDICT_AGREES], verdicts[VERDICT_SAME_SHAPE], verdicts[VERDICT_DIFFERS],
               folder);
    return result;
}

static int run_all(struct arguments *arguments, struct error *err)
{
    int result = 0;

    for (size_t i = 0; i < experiment_count && result == 0; i++) {
        char *folder;

        if (asprintf(&folder, "%s/%s", arguments->folder, experiment_table[i]->name) < 0)
            abort();
        result = run_one(arguments, experiment_table[i], folder, err);
        free(folder);
    }
    return result;
}

/* What can be known to be wrong before anything is run. False: it has been said. */
static bool check(struct arguments *arguments, const char *command)
{
    struct error err = {0};

    if (!arguments->name) {
        command_usage_error(command, "which experiment? One of the list, or all");
        return false;
    }
    arguments->all = strcmp(arguments->name, "all") == 0;
    if (arguments->all && arguments->n_set > 0) {
        command_usage_error(command, "--set goes with one experiment, not with all");
        return false;
    }
    if (arguments->all)
        return true;
    arguments->experiment = experiment_find(arguments->name, &err);
    if (!arguments->experiment || experiment_check_options(arguments->experiment, arguments->set,
                                                           arguments->n_set, &err) < 0) {
        command_usage_error(command, "%s", err.text);
        return false;
    }
    return true;
}

static int run(struct arguments *arguments, struct error *err)
{
    return arguments->all ? run_all(arguments, err)
                          : run_one(arguments, arguments->experiment, arguments->folder, err);
}

int command_experiment_run(int argc, char **argv)
{
    struct arguments arguments = {.request = {.stop = &stopped, .progress = show}};
    const struct sigaction action = {.sa_handler = stop};
    struct error err = {0};
    int code = parse(&arguments, argc, argv);

    if (code < 0 && !check(&arguments, argv[0]))
        code = EXIT_USAGE;
    arguments.request.context = &arguments.progress;
    stopped = 0;
    sigaction(SIGINT, &action, NULL);
    if (code < 0) {
        code = run(&arguments, &err) < 0 ? command_failed(argv[0], &err) : EXIT_DONE;
        if (code == EXIT_FAILED && err.code == EINTR)
            code = EXIT_INTERRUPTED;
    }
    free(arguments.set);
    return code;
}

static void print_experiment(const struct experiment *experiment)
{
    printf("%s: %s\n\n%s\n\n%s\n", experiment->name, experiment->title, experiment->paper,
           experiment->summary);
    if (experiment->n_options > 0)
        printf("\nOptions (--set OPTION=VALUE) for what the paper leaves open:\n");
    for (size_t i = 0; i < experiment->n_options; i++) {
        const struct experiment_option *option = &experiment->options[i];

        printf("  %-16s %s\n", option->name, option->description);
        if (option->choices && *option->choices)
            printf("  %-16s %s (%s)\n", "", option->choices, option->value);
        else
            printf("  %-16s %g to %g (%s)\n", "", option->least, option->most, option->value);
    }
}

int command_experiment_list(int argc, char **argv)
{
    const struct experiment *experiment;
    struct error err;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("usage: galerna experiment list [NAME]\n\n"
               "List the experiments, or tell about one and its options.\n");
        return EXIT_DONE;
    }
    if (argc > 2 || (argc > 1 && argv[1][0] == '-'))
        return command_usage_error(argv[0], "unexpected argument '%.60s'", argv[argc - 1]);
    if (argc == 1) {
        print_list();
        return EXIT_DONE;
    }
    experiment = experiment_find(argv[1], &err);
    if (!experiment)
        return command_usage_error(argv[0], "%s", err.text);
    print_experiment(experiment);
    return EXIT_DONE;
}
