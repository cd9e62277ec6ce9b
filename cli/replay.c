/* galerna replay: the command. */
#include "cli/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "configuration/option.h"
#include "plugin/configured.h"
#include "report/summary.h"
#include "util/memory.h"

/* Translates --policy kind=name to --set scheduling.policy-kind=name. value: the list of --set. */
static int take_policy(const struct command_option *option, void *value, const char *text,
                       struct error *err)
{
    static const char *const kinds[] = {"admission=", "preemption=", "host-selection="};

    (void)option;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(text, kinds[i], strlen(kinds[i]))) {
            char *set = memory_format("scheduling.policy-%s", text);
            text_list_add(value, set);
            free(set);
            return 0;
        }
    return error_set(err, EINVAL,
                     "expected admission=NAME, preemption=NAME or host-selection=NAME");
}

static void offer_settings(FILE *stream)
{
    for (size_t i = 0; i < option_count; i++)
        fprintf(stream, "%s.%s=\n", option_table[i].section, option_table[i].name);
}

#define AT(member) offsetof(struct replay_options, member)

static const struct command_option own_options[] = {
    {"configuration", .letter = 'c', .type = ARGUMENT_LIST, .argument = "FILE",
     .offset = AT(configurations),
     .help = "Configuration file, Haizea's or Galerna's (galerna.conf(5)). May be repeated"},
    {"site", .type = ARGUMENT_TEXT, .argument = "HOSTS", .offset = AT(site),
     .help =
         "The site, such as 144,cpu=100,memory=1024[,gpu=2]: the number of hosts and what each "
         "has. CPU is in percent of a processor, memory and disk are in MB. Different hosts are "
         "joined by '+'. By default, the site of the configuration or of the trace"},
    {"policy", .type = ARGUMENT_OWN, .argument = "KIND=NAME", .offset = AT(set),
     .words = "admission=|preemption=|host-selection=", .take = take_policy,
     .help = "Policy modules for admission, preemption or host-selection, by name or path, with "
             "weights: host-selection=greedy*2,pack. Short for --set scheduling.policy-KIND=NAME"},
    {"set", .type = ARGUMENT_LIST, .argument = "SECTION.OPTION=VALUE", .offset = AT(set),
     .offer = offer_settings,
     .help = "Set any option of the configuration; it overrides the file. May be repeated"},
    {"compatibility", .type = ARGUMENT_TEXT, .argument = "MODE", .offset = AT(compatibility),
     .words = "default|haizea-1.0",
     .help = "default, or haizea-1.0: schedule exactly as Haizea 1.0 does, including its quirks"},
    {"as-jobs", .type = ARGUMENT_FLAG, .offset = AT(as_jobs),
     .help = "Replay leases as the jobs of a batch scheduler: none is suspended, preempted or "
             "migrated. Short for --set scheduling.suspension=none --set "
             "scheduling.policy-preemption=no-preemption --set scheduling.migration=no"},
    {"list-options", .type = ARGUMENT_ANSWER, .answer = option_print_table,
     .help = "Print all options of configuration files and exit"},
    {"parallel", .letter = 'j', .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(parallel),
     .least = 1, .most = 1024,
     .help = "Run at most N replays at a time; one per processor by default"},
    {"json", .type = ARGUMENT_FLAG, .offset = AT(json), .help = "Print the summary as JSON"},
    {"quiet", .letter = 'q', .type = ARGUMENT_FLAG, .offset = AT(quiet),
     .help = "Print no progress bar and no summary table"},
    {"verbose", .letter = 'v', .type = ARGUMENT_FLAG, .offset = AT(verbose),
     .help = "Print all messages of policy modules, not only warnings and errors"},
};

