/* log.h: the daemon's log: one line per event on standard error, with the levels of syslog.
 *
 * Under systemd each line gets the prefix the journal understands ("<6>"), else a time. Control
 * characters of external text are replaced. A line that repeats is written three times; further
 * ones are counted until log_count_repeats().
 */
#ifndef GALERNA_DAEMON_LOG_H
#define GALERNA_DAEMON_LOG_H

#include "util/error.h"

/* Lines above the level (enum live_log_level) are left out. The process has one log. */
void log_set_level(int level);

/* From now on standard error is that file; lines are appended to it. Errors: those of open(2); the
 * log stays where it was. */
int log_continue_in(const char *path, struct error *err);

/* Write each counted line once with its count, and reset the counts. */
void log_count_repeats(void);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
