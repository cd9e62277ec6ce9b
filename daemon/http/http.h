/* http.h: an HTTP server on the loopback interface, for monitoring.
 *
 * It runs in galernad's loop and never blocks it: a client that sends nothing, sends slowly or
 * reads slowly costs one of HTTP_CLIENTS_MAX connections until its time is over. Requests are GET
 * or HEAD; an answer ends its connection.
 */
#pragma once

#include <stdint.h>

#include "util/error.h"

enum {
    HTTP_CLIENTS_MAX = 16,         /* further ones wait for a place */
    HTTP_IDLE_LIMIT = 5,           /* seconds in which a client must send or read something */
    HTTP_CLIENT_LIMIT = 20 * 1000, /* milliseconds from connecting to the end of the answer */
    HTTP_REQUEST_MAX = 16 * 1024,  /* bytes of a request */
};

struct http; /* opaque */
struct output;
struct pollfd;

struct http_request {
    const char *path;   /* decoded, without the query */
    const char *accept; /* its header; "": none */
};

/* Writes the body; sets its type (a constant; "text/plain; charset=utf-8" unless set). Returns the
 * status: 200, 404, 503, ... */
typedef unsigned http_handler(void *context, const struct http_request *request,
                              struct output *body, const char **type);

/* `listen`: as loopback_read() takes it. NULL with err: an invalid address, or those of bind(2). */
struct http *http_create(const char *listen, http_handler *handler, void *context,
                         struct error *err);
void http_destroy(struct http *http); /* NULL is allowed */

/* At most one entry. */
unsigned http_waitfds(const struct http *http, struct pollfd *fds);
/* When to call http_serve() at the latest: monotonic milliseconds; INSTANT_NEVER. */
int64_t http_due(const struct http *http);
/* Receive, answer and drop clients. */
void http_serve(struct http *http);
