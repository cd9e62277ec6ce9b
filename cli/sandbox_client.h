/* sandbox_client.h: the connection of the client verbs to a daemon. */
#pragma once

#include "adapters/opennebula/rpc.h"
#include "cli/sandbox.h"

/* Finds the endpoint and credentials. -1 with err. */
int sandbox_client_open(struct sandbox_client *client, struct error *err);
void sandbox_client_close(struct sandbox_client *client);
