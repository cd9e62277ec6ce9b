/* rpc_request.h: the body of a call. */
#pragma once

#include "adapters/opennebula/rpc.h"

/* Returns the body of `*length` bytes, to be released with rpc_request_forget(), which wipes it
 * because it has the session. NULL with err (EINVAL): an argument cannot be encoded (with its
 * number and the cause, but without its text). */
char *rpc_request_encode(const struct rpc_request *request, const char *session, size_t *length,
                         struct error *err);
void rpc_request_forget(char *body, size_t length); /* NULL is allowed */
