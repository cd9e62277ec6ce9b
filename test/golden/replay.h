/* replay.h: runs the program under test on a golden case. */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct golden {
    const char *galerna;      /* the program */
    const char *data;         /* folder with the cases */
    char workspace[PATH_MAX]; /* for records; removed at the end */
    int cases, failures;
};

/* Room for the longest list of arguments. */
enum { REPLAY_ARGUMENTS_MAX = 20 };

struct replay {
    const char *conf;
    const char *compatibility;
    const char *settings[4]; /* SECTION.OPTION=VALUE; NULL ends them */
};

int golden_begin(struct golden *golden, const char *galerna, const char *data);
void golden_end(struct golden *golden);

/* Run `galerna replay --json` on the case; the record is at golden_record() afterwards, the summary
 * at golden_summary(). 0: it exited with 0 within `seconds`, else -1 and a line on stdout that says
 * what happened, with the program's last words. */
int golden_replay(const struct golden *golden, const struct replay *replay, unsigned seconds);

const char *golden_record(const struct golden *golden, char path[PATH_MAX]);
const char *golden_summary(const struct golden *golden, char path[PATH_MAX]);
