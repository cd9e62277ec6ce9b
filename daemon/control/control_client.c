/* Reads and answers one connection of the control socket. */
#include "daemon/control/control_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/crash_point.h"
#include "util/memory.h"

struct control_client *control_client_create(int fd, const struct control_peer *peer, int64_t now)
{
    struct control_client *client = memory_new(1, sizeof *client);

    client->fd = fd;
    client->peer = *peer;
    client->progress = now;
    return client;
}

void control_client_destroy(struct control_client *client)
{
    close(client->fd);
    free(client->in);
    free(client->out);
    free(client);
}

/* Most requests are short, and freeing a large buffer costs more than answering them. */
enum { READ_AT_FIRST = 4096 };

int control_client_read(struct control_client *client, int64_t now)
{
    size_t room = client->in_length ? CONTROL_REQUEST_MAX : READ_AT_FIRST;
    ssize_t n;

    if (client->ended || client->in_length == CONTROL_REQUEST_MAX)
        return 0;
    MEMORY_GROW(client->in, client->in_allocated, room);
    n = recv(client->fd, client->in + client->in_length, room - client->in_length, 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0)
        client->ended = true;
    /* Later bytes of a request do not extend its time limit. */
    if (n > 0 && client->in_length == 0)
        client->progress = now;
    client->in_length += (size_t)n;
    return 0;
}

int control_client_write(struct control_client *client, int64_t now)
{
    ssize_t n;

    if (!client->out)
        return 0;
    crash_point("before an answer");
    n = send(client->fd, client->out + client->out_sent, client->out_length - client->out_sent,
             MSG_NOSIGNAL);
    crash_point("after an answer");
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    client->out_sent += (size_t)n;
    if (client->out_sent == client->out_length) {
        client->progress = now;
        free(client->out);
        client->out = NULL;
    }
    return 0;
}

bool control_client_line(const struct control_client *client, const char **line, size_t *length)
{
    const char *end = client->in_length ? memchr(client->in, '\n', client->in_length) : NULL;

    *line = client->in;
    *length = end ? (size_t)(end - client->in) : 0;
    return end != NULL;
}

void control_client_take(struct control_client *client, size_t length)
{
    client->in_length -= length + 1;
    memmove(client->in, client->in + length + 1, client->in_length);
}

void control_client_answer(struct control_client *client, json_t *answer)
{
    char *text = answer && !json_is_string(answer) ? json_dumps(answer, JSON_COMPACT) : NULL;

    if (json_is_string(answer))
        text = memory_copy(json_string_value(answer), json_string_length(answer) + 1);
    json_decref(answer);
    if (!text)
        text = memory_text("{\"ok\":false,\"error\":\"the answer cannot be written as JSON\","
                           "\"code\":\"internal\"}");
    client->out_length = strlen(text) + 1;
    text[client->out_length - 1] = '\n'; /* replaces the terminating 0 */
    client->out = text;
    client->out_sent = 0;
    client->owed = false;
}

bool control_client_is_late(const struct control_client *client, int64_t now)
{
    int64_t sent = (int64_t)client->out_sent / CONTROL_PACE; /* slow reading gains little */
    int64_t limit = client->out             ? CONTROL_STALL + sent
                    : client->owed          ? CONTROL_LATE
                    : client->in_length > 0 ? CONTROL_STALL
                                            : CONTROL_IDLE;

    return now - client->progress > limit;
}
