/* due.h: when the daemon's loop has work, and which steps are allowed now.
 *
 * The answers come from times kept by the parts of the daemon: O(1); due_in() also goes through the
 * waiting notices. */
#pragma once

#include "daemon/live/daemon.h"

/* May commands be sent: does this daemon act, and are its observations fresh? */
bool due_may_act(const struct daemon *daemon);

/* May plans be made? */
bool due_plans(const struct daemon *daemon);

/* Must a failed plan be retried (at daemon->next_plan), now that this daemon acts? */
bool due_plan_again(const struct daemon *daemon);

/* The time (seconds since 1970) of the next planned operation, command or reconciliation
 * (`reconcile`); INSTANT_NEVER. Actions that are impossible until the next poll do not count: the
 * loop would spin. */
int64_t due_next(const struct daemon *daemon, int64_t reconcile);

/* Milliseconds until anything is due: at least 0, at most a minute. */
int64_t due_in(const struct daemon *daemon);
