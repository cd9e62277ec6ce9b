/* control_client.h: one connection of the control socket, on the daemon's side. */
#ifndef GALERNA_DAEMON_CONTROL_CLIENT_H
#define GALERNA_DAEMON_CONTROL_CLIENT_H

#include "daemon/control/control.h"

struct control_client {
    int fd;
    struct control_peer peer; /* ticket: of the request under way */
    char *in;                 /* bytes read and not yet taken as requests */
    size_t in_length, in_allocated;
    char *out; /* the answer being written; NULL: none */
    size_t out_length, out_sent;
    int64_t progress; /* monotonic milliseconds: when something last went right */
    bool owed;        /* a handler has said "later" */
    bool ended;       /* the client sends no more */
    bool last;        /* close after the answer under way */
};

/* A new connection; owns fd. */
struct control_client *control_client_create(int fd, const struct control_peer *peer, int64_t now);
void control_client_destroy(struct control_client *client);

/* Read what is there, as far as there is room. -1: the connection is broken. */
int control_client_read(struct control_client *client, int64_t now);
/* Write what the other side takes. -1: the connection is broken. */
int control_client_write(struct control_client *client, int64_t now);

/* The next whole line, or 0 when there is none: its length without the newline; *line lies in
 * client->in. Removed by control_client_take(), given the same length. */
bool control_client_line(const struct control_client *client, const char **line, size_t *length);
void control_client_take(struct control_client *client, size_t length);

/* Make `answer` what is written next; there must be none. Takes the reference. */
void control_client_answer(struct control_client *client, json_t *answer);

/* Has it been silent, stalled or kept waiting for too long? */
bool control_client_is_late(const struct control_client *client, int64_t now);

#endif
