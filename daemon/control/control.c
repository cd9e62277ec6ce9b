/* Serves the control socket. */
#include "daemon/control/control.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/control/change_page.h"
#include "daemon/control/control_client.h"
#include "daemon/control/control_listen.h"
#include "util/clock.h"
#include "util/memory.h"
#include "util/unqualified.h"

enum {
    REQUESTS_A_TURN = 8, /* of one client before others are served */
    EVICT_AFTER = 1000,  /* milliseconds of silence before another client may replace this one */
    DEPTH_MAX = 16,      /* of a request */
    DEAF_FOR = 1000,     /* milliseconds without accepting when out of descriptors */
};

struct control {
    int listener;
    char *path;
    dev_t device; /* the socket to remove at the end */
    ino_t inode;
    gid_t group;
    control_handler *handler;
    void *context;
    struct control_client *clients[CONTROL_CLIENTS_MAX];
    size_t n_clients;
    int64_t deaf_until;
    uint64_t tickets;
    struct change_page *page; /* NULL: not shared */
    uint64_t (*state)(void *context);
    /* An answer that arrived before its handler returned. */
    uint64_t asking;
    json_t *early;
};

struct control *control_create(const char *path, const char *group, control_handler *handler,
                               void *context, struct error *err)
{
    gid_t gid = (gid_t)-1;
    struct control *control;
    struct stat status;
    int listener;

    if (group && control_find_group(group, &gid, err) < 0)
        return NULL;
    listener = control_listen(path, gid, err);
    if (listener < 0)
        return NULL;
    control = memory_new(1, sizeof *control);
    control->listener = listener;
    control->path = memory_text(path);
    control->group = gid;
    control->handler = handler;
    control->context = context;
    if (stat(path, &status) == 0) {
        control->device = status.st_dev;
        control->inode = status.st_ino;
    }
    return control;
}

void control_destroy(struct control *control)
{
    int saved = errno;
    struct stat status;

    if (!control)
        return;
    for (size_t i = 0; i < control->n_clients; i++)
        control_client_destroy(control->clients[i]);
    close(control->listener);
    change_page_destroy(control->page);
    if (stat(control->path, &status) == 0 && status.st_dev == control->device &&
        status.st_ino == control->inode)
        unlink(control->path);
    json_decref(control->early);
    free(control->path);
    free(control);
    errno = saved;
}

int control_share(struct control *control, uint64_t (*state)(void *context), struct error *err)
{
    control->state = state;
    control->page = change_page_create(control->path, control->group, err);
    return control->page ? 0 : -1;
}

static void share(const struct control *control)
{
    if (control->page)
        change_page_write(control->page, control->state(control->context));
}

/* The events to wait for; 0: none. A client must read each answer before it gets the next one. */
static short wanted(const struct control_client *client)
{
    const char *line;
    size_t length;

    if (client->out)
        return POLLOUT;
    if (client->owed)
        return 0;
    /* The next request has already been read: do not wait. */
    if (control_client_line(client, &line, &length))
        return POLLOUT;
    return client->ended ? 0 : POLLIN;
}

unsigned control_waitfds(const struct control *control, struct pollfd *fds, unsigned room)
{
    unsigned n = 0;

    share(control);
    if (room > 0 && clock_milliseconds(CLOCK_MONOTONIC) >= control->deaf_until)
        fds[n++] = (struct pollfd){.fd = control->listener, .events = POLLIN};
    for (size_t i = 0; i < control->n_clients && n < room; i++)
        fds[n++] =
            (struct pollfd){.fd = control->clients[i]->fd, .events = wanted(control->clients[i])};
    return n;
}

static json_t *refusal(const char *code, const char *text)
{
    return json_pack("{s:b, s:s, s:s}", "ok", 0, "error", text, "code", code);
}

static bool too_deep(const json_t *value, int depth)
{
    const json_t *item;
    const char *key;
    size_t i;

    if (!json_is_object(value) && !json_is_array(value))
        return false;
    if (depth == 0)
        return true;
    json_array_foreach(value, i, item)
        if (too_deep(item, depth - 1))
            return true;
    json_object_foreach(unqualified(value), key, item)
        if (too_deep(item, depth - 1))
            return true;
    return false;
}

static json_t *answer_line(struct control *control, struct control_client *client, const char *line,
                           size_t length)
{
    json_error_t error;
    json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error), *answer;
    char text[JSON_ERROR_TEXT_LENGTH + 64];

    if (!request) {
        snprintf(text, sizeof text, "the request is not JSON: column %d: %s", error.column,
                 error.text);
        return refusal("malformed", text);
    }
    if (!json_is_object(request) || too_deep(request, DEPTH_MAX)) {
        json_decref(request);
        return refusal("malformed", "the request is not a JSON object of at most 16 levels");
    }
    client->peer.ticket = control->asking = ++control->tickets;
    answer = control->handler(control->context, &client->peer, request);
    json_decref(request);
    share(control);
    if (!answer)
        answer = control->early;
    control->early = NULL;
    control->asking = 0;
    client->owed = !answer;
    return answer;
}

