/* command.h: the commands of galerna: each a description (util/command_line.h) and a function.
 *
 * Results go to standard output, everything else to standard error.
 */
#pragma once

#include "util/command_line.h"

struct command_entry {
    const struct command_line *line;
    command_function *run; /* NULL: in galerna-opennebula (elsewhere.c) */
};

extern const struct command_entry command_table[];
extern const size_t command_count;

#define GALERNA_COMMAND(name)                                                                      \
    extern const struct command_line name##_line;                                                  \
    int command_##name(const struct call *call)

GALERNA_COMMAND(replay);
GALERNA_COMMAND(sweep);
GALERNA_COMMAND(report);
GALERNA_COMMAND(trace_check);
GALERNA_COMMAND(trace_convert);
GALERNA_COMMAND(trace_generate);
GALERNA_COMMAND(trace_stats);
GALERNA_COMMAND(policy_list);
GALERNA_COMMAND(policy_show);
GALERNA_COMMAND(policy_check);
GALERNA_COMMAND(policy_enable);
GALERNA_COMMAND(experiment_list);
GALERNA_COMMAND(experiment_run);
GALERNA_COMMAND(experiment_report);
GALERNA_COMMAND(verify);
GALERNA_COMMAND(config_import);
GALERNA_COMMAND(lease_request);
GALERNA_COMMAND(lease_list);
GALERNA_COMMAND(lease_show);
GALERNA_COMMAND(lease_why);
GALERNA_COMMAND(lease_change);
GALERNA_COMMAND(lease_hold);
GALERNA_COMMAND(lease_release);
GALERNA_COMMAND(lease_cancel);
GALERNA_COMMAND(lease_history);
GALERNA_COMMAND(host_list);
GALERNA_COMMAND(host_timeline);
GALERNA_COMMAND(host_drain);
GALERNA_COMMAND(host_undrain);
GALERNA_COMMAND(host_book);
GALERNA_COMMAND(host_unbook);
GALERNA_COMMAND(host_rebalance);
GALERNA_COMMAND(host_release);
GALERNA_COMMAND(host_show);
GALERNA_COMMAND(queue);
GALERNA_COMMAND(status);
GALERNA_COMMAND(log);
GALERNA_COMMAND(usage);

/* Commands of galerna-opennebula. */
GALERNA_COMMAND(sandbox);
GALERNA_COMMAND(sandbox_show);
GALERNA_COMMAND(sandbox_submit);
GALERNA_COMMAND(sandbox_call);
GALERNA_COMMAND(setup);

/* The whole program: finds and runs the command in argv. */
int command_main(int argc, char **argv);

/* Runs the command in galerna-opennebula. Returns only on failure: EXIT_FAILED. */
int command_run_elsewhere(const struct call *call);

/* Ends a program: flushes standard output; a full disk is a failure. Returns the exit code. */
int command_end(int code);
