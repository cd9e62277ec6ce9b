/* confine.h: what the planner process may do, before and after loading modules.
 *
 * The process has no network, starts no processes, signals none but itself, and sets no timers or
 * limits. Until modules are loaded it may read files: with Landlock those in folders of modules and
 * libraries, in /etc and of time zones, without it all that its user may read. Afterwards it cannot
 * open files. A forbidden system call ends the process, and its number is noted in the page. Calls
 * that the C library makes on its own (for time zones, locales) fail with EACCES instead: opening
 * and looking at files, ioctl(), fcntl(), prctl().
 *
 * Sanitizers' runtimes need more than that: builds with sanitizers forbid only network, processes,
 * signals to others, timers and limits.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "planner/protocol.h"
#include "util/error.h"

/* Restrictions that do not depend on modules: privileges, limits, and an unprivileged user if the
 * process is root's. Call it first. */
int confine_process(uid_t user, gid_t group, struct error *err);
/* Allow reading only: `folders`, and those named above. */
int confine_to_reading(const char *const *folders, size_t n, struct call_page *page,
                       struct error *err);
/* Allow only computing and answering. */
int confine_to_computing(struct error *err);
