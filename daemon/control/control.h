/* control.h: the private Unix socket over which `galerna` talks to the daemon.
 *
 * One JSON object per line in each direction: {"command": "lease-list", ...} is answered by {"ok":
 * true, ...} or {"ok": false, "error": "...", "code": "..."}; see doc/control-protocol.md. Requests
 * of one connection are answered in order. The socket has mode 0600, or 0660 and a group by
 * configuration; the kernel identifies the peer, which is passed to the handler. Never blocks:
 * slow, silent and flooding clients are disconnected.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct control; /* opaque */
struct pollfd;

enum {
    CONTROL_CLIENTS_MAX = 64,
    CONTROL_REQUEST_MAX = 65536, /* bytes of a request, including its newline */
    CONTROL_IDLE = 60000,        /* milliseconds until a silent client is disconnected */
    CONTROL_STALL = 10000, /* milliseconds for the rest of a request, and for reading an answer */
    CONTROL_PACE = 16,     /* bytes of an answer that prolong that by one millisecond */
    CONTROL_LATE = 120000, /* milliseconds that the daemon has for an answer */
};

struct control_peer {
    uid_t uid;
    bool trusted;    /* root, the daemon's user, or a member of the socket's group */
    uint64_t ticket; /* of this request, for control_answer() */
};

/* Answers one request, a JSON object. Returns a new object, or a string with the text of one
 * (faster for long answers), or NULL: the answer follows by control_answer(), which may already
 * have been called. Must not change or keep the request. */
typedef json_t *control_handler(void *context, const struct control_peer *peer,
                                const json_t *request);

/* Listen at path. group: a name or number, NULL for none. Errors: EADDRINUSE (a daemon answers
 * there), EEXIST (the path is not a socket), EINVAL (unknown group), errors of the file system. A
 * stale socket is replaced. */
struct control *control_create(const char *path, const char *group, control_handler *handler,
                               void *context, struct error *err);
void control_destroy(struct control *control); /* removes the socket; NULL is allowed */

/* Share a number that is another one after each change that an answer could show, see
 * change_page.h; `state` is asked for it before each answer and each wait. */
int control_share(struct control *control, uint64_t (*state)(void *context), struct error *err);

/* Descriptors to wait for: fills `fds` (space for `room`), returns how many, at most
 * CONTROL_CLIENTS_MAX + 1. */
unsigned control_waitfds(const struct control *control, struct pollfd *fds, unsigned room);
/* After waiting, with any descriptor ready: accept, read, answer, write. O(clients) when idle. */
void control_serve(struct control *control);

/* The answer to a request whose handler returned NULL; takes the reference. The client may have
 * disconnected. */
void control_answer(struct control *control, uint64_t ticket, json_t *answer);

/* --- the client's side --- */

/* Send one request to the daemon at path and wait for the answer (timeout in milliseconds). NULL
 * with err: no daemon there (says how to start it), no permission, timeout, invalid answer. A
 * refusal is an answer. */
json_t *control_ask(const char *path, const json_t *request, int timeout, struct error *err);
/* The same on a connection that is kept: *fd is that of an earlier call, or -1; afterwards it is
 * one for the next call, to be closed, or -1. One that galernad has closed meanwhile is an error.
 * The answer as galernad wrote it, to be freed. */
char *control_ask_on(int *fd, const char *path, const json_t *request, int timeout,
                     struct error *err);
/* Takes that answer. NULL with err: it is not one of galernad. */
json_t *control_read_answer(char *line, const char *path, struct error *err);
/* Has galernad not closed the connection, which is not in use? */
bool control_is_open(int fd);

/* --- for client and daemon --- */

/* A Unix socket's address for a path of any length: if the path is too long, its directory is
 * opened (*directory, else -1, to be closed after use) and the address refers to that
 * descriptor. */
struct sockaddr_un;
int control_address(const char *path, struct sockaddr_un *address, int *directory,
                    struct error *err);
