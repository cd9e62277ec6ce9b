/* api.h: from a request over HTTP to its answer: the caller, the route, the caller's rights, and
 * galernad's answer.
 *
 * Thread-safe. Independent of sockets and TLS (server.h).
 */
#pragma once

#include "web/caller.h"
#include "web/feed.h"
#include "web/files.h"
#include "web/route.h"

enum { API_BODY_MAX = 60000, API_QUERY_MAX = 16, API_ALLOW_MAX = 64 };

struct api {
    struct callers *callers;
    struct views *views;
    struct files *files;
    struct feed *feed;
    struct galernad *galernad;
};

struct api_pair {
    const char *name, *value; /* value NULL: none */
};

struct api_request {
    struct route_request route;
    const char *type;            /* Content-Type; NULL: none */
    const char *user, *password; /* NULL: no credentials */
    const char *address;         /* of the client */
    struct api_pair query[API_QUERY_MAX];
    size_t n_query;
    bool too_long; /* the body or the query */
};

struct api_answer {
    unsigned status;
    const char *type; /* a constant */
    char *body;       /* to be freed, unless `file` is set; NULL: a stream of events */
    size_t length;
    const struct file *file;
    char allow[API_ALLOW_MAX]; /* for 405 */
    char who[CALLER_NAME_MAX]; /* for the log; "": not signed in */
};

/* Answer a request to a `struct api`; log it if it changes something or is denied. Always answers.
 * A server_answer of server.h. */
void api_answer(const void *api, const struct api_request *request, struct api_answer *answer);
