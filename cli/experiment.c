/* galerna experiment list and run: the experiments of published papers, repeated. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
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

struct experiment_arguments {
    struct experiment_request request;
    struct text_list set;
    int64_t parallel;
    const char *name, *folder, *logs;
    const struct experiment *experiment; /* NULL: all */
    bool all, quick, quiet;
    struct progress progress;
};

static void print_list(FILE *stream)
{
    for (size_t i = 0; i < experiment_count; i++)
        fprintf(stream, "%-12s %s\n", experiment_table[i]->name, experiment_table[i]->title);
}

static void print_experiments(FILE *stream)
{
    fprintf(stream, "Experiments:\n");
    print_list(stream);
}

static void offer_names(FILE *stream)
{
    for (size_t i = 0; i < experiment_count; i++)
        fprintf(stream, "%s\n", experiment_table[i]->name);
}

static void offer_names_and_all(FILE *stream)
{
    offer_names(stream);
    fputs("all\n", stream);
}

static void offer_settings(FILE *stream)
{
    for (size_t i = 0; i < experiment_count; i++)
        for (size_t k = 0; k < experiment_table[i]->n_options; k++)
            fprintf(stream, "%s=\n", experiment_table[i]->options[k].name);
}

#define AT(member) offsetof(struct experiment_arguments, member)

static const struct command_option run_options[] = {
    {"out", .letter = 'o', .type = ARGUMENT_TEXT, .argument = "DIR", .offset = AT(folder),
     .help = "Write to DIR, which is created if it does not exist. Files of earlier runs are "
             "replaced"},
    {"set", .letter = 's', .type = ARGUMENT_LIST, .argument = "OPTION=VALUE", .offset = AT(set),
     .offer = offer_settings,
     .help = "Set a parameter that the paper leaves open. May be repeated; 'galerna experiment "
             "list NAME' lists the options with their defaults"},
    {"logs", .type = ARGUMENT_TEXT, .argument = "DIR", .offset = AT(logs),
     .help = "Replay the logs of the Parallel Workloads Archive in DIR, under their original names "
             "(KTH-SP2-1996-2.1-cln.swf, ...). Only for the experiment backfilling, which "
             "otherwise generates workloads"},
    {"parallel", .letter = 'j', .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(parallel),
     .least = 1, .most = 1024,
     .help = "Run at most N processes at a time, one per processor by default. Results do not "
             "depend on N"},
    {"quick", .type = ARGUMENT_FLAG, .offset = AT(quick),
     .help = "Run a small part of the experiment, in seconds, as a trial. Its verdicts are "
             "meaningless"},
    {"quiet", .letter = 'q', .type = ARGUMENT_FLAG, .offset = AT(quiet),
     .help = "Print no progress bar and no list of verdicts"},
};

const struct command_line experiment_run_line = {
    .name = "galerna experiment run",
    .summary = "Repeat an experiment and compare it with its paper",
    .purpose =
        "Repeat an experiment and write its numbers next to those of the paper: summary.json, "
        "tables (CSV), diagrams (SVG) and a page (index.html). With 'all', each experiment gets "
        "its own directory below DIR. The same options give the same files.",
    .operands = "NAME|all",
    .groups = {OPTION_GROUP(run_options)},
    .more = print_experiments,
    .codes = {{EXIT_DONE, "Success, whatever the verdicts"},
              {EXIT_FAILED, "A run or a file failed"},
              {EXIT_INTERRUPTED, "Interrupted"}},
    .offer = offer_names_and_all,
    .size = sizeof(struct experiment_arguments),
};

static void show(void *context, double done, const char *what)
{
    progress_show(context, done, what);
}

static int run_one(struct experiment_arguments *arguments, const struct experiment *experiment,
                   const char *folder, struct error *err)
{
    size_t verdicts[VERDICTS];
    int result;

    arguments->request.folder = folder;
    arguments->request.logs = experiment->reads_logs ? arguments->logs : NULL;
    arguments->request.set = (const char *const *)arguments->set.items;
    arguments->request.n_set = arguments->set.n;
    progress_init(&arguments->progress, arguments->quiet);
    result = experiment_perform(experiment, &arguments->request, verdicts, err);
    progress_finish(&arguments->progress);
    if (result == 0 && !arguments->quiet)
        printf("%-12s %2zu agree, %2zu same shape, %2zu differ   %s/index.html\n", experiment->name,
               verdicts[VERDICT_AGREES], verdicts[VERDICT_SAME_SHAPE], verdicts[VERDICT_DIFFERS],
               folder);
    return result;
}

static int run_all(struct experiment_arguments *arguments, struct error *err)
{
    int result = 0;

    for (size_t i = 0; i < experiment_count && result == 0; i++) {
        char *folder;

        folder = memory_format("%s/%s", arguments->folder, experiment_table[i]->name);
        result = run_one(arguments, experiment_table[i], folder, err);
        free(folder);
    }
    return result;
}

/* Finds errors before anything runs. False: they are reported. */
static bool check(struct experiment_arguments *arguments, const char *command)
{
    struct error err = {0};

    if (!arguments->folder) {
        command_usage_error(command, "--out is missing: the directory to write to");
        return false;
    }
    arguments->all = strcmp(arguments->name, "all") == 0;
    if (arguments->all && arguments->set.n > 0) {
        command_usage_error(command, "--set requires a single experiment, not 'all'");
        return false;
    }
    if (arguments->all)
        return true;
    arguments->experiment = experiment_find(arguments->name, &err);
    if (!arguments->experiment ||
        experiment_check_options(arguments->experiment, (const char *const *)arguments->set.items,
                                 arguments->set.n, &err) < 0) {
        command_usage_error(command, "%s", err.text);
        return false;
    }
    if (arguments->logs && !arguments->experiment->reads_logs) {
        command_usage_error(command, "--logs: experiment %s does not read logs", arguments->name);
        return false;
    }
    return true;
}

static int run(struct experiment_arguments *arguments, struct error *err)
{
    return arguments->all ? run_all(arguments, err)
                          : run_one(arguments, arguments->experiment, arguments->folder, err);
}

int command_experiment_run(const struct call *call)
{
    struct experiment_arguments *arguments = call->arguments;
    const struct sigaction action = {.sa_handler = stop};
    struct error err = {0};

    arguments->name = call->operands[0];
    arguments->request.stop = &stopped;
    arguments->request.progress = show;
    arguments->request.context = &arguments->progress;
    arguments->request.parallel = (long)arguments->parallel;
    arguments->request.quick = arguments->quick;
    if (!check(arguments, call->name))
        return EXIT_USAGE;
    stopped = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (run(arguments, &err) == 0)
        return EXIT_DONE;
    command_failed(call->name, &err);
    return err.code == EINTR ? EXIT_INTERRUPTED : EXIT_FAILED;
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
            printf("  %-16s %.15g to %.15g (%s)\n", "", option->least, option->most, option->value);
    }
}

const struct command_line experiment_list_line = {
    .name = "galerna experiment list",
    .summary = "List the experiments of published papers",
    .purpose = "List the experiments, or describe one and its options.",
    .operands = "[NAME]",
    .codes = {{EXIT_DONE, "Success"}},
    .offer = offer_names,
};

int command_experiment_list(const struct call *call)
{
    const struct experiment *experiment;
    struct error err;

    if (!call->n) {
        print_list(stdout);
        return EXIT_DONE;
    }
    experiment = experiment_find(call->operands[0], &err);
    if (!experiment)
        return command_usage_error(call->name, "%s", err.text);
    print_experiment(experiment);
    return EXIT_DONE;
}
