/* confine.h: what the planner process may do, before and after it has loaded modules.
 *
 * It has no network, starts and signals nothing, sets no timers and no limits. Until modules are
 * loaded it may read files: those of modules and libraries where the kernel has Landlock, all that
 * its user may read elsewhere. Afterwards it opens nothing. What is forbidden ends the process;
 * which system call it was is noted in the page. Opening files is refused with EACCES, since the C
 * library does it on its own accord (time zones, locales).
 *
 * Built with sanitizers, whose runtime opens, maps and asks for more than this, only what a module
 * must not do is forbidden: network, processes, signals to others, timers, limits.
 */
#ifndef GALERNA_PLANNER_CONFINE_H
#define GALERNA_PLANNER_CONFINE_H

#include <stddef.h>
#include <sys/types.h>

#include "planner/protocol.h"
#include "util/error.h"

/* Everything that does not depend on modules: privileges, limits, an unprivileged user when it is
 * root's. Call it first. */
int confine_process(uid_t user, gid_t group, struct error *err);
/* Reading only: `folders` besides those of libraries. */
int confine_to_reading(const char *const *folders, size_t n, struct call_page *page,
                       struct error *err);
/* Nothing but computing and answering. */
int confine_to_computing(struct error *err);

#endif
