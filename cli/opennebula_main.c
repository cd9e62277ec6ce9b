/* galerna-opennebula: the commands of galerna that speak XML-RPC. galerna runs it, with the
 * command's name as argv[0]. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"galerna sandbox", command_sandbox}, {"galerna setup", command_setup}};
    int code = EXIT_USAGE;
    size_t i = 0;

    while (i < sizeof commands / sizeof *commands && (!argc || strcmp(argv[0], commands[i].name)))
        i++;
    if (i == sizeof commands / sizeof *commands)
        fprintf(stderr, "galerna-opennebula: is a part of galerna: run galerna sandbox or "
                        "galerna setup\n");
    else
        code = commands[i].run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "galerna: cannot write to standard output\n");
        return code == EXIT_DONE ? EXIT_FAILED : code;
    }
    return code;
}
