/* preflight.h: try something dangerous in a child process first. */
#pragma once

#include <signal.h>
#include <stdint.h>

#include "util/error.h"

struct preflight; /* what the child tells the parent */

/* In the child: note what comes next, for the error when it does not come back. */
void preflight_doing(struct preflight *preflight, const char *subject, const char *what);

/* Run work in a child process, for `limit` milliseconds at most, and until *stop is not 0 (a signal
 * handler sets it; NULL: never). Whatever happens in the child, the parent is unaffected, and all
 * processes started by the child have been ended. Returns 0 when work did; else -1 with the error
 * work gave, or ECHILD (it crashed: subject, what it was doing, signal), ETIMEDOUT (it was
 * stopped), EINTR (*stop), EAGAIN (no process). Costs about 0.4 ms plus the work. */
int preflight_run(int (*work)(void *context, struct preflight *preflight, struct error *err),
                  void *context, int64_t limit, const volatile sig_atomic_t *stop,
                  struct error *err);
