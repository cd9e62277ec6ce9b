/* XML-RPC over HTTP, and faults of the transport. */
#include "sandbox/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/calls.h"
#include "util/clock.h"
#include "util/memory.h"

enum { REQUEST_MAX = 64 << 20 };

/* A request as it arrives, and its answer, which a fault may hold back or damage. */
struct exchange {
    struct oned_server *server;
    struct MHD_Connection *connection;
    struct oned_text request;
    bool too_long, answered;
    char *answer;
    size_t size, cut; /* the answer ends after cut bytes */
    unsigned status;
    bool drop;
    int64_t due; /* real us until which the answer is held back */
    struct exchange *next;
};

struct oned_server {
    struct oned *oned;
    struct MHD_Daemon *daemon;
    struct exchange *held; /* answers that wait for their time */
};

static void exchange_free(struct exchange *exchange)
{
    oned_text_finish(&exchange->request);
    free(exchange->answer);
    free(exchange);
}

/* Replace some bytes in the middle: some as harmless as digits, some that break the document. */
static void garble(struct oned *oned, struct exchange *exchange)
{
    for (size_t i = 0; exchange->size > 0 && i < 1 + exchange->size / 100; i++)
        exchange->answer[oned_random(oned) % exchange->size] = (char)(32 + oned_random(oned) % 95);
}

static void process(struct exchange *exchange)
{
    struct oned *oned = exchange->server->oned;
    const struct oned_fault *fault;

    exchange->answered = true;
    exchange->status = MHD_HTTP_OK;
    exchange->answer =
        oned_calls_process(oned, exchange->request.bytes ? exchange->request.bytes : "",
                           exchange->request.size, &exchange->size, &fault);
    exchange->cut = exchange->size;
    if (!fault)
        return;
    switch (fault->kind) {
    case FAULT_DROP_BEFORE:
    case FAULT_DROP_AFTER:
        exchange->drop = true;
        break;
    case FAULT_DELAY:
        exchange->due = clock_microseconds(CLOCK_MONOTONIC) + fault->time * 1000;
        break;
    case FAULT_TRUNCATE:
        exchange->cut = exchange->size / 2;
        break;
    case FAULT_GARBLE:
        garble(oned, exchange);
        break;
    case FAULT_ERROR_500:
        exchange->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        break;
    default:
        break;
    }
}

