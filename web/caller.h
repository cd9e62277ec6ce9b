/* caller.h: identifies the caller of a request, through OpenNebula.
 *
 * A caller sends a session of OpenNebula, "user:password" or "user:token", in HTTP's Basic scheme.
 * OpenNebula determines whether the session is valid, and its user; the result is remembered for
 * CALLER_REMEMBERED milliseconds under a keyed hash of the session. The session itself is kept only
 * during the request. Failed attempts are limited per address. Thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum { CALLER_REMEMBERED = 60 * 1000, CALLER_NAME_MAX = 256, CALLER_SESSION_MAX = 1024 };

struct caller {
    int32_t uid;
    bool is_operator; /* user 0, or a member of the group oneadmin */
    char name[CALLER_NAME_MAX];
    char session[CALLER_SESSION_MAX]; /* secret; wipe with caller_finish() */
};

struct callers; /* opaque */

struct callers_settings {
    const char *endpoint; /* of oned */
    const char *ca_file;  /* NULL: the system's */
    bool allow_plaintext; /* http to other machines than this one */
    int64_t rate;         /* requests per second of a caller; bursts may have twice as many */
};

/* Texts of the settings must outlive the result. NULL with err: the endpoint is not valid. */
struct callers *callers_create(const struct callers_settings *settings, struct error *err);
void callers_destroy(struct callers *callers); /* NULL is allowed */

/* The credentials of a client. */
struct caller_signs {
    const char *user, *password; /* or a token */
    const char *address;         /* of the client, for the limit of failures */
};

/* Find the session's user. 0 with *caller, to be finished; -1 with err: EACCES (the session is not
 * valid), EBUSY (too many failures from this address, or too many requests of this caller), EAGAIN
 * (OpenNebula does not answer). Makes a call to OpenNebula if the caller is not remembered. */
int callers_sign_in(struct callers *callers, const struct caller_signs *with, struct caller *caller,
                    struct error *err);
void caller_finish(struct caller *caller);

/* A connection to OpenNebula with the session of a caller; NULL with err. */
struct rpc *callers_connect(const struct callers *callers, const char *session, struct error *err);
