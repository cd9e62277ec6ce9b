/* galerna: finds the command and calls it. */
#include "cli/command.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv);
}
