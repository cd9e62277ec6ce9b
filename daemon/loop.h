/* loop.h: the loop of galernad (daemon.c).
 *
 * One thread runs one loop (daemon_run): wait for an answer, a request, a signal or a planned time,
 * then run a cycle: intake (new VMs become leases) -> reconcile (the store follows the world) ->
 * planner (decisions become phases and goals) -> commit (durable) -> enactor (goals become
 * commands) -> messages.
 */
#pragma once

#include <stdbool.h>

#include "daemon/state/world.h"
#include "util/error.h"

struct daemon;

/* For planner_create(): the plan is ready, or failed: finish the cycle. */
void daemon_planned(void *context, bool made);
/* For world_create(). */
void daemon_polled(void *context, enum poll_kind kind, bool ok, const char *error);
/* Runs until a signal. -1 with err: a fatal error. */
int daemon_run(struct daemon *daemon, struct error *err);
