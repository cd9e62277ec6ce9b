/* haizea.h: Haizea's XML-RPC interface, for its old clients (doc/decisions/0014).
 *
 * Haizea's calls carry no identity: each becomes a request to the HTTP API with the session of one
 * user, which the operator configures. Thread-safe.
 */
#pragma once

#include "web/api.h"

struct haizea; /* opaque */

/* session: "user:token". Both must outlive the result. NULL with err. */
struct haizea *haizea_create(const struct api *api, const char *session, struct error *err);
void haizea_destroy(struct haizea *haizea); /* NULL is allowed */

/* Answer a call; the request's own credentials are ignored. Always answers. A server_answer of
 * server.h. */
void haizea_answer(const void *haizea, const struct api_request *request,
                   struct api_answer *answer);
