/* log_write.h: writes a line of the log in its format, for log.c. */
#pragma once

#include "daemon/log.h"

/* Write a line, without control characters, to the journal or to standard error. format: enum
 * live_log_format. */
void log_write(const struct log_head *head, int format, const char *text);
