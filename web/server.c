/* Serves HTTP and TLS. */
#include "web/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/file.h"
#include "util/loopback.h"
#include "util/memory.h"
#include "web/connections.h"

enum { EVENT_MAX = 256, ADDRESS_MAX = 64, CERTIFICATE_MAX = 1 << 20 };

struct server {
    struct MHD_Daemon *daemon;
    struct server_settings settings;
    struct connections *connections;
    char *certificate, *key;
};

/* A request that is being received. */
struct exchange {
    char body[API_BODY_MAX + 1];
    size_t length;
    bool too_long;
};

/* --- answers ---------------------------------------------------------------------------------- */

static ssize_t read_event(void *listener, uint64_t position, char *text, size_t size)
{
    size_t n = feed_read(listener, text, size);

    (void)position;
    return n > 0 ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void leave(void *listener)
{
    feed_leave(listener);
}

static struct MHD_Response *stream_of(const struct server *server, const char *who)
{
    struct listener *listener = feed_listen(server->settings.feed, who);
    struct MHD_Response *response;

    if (!listener)
        return NULL;
    response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_MAX, read_event, listener, leave);
    if (!response)
        feed_leave(listener);
    return response;
}

static bool is_stream(const struct api_answer *answer)
{
    return !answer->file && !answer->body;
}

static struct MHD_Response *response_of(const struct server *server, struct api_answer *answer)
{
    if (answer->file)
        return MHD_create_response_from_buffer(answer->file->length, answer->file->text,
                                               MHD_RESPMEM_PERSISTENT);
    if (is_stream(answer))
        return stream_of(server, answer->who);
    return MHD_create_response_from_buffer(answer->length, answer->body, MHD_RESPMEM_MUST_FREE);
}

static void add_headers(struct MHD_Response *response, const struct api_answer *answer)
{
    static const struct {
        const char *name, *value;
    } always[] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy",
         "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"},
    };

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i].name, always[i].value);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    if (answer->status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
                                "Basic realm=\"OpenNebula\", charset=\"UTF-8\"");
    if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow);
    if (answer->status == MHD_HTTP_TOO_MANY_REQUESTS ||
        answer->status == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "5");
}

static enum MHD_Result send_answer(const struct server *server, struct MHD_Connection *connection,
                                   struct api_answer *answer)
{
    struct MHD_Response *response = response_of(server, answer);
    enum MHD_Result result;

    if (!response) /* too many listeners, or out of memory: the client retries */
        return MHD_NO;
    add_headers(response, answer);
    result = MHD_queue_response(connection, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- requests --------------------------------------------------------------------------------- */

static enum MHD_Result take_pair(void *context, enum MHD_ValueKind kind, const char *name,
                                 const char *value)
{
    struct api_request *request = context;

    (void)kind;
    if (request->n_query < API_QUERY_MAX)
        request->query[request->n_query++] = (struct api_pair){name, value};
    else
        request->too_long = true;
    return MHD_YES;
}

static void address_of(struct MHD_Connection *connection, char text[ADDRESS_MAX])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    socklen_t size = info && info->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                                      : sizeof(struct sockaddr_in);

    if (!info ||
        getnameinfo(info->client_addr, size, text, ADDRESS_MAX, NULL, 0, NI_NUMERICHOST) != 0)
        strcpy(text, "unknown");
}

/* That of a request. */
static struct connection *connection_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static enum MHD_Result answer_exchange(const struct server *server,
                                       struct MHD_Connection *connection, struct exchange *exchange,
                                       struct api_request *request)
{
    char address[ADDRESS_MAX], *password = NULL;
    char *user = MHD_basic_auth_get_username_password(connection, &password);
    struct api_answer answer;
    enum MHD_Result result;

    address_of(connection, address);
    request->address = address;
    request->user = user;
    request->password = password ? password : "";
    request->type =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
    request->route.body = exchange->body;
    request->route.length = exchange->length;
    request->too_long = exchange->too_long;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_pair, request);
    connections_keep(server->connections, connection_of(connection), true);
    server->settings.answer(server->settings.context, request, &answer);
    connections_keep(server->connections, connection_of(connection), is_stream(&answer));
    result = send_answer(server, connection, &answer);
    if (password)
        explicit_bzero(password, strlen(password));
    MHD_free(user);
    MHD_free(password);
    return result;
}

static enum MHD_Result requested(void *context, struct MHD_Connection *connection, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **state)
{
    struct exchange *exchange = *state;
    struct api_request request = {.route = {.method = method, .path = path}};

    (void)version;
    if (!exchange) {
        *state = memory_new(1, sizeof *exchange);
        return MHD_YES;
    }
    if (*upload_size == 0)
        return answer_exchange(context, connection, exchange, &request);
    if (*upload_size > API_BODY_MAX - exchange->length) {
        exchange->too_long = true; /* reads and drops the rest, so the client gets the error */
    } else {
        memcpy(exchange->body + exchange->length, upload, *upload_size);
        exchange->length += *upload_size;
    }
    *upload_size = 0;
    return MHD_YES;
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    const struct server *server = context;

