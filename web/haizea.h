/* haizea.h: Haizea's XML-RPC interface, for its old clients (doc/decisions/0014).
 *
 * Its calls carry no identity, so each is made as a request to the HTTP API in the name of one user
 * whose session the operator gives. Thread-safe.
 */
#pragma once

#include "web/api.h"

struct haizea; /* opaque */

/* session: "user:token". Both must outlive the result. NULL with err. */
struct haizea *haizea_create(const struct api *api, const char *session, struct error *err);
void haizea_destroy(struct haizea *haizea); /* NULL is allowed */

/* Answers a call; of the request, its user is not looked at. Always gives an answer. A
 * server_answer of server.h. */
void haizea_answer(const void *haizea, const struct api_request *request,
                   struct api_answer *answer);
