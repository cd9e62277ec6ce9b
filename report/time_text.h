/* time_text.h: instants and spans as people read them. */
#ifndef GALERNA_REPORT_TIME_TEXT_H
#define GALERNA_REPORT_TIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* "4711 s", "never", "unset". For sentences of reasons in documents for programs. */
void time_text_seconds(int64_t instant, char *text, size_t size);

/* "1:18:31", "-0:00:05", "never", "unset": hours, minutes, seconds, the hours not limited to 24. */
void time_text_hours(int64_t span, char *text, size_t size);

#endif
