/* sandbox_client.h: the connection of the client verbs to a daemon. */
#pragma once

#include "adapters/opennebula/rpc.h"
#include "cli/sandbox.h"
#include "util/error.h"

/* Connects the client, which is the first member of the call's arguments, and does the work, which
 * returns -1 with err. Returns the exit code. */
int sandbox_client_run(const struct call *call,
                       int (*work)(const struct call *call, struct error *err));
