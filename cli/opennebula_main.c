/* galerna-opennebula: the commands of galerna that speak XML-RPC. galerna runs it, with the
 * command's name as argv[0]. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

#define COMMAND_ENTRY(name) {&name##_line, command_##name},

int main(int argc, char **argv)
{
    static const struct command_entry commands[] = {COMMANDS_ELSEWHERE(COMMAND_ENTRY)};

    for (size_t i = 0; argc && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[0], commands[i].line->name))
            return command_end(command_line_run(commands[i].line, commands[i].run, argc, argv));
    fprintf(stderr, "galerna-opennebula is a part of galerna: run 'galerna sandbox' or "
                    "'galerna setup'\n");
    return EXIT_USAGE;
}
