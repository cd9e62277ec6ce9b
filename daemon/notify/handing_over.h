/* handing_over.h: galerna-notify processes (notify/notify.h), each for one notice.
 *
 * Processes are started and awaited without blocking. A process that takes longer than a minute is
 * killed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "notify/notify.h"
#include "util/error.h"

struct handing_over {
    pid_t pid;        /* 0: none */
    int errors;       /* its standard error */
    int64_t deadline; /* monotonic milliseconds */
    size_t said_n;
    char said[256]; /* the beginning of its error output */
};

/* -1 with err: nothing was started. */
int handing_over_start(struct handing_over *process, const json_t *job, struct error *err);

/* True: the process has ended; *end and err have the result. To be called when `errors` is
 * readable, and from time to time. Does not block. */
bool handing_over_ended(struct handing_over *process, enum notify_end *end, struct error *err);
