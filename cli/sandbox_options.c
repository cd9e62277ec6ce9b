/* The command lines of galerna sandbox, for both programs: galerna explains them,
 * galerna-opennebula runs them. */
#include "cli/sandbox.h"
#include "util/decimal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* A number from 0 to 1e9, in another unit. */
static int take_scaled(int64_t *value, const char *text, double scale, struct error *err)
{
    double number;

    if (decimal_parse_real(text, &number) < 0 || number < 0 || number > 1e9)
        return error_set(err, EINVAL, "expected a number from 0 to 1e9");
    *value = (int64_t)(number * scale);
    return 0;
}

static int take_cores(const struct command_option *option, void *value, const char *text,
                      struct error *err)
{
    (void)option;
    return take_scaled(value, text, 100, err);
}

static int take_megabytes(const struct command_option *option, void *value, const char *text,
                          struct error *err)
{
    (void)option;
    return take_scaled(value, text, 1024, err);
}

static int take_seconds(const struct command_option *option, void *value, const char *text,
                        struct error *err)
{
    if (option->words && !strcmp(text, option->words)) {
        *(int64_t *)value = ONED_NEVER;
        return 0;
    }
    return take_scaled(value, text, 1000, err);
}

#define AT(member) offsetof(struct sandbox_arguments, member)
#define PHASE(phase, word, usual, what)                                                            \
    {                                                                                              \
        word "-time", .type = ARGUMENT_OWN, .argument = "SECONDS",                                 \
                      .offset = AT(options.times[(phase)]), .words = "never",                      \
                      .otherwise = (usual), .take = take_seconds, .help = (what)                   \
    }

static const struct command_option server_options[] = {
    {"opennebula", .type = ARGUMENT_CHOICE, .argument = "VERSION", .offset = AT(options.version),
     .words = "6.10|7.4", .otherwise = "7.4", .help = "Version of OpenNebula: 6.10 or 7.4"},
    {"listen", .type = ARGUMENT_TEXT, .argument = "ADDRESS", .offset = AT(listen),
     .otherwise = "127.0.0.1", .help = "IPv4 address to listen on"},
    {"port", .type = ARGUMENT_INTEGER, .argument = "PORT", .offset = AT(port), .otherwise = "2633",
     .least = 0, .most = 65535, .help = "Port to listen on; 0: any free port"},
    {"user", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(options.user),
     .otherwise = "oneadmin", .help = "Name of the administrator"},
    {"password-file", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(password_file),
     .help = "File whose first line is the password of the administrator; without it, the password "
             "is 'opennebula'"},
    {"auth", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(auth),
     .help = "Write name:password to FILE, readable only by you, as ONE_AUTH expects it"},
    {"hosts", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(options.hosts),
     .otherwise = "8", .least = 0, .most = 1e9, .help = "Number of hosts at the first start"},
    {"cpu", .type = ARGUMENT_OWN, .argument = "CORES", .offset = AT(options.host_cpu),
     .otherwise = "8", .take = take_cores, .help = "Cores of each host"},
    {"memory", .type = ARGUMENT_OWN, .argument = "MB", .offset = AT(options.host_memory),
     .otherwise = "16384", .take = take_megabytes, .help = "Memory of each host"},
    {"state", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(options.state),
     .help = "Keep the state in FILE. The effect of a call is stored before the call is answered, "
             "so the state survives restarts and crashes"},
    {"faults", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(options.faults),
     .help = "Inject the faults that FILE describes"},
    {"clock-rate", .type = ARGUMENT_NUMBER, .argument = "RATE", .offset = AT(options.clock_rate),
     .otherwise = "1", .least = 0, .most = 1e9,
     .help = "Rate of the sandbox's clock, in seconds per second; 0: the clock is stopped"},
    {"clock-offset", .type = ARGUMENT_INTEGER, .argument = "SECONDS",
     .offset = AT(options.clock_offset), .otherwise = "0", .least = -1e9, .most = 1e9,
     .help = "Offset of the sandbox's clock at the first start"},
    {"submit-on-hold", .type = ARGUMENT_FLAG, .offset = AT(options.submit_on_hold),
     .help = "Put new VMs on hold, like VM_SUBMIT_ON_HOLD in oned.conf"},
    {"lose-operations", .type = ARGUMENT_FLAG, .offset = AT(options.lose_operations),
     .help = "With --state: operations that were in progress at a restart never end"},
    {"place", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(options.place),
     .help = "7.4: scheduler driver, run when VMs are pending. It gets the VMs, hosts and "
             "datastores in base64 on standard input and prints a plan"},
    {"window-time", .type = ARGUMENT_OWN, .argument = "SECONDS", .offset = AT(options.window_time),
     .otherwise = "10", .take = take_seconds,
     .help = "Run the scheduler driver when a VM has been pending for this time"},
    {"window-length", .type = ARGUMENT_INTEGER, .argument = "N",
     .offset = AT(options.window_length), .otherwise = "7", .least = 0, .most = 1e9,
     .help = "Run the scheduler driver when N VMs are pending"},
    {"retry-time", .type = ARGUMENT_OWN, .argument = "SECONDS", .offset = AT(options.retry_time),
     .otherwise = "60", .take = take_seconds,
     .help = "Run the scheduler driver again after this time while VMs are pending"},
    {"hook", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(options.hook),
     .help =
         "Program to run when the state of a VM or host changes, with its document in base64 as "
         "argument and on standard input"},
    {"configuration", .type = ARGUMENT_TEXT, .argument = "TEXT",
     .offset = AT(options.configuration),
     .help = "Template to merge into the answer of one.system.config"},
    {"seed", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(options.seed),
     .otherwise = "0", .least = 0, .most = 9e18,
     .help = "Seed of UUIDs and random faults; 0: different in each run"},
    {"json", .type = ARGUMENT_FLAG, .offset = AT(json),
     .help = "Print the ready line as a JSON object with endpoint, opennebula, user, auth and pid"},
};

