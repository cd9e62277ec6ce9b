/* control_client.h: one connection of the control socket, in the daemon. */
#pragma once

#include "daemon/control/control.h"

struct control_client {
    int fd;
    struct control_peer peer; /* ticket: of the request in progress */
    char *in;                 /* bytes read but not yet handled as requests */
    size_t in_length, in_allocated;
    char *out; /* the answer being written; NULL: none */
    size_t out_length, out_sent;
    int64_t progress; /* monotonic milliseconds: when the last request began or was answered */
    bool owed;        /* the handler will answer later */
    bool ended;       /* the client has closed its sending side */
    bool last;        /* close after the current answer */
};

/* A new connection; owns fd. */
struct control_client *control_client_create(int fd, const struct control_peer *peer, int64_t now);
void control_client_destroy(struct control_client *client);

/* Read available bytes, up to the size of a request. -1: the connection is broken. */
int control_client_read(struct control_client *client, int64_t now);
/* Write as much as the socket accepts. -1: the connection is broken. */
int control_client_write(struct control_client *client, int64_t now);

/* The next complete line; false: none. *length excludes the newline; *line points into client->in.
 * Remove the line with control_client_take() and the same length. */
bool control_client_line(const struct control_client *client, const char **line, size_t *length);
void control_client_take(struct control_client *client, size_t length);

/* Set the next answer to write; none may be pending. Takes the reference. */
void control_client_answer(struct control_client *client, json_t *answer);

/* Has the client been silent, stalled or kept waiting for too long? */
bool control_client_is_late(const struct control_client *client, int64_t now);
