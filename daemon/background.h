/* background.h: detaches galernad from the terminal once it runs.
 *
 * The started process waits until the daemon, its child, runs or has failed, and exits with the
 * result that the manual promises. Under systemd (NOTIFY_SOCKET), nothing is forked. */
#pragma once

#include "util/error.h"

/* Returns 0 in the process that becomes the daemon; it keeps its working directory, so relative
 * paths remain valid. *ready is for background_say_ready(), -1 if no process waits. Returns 1 in
 * the process that was started, once the daemon runs or has ended, with *exit_code. Returns -1 on
 * failure, in either process. SIGTERM and SIGINT must be caught (signals_catch()): the waiting
 * process passes them on. */
int background_enter(int *ready, int *exit_code, struct error *err);

/* Tells systemd and the waiting process that the daemon runs. A log on a terminal continues in
 * `galernad.log` in the state directory; a log in a file or pipe stays there. */
void background_say_ready(int ready, const char *state_directory);
