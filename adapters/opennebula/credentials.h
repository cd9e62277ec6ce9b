/* credentials.h: the endpoint of oned and the credentials for it.
 *
 * Found as OpenNebula's own tools find them: the endpoint in ONE_XMLRPC, ~/.one/one_endpoint or
 * /var/lib/one/.one/one_endpoint, else http://localhost:2633/RPC2; the session, "user:password" or
 * "user:token" on one line, in the file that ONE_AUTH names, ~/.one/one_auth or
 * /var/lib/one/.one/one_auth. Unlike with those tools, a configured file must exist: a misspelt
 * name must not lead to another user's credentials.
 */
#pragma once

#include "util/error.h"

enum { CREDENTIALS_TEXT_MAX = 320 };

struct credentials {
    char *endpoint;
    char *session;                      /* secret: not for messages */
    char *user;                         /* its part before the colon */
    char *endpoint_from;                /* "configuration", "ONE_XMLRPC", a file, "default" */
    char *session_from;                 /* a file */
    char warning[CREDENTIALS_TEXT_MAX]; /* "" or what is wrong with the file, to be logged */
};

/* endpoint and auth_file come from the configuration and go before everything else; NULL or empty:
 * not set. Errors: ENOENT (no file; says where it looked), EACCES, EINVAL (not "user:password";
 * the content is not shown). *credentials is empty then. */
int credentials_find(struct credentials *credentials, const char *endpoint, const char *auth_file,
                     struct error *err);

/* The endpoint only, into an empty *credentials. Errors as above. */
int credentials_find_endpoint(struct credentials *credentials, const char *endpoint,
                              struct error *err);

/* The session only, from this file, into an empty *credentials. Errors as above. */
int credentials_read_session(struct credentials *credentials, const char *path, struct error *err);

/* Wipes the session before it is freed. */
void credentials_finish(struct credentials *credentials);

/* No core dumps of this process and no debugger of the same user's: the session is in its memory.
 * -1 with err. */
int credentials_protect(struct error *err);
