/* progress.h: a bar on the terminal for work that takes longer than two seconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted; /* standard error is a terminal, without option --quiet */
    bool shown;
    int64_t begun; /* milliseconds of the monotonic clock */
    int64_t drawn;
};

void progress_init(struct progress *progress, bool quiet);

/* Shows the fraction done, 0 ... 1, and the current work. Draws ten times a second at most. */
void progress_show(struct progress *progress, double done, const char *what);

/* Erases the bar. */
void progress_finish(struct progress *progress);
