/* startup.h: from the command line to a running daemon, and its shutdown. */
#pragma once

#include <stdbool.h>

#include "util/command_line.h"

/* Besides EXIT_SUCCESS, EXIT_FAILURE and 64 (usage). CONFIGURATION: the file, or a policy module
 * named in it, is invalid. */
enum {
    EXIT_ANOTHER_DAEMON = 3,
    EXIT_OPENNEBULA = 4,
    EXIT_DAMAGED_STORE = 65,
    EXIT_CONFIGURATION = 78
};

struct startup {
    const char *file;            /* configuration; NULL: the default one */
    const char *state_directory; /* NULL: from the configuration */
    bool foreground, simulate, check_only, repair;
};

extern const struct command_line galernad_line; /* its arguments are a struct startup */

/* Set up, run until stopped, and tear down. Returns the exit code. */
int startup_run(const struct startup *startup);
