/* rpc_endpoint.h: where oned listens. */
#pragma once

#include <stdbool.h>

#include "util/error.h"

struct rpc_endpoint {
    char *url, *host; /* of an IPv6 address without its brackets */
    bool encrypted;
    bool loopback; /* "localhost", 127.0.0.0/8 or ::1, as written: names are not resolved */
};

/* EINVAL: no URL of http or https, or one with a user or password in it. EPERM: http to another
 * machine without allow_plaintext. The caller calls finish in any case. */
int rpc_endpoint_init(struct rpc_endpoint *endpoint, const char *url, bool allow_plaintext,
                      struct error *err);
void rpc_endpoint_finish(struct rpc_endpoint *endpoint);
