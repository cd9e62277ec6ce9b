/* Draws a progress bar on a terminal. */
#include "cli/progress.h"
#include "util/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_AFTER = 2000, DRAW_EVERY = 100, BAR = 40 };

void progress_init(struct progress *progress, bool quiet)
{
    *progress = (struct progress){
        .wanted = !quiet && isatty(STDERR_FILENO),
        .begun = clock_milliseconds(CLOCK_MONOTONIC),
    };
}

void progress_show(struct progress *progress, double done, const char *what)
{
    char bar[BAR + 1];
    int64_t now;
    int filled;

    if (!progress->wanted)
        return;
    now = clock_milliseconds(CLOCK_MONOTONIC);
    if (now - progress->begun < FIRST_AFTER || now - progress->drawn < DRAW_EVERY)
        return;
    progress->drawn = now;
    progress->shown = true;
    if (!(done > 0))
        done = 0;
    if (done > 1)
        done = 1;
    filled = (int)(done * BAR);
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '.', (size_t)(BAR - filled));
    bar[BAR] = '\0';
    fprintf(stderr, "\r[%s] %3d %% %.30s\033[K", bar, (int)(done * 100), what);
    fflush(stderr);
}

void progress_finish(struct progress *progress)
{
    if (!progress->shown)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    progress->shown = false;
}
