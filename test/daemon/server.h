/* server.h: a control socket served by the test itself or by a child of it. */
#pragma once

#include <sys/types.h>

#include "daemon/control/control.h"

/* Wait and serve, as the daemon's loop does, for so many milliseconds. Returns the number of turns.
 */
int server_run(struct control *control, int milliseconds);

/* A child that serves at path until server_stop(). It listens when this returns. */
pid_t server_start(const char *path, control_handler *handler, void *context);
void server_stop(pid_t server);
