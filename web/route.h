/* route.h: the paths of the HTTP API (doc/api.md), and the request to galernad for each.
 *
 * One table maps a method and a path to a command of the control socket (doc/control-protocol.md).
 * Parameters of the path and the query, and the members of a body, become fields of the request.
 * Pure: no input or output.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* The users of a route. Operators (user 0 and the group oneadmin) may use all routes. */
enum route_right {
    RIGHT_SIGNED_IN,  /* every user */
    RIGHT_OPERATOR,   /* operators only */
    RIGHT_OWN_LEASES, /* every user; other users' leases are left out of the answer */
    RIGHT_USE,        /* users who may USE the lease's first VM */
    RIGHT_MANAGE,     /* users who may MANAGE all VMs of the lease */
    RIGHT_OWN_HOSTS,  /* every user; hosts that the user may not USE are left out */
    RIGHT_OWN_USAGE,  /* every user; only for the user's own usage */
    RIGHT_HOST,       /* users who may USE the host; owners of other users' leases are left out */
};

enum parameter_type {
    PARAMETER_NONE, /* ends the list */
    PARAMETER_NUMBER,
    PARAMETER_TEXT,
    PARAMETER_EITHER, /* an id or a name */
    PARAMETER_FLAG,   /* true, false */
    PARAMETER_WORDS,  /* separated by commas */
};

struct route_parameter {
    const char *name;
    enum parameter_type type;
};

enum { ROUTE_PARAMETERS = 6 };

struct route {
    const char *method;
    const char *path; /* below ROUTE_PREFIX; a segment may be a {parameter} */
    const char *command;
    enum route_right right;
    struct route_parameter parameter;               /* of the path */
    struct route_parameter query[ROUTE_PARAMETERS]; /* all optional */
    bool body;                                      /* takes a JSON object */
    bool as_caller;    /* galernad uses the caller's session with OpenNebula */
    bool same_for_all; /* galernad's answer is the same for all callers who may see it: they are
                          not named, and one answer (kept_answers.h), reduced to the rights of
                          each, serves them all */
    unsigned status;   /* HTTP status of a success */
};

#define ROUTE_PREFIX "/api/v1"

extern const struct route routes[];
extern const size_t n_routes;

/* A request that a client sent. */
struct route_request {
    const char *method, *path; /* decoded, without the query */
    const char *body;          /* NULL: none */
    size_t length;
};

/* The route of a method and a path. NULL: err has ENOENT (no such path) or ENOTSUP (wrong method;
 * `allow` lists the methods of the path). HEAD counts as GET. *captured: the path's parameter, in
 * `path`; NULL: none. */
const struct route *route_find(const char *method, const char *path, const char **captured,
                               char *allow, size_t size, struct error *err);

/* The request for the control socket, with its "command"; to be released. NULL with err (EINVAL):
 * the invalid body or parameter, and the expected value. */
json_t *route_ask(const struct route *route, const struct route_request *request,
                  const char *captured, struct error *err);

/* Add a parameter of the query. value NULL: it has none. -1 with err (EINVAL). */
int route_take_query(const struct route *route, json_t *asked, const char *name, const char *value,
                     struct error *err);
