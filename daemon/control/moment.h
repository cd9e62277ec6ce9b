/* moment.h: instants in documents for programs: RFC 3339, in UTC, whole seconds. */
#ifndef GALERNA_DAEMON_MOMENT_H
#define GALERNA_DAEMON_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOMENT_TEXT_MAX = 32 };

/* "2026-11-21T15:04:05Z"; "unset" and "never" for INSTANT_NONE and INSTANT_NEVER (and for what is
 * beyond the year 9999). */
void moment_format(int64_t instant, char text[MOMENT_TEXT_MAX]);

/* The same with seconds in front of a fraction that is dropped, and with an offset such as +01:00
 * for Z; nothing else. False: it is none. */
bool moment_parse(const char *text, int64_t *instant);

#endif
