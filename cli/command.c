#include "cli/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/suggest.h"

const struct command command_table[] = {
    {"replay", NULL, "Run lease traces through the scheduler and tell what happened",
     command_replay},
    {"sweep", NULL, "Replay a grid of traces, policies and options", command_sweep},
    {"trace", "check", "Report every error of a trace, with line and column", command_trace_check},
    {"trace", "convert", "Turn SWF and Haizea's old traces into LWF", command_trace_convert},
    {"trace", "generate", "Make up a workload after published models", command_trace_generate},
    {"trace", "stats", "Describe a trace: leases, sizes, load", command_trace_stats},
    {"policy", "list", "List the policy modules that can be loaded", command_policy_list},
    {"policy", "show", "Describe a policy module and its options", command_policy_show},
    {"policy", "check", "Load a policy module and put it to the test", command_policy_check},
    {"experiment", "list", "List the experiments of published papers", command_experiment_list},
    {"experiment", "run", "Repeat an experiment and compare it with its paper",
     command_experiment_run},
    {"experiment", "report", "Sum up what experiments found", command_experiment_report},
    {"lease", "request", "Ask for a lease", command_lease_request},
    {"lease", "list", "List leases, and when they start", command_lease_list},
    {"lease", "show", "Show everything about a lease", command_lease_show},
    {"lease", "why", "Say why a lease waits, and until when", command_lease_why},
    {"lease", "cancel", "Give leases up", command_lease_cancel},
    {"lease", "history", "Tell what happened to a lease", command_lease_history},
    {"host", "list", "List hosts and how full they are", command_host_list},
    {"host", "timeline", "Show what happens on a host", command_host_timeline},
    {"queue", NULL, "List the leases that wait, in order", command_queue},
    {"status", NULL, "Say how the daemon is", command_status},
    {"verify", NULL, "Prove that a recorded schedule keeps its promises", command_verify},
    {"sandbox", NULL, "Serve a stand-in for OpenNebula to try things on", command_sandbox},
    {"setup", NULL, "Tell what has to be changed in OpenNebula, and check it", command_setup},
};

const size_t command_count = sizeof command_table / sizeof *command_table;

static void print_commands(FILE *stream, const char *noun)
{
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &command_table[i];

        if (!noun || !strcmp(noun, command->noun))
            fprintf(stream, "  %-11s%-9s%s\n", command->noun, command->verb ? command->verb : "",
                    command->summary);
    }
}

static int print_help(void)
{
    printf("usage: galerna COMMAND [ARGUMENTS]\n\n"
           "Galerna schedules leases of virtual machines.\n\n");
    print_commands(stdout, NULL);
    printf("\n'galerna COMMAND --help' tells about a command; galerna --version prints the "
           "version.\n");
    return EXIT_DONE;
}

static int print_version(void)
{
    printf("galerna %s\n", GALERNA_VERSION);
    return EXIT_DONE;
}

static int unknown_noun(const char *noun)
{
    struct suggestion suggestion;
    char near[80];

    suggestion_init(&suggestion, noun);
    for (size_t i = 0; i < command_count; i++)
        suggestion_offer(&suggestion, command_table[i].noun);
    return command_usage_error("galerna", "unknown command '%.60s'%s", noun,
                               suggestion_text(&suggestion, near, sizeof near));
}

/* A noun that needs a verb, without a right one. */
static int explain_noun(const char *noun, const char *verb)
{
    struct suggestion suggestion;
    char name[80], near[80];

    if (verb && (!strcmp(verb, "--help") || !strcmp(verb, "-h"))) {
        printf("usage: galerna %s VERB [ARGUMENTS]\n\n", noun);
        print_commands(stdout, noun);
        return EXIT_DONE;
    }
    snprintf(name, sizeof name, "galerna %s", noun);
    if (!verb) {
        fprintf(stderr, "%s: a verb is missing, one of:\n", name);
        print_commands(stderr, noun);
        return EXIT_USAGE;
    }
    suggestion_init(&suggestion, verb);
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(command_table[i].noun, noun))
            suggestion_offer(&suggestion, command_table[i].verb);
    return command_usage_error(name, "unknown verb '%.60s'%s", verb,
                               suggestion_text(&suggestion, near, sizeof near));
}

static int run_command(const struct command *command, int argc, char **argv)
{
    int taken = command->verb ? 2 : 1;
    char name[80];

    snprintf(name, sizeof name, "galerna %s%s%s", command->noun, command->verb ? " " : "",
             command->verb ? command->verb : "");
    if (argc > taken + 1 && !strcmp(argv[taken + 1], "--version"))
        return print_version();
    argv[taken] = name;
    return command->run(argc - taken, argv + taken);
}

static int find_and_run(int argc, char **argv)
{
    bool known = false;

    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &command_table[i];

        if (strcmp(command->noun, argv[1]))
            continue;
        known = true;
        if (!command->verb || (argc > 2 && !strcmp(command->verb, argv[2])))
            return run_command(command, argc, argv);
    }
    if (!known)
        return unknown_noun(argv[1]);
    if (argc > 2 && !strcmp(argv[2], "--version"))
        return print_version();
    return explain_noun(argv[1], argc > 2 ? argv[2] : NULL);
}

int command_main(int argc, char **argv)
{
    int code;

    if (argc < 2) {
        fprintf(stderr, "usage: galerna COMMAND [ARGUMENTS]\n\n");
        print_commands(stderr, NULL);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        code = print_help();
    else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))
        code = print_version();
    else
        code = find_and_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "galerna: cannot write to standard output\n");
        return code == EXIT_DONE ? EXIT_FAILED : code;
    }
    return code;
}
