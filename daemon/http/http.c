/* Serves metrics and health checks over HTTP. */
#include "daemon/http/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "util/instant.h"
#include "util/loopback.h"
#include "util/memory.h"
#include "util/output.h"

/* A connection, in the order of their beginnings. */
struct client {
    int descriptor;
    int64_t until; /* monotonic milliseconds */
};

struct http {
    struct MHD_Daemon *daemon;
    http_handler *handler;
    void *context;
    struct client clients[HTTP_CLIENTS_MAX];
    size_t n_clients;
};

/* --- clients ---------------------------------------------------------------------------------- */

static int descriptor_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info ? info->connect_fd : -1;
}

static void forget(struct http *http, int descriptor)
{
    size_t kept = 0;

    for (size_t i = 0; i < http->n_clients; i++)
        if (http->clients[i].descriptor != descriptor)
            http->clients[kept++] = http->clients[i];
    http->n_clients = kept;
}

static void connected(void *context, struct MHD_Connection *connection, void **unused,
                      enum MHD_ConnectionNotificationCode code)
{
    struct http *http = context;
    int descriptor = descriptor_of(connection);

    (void)unused;
    forget(http, descriptor);
    if (code == MHD_CONNECTION_NOTIFY_STARTED && http->n_clients < HTTP_CLIENTS_MAX)
        http->clients[http->n_clients++] =
            (struct client){descriptor, clock_monotonic() + HTTP_CLIENT_LIMIT};
}

/* --- answers ---------------------------------------------------------------------------------- */

static enum MHD_Result send_body(struct MHD_Connection *connection, unsigned status,
                                 const char *type, const struct output *body)
{
    size_t n;
    const char *text = output_held(body, &n);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(n, memory_copy(text, n), MHD_RESPMEM_MUST_FREE);
    enum MHD_Result result;

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result requested(void *context, struct MHD_Connection *connection, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **unused)
{
    const struct http *http = context;
    const char *accept =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    const struct http_request request = {path, accept ? accept : ""};
    const char *type = "text/plain; charset=utf-8";
    struct output *body = output_create_memory();
    unsigned status = MHD_HTTP_METHOD_NOT_ALLOWED;
    enum MHD_Result result;

    (void)version, (void)upload, (void)upload_size, (void)unused;
    if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
        status = http->handler(http->context, &request, body, &type);
    else
        output_text(body, "Only GET and HEAD are allowed.\n");
    result = send_body(connection, status, type, body);
    output_destroy(body);
    return result;
}

/* --- the server ------------------------------------------------------------------------------- */

static int listen_on(const char *text, struct error *err)
{
    union loopback_address address;
    const int on = 1;
    int descriptor;

    if (loopback_read(text, &address, err) < 0)
        return -1;
    descriptor = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor >= 0 && setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(descriptor, &address.any, loopback_size(&address)) == 0 &&
        listen(descriptor, HTTP_CLIENTS_MAX) == 0)
        return descriptor;
    error_errno(err, "http.listen: cannot listen on %s", text);
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* Errors of clients are not logged. */
static void ignore(void *context, const char *format, va_list arguments)
{
    (void)context, (void)format, (void)arguments;
}

struct http *http_create(const char *listen, http_handler *handler, void *context,
                         struct error *err)
{
    int descriptor = listen_on(listen, err);
    struct http *http;

    if (descriptor < 0)
        return NULL;
    http = memory_new(1, sizeof *http);
    http->handler = handler;
    http->context = context;
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, requested, http,
        MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL, MHD_OPTION_LISTEN_SOCKET, descriptor,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CLIENTS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)HTTP_IDLE_LIMIT, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_REQUEST_MAX,
        MHD_OPTION_NOTIFY_CONNECTION, connected, http, MHD_OPTION_END);
    if (http->daemon)
        return http;
    error_set(err, EIO, "http.listen: cannot start the HTTP server on %s", listen);
    close(descriptor);
    free(http);
    return NULL;
}

void http_destroy(struct http *http)
{
    if (!http)
        return;
    MHD_stop_daemon(http->daemon);
    free(http);
}

unsigned http_waitfds(const struct http *http, struct pollfd *fds)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);

    if (!info)
        return 0;
    *fds = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
    return 1;
}

int64_t http_due(const struct http *http)
{
    MHD_UNSIGNED_LONG_LONG wait;
    int64_t due = http->n_clients ? http->clients[0].until : INSTANT_NEVER, idle;

    if (MHD_get_timeout(http->daemon, &wait) != MHD_YES)
        return due;
    idle = clock_monotonic() + (int64_t)wait;
    return idle < due ? idle : due;
}

void http_serve(struct http *http)
{
    int64_t now = clock_monotonic();

    /* The server notices the end of the connection, and closes it. */
    for (size_t i = 0; i < http->n_clients; i++)
        if (http->clients[i].until <= now) {
            shutdown(http->clients[i].descriptor, SHUT_RDWR);
            http->clients[i].until = INSTANT_NEVER;
        }
    MHD_run(http->daemon);
}
