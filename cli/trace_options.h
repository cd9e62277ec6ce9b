/* trace_options.h: the options that `galerna trace check`, `convert` and `stats` share: how a trace
 * is read.
 */
#ifndef GALERNA_CLI_TRACE_OPTIONS_H
#define GALERNA_CLI_TRACE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "lwf/trace_open.h"

struct trace_arguments {
    struct trace_options reading;
    struct site site; /* --site */
    bool has_site;
    bool json;
    const char *output; /* convert: NULL = standard output */
    const char *name;   /* convert: NULL = the file's name */
    size_t limit;       /* check: findings to print */
};

/* Which options a command takes, besides --compatibility, --site, --help and those for SWF. */
enum {
    TRACE_OPTION_JSON = 1 << 0,
    TRACE_OPTION_OUTPUT = 1 << 1, /* --output and --name */
    TRACE_OPTION_FINDINGS = 1 << 2,
};

/* Print the help on the shared options, aligned for 80 columns. */
void trace_options_help(void);

/* Parse the command line; optind is the first file afterwards. -1: go on, else the exit code, after
 * a message or the help. */
int trace_arguments_parse(struct trace_arguments *arguments, int argc, char **argv, unsigned takes,
                          void (*print_help)(void));
void trace_arguments_finish(struct trace_arguments *arguments);

/* The site of --site, or NULL. */
const struct site *trace_arguments_site(const struct trace_arguments *arguments);

#endif