    (void)code;
    connections_keep(server->connections, connection_of(connection), false);
    free(*state);
    *state = NULL;
}

static void note_connection(void *context, struct MHD_Connection *connection, void **state,
                            enum MHD_ConnectionNotificationCode code)
{
    const struct server *server = context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *state = connections_join(
            server->connections,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
    else
        connections_leave(server->connections, *state);
}

/* --- the server ------------------------------------------------------------------------------- */

/* The address of "HOST:PORT" or "[HOST]:PORT"; to be freed with freeaddrinfo(). */
static struct addrinfo *read_address(const char *text, struct error *err)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(text, ':');
    bool bracketed = *text == '[' && colon > text && colon[-1] == ']';
    struct addrinfo *found = NULL;
    char *host;

    if (colon && colon > text) {
        host = memory_format("%.*s", (int)(colon - text) - 2 * bracketed, text + bracketed);
        if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
            found = NULL;
        free(host);
    }
    if (!found)
        error_set(err, EINVAL,
                  "--listen: '%.60s' is not an address with a port, such as "
                  "127.0.0.1:9751 or [::]:443",
                  text);
    return found;
}

static int listen_on(const char *text, struct error *err)
{
    struct addrinfo *address = read_address(text, err);
    const int on = 1;
    int descriptor;

    if (!address)
        return -1;
    descriptor = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(descriptor, address->ai_addr, address->ai_addrlen) < 0 ||
        listen(descriptor, SERVER_CLIENTS_MAX) < 0) {
        error_set(err, errno, "cannot listen on %s: %s", text, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        descriptor = -1;
    }
    freeaddrinfo(address);
    return descriptor;
}

static int read_keys(struct server *server, const struct server_settings *settings,
                     struct error *err)
{
    union loopback_address loopback;
    struct error why;
    size_t length;

    if (!settings->certificate && !settings->key) {
        if (loopback_read(settings->listen, &loopback, &why) == 0)
            return 0;
        return error_set(err, EINVAL,
                         "--listen: %s; for others set --certificate and --key: passwords would be "
                         "sent in the clear",
                         why.text);
    }
    if (!settings->certificate || !settings->key)
        return error_set(err, EINVAL, "--certificate and --key must be used together");
    server->certificate = file_read(settings->certificate, CERTIFICATE_MAX, &length, err);
    server->key =
        server->certificate ? file_read(settings->key, CERTIFICATE_MAX, &length, err) : NULL;
    return server->key ? 0 : -1;
}

/* Decodes a part of the URL. A zero byte would end it for all who read it; it becomes U+FFFD. */
static size_t decode(void *context, struct MHD_Connection *connection, char *text)
{
    static const char replacement[] = {'\xef', '\xbf', '\xbd'};

    (void)context, (void)connection;
    for (char *zero = text; (zero = strstr(zero, "%00"));)
        memcpy(zero, replacement, sizeof replacement);
    return MHD_http_unescape(text);
}

/* Errors of clients are not logged. */
static void ignore(void *context, const char *format, va_list arguments)
{
    (void)context, (void)format, (void)arguments;
}

static struct MHD_Daemon *start(struct server *server, int descriptor)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     MHD_USE_POLL | MHD_USE_ERROR_LOG | (server->key ? MHD_USE_TLS : 0);
    struct MHD_OptionItem keys[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, server->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, server->key},
        {MHD_OPTION_END, 0, NULL},
    };

    return MHD_start_daemon(
        flags, 0, NULL, NULL, requested, server, MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL,
        MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)SERVER_CLIENTS_MAX, MHD_OPTION_UNESCAPE_CALLBACK, decode, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, note_connection, server, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)SERVER_IDLE_LIMIT, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_MEMORY,
        MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_ARRAY,
        server->key ? keys : keys + 2, MHD_OPTION_END);
}

struct server *server_create(const struct server_settings *settings, struct error *err)
{
    struct server *server = memory_new(1, sizeof *server);
    int descriptor = -1;

    server->settings = *settings;
    server->connections = connections_create();
    if (read_keys(server, settings, err) == 0)
        descriptor = listen_on(settings->listen, err);
    if (descriptor >= 0) {
        server->daemon = start(server, descriptor);
        if (server->daemon)
            return server;
        close(descriptor);
        error_set(err, EIO, "cannot start the server on %s%s", settings->listen,
                  server->key ? ": the certificate or key is wrong, or libmicrohttpd has no TLS"
                              : "");
    }
    server_destroy(server);
    return NULL;
}

void server_destroy(struct server *server)
{
    if (!server)
        return;
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    connections_destroy(server->connections);
    if (server->key)
        explicit_bzero(server->key, strlen(server->key));
    free(server->key);
    free(server->certificate);
    free(server);
}
