/* The command line of galernad. */
#include <stddef.h>

#include "daemon/startup.h"

#define AT(member) offsetof(struct startup, member)

static void print_version(FILE *stream)
{
    fputs("galernad " GALERNA_VERSION "\n", stream);
}

static const struct command_option options[] = {
    {"configuration", .letter = 'c', .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(file),
     .help = "Configuration file, instead of /etc/galerna/galerna.conf"},
    {"foreground", .type = ARGUMENT_FLAG, .offset = AT(foreground),
     .help = "Stay in the foreground and log to standard error"},
    {"state-dir", .type = ARGUMENT_TEXT, .argument = "DIR", .offset = AT(state_directory),
     .help = "Directory of the durable state"},
    {"simulate", .type = ARGUMENT_FLAG, .offset = AT(simulate),
     .help = "Schedule simulated hosts in real time, without OpenNebula"},
    {"check-configuration", .type = ARGUMENT_FLAG, .offset = AT(check_only),
     .help = "Read the configuration, load the policy modules, report errors, and exit"},
    {"repair", .type = ARGUMENT_FLAG, .offset = AT(repair),
     .help = "Replace a damaged store by its intact rows, report the losses, and exit"},
    {"version", .type = ARGUMENT_ANSWER, .answer = print_version,
     .help = "Print the version and exit"},
};

const struct command_line galernad_line = {
    .name = "galernad",
    .summary = "Schedule the VMs of OpenNebula as leases",
    .purpose = "Schedule the VMs of OpenNebula as leases. See galernad(8).",
    .groups = {OPTION_GROUP(options)},
    .codes = {{EXIT_DONE,
               "Ended by a signal, the configuration is valid, or the store is intact or repaired"},
              {EXIT_FAILED, "Failed; the last line of the log says why"},
              {EXIT_ANOTHER_DAEMON, "Another galernad uses the same state or OpenNebula"},
              {EXIT_OPENNEBULA,
               "OpenNebula rejects the credentials, or, in the background, did not "
               "answer within 20 seconds"},
              {EXIT_DAMAGED_STORE, "The store is damaged: see --repair"},
              {EXIT_CONFIGURATION, "The configuration or a policy module is invalid"}},
    .size = sizeof(struct startup),
};