static ssize_t read_answer(void *data, uint64_t position, char *buffer, size_t max)
{
    const struct exchange *exchange = data;
    size_t left = exchange->cut - (size_t)position;

    if (left == 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    left = left < max ? left : max;
    memcpy(buffer, exchange->answer + position, left);
    return (ssize_t)left;
}

/* The date by the clock of the stand-in, not of the machine. */
static void add_date(const struct exchange *exchange, struct MHD_Response *response)
{
    time_t now = (time_t)oned_seconds(exchange->server->oned);
    struct tm parts;
    char text[64];

    if (gmtime_r(&now, &parts) &&
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0)
        MHD_add_response_header(response, MHD_HTTP_HEADER_DATE, text);
}

static enum MHD_Result send_answer(struct exchange *exchange)
{
    struct MHD_Response *response;
    enum MHD_Result result;

    if (exchange->drop)
        return MHD_NO;
    if (exchange->cut < exchange->size)
        response =
            MHD_create_response_from_callback(exchange->size, 65536, read_answer, exchange, NULL);
    else
        response = MHD_create_response_from_buffer(exchange->size, exchange->answer,
                                                   MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/xml; charset=utf-8");
    add_date(exchange, response);
    result = MHD_queue_response(exchange->connection, exchange->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_status(struct MHD_Connection *connection, unsigned status)
{
    char nothing[1] = "";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result = MHD_queue_response(connection, status, response);

    MHD_destroy_response(response);
    return result;
}

static void hold_back(struct exchange *exchange)
{
    exchange->next = exchange->server->held;
    exchange->server->held = exchange;
    MHD_suspend_connection(exchange->connection);
}

static enum MHD_Result receive(struct exchange *exchange, const char *bytes, size_t *size)
{
    if (exchange->request.size + *size > REQUEST_MAX)
        exchange->too_long = true;
    else
        oned_text_add(&exchange->request, bytes, *size);
    *size = 0;
    return MHD_YES;
}

static enum MHD_Result handle(void *data, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct exchange *exchange = *state;

    (void)version;
    if (!exchange) {
        exchange = memory_new(1, sizeof *exchange);
        exchange->server = data;
        exchange->connection = connection;
        *state = exchange;
        return MHD_YES;
    }
    if (*upload_size > 0)
        return receive(exchange, upload, upload_size);
    if (strcmp(url, "/RPC2") != 0 && strcmp(url, "/") != 0)
        return send_status(connection, MHD_HTTP_NOT_FOUND);
    if (strcmp(method, MHD_HTTP_METHOD_POST) != 0)
        return send_status(connection, MHD_HTTP_METHOD_NOT_ALLOWED);
    if (exchange->too_long)
        return send_status(connection, MHD_HTTP_CONTENT_TOO_LARGE);
    if (!exchange->answered) {
        process(exchange);
        if (exchange->due > 0) {
            hold_back(exchange);
            return MHD_YES;
        }
    }
    return send_answer(exchange);
}

static void completed(void *data, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    (void)data;
    (void)connection;
    (void)code;
    if (*state)
        exchange_free(*state);
    *state = NULL;
}

/* Resumes requests that were held back long enough. Returns the ms until the next, or -1. */
static int release_held(struct oned_server *server, bool all)
{
    struct exchange **link = &server->held, *exchange;
    int64_t now = clock_microseconds(CLOCK_MONOTONIC), next = -1;

    while ((exchange = *link)) {
        if (all || exchange->due <= now) {
            *link = exchange->next;
            MHD_resume_connection(exchange->connection);
            continue;
        }
        if (next < 0 || exchange->due - now < next)
            next = exchange->due - now;
        link = &exchange->next;
    }
    return next < 0 ? -1 : (int)(next / 1000) + 1;
}

static int open_socket(const char *address, int port, struct error *err)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd, yes = 1;

    if (inet_pton(AF_INET, address, &name.sin_addr) != 1)
        return error_set(err, EINVAL, "'%s' is not an IPv4 address", address);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_errno(err, "no socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr *)&name, sizeof name) || listen(fd, SOMAXCONN)) {
        error_errno(err, "cannot listen on %s port %d", address, port);
        close(fd);
        return -1;
    }
    return fd;
}

struct oned_server *oned_server_create(struct oned *oned, const char *address, int port,
                                       struct error *err)
{
    struct oned_server *server;
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;
    int fd = open_socket(address, port, err);

    if (fd < 0)
        return NULL;
    if (getsockname(fd, (struct sockaddr *)&name, &size)) {
        error_errno(err, "the port is not known");
        close(fd);
        return NULL;
    }
    server = memory_new(1, sizeof *server);
    server->oned = oned;
    oned->port = ntohs(name.sin_port);
    server->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, server,
                         MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)262144, MHD_OPTION_END);
    if (!server->daemon) {
        error_set(err, EIO, "the HTTP server cannot be started");
        close(fd);
        free(server);
        return NULL;
    }
    return server;
}

void oned_server_destroy(struct oned_server *server)
{
    if (!server)
        return;
    release_held(server, true);
    MHD_stop_daemon(server->daemon);
    free(server);
}

int oned_server_step(struct oned_server *server, int timeout, struct error *err)
{
    int held = release_held(server, false);

    if (held >= 0 && held < timeout)
        timeout = held;
    if (MHD_run_wait(server->daemon, timeout) == MHD_NO)
        return error_set(err, EIO, "the HTTP server failed");
    return 0;
}
