/* replay_guard.h: ends a replay in order on a signal, even if a policy module does not return, and
 * names a module that crashes.
 *
 * The first SIGINT or SIGTERM requests the end of the replay; the second one ends it at once. A
 * replay that spends the two seconds after the first signal in a single call to a policy module
 * ends with EXIT_INTERRUPTED, and a replay whose module crashes or calls exit() with EXIT_FAILED.
 * In each case, a message on standard error names the module. A process can guard one replay. */
#pragma once

#include <signal.h>

#include "plugin/policy_host.h"

/* Catches signals; alone: the second SIGINT or SIGTERM ends this process. Returns the number of
 * these signals caught, which becomes 1 and then 2. */
const volatile sig_atomic_t *replay_guard_catch(bool alone);

/* The watcher of calls to modules. */
const struct policy_watch *replay_guard_watch(void);

/* Stores the names of the loaded modules. */
void replay_guard_name_modules(const struct policy_host *policies);