static const struct command_option phase_options[] = {
    PHASE(ONED_DISPATCH, "dispatch", "0.005", "From the command to its first effect"),
    PHASE(ONED_TRANSFER, "transfer", "0.015", "Copying disks to a host"),
    PHASE(ONED_BOOT, "boot", "0.02", "Booting a VM"),
    PHASE(ONED_SAVE, "save", "0.02", "Saving the memory of a VM"),
    PHASE(ONED_RESTORE, "restore", "0.02", "Restoring the memory of a VM"),
    PHASE(ONED_SHUTDOWN, "shutdown", "0.02", "Shutting down a VM"),
    PHASE(ONED_MIGRATE, "migrate", "0.02", "Live migration"),
    PHASE(ONED_EPILOG, "epilog", "0.015", "Copying disks from a host"),
    PHASE(ONED_CLEANUP, "cleanup", "0.015", "Recovering a VM by delete or delete-recreate"),
    PHASE(ONED_MONITOR, "monitor", "0.2", "Until a new or enabled host reports"),
};

const struct command_line sandbox_line = {
    .name = "galerna sandbox",
    .summary = "Run a stand-in for OpenNebula for trials",
    .purpose = "Run a stand-in for OpenNebula's daemon, with simulated hosts and VMs, until "
               "SIGTERM or Ctrl-C. When ready, it prints one line with its endpoint and the file "
               "of its credentials. 'galerna sandbox show', 'submit' and 'call' are clients for "
               "it, or for a real daemon. See galerna-sandbox(1).",
    .groups = {OPTION_GROUP(server_options),
               {.title = "Duration of operations, in seconds of the sandbox's clock, or 'never'",
                .options = phase_options,
                .n = sizeof phase_options / sizeof *phase_options}},
    .codes = {{EXIT_DONE, "Ended by a signal"}, {EXIT_FAILED, "The server cannot start or failed"}},
    .size = sizeof(struct sandbox_arguments),
};

static const struct command_option client_options[] = {
    {"endpoint", .type = ARGUMENT_TEXT, .argument = "URL",
     .offset = offsetof(struct sandbox_client, endpoint),
     .help = "XML-RPC endpoint; by default as OpenNebula's own tools find it (ONE_XMLRPC)"},
    {"auth", .type = ARGUMENT_TEXT, .argument = "FILE",
     .offset = offsetof(struct sandbox_client, auth),
     .help = "File with name:password; by default as OpenNebula's own tools find it (ONE_AUTH)"},
};

