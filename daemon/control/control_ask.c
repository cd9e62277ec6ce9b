/* Sends requests to galernad over its control socket. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/control/control.h"
#include "util/clock.h"
#include "util/memory.h"

enum { ANSWER_MAX = 256 << 20 };

static int not_in_time(const char *path, struct error *err)
{
    return error_set(err, ETIMEDOUT, "galernad at %s does not answer in time; see its log", path);
}

static int connect_error(const char *path, struct error *err)
{
    switch (errno) {
    case ENOENT:
    case ECONNREFUSED:
        return error_set(err, errno,
                         "no galernad answers at %s: start it (systemctl start galernad, or "
                         "galernad --foreground), or locate it with --state-dir or --socket",
                         path);
    case EACCES:
    case EPERM:
        return error_set(err, errno,
                         "%s: permission denied: run this command as root, as the daemon's user or "
                         "as a member of its control-group",
                         path);
    case EAGAIN:
        return not_in_time(path, err);
    default:
        return error_errno(err, "%s: cannot connect", path);
    }
}

/* Waits until `until` if the queue of connections to be accepted is full. */
static int connect_until(int fd, const struct sockaddr_un *address, int64_t until)
{
    int64_t left = until - clock_milliseconds(CLOCK_MONOTONIC);
    struct timeval limit = {.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000};
    int result;

    if (left <= 0) {
        errno = EAGAIN;
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    while ((result = connect(fd, (const struct sockaddr *)address, sizeof *address)) < 0 &&
           errno == EINTR)
        ;
    return result < 0 ? -1 : fcntl(fd, F_SETFL, O_NONBLOCK);
}

static int connect_to(const char *path, int64_t until, struct error *err)
{
    struct sockaddr_un address;
    int directory, fd = -1;

    if (control_address(path, &address, &directory, err) < 0)
        goto end;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        error_errno(err, "cannot create a socket");
    } else if (connect_until(fd, &address, until) < 0) {
        connect_error(path, err);
        close(fd);
        fd = -1;
    }
end:
    if (directory >= 0)
        close(directory);
    return fd;
}

/* -1: timeout, or polling failed. */
static int wait_for(int fd, short events, int64_t until, const char *path, struct error *err)
{
    struct pollfd one = {.fd = fd, .events = events};
    int64_t left;

    do {
        int n;

        left = until - clock_milliseconds(CLOCK_MONOTONIC);
        n = left > 0 ? poll(&one, 1, (int)left) : 0;
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return error_errno(err, "%s: cannot wait", path);
    } while (left > 0);
    return not_in_time(path, err);
}

static int cut_off(const char *path, struct error *err)
{
    return error_set(err, ECONNRESET,
                     "galernad at %s closed the connection before its answer was complete", path);
}

static int send_all(int fd, const char *text, size_t length, int64_t until, const char *path,
                    struct error *err)
{
    size_t sent = 0;

    while (sent < length) {
        ssize_t n = send(fd, text + sent, length - sent, MSG_NOSIGNAL);

        if (n >= 0)
            sent += (size_t)n;
        else if (errno == EAGAIN) {
            if (wait_for(fd, POLLOUT, until, path, err) < 0)
                return -1;
        } else if (errno == EPIPE || errno == ECONNRESET)
            return 0; /* the answer may give the reason */
        else if (errno != EINTR)
            return error_errno(err, "%s: cannot send", path);
    }
    return 0;
}

/* Reads one line, without its newline. */
static int read_line(int fd, char **line, int64_t until, const char *path, struct error *err)
{
    size_t length = 0, allocated = 0;
    char *text = NULL;

    for (;;) {
        ssize_t n;

        text = memory_grow(text, &allocated, length + 65536, 1);
        n = recv(fd, text + length, allocated - length - 1, 0);
        if (n > 0) {
            char *end = memchr(text + length, '\n', (size_t)n);

            length += (size_t)n;
            if (end) {
                *end = '\0';
                *line = text;
                return 0;
            }
            if (length > ANSWER_MAX) {
                error_set(err, EMSGSIZE, "galernad at %s: its answer is too long", path);
                break;
            }
        } else if (n == 0 || errno == ECONNRESET) {
            cut_off(path, err);
            break;
        } else if (errno == EAGAIN) {
            if (wait_for(fd, POLLIN, until, path, err) < 0)
                break;
        } else if (errno != EINTR) {
            error_errno(err, "%s: cannot receive", path);
            break;
        }
    }
    free(text);
    return -1;
}

json_t *control_read_answer(char *line, const char *path, struct error *err)
{
    json_error_t error;
    json_t *answer = json_loads(line, 0, &error);

    free(line);
    if (answer && json_is_object(answer) && json_is_boolean(json_object_get(answer, "ok")))
        return answer;
    error_set(err, EPROTO, "the process listening at %s is not galernad: %s", path,
              answer ? "its answer has no \"ok\"" : error.text);
    json_decref(answer);
    return NULL;
}

bool control_is_open(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR);
}

char *control_ask_on(int *fd, const char *path, const json_t *request, int timeout,
                     struct error *err)
{
    int64_t until = clock_milliseconds(CLOCK_MONOTONIC) + timeout;
    char *text = json_dumps(request, JSON_COMPACT), *line = NULL;
    size_t length = text ? strlen(text) : 0;

    if (!text || length >= CONTROL_REQUEST_MAX) {
        error_set(err, EMSGSIZE, "the request is too long");
        free(text);
        return NULL;
    }
    if (*fd < 0)
        *fd = connect_to(path, until, err);
    text[length] = '\n'; /* replaces the terminating 0 */
    if (*fd >= 0 && (send_all(*fd, text, length + 1, until, path, err) < 0 ||
                     read_line(*fd, &line, until, path, err) < 0)) {
        close(*fd);
        *fd = -1;
    }
    free(text);
    return line;
}

json_t *control_ask(const char *path, const json_t *request, int timeout, struct error *err)
{
    int fd = -1;
    char *line = control_ask_on(&fd, path, request, timeout, err);

    if (fd >= 0)
        close(fd);
    return line ? control_read_answer(line, path, err) : NULL;
}
