/* rpc_request.h: the body of a call. */
#pragma once

#include "adapters/opennebula/rpc.h"

/* The body, `*length` bytes; to be released with rpc_request_forget(), which wipes it first: it
 * holds the session. NULL with err (EINVAL): an argument cannot be said in XML-RPC (which and why;
 * its text is not repeated). */
char *rpc_request_encode(const struct rpc_request *request, const char *session, size_t *length,
                         struct error *err);
void rpc_request_forget(char *body, size_t length); /* NULL is allowed */
