/* sandbox_client.h: shared by the client verbs: which daemon, with which session. */
#pragma once

#include "adapters/opennebula/rpc.h"
#include "cli/sandbox.h"

/* Find endpoint and credentials. -1 with err. */
int sandbox_client_open(struct sandbox_client *client, struct error *err);
void sandbox_client_close(struct sandbox_client *client);
