#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/sandbox.h"

enum {
    OPTION_VERSION = 256,
    OPTION_LISTEN,
    OPTION_PORT,
    OPTION_USER,
    OPTION_PASSWORD,
    OPTION_AUTH,
    OPTION_HOSTS,
    OPTION_CPU,
    OPTION_MEMORY,
    OPTION_STATE,
    OPTION_FAULTS,
    OPTION_CLOCK_RATE,
    OPTION_CLOCK_OFFSET,
    OPTION_HOLD,
    OPTION_LOSE,
    OPTION_PLACE,
    OPTION_WINDOW_TIME,
    OPTION_WINDOW_LENGTH,
    OPTION_RETRY_TIME,
    OPTION_HOOK,
    OPTION_CONFIGURATION,
    OPTION_SEED,
    OPTION_JSON,
    OPTION_TIME, /* and one more for each phase */
};

static const struct option options[] = {
    {"opennebula", required_argument, NULL, OPTION_VERSION},
    {"listen", required_argument, NULL, OPTION_LISTEN},
    {"port", required_argument, NULL, OPTION_PORT},
    {"user", required_argument, NULL, OPTION_USER},
    {"password-file", required_argument, NULL, OPTION_PASSWORD},
    {"auth", required_argument, NULL, OPTION_AUTH},
    {"hosts", required_argument, NULL, OPTION_HOSTS},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"state", required_argument, NULL, OPTION_STATE},
    {"faults", required_argument, NULL, OPTION_FAULTS},
    {"clock-rate", required_argument, NULL, OPTION_CLOCK_RATE},
    {"clock-offset", required_argument, NULL, OPTION_CLOCK_OFFSET},
    {"submit-on-hold", no_argument, NULL, OPTION_HOLD},
    {"lose-operations", no_argument, NULL, OPTION_LOSE},
    {"place", required_argument, NULL, OPTION_PLACE},
    {"window-time", required_argument, NULL, OPTION_WINDOW_TIME},
    {"window-length", required_argument, NULL, OPTION_WINDOW_LENGTH},
    {"retry-time", required_argument, NULL, OPTION_RETRY_TIME},
    {"hook", required_argument, NULL, OPTION_HOOK},
    {"configuration", required_argument, NULL, OPTION_CONFIGURATION},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"json", no_argument, NULL, OPTION_JSON},
    {"dispatch-time", required_argument, NULL, OPTION_TIME + ONED_DISPATCH},
    {"transfer-time", required_argument, NULL, OPTION_TIME + ONED_TRANSFER},
    {"boot-time", required_argument, NULL, OPTION_TIME + ONED_BOOT},
    {"save-time", required_argument, NULL, OPTION_TIME + ONED_SAVE},
    {"restore-time", required_argument, NULL, OPTION_TIME + ONED_RESTORE},
    {"shutdown-time", required_argument, NULL, OPTION_TIME + ONED_SHUTDOWN},
    {"migrate-time", required_argument, NULL, OPTION_TIME + ONED_MIGRATE},
    {"epilog-time", required_argument, NULL, OPTION_TIME + ONED_EPILOG},
    {"cleanup-time", required_argument, NULL, OPTION_TIME + ONED_CLEANUP},
    {"monitor-time", required_argument, NULL, OPTION_TIME + ONED_MONITOR},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    printf(
        "usage: galerna sandbox [OPTION]...\n"
        "       galerna sandbox show   [--endpoint URL] [--auth FILE] [--json]\n"
        "       galerna sandbox submit [--endpoint URL] [--auth FILE] [--count N] TERMS...\n"
        "       galerna sandbox call   [--endpoint URL] [--auth FILE] METHOD [ARGUMENT]...\n"
        "\n"
        "Serve a stand-in for OpenNebula's daemon, in which no machine is real, until it is told\n"
        "to end (SIGTERM or Ctrl-C). When it is ready it prints one line: where it listens and\n"
        "where the credentials are. show, submit and call are clients for it, or for a real\n"
        "daemon; each has --help. More is in galerna-sandbox(1).\n"
        "\n"
        "  --opennebula VERSION     6.10 or 7.4 (the default)\n"
        "  --listen ADDRESS         IPv4 address to listen on; 127.0.0.1\n"
        "  --port PORT              0: any free one; 2633\n"
        "  --user NAME              the administrator; oneadmin\n"
        "  --password-file FILE     the password; without it \"opennebula\"\n"
        "  --auth FILE              write name:password there, readable by the owner only\n"
        "  --hosts N                hosts at the first start; 8\n"
        "  --cpu CORES              of each host; 8\n"
        "  --memory MB              of each host; 16384\n"
        "  --state FILE             keep the pool there, over restarts and crashes\n"
        "  --faults FILE            failures on command\n"
        "  --clock-rate RATE        seconds of its clock in one of ours; 1\n"
        "  --clock-offset SECONDS   by which its clock is ahead\n"
        "  --submit-on-hold         new VMs are on hold (VM_SUBMIT_ON_HOLD)\n"
        "  --lose-operations        what was under way at a restart never ends\n"
        "  --place PROGRAM          7.4: scheduler driver, run when VMs are pending\n"
        "  --window-time SECONDS, --window-length N, --retry-time SECONDS\n"
        "                           when it is run; 10, 7, 60\n"
        "  --hook PROGRAM           run when a VM or host changes its state\n"
        "  --configuration TEXT     template put over one.system.config\n"
        "  --seed N                 make UUIDs and chance the same in each run\n"
        "  --json                   print the line as JSON\n"
        "\n"
        "How long phases take, in seconds (0.02 or so), or \"never\":\n"
        "  --dispatch-time, --transfer-time, --boot-time, --save-time, --restore-time,\n"
        "  --shutdown-time, --migrate-time, --epilog-time, --cleanup-time, --monitor-time\n"
        "\n"
        "Exit code: 0 ended when told to, 1 it cannot serve, 64 wrong command line.\n");
}

