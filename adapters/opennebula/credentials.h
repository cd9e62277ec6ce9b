/* credentials.h: the endpoint of oned and the credentials for it.
 *
 * Found like OpenNebula's own tools: the endpoint in ONE_XMLRPC, ~/.one/one_endpoint or
 * /var/lib/one/.one/one_endpoint, by default http://localhost:2633/RPC2; the session,
 * "user:password" or "user:token" on one line, in the file in ONE_AUTH, ~/.one/one_auth or
 * /var/lib/one/.one/one_auth. Unlike those tools, a configured file must exist: a misspelt name
 * must not lead to another user's credentials.
 */
#pragma once

#include "util/error.h"

enum { CREDENTIALS_TEXT_MAX = 320 };

struct credentials {
    char *endpoint;
    char *session;                      /* secret: not for messages */
    char *user;                         /* the part of the session before the colon */
    char *endpoint_from;                /* "configuration", "ONE_XMLRPC", a file, "default" */
    char *session_from;                 /* a file */
    char warning[CREDENTIALS_TEXT_MAX]; /* a problem with the file, to be logged, or "" */
};

/* endpoint and auth_file come from the configuration and take precedence; NULL or empty: not set.
 * Errors: ENOENT (no file, with the searched paths), EACCES, EINVAL (not "user:password"; does not
 * show the contents). *credentials is then empty. */
int credentials_find(struct credentials *credentials, const char *endpoint, const char *auth_file,
                     struct error *err);

/* Finds only the endpoint; *credentials must be empty. Errors as above. */
int credentials_find_endpoint(struct credentials *credentials, const char *endpoint,
                              struct error *err);

/* Reads only the session from this file; *credentials must be empty. Errors as above. */
int credentials_read_session(struct credentials *credentials, const char *path, struct error *err);

/* Wipes the session before it is freed. */
void credentials_finish(struct credentials *credentials);

/* Disables core dumps of this process and debuggers of the same user, because its memory has the
 * session. -1 with err. */
int credentials_protect(struct error *err);
