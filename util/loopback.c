/* Reads addresses on the loopback interface. */
#include "util/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/decimal.h"

enum { PORT_MOST = 65535, LOOPBACK_NETWORK = 127, NETWORK_SHIFT = 24 };

static bool is_port(const char *text, in_port_t *port)
{
    int64_t number;

    if (*text == '+' || decimal_parse(text, 0, &number) < 0 || number < 1 || number > PORT_MOST)
        return false;
    *port = htons((in_port_t)number);
    return true;
}

static bool is_v4(const char *host, in_port_t port, union loopback_address *address)
{
    address->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
    return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1 &&
           ntohl(address->v4.sin_addr.s_addr) >> NETWORK_SHIFT == LOOPBACK_NETWORK;
}

static bool is_v6(const char *host, in_port_t port, union loopback_address *address)
{
    address->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
    return strcmp(host, "[::1]") == 0 && inet_pton(AF_INET6, "::1", &address->v6.sin6_addr) == 1;
}

int loopback_read(const char *text, union loopback_address *address, struct error *err)
{
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN];
    in_port_t port;

    memset(address, 0, sizeof *address);
    if (colon && (size_t)(colon - text) < sizeof host && is_port(colon + 1, &port)) {
        snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
        if (is_v4(host, port, address) || is_v6(host, port, address))
            return 0;
    }
    return error_set(err, EINVAL,
                     "'%s' is not a loopback address with a port, such as 127.0.0.1:9750 or "
                     "[::1]:9750",
                     text);
}

socklen_t loopback_size(const union loopback_address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}