static int wrong_value(const char *command, int option, const char *value)
{
    const char *name = "";

    for (const struct option *o = options; o->name; o++)
        if (o->val == option)
            name = o->name;
    return command_usage_error(command, "--%s: '%.60s' is out of range or no number", name, value);
}

static bool read_number(const char *text, double low, double high, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    return errno == 0 && end != text && !*end && *value >= low && *value <= high;
}

static int64_t *whole_number(struct oned_options *into, int option)
{
    switch (option) {
    case OPTION_HOSTS:
        return &into->hosts;
    case OPTION_CLOCK_OFFSET:
        return &into->clock_offset;
    case OPTION_WINDOW_LENGTH:
        return &into->window_length;
    case OPTION_SEED:
        return (int64_t *)&into->seed;
    default:
        return NULL;
    }
}

static const char **text_option(struct sandbox_arguments *arguments, int option)
{
    switch (option) {
    case OPTION_LISTEN:
        return &arguments->listen;
    case OPTION_USER:
        return &arguments->options.user;
    case OPTION_PASSWORD:
        return &arguments->password_file;
    case OPTION_AUTH:
        return &arguments->auth;
    case OPTION_STATE:
        return &arguments->options.state;
    case OPTION_FAULTS:
        return &arguments->options.faults;
    case OPTION_PLACE:
        return &arguments->options.place;
    case OPTION_HOOK:
        return &arguments->options.hook;
    case OPTION_CONFIGURATION:
        return &arguments->options.configuration;
    default:
        return NULL;
    }
}

/* Options whose value is a number with a unit of its own. */
static bool take_scaled(struct sandbox_arguments *arguments, int option, const char *text)
{
    struct oned_options *into = &arguments->options;
    double value;

    if (option >= OPTION_TIME && !strcmp(text, "never")) {
        into->times[option - OPTION_TIME] = ONED_NEVER;
        return true;
    }
    if (!read_number(text, 0, 1e9, &value))
        return false;
    if (option >= OPTION_TIME)
        into->times[option - OPTION_TIME] = (int64_t)(value * 1000);
    else if (option == OPTION_CPU)
        into->host_cpu = (int64_t)(value * 100);
    else if (option == OPTION_MEMORY)
        into->host_memory = (int64_t)(value * 1024);
    else if (option == OPTION_CLOCK_RATE)
        into->clock_rate = value;
    else if (option == OPTION_WINDOW_TIME)
        into->window_time = (int64_t)(value * 1000);
    else if (option == OPTION_RETRY_TIME)
        into->retry_time = (int64_t)(value * 1000);
    else
        arguments->port = (int)value;
    return option != OPTION_PORT || value <= 65535;
}

static int take_option(struct sandbox_arguments *arguments, const char *command, int option)
{
    const char **text = text_option(arguments, option);
    int64_t *number = whole_number(&arguments->options, option);
    double value;
    int version;

    switch (option) {
    case 'h':
        print_help();
        return EXIT_DONE;
    case '?':
        return command_usage_hint(command); /* getopt has said what is wrong */
    case OPTION_VERSION:
        version = oned_version_parse(optarg);
        if (version < 0)
            return command_usage_error(command, "--opennebula: '%.40s' is not 6.10 or 7.4", optarg);
        arguments->options.version = (enum oned_version)version;
        return -1;
    case OPTION_HOLD:
        arguments->options.submit_on_hold = true;
        return -1;
    case OPTION_LOSE:
        arguments->options.lose_operations = true;
        return -1;
    case OPTION_JSON:
        arguments->json = true;
        return -1;
    default:
        break;
    }
    if (text) {
        *text = optarg;
        return -1;
    }
    if (!number)
        return take_scaled(arguments, option, optarg) ? -1 : wrong_value(command, option, optarg);
    if (!read_number(optarg, option == OPTION_CLOCK_OFFSET ? -1e9 : 0, 1e9, &value))
        return wrong_value(command, option, optarg);
    *number = (int64_t)value;
    return -1;
}

int sandbox_arguments_parse(struct sandbox_arguments *arguments, int argc, char **argv)
{
    int option, code = -1;

    *arguments = (struct sandbox_arguments){.listen = "127.0.0.1", .port = 2633};
    oned_options_init(&arguments->options);
    arguments->options.hosts = 8;
    arguments->options.host_cpu = 800;
    arguments->options.host_memory = 16 << 20;
    optind = 1;
    while (code < 0 && (option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        code = take_option(arguments, argv[0], option);
    if (code < 0 && optind < argc)
        code = command_usage_error(argv[0], "unexpected argument '%.60s'", argv[optind]);
    if (code < 0 && arguments->options.place && arguments->options.version < ONED_7_4)
        code = command_usage_error(argv[0], "--place is for 7.4: 6.10 has no scheduler driver");
    return code;
}
