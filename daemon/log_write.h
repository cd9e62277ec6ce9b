/* log_write.h: the forms of a line of the log, for log.c. */
#pragma once

#include "daemon/log.h"

/* Write a line, without control characters, to the journal or to standard error. format: enum
 * live_log_format. */
void log_write(const struct log_head *head, int format, const char *text);
