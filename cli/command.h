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

/* The commands of the program galerna, in the order of its help. */
#define COMMANDS(ROW)                                                                              \
    ROW(replay)                                                                                    \
    ROW(sweep)                                                                                     \
    ROW(report)                                                                                    \
    ROW(trace_check)                                                                               \
    ROW(trace_convert)                                                                             \
    ROW(trace_generate)                                                                            \
    ROW(trace_stats)                                                                               \
    ROW(policy_list)                                                                               \
    ROW(policy_show)                                                                               \
    ROW(policy_check)                                                                              \
    ROW(policy_enable)                                                                             \
    ROW(experiment_list)                                                                           \
    ROW(experiment_run)                                                                            \
    ROW(experiment_report)                                                                         \
    ROW(lease_request)                                                                             \
    ROW(lease_list)                                                                                \
    ROW(lease_show)                                                                                \
    ROW(lease_why)                                                                                 \
    ROW(lease_change)                                                                              \
    ROW(lease_hold)                                                                                \
    ROW(lease_release)                                                                             \
    ROW(lease_cancel)                                                                              \
    ROW(lease_history)                                                                             \
    ROW(host_list)                                                                                 \
    ROW(host_timeline)                                                                             \
    ROW(host_show)                                                                                 \
    ROW(host_drain)                                                                                \
    ROW(host_undrain)                                                                              \
    ROW(host_book)                                                                                 \
    ROW(host_unbook)                                                                               \
    ROW(host_rebalance)                                                                            \
    ROW(host_release)                                                                              \
    ROW(queue)                                                                                     \
    ROW(status)                                                                                    \
    ROW(log)                                                                                       \
    ROW(usage)                                                                                     \
    ROW(verify)                                                                                    \
    ROW(config_import)

/* Those of galerna-opennebula (elsewhere.c), which come after them. */
#define COMMANDS_ELSEWHERE(ROW)                                                                    \
    ROW(sandbox)                                                                                   \
    ROW(sandbox_show)                                                                              \
    ROW(sandbox_submit)                                                                            \
    ROW(sandbox_call)                                                                              \
    ROW(setup)

#define DECLARE_COMMAND(name)                                                                      \
    extern const struct command_line name##_line;                                                  \
    int command_##name(const struct call *call);
COMMANDS(DECLARE_COMMAND)
COMMANDS_ELSEWHERE(DECLARE_COMMAND)
#undef DECLARE_COMMAND

/* The whole program: finds and runs the command in argv. */
int command_main(int argc, char **argv);

/* Runs the command in galerna-opennebula. Returns only on failure: EXIT_FAILED. */
int command_run_elsewhere(const struct call *call);

/* Ends a program: flushes standard output; a full disk is a failure. Returns the exit code. */
int command_end(int code);
