/* preflight.h: tries dangerous work in a child process first. */
#pragma once

#include <signal.h>
#include <stdint.h>

#include "util/error.h"

struct preflight; /* the child's notes for the parent */

/* Called in the child: records the next step, for the error if it does not return. */
void preflight_doing(struct preflight *preflight, const char *subject, const char *what);

/* What the child does: 0, or -1 with err. */
typedef int preflight_work(void *context, struct preflight *preflight, struct error *err);

/* Runs work in a child process, for at most `limit` milliseconds, or until *stop is not 0 (set by a
 * signal handler; NULL: never). Failures of the child do not affect the parent, and all processes
 * started by the child are ended. Returns 0 if work did; else -1 with the error of work, or ECHILD
 * (it crashed: subject, step, signal), ETIMEDOUT (it was stopped), EINTR (*stop), EAGAIN (no
 * process). Costs about 0.4 ms plus the work. */
int preflight_run(preflight_work *work, void *context, int64_t limit,
                  const volatile sig_atomic_t *stop, struct error *err);
