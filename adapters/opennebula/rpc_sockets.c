/* Keeps the list of libcurl's sockets, and tells libcurl which are ready. */
#include "adapters/opennebula/rpc_sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/memory.h"

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *own)
{
    struct rpc_sockets *sockets = context;
    size_t i = 0;

    (void)easy, (void)own;
    while (i < sockets->n && sockets->fds[i].fd != fd)
        i++;
    if (what == CURL_POLL_REMOVE) {
        if (i < sockets->n)
            sockets->fds[i] = sockets->fds[--sockets->n];
        return 0;
    }
    if (i == sockets->n) {
        MEMORY_GROW(sockets->fds, sockets->allocated, ++sockets->n);
        sockets->fds[i] = (struct pollfd){.fd = fd};
    }
    sockets->fds[i].events =
        (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
    return 0;
}

static int on_timer(CURLM *multi, long timeout, void *context)
{
    struct rpc_sockets *sockets = context;

    (void)multi;
    sockets->timer = timeout < 0 ? -1 : clock_milliseconds(CLOCK_MONOTONIC) + timeout;
    return 0;
}

bool rpc_sockets_init(struct rpc_sockets *sockets, CURLM *multi)
{
    *sockets = (struct rpc_sockets){.multi = multi, .timer = -1};
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, sockets) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERDATA, sockets) == CURLM_OK;
}

void rpc_sockets_finish(struct rpc_sockets *sockets)
{
    free(sockets->fds);
}

static bool timer_is_due(const struct rpc_sockets *sockets)
{
    return sockets->timer >= 0 && clock_milliseconds(CLOCK_MONOTONIC) >= sockets->timer;
}

/* Errors are found by reading. */
static int events_of(int revents)
{
    return (revents & (POLLIN | POLLERR | POLLHUP) ? CURL_CSELECT_IN : 0) |
           (revents & POLLOUT ? CURL_CSELECT_OUT : 0) | (revents & POLLNVAL ? CURL_CSELECT_ERR : 0);
}

/* Backwards, because libcurl removes sockets meanwhile, and the last one takes their place. */
CURLMcode rpc_sockets_advance(struct rpc_sockets *sockets)
{
    CURLMcode code = CURLM_OK;
    int running;

    for (size_t i = sockets->n; i-- > 0 && code == CURLM_OK;) {
        struct pollfd ready;

        if (i >= sockets->n || !sockets->fds[i].revents)
            continue;
        ready = sockets->fds[i];
        sockets->fds[i].revents = 0;
        code =
            curl_multi_socket_action(sockets->multi, ready.fd, events_of(ready.revents), &running);
    }
    if (code == CURLM_OK && timer_is_due(sockets)) {
        sockets->timer = -1;
        code = curl_multi_socket_action(sockets->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    return code;
}

int rpc_sockets_wait(struct rpc_sockets *sockets, struct pollfd *extra, unsigned n_extra,
                     int64_t timeout)
{
    int64_t timer =
        sockets->timer < 0 ? INT32_MAX : sockets->timer - clock_milliseconds(CLOCK_MONOTONIC);
    int n;

    if (timer < timeout)
        timeout = timer;
    MEMORY_GROW(sockets->fds, sockets->allocated, sockets->n + n_extra + 1);
    if (n_extra > 0)
        memcpy(sockets->fds + sockets->n, extra, n_extra * sizeof *extra);
    n = poll(sockets->fds, sockets->n + n_extra, timeout > 0 ? (int)timeout : 0);
    if (n < 0 && errno != EINTR)
        return -1;
    for (size_t i = 0; n < 0 && i < sockets->n + n_extra; i++)
        sockets->fds[i].revents = 0;
    if (n_extra > 0)
        memcpy(extra, sockets->fds + sockets->n, n_extra * sizeof *extra);
    return 0;
}
