/* confine.h: restricts the planner process, before and after loading modules.
 *
 * The process has no network, starts no processes, signals only itself, sets no timers or limits,
 * keeps its socket open, and reads from it only by confine_receive(). Until modules are loaded it
 * may read files: with Landlock, only those in folders of modules and libraries, in /etc, and time
 * zones; without Landlock, all that its user may read. After that it cannot open files. A forbidden
 * system call ends the process, and its number is noted in the page. Calls that the C library makes
 * on its own (for time zones, locales) fail with EACCES instead: opening and examining files,
 * ioctl(), fcntl(), prctl().
 *
 * The runtimes of sanitizers need more: builds with sanitizers forbid only network, processes,
 * signals to others, timers and limits.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "planner/protocol.h"
#include "util/error.h"

/* Set restrictions that do not depend on modules: privileges, limits, and an unprivileged user if
 * the process runs as root. Call this first. */
int confine_process(uid_t user, gid_t group, struct error *err);
/* Allow reading only, in `folders` and the folders named above. */
int confine_to_reading(const char *const *folders, size_t n, struct call_page *page,
                       struct error *err);
/* Allow only computing and answering. */
int confine_to_computing(struct error *err);

/* read() from PROTOCOL_SOCKET. Modules that read from it are ended. */
ssize_t confine_receive(void *bytes, size_t n);
