/* http_server.h: a local HTTP server that answers XML-RPC calls and misbehaves on request.
 *
 * What it does with a call follows from the method's name: see the table in http_server.c; the
 * session "refused-CODE:..." is refused. Runs in processes of its own.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct http_server {
    char endpoint[64]; /* "http://127.0.0.1:PORT/RPC2" */
    int port;
    pid_t process;      /* leads a process group */
    int calls;          /* "c" for each call that arrived whole, "o" for each connection */
    size_t connections; /* opened so far, as of http_server_calls() */
};

void http_server_start(struct http_server *server);
void http_server_stop(struct http_server *server);

/* How many calls arrived since the last time this was asked. */
size_t http_server_calls(struct http_server *server);
