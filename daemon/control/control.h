/* control.h: the private Unix socket between `galerna` and the daemon.
 *
 * Each direction carries one JSON object per line: {"command": "lease-list", ...} is answered by
 * {"ok": true, ...} or {"ok": false, "error": "...", "code": "..."}; see doc/control-protocol.md.
 * Requests of one connection are answered in order. The socket has mode 0600, or 0660 and a group
 * by configuration; the kernel identifies the peer for the handler. Never blocks: slow, silent and
 * flooding clients are disconnected.
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
    CONTROL_PACE = 16,     /* bytes of an answer that extend CONTROL_STALL by one millisecond */
    CONTROL_LATE = 120000, /* milliseconds that the daemon may take for an answer */
};

struct control_peer {
    uid_t uid;
    bool trusted;    /* root, the daemon's user, or a member of the socket's group */
    uint64_t ticket; /* identifies this request for control_answer() */
};

/* Answers one request, a JSON object. Returns a new object; or a string with the text of one, which
 * is faster for long answers; or NULL: control_answer() will send the answer, or has sent it. Must
 * not change the request; may keep a reference to it. */
typedef json_t *control_handler(void *context, const struct control_peer *peer,
                                const json_t *request);

/* Listen at `path`. group: a name or number; NULL: none. A stale socket is replaced. Errors:
 * EADDRINUSE (a daemon answers there), EEXIST (the path is not a socket), EINVAL (unknown group),
 * errors of the file system. */
struct control *control_create(const char *path, const char *group, control_handler *handler,
                               void *context, struct error *err);
void control_destroy(struct control *control); /* removes the socket; NULL is allowed */

/* Share a number that differs after each change that an answer could show (change_page.h). `state`
 * is called for it before each answer and each wait. */
int control_share(struct control *control, uint64_t (*state)(void *context), struct error *err);

/* Descriptors to wait for: fills `fds`, which has space for `room`; returns their number, at most
 * CONTROL_CLIENTS_MAX + 1. */
unsigned control_waitfds(const struct control *control, struct pollfd *fds, unsigned room);
/* After waiting, if any descriptor is ready: accept, read, answer, write. O(clients) when idle. */
void control_serve(struct control *control);

/* Answer a request whose handler returned NULL; takes the reference. The client may have
 * disconnected. */
void control_answer(struct control *control, uint64_t ticket, json_t *answer);

/* --- the client's side --- */

/* Send one request to the daemon at `path` and wait for the answer (timeout in milliseconds). NULL
 * with err: no daemon there (with the command to start it), no permission, timeout, invalid answer.
 * A refusal is an answer. */
json_t *control_ask(const char *path, const json_t *request, int timeout, struct error *err);
/* As control_ask(), on a connection that is kept: *fd is from an earlier call, or -1. Afterwards it
 * is the connection for the next call, to be closed, or -1. A connection that galernad has closed
 * is an error. Returns the answer as galernad wrote it, to be freed. */
char *control_ask_on(int *fd, const char *path, const json_t *request, int timeout,
                     struct error *err);
/* Parse that answer; takes ownership of `line`. NULL with err: the answer is not galernad's. */
json_t *control_read_answer(char *line, const char *path, struct error *err);
/* Is an unused connection still open, and not closed by galernad? */
bool control_is_open(int fd);

/* --- for client and daemon --- */

/* The address of a Unix socket. If the path is too long, its directory is opened (*directory, to be
 * closed after use; else -1) and the address refers to that descriptor. */
struct sockaddr_un;
int control_address(const char *path, struct sockaddr_un *address, int *directory,
                    struct error *err);
