/* wake.c: makes galernad poll OpenNebula at once.
 *
 *   galerna-wake [--socket PATH] [--vm ID]
 *
 * Used by the `place` driver and the hook, inside oned's time: it needs only the C library and
 * takes at most half a second in any state of galernad. The socket is the named one
 * (--socket, else $GALERNA_SOCKET), or else the first that answers of galernad's default sockets
 * (live_control_socket() in configuration/live.h).
 *
 * Exit codes: 0 delivered, 1 no daemon answers, 64 wrong usage.
 */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/clock.h"

enum { LIMIT_MS = 500, CANDIDATES_MAX = 5, VM_DIGITS_MAX = 10 };

struct wake_candidates {
    char paths[CANDIDATES_MAX][sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    int n;
};

static void offer(struct wake_candidates *candidates, const char *folder, const char *name)
{
    int length;

    if (!folder || candidates->n == CANDIDATES_MAX)
        return;
    length = snprintf(candidates->paths[candidates->n], sizeof candidates->paths[0], "%s%s", folder,
                      name);
    if (length > 0 && (size_t)length < sizeof candidates->paths[0])
        candidates->n++;
}

static void find_candidates(struct wake_candidates *candidates, const char *named)
{
    const struct passwd *user;

    if (!named)
        named = getenv("GALERNA_SOCKET");
    if (named && *named) {
        offer(candidates, named, "");
        return;
    }
    offer(candidates, "/run/galerna", "/control.sock");
    offer(candidates, "/var/lib/galerna", "/control.sock");
    offer(candidates, getenv("XDG_STATE_HOME"), "/galerna/control.sock");
    offer(candidates, getenv("HOME"), "/.local/state/galerna/control.sock");
    user = getpwuid(geteuid());
    if (user)
        offer(candidates, user->pw_dir, "/.local/state/galerna/control.sock");
}

/* Waits for any answer, which means that the request was read. */
static void await_answer(int fd, int64_t until)
{
    char answer[256];

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int64_t left = until - clock_milliseconds(CLOCK_MONOTONIC);

        if (left <= 0 || poll(&wait, 1, (int)left) == 0)
            return;
        if (recv(fd, answer, sizeof answer, MSG_DONTWAIT) >= 0 || errno != EAGAIN)
            return;
    }
}

static bool tell(const char *path, const char *request, int64_t until)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(request);
    bool told = false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return false;
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, request, length, MSG_NOSIGNAL) == (ssize_t)length) {
        await_answer(fd, until);
        told = true;
    }
    close(fd);
    return told;
}

static int usage(FILE *stream)
{
    fprintf(stream, "usage: galerna-wake [--socket PATH] [--vm ID]\n\n"
                    "Have galernad poll OpenNebula now.\n\n"
                    "  --socket PATH  the daemon's socket\n"
                    "  --vm ID        the VM that has changed\n");
    return stream == stdout ? 0 : 64;
}

static bool is_id(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length <= VM_DIGITS_MAX && strspn(text, "0123456789") == length;
}

int main(int argc, char **argv)
{
    struct wake_candidates candidates = {.n = 0};
    const char *named = NULL, *vm = NULL;
    char request[64] = "{\"command\": \"wake\"}\n";
    int64_t until;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return usage(stdout);
        if (i + 1 < argc && !strcmp(argv[i], "--socket"))
            named = argv[++i];
        else if (i + 1 < argc && !strcmp(argv[i], "--vm") && is_id(argv[i + 1]))
            vm = argv[++i];
        else
            return usage(stderr);
    }
    if (vm)
        snprintf(request, sizeof request, "{\"command\": \"wake\", \"vm\": %lu}\n",
                 strtoul(vm, NULL, 10));
    find_candidates(&candidates, named);
    until = clock_milliseconds(CLOCK_MONOTONIC) + LIMIT_MS;
    for (int i = 0; i < candidates.n; i++)
        if (tell(candidates.paths[i], request, until))
            return 0;
    fprintf(stderr, "galerna-wake: galernad does not answer on %s\n",
            candidates.n ? candidates.paths[0] : "a path too long for a socket");
    return 1;
}