#define SANDBOX_CLIENT_GROUP                                                                       \
    {                                                                                              \
        .options = client_options, .n = sizeof client_options / sizeof *client_options             \
    }
#define SANDBOX_CLIENT_CODES                                                                       \
    {EXIT_DONE, "Success"},                                                                        \
    {                                                                                              \
        EXIT_FAILED, "The daemon does not answer or refuses the call"                              \
    }

static const struct command_option show_options[] = {
    {"all", .type = ARGUMENT_FLAG, .offset = offsetof(struct sandbox_show_arguments, all),
     .help = "Show VMs in the state DONE, too"},
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct sandbox_show_arguments, json),
     .help = "Print a JSON document"},
};

const struct command_line sandbox_show_line = {
    .name = "galerna sandbox show",
    .summary = "List hosts and VMs of the sandbox",
    .purpose = "List the hosts and VMs of the stand-in for OpenNebula, or of a real daemon.",
    .groups = {{.options = show_options, .n = 2}, SANDBOX_CLIENT_GROUP},
    .codes = {SANDBOX_CLIENT_CODES},
    .size = sizeof(struct sandbox_show_arguments),
};

#undef AT
#define AT(member) offsetof(struct sandbox_submit_arguments, member)

static const struct command_option submit_options[] = {
    {"name", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(name),
     .help = "Name of the VMs; with --count, -0, -1, ... is appended"},
    {"cpu", .type = ARGUMENT_TEXT, .argument = "CORES", .offset = AT(cpu), .otherwise = "1",
     .help = "Cores of each VM"},
    {"memory", .type = ARGUMENT_TEXT, .argument = "MB", .offset = AT(memory), .otherwise = "1024",
     .help = "Memory of each VM"},
    {"haizea", .type = ARGUMENT_TEXT, .argument = "TERMS", .offset = AT(haizea),
     .help = "Content of the attribute HAIZEA, such as START=+00:01:00,DURATION=00:02:00"},
    {"galerna", .type = ARGUMENT_TEXT, .argument = "TERMS", .offset = AT(galerna),
     .help = "Content of the attribute GALERNA, in the same form"},
    {"attribute", .type = ARGUMENT_LIST, .argument = "TEXT", .offset = AT(attributes),
     .help = "Line to add to the template, such as RACK=\"r1\". May be repeated"},
    {"count", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(count), .otherwise = "1",
     .least = 1, .most = 100000, .help = "Number of VMs"},
    {"hold", .type = ARGUMENT_FLAG, .offset = AT(hold), .help = "Create the VMs on hold"},
    {"json", .type = ARGUMENT_FLAG, .offset = AT(json), .help = "Print a JSON array of the ids"},
};

const struct command_line sandbox_submit_line = {
    .name = "galerna sandbox submit",
    .summary = "Create VMs in the sandbox",
    .purpose =
        "Create VMs in the stand-in for OpenNebula, or in a real one, and print their ids, one "
        "a line.",
    .groups = {OPTION_GROUP(submit_options), SANDBOX_CLIENT_GROUP},
    .codes = {SANDBOX_CLIENT_CODES},
    .size = sizeof(struct sandbox_submit_arguments),
};

const struct command_line sandbox_call_line = {
    .name = "galerna sandbox call",
    .summary = "Call an XML-RPC method of the sandbox",
    .purpose =
        "Call a method of the stand-in for OpenNebula, or of a real daemon, and print the answer. "
        "The session is added as the first argument. Whole numbers, true and false are sent as "
        "such, other arguments as strings; 's:' before an argument makes it a string.",
    .operands = "METHOD [ARGUMENT]...",
    .most = 17,
    .verbatim = true,
    .groups = {SANDBOX_CLIENT_GROUP},
    .notes = "Examples:\n"
             "  galerna sandbox call one.vm.action suspend 7\n"
             "  galerna sandbox call sandbox.fault 'FAULT=[KIND=fail,PHASE=boot,HOST=2]'",
    .codes = {SANDBOX_CLIENT_CODES},
    .size = sizeof(struct sandbox_client),
};
