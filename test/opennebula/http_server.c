/* A local HTTP server that answers XML-RPC calls and misbehaves on request. */
#include "test/opennebula/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { REQUEST_MAX = 64 * 1024, ANSWER_MAX = 512 * 1024 };

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<methodResponse>\r\n"
#define ARRAY(values)                                                                              \
    HEAD "<params>\r\n<param><value><array><data>" values                                          \
         "</data></array></value></param>\r\n</params>\r\n</methodResponse>\r\n"
#define SUCCESS(value)                                                                             \
    ARRAY("<value><boolean>1</boolean></value><value>" value "</value><value><i4>0</i4></value>")
#define REFUSAL(text, code)                                                                        \
    ARRAY("<value><boolean>0</boolean></value><value><string>" text "</string></value>"            \
          "<value><i4>" code "</i4></value><value><i4>-1</i4></value><value><i8>-1</i8></value>")
#define FAULT(code, text)                                                                          \
    HEAD "<fault><value><struct><member><name>faultCode</name><value><i4>" code                    \
         "</i4></value></member><member><name>faultString</name><value><string>" text              \
         "</string></value></member></struct></value></fault></methodResponse>"

struct connection {
    int socket;
    char request[REQUEST_MAX];
    size_t length, head_length, body_length;
};

static void send_bytes(const struct connection *connection, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(connection->socket, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0)
            _exit(0);
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void send_head(const struct connection *connection, const char *status, size_t length,
                      const char *more)
{
    char head[512];

    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nContent-Type: text/xml\r\nContent-Length: %zu\r\n%s\r\n", status,
             length, more);
    send_bytes(connection, head, strlen(head));
}

static void send_answer(const struct connection *connection, const char *body)
{
    send_head(connection, "200 OK", strlen(body), "");
    send_bytes(connection, body, strlen(body));
}

static bool is_method(const struct connection *connection, const char *method)
{
    char element[96];

    snprintf(element, sizeof element, "<methodName>%s</methodName>", method);
    return strstr(connection->request + connection->head_length, element);
}

/* The body of the call with its markup escaped, inside a given answer with one %s. */
static void send_echo(const struct connection *connection, const char *format)
{
    const char *body = connection->request + connection->head_length;
    char *escaped = calloc(connection->body_length * 5 + 1, 1), *end = escaped;
    char *answer = malloc(ANSWER_MAX);

    for (size_t i = 0; i < connection->body_length; i++) {
        if (body[i] == '<')
            end = stpcpy(end, "&lt;");
        else if (body[i] == '&')
            end = stpcpy(end, "&amp;");
        else
            *end++ = body[i];
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(answer, ANSWER_MAX, format, escaped);
#pragma GCC diagnostic pop
    send_answer(connection, answer);
    free(answer);
    free(escaped);
}

static void send_huge(const struct connection *connection, bool chunked)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    static char block[65536];

    memset(block, 'x', sizeof block);
    if (chunked)
        send_bytes(connection, head, sizeof head - 1);
    else
        send_head(connection, "200 OK", (size_t)1 << 40, "");
    for (;;) {
        if (chunked)
            send_bytes(connection, "10000\r\n", 7);
        send_bytes(connection, block, sizeof block);
        if (chunked)
            send_bytes(connection, "\r\n", 2);
    }
}

/* More than a share, within the limit; the second half comes later. */
static void send_large(const struct connection *connection)
{
    enum { SIZE = 600 * 1024 };
    char *text = malloc(SIZE + 1), *answer = malloc(SIZE + ANSWER_MAX);
    size_t length;

    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    length = (size_t)snprintf(answer, SIZE + ANSWER_MAX, SUCCESS("<string>%s</string>"), text);
    send_head(connection, "200 OK", length, "");
    send_bytes(connection, answer, length / 2);
    usleep(200000);
    send_bytes(connection, answer + length / 2, length - length / 2);
    free(answer);
    free(text);
}

static void send_trickle(const struct connection *connection)
{
    send_head(connection, "200 OK", 1000, "");
    for (int i = 0; i < 1000; i++) {
        send_bytes(connection, " ", 1);
        usleep(50000);
    }
}

static void send_deep(const struct connection *connection)
{
    enum { LEVELS = 60000 };
    char *body = calloc(LEVELS * 3 + 100, 1), *end = stpcpy(body, HEAD);

    for (int i = 0; i < LEVELS; i++)
        end = stpcpy(end, "<a>");
    send_answer(connection, body);
    free(body);
}

/* What is sent as it stands. */
static const struct {
    const char *method, *body;
} plain[] = {
    {"test.number", SUCCESS("<i4>13</i4>")},
    {"test.boolean", SUCCESS("<boolean>1</boolean>")},
    {"test.text", SUCCESS("<string>two words &amp; a &lt;tag&gt;</string>")},
    {"test.untyped", SUCCESS("plain")},
    {"test.control", SUCCESS("<string>a\x01"
                             "b\xFF"
                             "c</string>")},
    {"test.two-elements",
     ARRAY("<value><boolean>1</boolean></value><value><string>old</string></value>")},
    {"test.seven-elements",
     ARRAY("<value><boolean>1</boolean></value><value><i4>7</i4></value><value><i4>0</i4></value>"
           "<value><i4>1</i4></value><value><i8>2</i8></value><value><string/></value>"
           "<value><i4>0</i4></value>")},
    {"test.no-value", ARRAY("<value><boolean>1</boolean></value>")},
    {"test.struct", SUCCESS("<struct/>")},
    {"test.empty-array", ARRAY("")},
    {"test.refused", REFUSAL("[test.refused] Not\nenough CPU: 1500/1400", "2048")},
    {"test.refused-short", ARRAY("<value><boolean>0</boolean></value>")},
    {"test.fault501", FAULT("-501", "Not enough parameters")},
    {"test.fault500", FAULT("-500", "Something went wrong inside")},
    {"test.truncated-xml", HEAD "<params><param><value><array><data><value><boolean>1</bool"},
    {"test.unclosed-xml", HEAD "<params><param><value><array><data><value><boolean>1</boolean>"},
    {"test.garbled", "\x7F"
                     "ELF\x02\x01\x01 no XML at all <<<<>>>>"},
    {"test.empty", ""},
    {"test.html", "<html><body>It works!</body></html>"},
    {"test.bomb", "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">"
                  "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
                  "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]>"
                  "<methodResponse><params><param><value>&c;</value></param></params>"
                  "</methodResponse>"},
};

