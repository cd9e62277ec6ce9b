/* command.h: `galerna <noun> <verb>`: the table of commands, and what they have in common.
 *
 * A command gets its arguments without the noun and the verb, argv[0] being "galerna noun verb" for
 * its messages, and returns an exit code. It answers --help itself; results go to standard output,
 * everything else to standard error.
 */
#ifndef GALERNA_CLI_COMMAND_H
#define GALERNA_CLI_COMMAND_H

#include <stddef.h>

#include "util/error.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_REFUSED = 2,       /* by policy or for lack of room */
    EXIT_USAGE = 64,        /* the command line is wrong */
    EXIT_INTERRUPTED = 130, /* Ctrl-C */
};

struct command {
    const char *noun, *verb; /* verb NULL: the noun is a command by itself */
    const char *summary;     /* one line for the list of commands */
    int (*run)(int argc, char **argv);
};

extern const struct command command_table[];
extern const size_t command_count;

int command_replay(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_trace_check(int argc, char **argv);
int command_trace_convert(int argc, char **argv);
int command_trace_generate(int argc, char **argv);
int command_trace_stats(int argc, char **argv);
int command_policy_list(int argc, char **argv);
int command_policy_show(int argc, char **argv);
int command_policy_check(int argc, char **argv);
int command_experiment_list(int argc, char **argv);
int command_experiment_run(int argc, char **argv);
int command_experiment_report(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_lease_request(int argc, char **argv);
int command_lease_list(int argc, char **argv);
int command_lease_show(int argc, char **argv);
int command_lease_why(int argc, char **argv);
int command_lease_cancel(int argc, char **argv);
int command_lease_history(int argc, char **argv);
int command_host_list(int argc, char **argv);
int command_host_timeline(int argc, char **argv);
int command_queue(int argc, char **argv);
int command_status(int argc, char **argv);
int command_sandbox(int argc, char **argv);
int command_setup(int argc, char **argv);

/* Find and run the command that argv names: the whole program. */
int command_main(int argc, char **argv);

/* Print "galerna noun verb: message" to standard error. Returns EXIT_USAGE, after a hint at --help,
 * or EXIT_FAILED. */
int command_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The hint alone, for when getopt has said what is wrong. Returns EXIT_USAGE. */
int command_usage_hint(const char *command);
int command_failed(const char *command, const struct error *err);

#endif
