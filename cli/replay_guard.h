/* replay_guard.h: ends a replay in order, also when a policy module crashes or does not return.
 *
 * The first SIGINT or SIGTERM asks the replay to end, the second one ends it. A replay that is in a
 * call to a policy module two seconds after the first, and has been all the while, is ended with
 * EXIT_INTERRUPTED; one whose module crashes with EXIT_FAILED. In both cases the module is named on
 * standard error. One replay of a process is guarded.
 */
#pragma once

#include <signal.h>

#include "plugin/policy_host.h"

/* Catch signals; alone: the second SIGINT or SIGTERM ends this process. Returns what becomes 1 with
 * the first of them, 2 with the second. */
const volatile sig_atomic_t *replay_guard_catch(bool alone);

/* The watcher that notes calls into modules. */
const struct policy_watch *replay_guard_watch(void);

/* The names of the modules, once they are loaded. */
void replay_guard_name_modules(const struct policy_host *policies);
