#include <stdarg.h>
#include <stdio.h>

#include "cli/command.h"

int command_usage_error(const char *command, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return command_usage_hint(command);
}

int command_usage_hint(const char *command)
{
    fprintf(stderr, "Try '%s --help'.\n", command);
    return EXIT_USAGE;
}

int command_failed(const char *command, const struct error *err)
{
    fprintf(stderr, "%s: %s\n", command, err->text);
    return EXIT_FAILED;
}
