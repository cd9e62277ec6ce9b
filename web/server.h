/* server.h: HTTP and TLS for the API, and HTTP for Haizea's.
 *
 * A thread for each of SERVER_CLIENTS_MAX connections, so that a request may wait for OpenNebula or
 * galernad. Off the loopback interface it takes TLS only.
 */
#pragma once

#include <stdint.h>

#include "util/error.h"
#include "web/api.h"

enum {
    SERVER_CLIENTS_MAX = 48,   /* below CONTROL_CLIENTS_MAX: others reach galernad in any case */
    SERVER_IDLE_LIMIT = 30,    /* seconds in which a client must send or read something */
    SERVER_MEMORY = 32 * 1024, /* bytes of a request's headers, and of what libmicrohttpd reads */
};

struct server; /* opaque */

/* Always gives an answer. Thread-safe. */
typedef void server_answer(const void *context, const struct api_request *request,
                           struct api_answer *answer);

/* Objects behind the pointers must outlive the server. */
struct server_settings {
    const char *listen;            /* "127.0.0.1:9751", "[::]:443" */
    const char *certificate, *key; /* files, PEM; both NULL: no TLS */
    server_answer *answer;
    const void *context;
    struct feed *feed; /* of answers that are a stream; NULL: there are none */
};

/* Starts its threads. NULL with err: EINVAL (the address; one off the
 * loopback interface without a certificate), those of bind(2), a file that cannot be read. */
struct server *server_create(const struct server_settings *settings, struct error *err);
/* Waits for the requests under way; feed_stop() first. NULL is allowed. */
void server_destroy(struct server *server);
