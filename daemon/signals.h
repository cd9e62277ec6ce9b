/* signals.h: SIGTERM, SIGINT and SIGHUP as events of the loop. */
#pragma once

#include "util/error.h"

struct pollfd;

enum { SIGNAL_STOP = 1, SIGNAL_RELOAD };

/* From now on these signals are events; SIGPIPE is ignored. */
int signals_catch(struct error *err);
/* The descriptor to wait for: fills one, returns 1. */
unsigned signals_waitfd(struct pollfd *fd);
/* The next pending signal, or 0. */
int signals_next(void);