static bool answer_plain(const struct connection *connection)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (is_method(connection, plain[i].method)) {
            send_answer(connection, plain[i].body);
            return true;
        }
    }
    return false;
}

/* "refused-CODE:..." as the session of a call. */
static bool answer_session(const struct connection *connection)
{
    const char *code = strstr(connection->request + connection->head_length, "refused-");
    char body[1024];

    if (!code)
        return false;
    snprintf(body, sizeof body, REFUSAL("[test] no", "%d"), atoi(code + strlen("refused-")));
    send_answer(connection, body);
    return true;
}

/* false: the connection is closed. */
static bool answer(const struct connection *connection)
{
    if (answer_plain(connection) || answer_session(connection))
        return true;
    if (is_method(connection, "test.drop"))
        return false;
    if (is_method(connection, "test.truncated")) {
        send_head(connection, "200 OK", 1000, "");
        send_bytes(connection, HEAD, sizeof HEAD - 1);
        return false;
    }
    if (is_method(connection, "test.slow"))
        usleep(400000);
    if (is_method(connection, "one.vm.stuck"))
        usleep(1600000);
    if (is_method(connection, "test.trickle"))
        send_trickle(connection);
    if (is_method(connection, "test.huge"))
        send_huge(connection, false);
    if (is_method(connection, "test.endless"))
        send_huge(connection, true);
    if (is_method(connection, "test.large"))
        send_large(connection);
    else if (is_method(connection, "test.deep"))
        send_deep(connection);
    else if (is_method(connection, "test.500"))
        send_head(connection, "500 Internal Server Error", 0, "");
    else if (is_method(connection, "test.404"))
        send_head(connection, "404 Not Found", 0, "");
    else if (is_method(connection, "test.redirect"))
        send_head(connection, "302 Found", 0, "Location: /elsewhere\r\n");
    else if (is_method(connection, "test.echo"))
        send_echo(connection, SUCCESS("<string>%s</string>"));
    else if (is_method(connection, "test.echo-refused"))
        send_echo(connection, REFUSAL("%s", "256"));
    else if (is_method(connection, "test.echo-fault"))
        send_echo(connection, FAULT("-503", "%s"));
    else
        send_answer(connection, SUCCESS("<i4>0</i4>"));
    return true;
}

/* false: the other side is gone. */
static bool read_request(struct connection *connection)
{
    const char *header;
    ssize_t n;

    connection->length = connection->head_length = connection->body_length = 0;
    while (connection->head_length == 0 ||
           connection->length < connection->head_length + connection->body_length) {
        n = recv(connection->socket, connection->request + connection->length,
                 REQUEST_MAX - 1 - connection->length, 0);
        if (n <= 0)
            return false;
        connection->length += (size_t)n;
        connection->request[connection->length] = '\0';
        header = strstr(connection->request, "\r\n\r\n");
        if (connection->head_length == 0 && header) {
            connection->head_length = (size_t)(header - connection->request) + 4;
            header = strcasestr(connection->request, "\r\nContent-Length:");
            connection->body_length = header ? (size_t)atol(header + 17) : 0;
        }
    }
    return true;
}

static void serve(int socket, int calls)
{
    static struct connection connection;
    const int on = 1;

    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection.socket = socket;
    while (read_request(&connection)) {
        if (write(calls, "c", 1) != 1)
            _exit(1);
        if (!answer(&connection))
            break;
    }
    _exit(0);
}

static void run(int listening, int calls)
{
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int socket = accept(listening, NULL, NULL);

        if (socket < 0)
            _exit(1);
        if (write(calls, "o", 1) != 1)
            _exit(1);
        if (fork() == 0) /* dies with the process group */
            serve(socket, calls);
        close(socket);
    }
}

void http_server_start(struct http_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int calls[2];

    assert_true(listening >= 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 64), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(pipe(calls), 0);
    server->port = ntohs(address.sin_port);
    snprintf(server->endpoint, sizeof server->endpoint, "http://127.0.0.1:%d/RPC2", server->port);
    server->process = fork();
    assert_true(server->process >= 0);
    if (server->process == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(calls[0]);
        run(listening, calls[1]);
    }
    setpgid(server->process, server->process);
    close(listening);
    close(calls[1]);
    assert_int_equal(fcntl(calls[0], F_SETFL, O_NONBLOCK), 0);
    server->calls = calls[0];
    server->connections = 0;
}

void http_server_stop(struct http_server *server)
{
    kill(-server->process, SIGKILL);
    waitpid(server->process, NULL, 0);
    close(server->calls);
}

size_t http_server_calls(struct http_server *server)
{
    char seen[64];
    size_t n_calls = 0;
    ssize_t n;

    while ((n = read(server->calls, seen, sizeof seen)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            n_calls += seen[i] == 'c';
            server->connections += seen[i] == 'o';
        }
    return n_calls;
}
