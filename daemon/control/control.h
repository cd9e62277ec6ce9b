/* control.h: the private Unix socket over which `galerna` talks to the daemon.
 *
 * One JSON object a line in each direction: {"command": "lease-list", ...} is answered by
 * {"ok": true, ...} or {"ok": false, "error": "...", "code": "..."}; see doc/control-protocol.md.
 * Requests of one connection are answered in order. The socket has mode 0600, or 0660 and a group
 * by configuration; who the peer is is asked of the kernel and given to the handler. Never blocks:
 * slow, silent and flooding clients are cut off.
 */
#ifndef GALERNA_DAEMON_CONTROL_H
#define GALERNA_DAEMON_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct control; /* opaque */
struct pollfd;

enum {
    CONTROL_CLIENTS_MAX = 64,
    CONTROL_REQUEST_MAX = 65536, /* bytes of one request, its newline included */
    CONTROL_IDLE = 60000,        /* milliseconds until a client that asks nothing is cut off */
    CONTROL_STALL = 10000,       /* the same for half a request, and for an answer nobody reads */
    CONTROL_LATE = 120000,       /* the same for an answer that the daemon owes */
};

struct control_peer {
    uid_t uid;
    gid_t gid;
    pid_t pid;
    bool trusted;    /* root, the daemon's user, or a member of the socket's group */
    uint64_t ticket; /* of this request, for control_answer() */
};

/* Answers one request, a JSON object. Returns a new object, or a string that holds the text of one
 * (long answers are faster so), or NULL: the answer comes with control_answer(), perhaps it already
 * has. Must not change or keep the request. */
typedef json_t *control_handler(void *context, const struct control_peer *peer,
                                const json_t *request);

/* Listen at path. group: a name or number, NULL for none. Errors: EADDRINUSE (a daemon answers
 * there), EEXIST (something else is there), EINVAL (unknown group), those of the file system. A
 * stale socket is replaced. */
struct control *control_create(const char *path, const char *group, control_handler *handler,
                               void *context, struct error *err);
void control_destroy(struct control *control); /* removes the socket; NULL is allowed */

/* Descriptors to wait for, into room for `room` entries; returns how many. At most
 * CONTROL_CLIENTS_MAX + 1. */
unsigned control_waitfds(const struct control *control, struct pollfd *fds, unsigned room);
/* After waiting, whatever was ready: accept, read, answer, write. O(clients) when there is nothing
 * to do. */
void control_serve(struct control *control);

/* The answer to a request whose handler returned NULL; takes the reference. Tickets whose client
 * has gone are allowed. */
void control_answer(struct control *control, uint64_t ticket, json_t *answer);

/* --- the client's side --- */

/* Send one request to the daemon at path and wait for the answer (timeout in milliseconds). NULL
 * with err: no daemon there (says how to start it), no permission, timeout, garbage. An answer that
 * says no is an answer. */
json_t *control_ask(const char *path, const json_t *request, int timeout, struct error *err);

/* --- for both --- */

/* A Unix socket's address for a path of any length: where it does not fit, the directory is opened
 * (*directory, else -1, to be closed after use) and the address goes through it. */
struct sockaddr_un;
int control_address(const char *path, struct sockaddr_un *address, int *directory,
                    struct error *err);

#endif
