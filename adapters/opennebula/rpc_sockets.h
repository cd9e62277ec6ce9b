/* rpc_sockets.h: the connections of calls. libcurl handles those on which something has happened,
 * instead of asking the kernel about each.
 *
 * Private to rpc.c.
 */
#pragma once

#include <curl/curl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct rpc_sockets {
    CURLM *multi;
    struct pollfd *fds; /* of libcurl, then those of the caller that waits */
    size_t n, allocated;
    int64_t timer; /* monotonic milliseconds: when libcurl has to be called anyway; -1: never */
};

/* Of a multi handle without calls. Errors: false. */
bool rpc_sockets_init(struct rpc_sockets *sockets, CURLM *multi);
void rpc_sockets_finish(struct rpc_sockets *sockets); /* after curl_multi_cleanup() */

/* Transfers data on the connections that were ready at the last rpc_sockets_wait(). */
CURLMcode rpc_sockets_advance(struct rpc_sockets *sockets);
/* Waits for a connection, a timer of libcurl or the caller's descriptors. 0, or -1 with errno. */
int rpc_sockets_wait(struct rpc_sockets *sockets, struct pollfd *extra, unsigned n_extra,
                     int64_t timeout);
