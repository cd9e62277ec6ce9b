/* galernad: from a command line to a running daemon. */
#include <string.h>

#include "daemon/startup.h"

static int run(const struct call *call)
{
    return startup_run(call->arguments);
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "__complete")) {
        command_line_complete(&galernad_line, argv + 2, argc - 2, stdout);
        return EXIT_DONE;
    }
    return command_line_run(&galernad_line, run, argc, argv);
}
