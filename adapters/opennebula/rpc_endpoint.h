/* rpc_endpoint.h: oned's endpoint. */
#pragma once

#include <stdbool.h>

#include "util/error.h"

struct rpc_endpoint {
    char *url, *host; /* IPv6 addresses without brackets */
    bool encrypted;
    bool loopback; /* "localhost", 127.0.0.0/8 or ::1, as written: names are not resolved */
};

/* Errors: EINVAL (not a URL of http or https, or with a user or password), EPERM (http to another
 * machine without allow_plaintext). Call rpc_endpoint_finish() in any case. */
int rpc_endpoint_init(struct rpc_endpoint *endpoint, const char *url, bool allow_plaintext,
                      struct error *err);
void rpc_endpoint_finish(struct rpc_endpoint *endpoint);
