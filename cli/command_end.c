/* End of the programs galerna and galerna-opennebula. */
#include <stdio.h>

#include "cli/command.h"

int command_end(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "galerna: cannot write to standard output\n");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
