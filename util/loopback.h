/* loopback.h: addresses that only this machine can reach, as operators write them:
 * "127.0.0.1:9750",
 * "[::1]:9750". */
#pragma once

#include <netinet/in.h>

#include "util/error.h"

union loopback_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Errors: EINVAL: the text is not an address with a port (1 to 65535), or not of the loopback
 * interface. */
int loopback_read(const char *text, union loopback_address *address, struct error *err);
/* The size of the structure that the address uses. */
socklen_t loopback_size(const union loopback_address *address);
