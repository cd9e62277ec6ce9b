/* The command line of galerna setup, for both programs: galerna explains it, galerna-opennebula
 * runs it. */
#include "cli/setup.h"

#include <stddef.h>

#include "cli/command.h"

static const struct command_option options[] = {
    {"configuration", .letter = 'c', .type = ARGUMENT_TEXT, .argument = "FILE",
     .offset = offsetof(struct setup_arguments, file),
     .help = "Configuration of galernad, instead of /etc/galerna/galerna.conf"},
    {"endpoint", .type = ARGUMENT_TEXT, .argument = "URL",
     .offset = offsetof(struct setup_arguments, endpoint),
     .help = "XML-RPC endpoint of OpenNebula"},
    {"check", .type = ARGUMENT_FLAG, .offset = offsetof(struct setup_arguments, check),
     .help = "Print one line for each check, and how to correct failures"},
    {"apply", .type = ARGUMENT_FLAG, .offset = offsetof(struct setup_arguments, apply),
     .help = "Switch the OpenNebula on this machine to Galerna, and start galernad; needs root"},
    {"revert", .type = ARGUMENT_FLAG, .offset = offsetof(struct setup_arguments, revert),
     .help = "Stop galernad, and switch back to OpenNebula's own scheduler; needs root"},
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct setup_arguments, json),
     .help = "Print a JSON document"},
};

const struct command_line setup_line = {
    .name = "galerna setup",
    .summary = "Show what to change in OpenNebula, and check it",
    .purpose = "Connect to OpenNebula and show the changes that Galerna needs there. Nothing is "
               "changed without --apply or --revert. The endpoint and the credentials are found in "
               "the configuration of galernad, or as OpenNebula's own tools find them.",
    .groups = {OPTION_GROUP(options)},
    .codes = {{EXIT_DONE, "Success; with --check: no change is needed"},
              {EXIT_FAILED, "OpenNebula cannot be reached; with --check: a check failed; with "
                            "--apply and --revert: a step failed"}},
    .size = sizeof(struct setup_arguments),
};
