/* server.h: HTTP and TLS for the API, and HTTP for Haizea's interface.
 *
 * Each of up to SERVER_CLIENTS_MAX connections has its own thread, so a request may wait for
 * OpenNebula or galernad. Addresses other than loopback require TLS.
 */
#pragma once

#include "util/error.h"
#include "web/api.h"

enum {
    SERVER_CLIENTS_MAX = 224,  /* CONNECTIONS_MAX and those that are closing; below TasksMax */
    SERVER_IDLE_LIMIT = 30,    /* seconds within which a client must send or read something */
    SERVER_MEMORY = 32 * 1024, /* bytes for a request's headers and libmicrohttpd's buffer */
};

struct server; /* opaque */

/* Always answers. Thread-safe. */
typedef void server_answer(const void *context, const struct api_request *request,
                           struct api_answer *answer);

/* Objects behind the pointers must outlive the server. */
struct server_settings {
    const char *listen;            /* "127.0.0.1:9751", "[::]:443" */
    const char *certificate, *key; /* files, PEM; both NULL: no TLS */
    server_answer *answer;
    const void *context;
    struct feed *feed; /* source of streamed answers; NULL: there are none */
};

/* Start the server's threads. NULL with err: EINVAL (an invalid address, or not a loopback address
 * and no certificate), errors of bind(2), a file that cannot be read. */
struct server *server_create(const struct server_settings *settings, struct error *err);
/* Waits for requests in progress; call feed_stop() first. NULL is allowed. */
void server_destroy(struct server *server);
