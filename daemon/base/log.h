/* log.h: the daemon's log: one line per event on standard error, with the levels of syslog.
 *
 * A line has a subsystem, and the ids of its lease and VM. If standard error is connected to the
 * journal, these are fields (GALERNA_SUBSYSTEM, GALERNA_LEASE, GALERNA_VM); in JSON, members; a
 * line of plain text begins with its time. Control characters of external text are replaced. A
 * repeated line is written three times; further repetitions are counted until log_count_repeats(),
 * or until 16 other lines have come.
 *
 * A file that logs defines LOG_SUBSYSTEM as one of enum log_subsystem.
 */
#pragma once

#include <stdint.h>

#include "configuration/live.h"
#include "util/error.h"

#define LOG_SUBSYSTEMS(ROW)                                                                        \
    ROW(LOG_OF_DAEMON, "daemon")         /* start, stop, loop, clocks, other daemons */            \
    ROW(LOG_OF_OPENNEBULA, "opennebula") /* data read from it */                                   \
    ROW(LOG_OF_LEASES, "leases")         /* events of leases */                                    \
    ROW(LOG_OF_COMMANDS, "commands")     /* requests sent to OpenNebula */                         \
    ROW(LOG_OF_PLANNER, "planner")                                                                 \
    ROW(LOG_OF_POLICIES, "policies") /* output of modules */                                       \
    ROW(LOG_OF_CONTROL, "control")                                                                 \
    ROW(LOG_OF_RECORD, "record")                                                                   \
    ROW(LOG_OF_NOTICES, "notices")

enum log_subsystem {
#define LOG_NAME(name, word) name,
    LOG_SUBSYSTEMS(LOG_NAME)
#undef LOG_NAME
        LOG_SUBSYSTEM_COUNT
};

/* Words of enum log_subsystem, and of enum live_log_level. */
extern const char *const log_subsystem_words[LOG_SUBSYSTEM_COUNT];
enum { LOG_LEVEL_COUNT = 4 };
extern const char *const log_level_words[LOG_LEVEL_COUNT];

/* The configured level (enum live_log_level), above which lines are omitted, and format (enum
 * live_log_format). The process has one log. */
void log_set_level(int level);
void log_set_format(int format);

/* The level of a subsystem instead of the configured one; LOG_LEVEL_CONFIGURED: the configured
 * one. */
enum { LOG_LEVEL_CONFIGURED = -1 };
void log_set_subsystem_level(enum log_subsystem subsystem, int level);
/* The level in effect for the subsystem. */
int log_subsystem_level(enum log_subsystem subsystem);

/* Redirect standard error to that file, appending lines. Errors: those of open(2); the log then
 * stays where it was. */
int log_continue_in(const char *path, struct error *err);

/* Write each counted line once with its count, and reset the counts. */
void log_count_repeats(void);

struct log_head {
    int level; /* enum live_log_level */
    enum log_subsystem subsystem;
    int64_t lease; /* -1: none */
    int32_t vm;    /* -1: none */
};

void log_line(const struct log_head *head, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define LOG_LINE(level, lease, vm, ...)                                                            \
    log_line(&(const struct log_head){(level), LOG_SUBSYSTEM, (lease), (vm)}, __VA_ARGS__)

/* Not about a particular lease. */
#define log_error(...)   LOG_LINE(LOG_LEVEL_ERROR, -1, -1, __VA_ARGS__)
#define log_warning(...) LOG_LINE(LOG_LEVEL_WARNING, -1, -1, __VA_ARGS__)
#define log_info(...)    LOG_LINE(LOG_LEVEL_INFO, -1, -1, __VA_ARGS__)
#define log_debug(...)   LOG_LINE(LOG_LEVEL_DEBUG, -1, -1, __VA_ARGS__)

/* About a lease, and one of its VMs; -1: none. */
#define log_error_of(lease, vm, ...)   LOG_LINE(LOG_LEVEL_ERROR, lease, vm, __VA_ARGS__)
#define log_warning_of(lease, vm, ...) LOG_LINE(LOG_LEVEL_WARNING, lease, vm, __VA_ARGS__)
#define log_info_of(lease, vm, ...)    LOG_LINE(LOG_LEVEL_INFO, lease, vm, __VA_ARGS__)
#define log_debug_of(lease, vm, ...)   LOG_LINE(LOG_LEVEL_DEBUG, lease, vm, __VA_ARGS__)
