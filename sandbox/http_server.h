/* http_server.h: XML-RPC over HTTP, and faults of the transport. */
#pragma once

#include "sandbox/pools.h"

/* Sets the daemon's port. NULL with err: it cannot listen there. */
struct oned_server *oned_server_create(struct oned *oned, const char *address, int port,
                                       struct error *err);
void oned_server_destroy(struct oned_server *server);

/* Wait for at most timeout ms for something to do, and do it. */
int oned_server_step(struct oned_server *server, int timeout, struct error *err);