/* Answer the client's requests. -1: disconnect it. */
static int answer_client(struct control *control, struct control_client *client, int64_t now)
{
    for (int i = 0; i < REQUESTS_A_TURN && !client->out && !client->owed; i++) {
        const char *line;
        size_t length;
        json_t *answer;

        if (!control_client_line(client, &line, &length)) {
            if (client->in_length < CONTROL_REQUEST_MAX)
                return client->ended ? -1 : 0;
            client->last = true;
            control_client_answer(client, refusal("too-long", "the request is longer than 64 KB"));
        } else {
            answer = answer_line(control, client, line, length);
            control_client_take(client, length);
            client->progress = now;
            if (answer)
                control_client_answer(client, answer);
        }
        if (control_client_write(client, now) < 0 || (client->last && !client->out))
            return -1;
    }
    return 0;
}

/* -1: disconnect the client. */
static int serve_client(struct control *control, struct control_client *client, short ready,
                        int64_t now)
{
    if (ready & (POLLERR | POLLNVAL) || (ready & POLLHUP && !(ready & POLLIN)))
        return -1;
    if (ready & POLLIN && !client->last && control_client_read(client, now) < 0)
        return -1;
    if (control_client_write(client, now) < 0 || (client->last && !client->out))
        return -1;
    if (!client->last && answer_client(control, client, now) < 0)
        return -1;
    return control_client_is_late(client, now) ? -1 : 0;
}

static void drop_client(struct control *control, size_t place)
{
    control_client_destroy(control->clients[place]);
    control->clients[place] = control->clients[--control->n_clients];
}

static size_t connections_of(const struct control *control, uid_t uid)
{
    size_t n = 0;

    for (size_t i = 0; i < control->n_clients; i++)
        n += control->clients[i]->peer.uid == uid;
    return n;
}

/* The connection without progress for the longest time, of one user or (uid: NULL) of all. */
static size_t longest_without_progress(const struct control *control, const uid_t *uid)
{
    size_t longest = CONTROL_CLIENTS_MAX;

    for (size_t i = 0; i < control->n_clients; i++)
        if ((!uid || control->clients[i]->peer.uid == *uid) &&
            (longest == CONTROL_CLIENTS_MAX ||
             control->clients[i]->progress < control->clients[longest]->progress))
            longest = i;
    return longest;
}

/* The user with the most connections. */
static uid_t busiest(const struct control *control)
{
    uid_t found = control->clients[0]->peer.uid;

    for (size_t i = 1; i < control->n_clients; i++)
        if (connections_of(control, control->clients[i]->peer.uid) > connections_of(control, found))
            found = control->clients[i]->peer.uid;
    return found;
}

/* Users must not lock others out by holding connections open: the user with the most connections
 * loses one to another user, even if an answer is pending; otherwise only a silent connection is
 * dropped. */
static bool make_room(struct control *control, uid_t newcomer, int64_t now)
{
    size_t longest;
    uid_t most;

    if (control->n_clients < CONTROL_CLIENTS_MAX)
        return true;
    most = busiest(control);
    if (connections_of(control, newcomer) + 1 < connections_of(control, most)) {
        drop_client(control, longest_without_progress(control, &most));
        return true;
    }
    longest = longest_without_progress(control, NULL);
    if (control->clients[longest]->owed || now - control->clients[longest]->progress < EVICT_AFTER)
        return false;
    drop_client(control, longest);
    return true;
}

static void accept_clients(struct control *control, int64_t now)
{
    static const char full[] = "{\"ok\":false,\"error\":\"too many connections: try again\","
                               "\"code\":\"busy\"}\n";

    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        int fd = accept4(control->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        struct control_peer peer;

        if (fd < 0) {
            /* Connections that cannot be accepted would keep the listener ready all the time. */
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
                control->deaf_until = now + DEAF_FOR;
            return;
        }
        if (!control_identify(fd, control->group, &peer)) {
            close(fd);
        } else if (!make_room(control, peer.uid, now)) {
            (void)!send(fd, full, sizeof full - 1, MSG_NOSIGNAL);
            close(fd);
        } else {
            struct control_client *client = control_client_create(fd, &peer, now);

            control->clients[control->n_clients++] = client;
            if (serve_client(control, client, POLLIN, now) < 0) /* most clients have sent their
                                                                   request already */
                drop_client(control, control->n_clients - 1);
        }
    }
}

void control_serve(struct control *control)
{
    struct pollfd fds[CONTROL_CLIENTS_MAX + 1];
    size_t n = control->n_clients;
    int64_t now = clock_milliseconds(CLOCK_MONOTONIC);

    /* Poll again: curl's events do not include hang-ups. */
    for (size_t i = 0; i < n; i++)
        fds[i] =
            (struct pollfd){.fd = control->clients[i]->fd, .events = wanted(control->clients[i])};
    fds[n] = (struct pollfd){.fd = control->listener, .events = POLLIN};
    if (poll(fds, n + 1, 0) < 0)
        return;
    for (size_t i = n; i-- > 0;)
        if (serve_client(control, control->clients[i], fds[i].revents, now) < 0)
            drop_client(control, i);
    if (fds[n].revents)
        accept_clients(control, now);
}

void control_answer(struct control *control, uint64_t ticket, json_t *answer)
{
    int64_t now = clock_milliseconds(CLOCK_MONOTONIC);

    share(control);
    if (ticket == control->asking && ticket != 0 && !control->early) {
        control->early = answer;
        return;
    }
    for (size_t i = 0; i < control->n_clients; i++) {
        struct control_client *client = control->clients[i];

        if (client->owed && client->peer.ticket == ticket) {
            client->progress = now;
            control_client_answer(client, answer);
            return;
        }
    }
    json_decref(answer);
}