static const struct command_option file_options[] = {
    {"record", .type = ARGUMENT_TEXT, .argument = "FILE.json", .offset = AT(outputs[REPLAY_RECORD]),
     .help = "Write the whole schedule: leases with every reservation and mapping, state changes, "
             "preemptions, counters and statistics. 'galerna verify' checks it"},
    {"jobs", .type = ARGUMENT_TEXT, .argument = "FILE.csv", .offset = AT(outputs[REPLAY_JOBS]),
     .help = "Write a line per lease, with the columns that evalys and Batsim use"},
    {"events", .type = ARGUMENT_TEXT, .argument = "FILE.jsonl",
     .offset = AT(outputs[REPLAY_EVENTS]),
     .help = "Write every decision as it is made, a line of JSON per event"},
    {"results", .type = ARGUMENT_TEXT, .argument = "FILE.db", .offset = AT(outputs[REPLAY_RESULTS]),
     .help = "Write leases, reservations, counters and the run itself to an SQLite database"},
    {"gantt", .type = ARGUMENT_TEXT, .argument = "FILE.svg", .offset = AT(outputs[REPLAY_GANTT]),
     .help = "Draw a Gantt chart: hosts over time, a color per lease"},
};

static void init_arguments(void *arguments)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    ((struct replay_options *)arguments)->parallel = processors < 1 ? 1 : processors;
}

const struct command_line replay_line = {
    .name = "galerna replay",
    .summary = "Replay lease traces on simulated hosts",
    .purpose =
        "Replay lease traces (LWF or SWF; - is standard input) on simulated hosts and print a "
        "summary.\n\n"
        "Without -c, each TRACE is replayed with the default configuration; with -c, each "
        "configuration is run with each TRACE, or with its own trace when none is given. "
        "Several runs are compared in one table.",
    .operands = "[TRACE]...",
    .groups = {OPTION_GROUP(own_options),
               {.title = "Output files",
                .options = file_options,
                .n = sizeof file_options / sizeof *file_options}},
    .notes = "An output file may be - for standard output, except with --results. With several "
             "runs, %s in its name stands for the name of the run; in a directory, each run gets a "
             "file of its name; otherwise the name of the run is inserted before the suffix. File "
             "names in a "
             "configuration file are relative to that file.\n\nCtrl-C ends a replay cleanly: the "
             "results so far are written and summarized.",
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "A replay failed or got stuck: leases wait forever"},
              {EXIT_INTERRUPTED, "Interrupted"}},
    .init = init_arguments,
    .size = sizeof(struct replay_options),
};

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

/* Prints the errors, and the summary of the runs without errors. Returns the exit code of all runs.
 */
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
        if (outcome->code && !outcome->interrupted && !outcome->stuck)
            continue;
        runs[n++] = (struct summary_run){
            .name = plan->runs[i].name,
            .status = outcome->interrupted ? "interrupted"
                      : outcome->stuck     ? "stuck"
                                           : NULL,
            .haizea = plan->runs[i].configuration->compatibility == COMPATIBILITY_HAIZEA_1_0,
            .suspended_jobs = outcome->suspended_jobs,
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

static bool is_loaded(const struct replay_plan *plan, const char *policy)
{
    for (size_t i = 0; i < plan->n_runs; i++)
        if (policy_configured_loads(plan->runs[i].configuration, policy))
            return true;
    return false;
}

/* Options in files may be for other runs, those of the command line are for these. */
static void warn_of_unused(const struct replay_plan *plan, const char *command)
{
    const struct configuration *first = plan->runs[0].configuration;

    for (size_t i = 0; i < first->n_policy_settings; i++) {
        const struct policy_setting *setting = &first->policy_settings[i];

        if (setting->line == 0 && !is_loaded(plan, setting->policy))
            fprintf(stderr, "%s: --set policy.%s.%s has no effect: the policy is not used\n",
                    command, setting->policy, setting->name);
    }
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
    if (code == EXIT_DONE)
        warn_of_unused(&plan, command);
    if (code == EXIT_FAILED && replay_plan_is_misused(options))
        code = command_usage_hint(command);
    free(outcomes);
    replay_plan_finish(&plan);
    return code;
}

static void add_settings_of_jobs(struct text_list *set)
{
    text_list_add(set, "scheduling.suspension=none");
    text_list_add(set, "scheduling.policy-preemption=no-preemption");
    text_list_add(set, "scheduling.migration=no");
}

int command_replay(const struct call *call)
{
    struct replay_options *options = call->arguments;

    if (options->as_jobs)
        add_settings_of_jobs(&options->set);
    options->traces = call->operands;
    options->n_traces = (size_t)call->n;
    if (options->n_traces == 0 && options->configurations.n == 0)
        return command_usage_error(call->name, "specify a trace, or a configuration with -c");
    return replay(options, call->name);
}
